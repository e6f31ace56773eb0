//! Relative links in Markdown lead somewhere: to a file, a folder, and a heading where one is named.

use super::Finding;
use crate::workspace::Tree;

/// Findings for relative links whose target is not in the tree.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.ending(".md") {
        for (line, target) in links(&file.text) {
            if let Some(says) = dead(tree, &file.path, target) {
                findings.push(Finding::error(&file.path, line, says));
            }
        }
    }
    findings
}

fn dead(tree: &Tree, from: &str, target: &str) -> Option<String> {
    let (path, heading) = target.split_once('#').map_or((target, None), |(path, heading)| (path, Some(heading)));
    let path = if path.is_empty() { from.to_owned() } else { resolve(from, path)? };
    let folder = format!("{path}/");
    if path.is_empty() || tree.files.iter().any(|file| file.path.starts_with(&folder)) {
        return None;
    }
    let is_picture = tree.tracked.iter().flatten().any(|known| *known == path);
    if is_picture && tree.file(&path).is_none() {
        return None;
    }
    let Some(file) = tree.file(&path) else { return Some(format!("`{target}` leads nowhere")) };
    let known =
        heading.is_none_or(|wanted| !path.ends_with(".md") || anchors(&file.text).any(|anchor| anchor == wanted));
    (!known).then(|| format!("`{path}` has no heading `#{}`", heading.unwrap_or_default()))
}

/// Line and target of each relative link outside code.
pub fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (at, line) in prose(text) {
        let mut code = false;
        for part in line.split_inclusive('`') {
            if !code {
                found.extend(targets(part).map(|target| (at, target)));
            }
            code ^= part.ends_with('`');
        }
        // A link whose text is code is split by the loop above; look for its tail alone.
        found.extend(line.match_indices("`](").filter_map(|(at_byte, _)| {
            let rest = &line[at_byte + 3..];
            rest.split_once(')').map(|(target, _)| (at, target))
        }));
    }
    found.retain(|(_, target)| !target.is_empty() && !target.contains("://") && !target.starts_with("mailto:"));
    found.sort_unstable();
    found.dedup();
    found
}

fn targets(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("](").filter_map(|(at, _)| {
        let (target, _) = text[at + 2..].split_once(')')?;
        target.split_whitespace().next()
    })
}

/// Lines outside fenced code, with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(at, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        (!fenced && !fence).then_some((at + 1, line))
    })
}

fn anchors(text: &str) -> impl Iterator<Item = String> {
    prose(text).filter(|(_, line)| line.starts_with('#')).map(|(_, line)| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        title
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
            .collect::<String>()
            .replace(' ', "-")
    })
}

/// `path` as seen from the file `from`; `None` where it leaves the tree, which nobody here can judge.
pub fn resolve(from: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in path.trim_end_matches('/').split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::sample::tree;
    use super::*;

    #[rstest]
    #[case::a_neighbour("[a](other.md)", 0)]
    #[case::up_and_down("[a](../README.md)", 0)]
    #[case::a_folder("[a](adr/)", 0)]
    #[case::a_missing_file("[a](none.md)", 1)]
    #[case::a_link_with_code_as_its_text("see [`a`](none.md)", 1)]
    #[case::a_web_address_is_not_followed("[a](https://example.org/none.md)", 0)]
    #[case::code_is_not_a_link("`[a](none.md)`", 0)]
    #[case::fenced_code_is_not_a_link("```\n[a](none.md)\n```", 0)]
    #[case::a_known_heading("[a](other.md#two-words)", 0)]
    #[case::an_unknown_heading("[a](other.md#three)", 1)]
    #[case::a_heading_of_the_page_itself("# Here it is\n[a](#here-it-is)", 0)]
    fn following(#[case] text: &str, #[case] count: usize) {
        let files =
            [("docs/page.md", text), ("docs/other.md", "# Two words\n"), ("docs/adr/0001.md", ""), ("README.md", "")];
        let findings = check(&tree(&files));
        assert_eq!(findings.len(), count, "{findings:?}");
    }
}
