//! A note about work left undone names the issue that tracks it.

use super::Finding;
use crate::workspace::Tree;

// In two halves, so that this file does not find itself.
const MARKERS: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];
const KINDS: &[&str] = &[".rs", ".toml", ".yaml", ".yml", ".sh", ".go"];

/// Findings for markers without an issue number in brackets behind them.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| KINDS.iter().any(|kind| file.path.ends_with(kind))) {
        for (at, line) in file.text.lines().enumerate() {
            for marker in MARKERS.iter().filter(|marker| stands_alone(line, marker)) {
                let says = format!("{marker} without an issue: write {marker}(#123)");
                findings.push(Finding::error(&file.path, at + 1, says));
            }
        }
    }
    findings
}

fn stands_alone(line: &str, marker: &str) -> bool {
    line.match_indices(marker).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = &line[at + marker.len()..];
        let is_word = before.is_some_and(is_name) || after.chars().next().is_some_and(is_name);
        !is_word && !names_an_issue(after)
    })
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn names_an_issue(after: &str) -> bool {
    after.strip_prefix("(#").is_some_and(|rest| {
        let digits = rest.chars().take_while(char::is_ascii_digit).count();
        digits > 0 && rest[digits..].starts_with(')')
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::sample::tree;
    use super::*;

    #[rstest]
    #[case::a_bare_marker_is_found("// MARK: later", 1)]
    #[case::a_person_is_not_an_issue("// MARK(ann): later", 1)]
    #[case::an_issue_is_enough("// MARK(#12): later", 0)]
    #[case::an_empty_issue_is_not("// MARK(#): later", 1)]
    #[case::part_of_a_name_is_no_marker("let MARK_LIST = 1;", 0)]
    fn markers(#[case] line: &str, #[case] count: usize) {
        let text = line.replace("MARK", MARKERS[0]);
        assert_eq!(check(&tree(&[("a.rs", &text)])).len(), count);
    }
}
