//! The workspace's own pages in the book: all Markdown, at the same place, so that links between them hold.

use crate::tidy::links::{links, resolve};
use crate::workspace::{SourceFile, Tree};

/// Every page, and the files that pages link to.
pub fn of_workspace(tree: &Tree) -> (Vec<SourceFile>, Vec<String>) {
    let mut copied = Vec::new();
    let pages = tree.ending(".md").map(|file| {
        let mut text = file.text.clone();
        for (_, target) in links(&file.text) {
            match place(tree, &file.path, target) {
                Place::Page => {}
                Place::File(path) => copied.push(path),
                Place::Folder(readme) => text = text.replace(&format!("]({target})"), &format!("]({readme})")),
                Place::Nothing => text = without_link(&text, target),
            }
        }
        SourceFile { path: file.path.clone(), text }
    });
    let pages = pages.collect();
    copied.sort();
    copied.dedup();
    (pages, copied)
}

/// What a link leads to.
enum Place {
    /// A page, or a heading of one.
    Page,
    /// Another file, by its path in the workspace.
    File(String),
    /// A folder with a page of its own, by the target that leads to it.
    Folder(String),
    /// A folder without one: on a site there is nothing to be seen.
    Nothing,
}

fn place(tree: &Tree, from: &str, target: &str) -> Place {
    let path = target.split('#').next().unwrap_or_default();
    let Some(path) = resolve(from, path).filter(|_| !path.is_empty()) else { return Place::Page };
    if tree.files.iter().any(|file| file.path.starts_with(&format!("{path}/"))) {
        let readme = format!("{}/README.md", target.trim_end_matches('/'));
        return match tree.file(&format!("{path}/README.md")) {
            Some(_) => Place::Folder(readme),
            None => Place::Nothing,
        };
    }
    // Dead links are for whoever checks them.
    match path.ends_with(".md") || !is_there(tree, &path) {
        true => Place::Page,
        false => Place::File(path),
    }
}

/// Pictures are no text, but git knows them.
fn is_there(tree: &Tree, path: &str) -> bool {
    tree.file(path).is_some() || tree.tracked.iter().flatten().any(|known| known == path)
}

/// The text with the words of each link to `target` left, and the link gone.
fn without_link(text: &str, target: &str) -> String {
    let tail = format!("]({target})");
    let mut text = text.to_owned();
    while let Some(end) = text.find(&tail) {
        text.replace_range(end..end + tail.len(), "");
        if let Some(start) = text[..end].rfind('[') {
            text.replace_range(start..=start, "");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_a_page_is_no_link_any_more() {
        let text = "see [`src/`](src/) and [src](src/), not [a](a.md)";
        assert_eq!(without_link(text, "src/"), "see `src/` and src, not [a](a.md)");
    }
}
