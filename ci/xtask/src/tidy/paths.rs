//! Paths that the documents name in code type exist, so that a page about the tree stays true to it.
//!
//! Decisions and the changelog speak of their own time and are left alone.

use super::Finding;
use crate::workspace::Tree;

const TOP: &[&str] =
    &["ci/", "controller/", "docs/", "harness/", "kind-config/", "suites/", "tenants/", ".ci/", ".cargo/"];

/// Findings for paths between backticks that are not in the tree.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.ending(".md").filter(|file| !speaks_of_its_time(&file.path)) {
        for (at, line) in file.text.lines().enumerate() {
            for path in line.split('`').skip(1).step_by(2).filter(|word| is_path(word)) {
                if !exists(tree, path) {
                    findings.push(Finding::error(&file.path, at + 1, format!("`{path}` is not in the tree")));
                }
            }
        }
    }
    findings
}

fn speaks_of_its_time(path: &str) -> bool {
    path.starts_with("docs/adr/") || path == "CHANGELOG.md"
}

/// A path from the root, without a placeholder in it.
fn is_path(word: &str) -> bool {
    TOP.iter().any(|top| word.starts_with(top)) && !word.contains([' ', '<', '*', '{', '…'])
}

fn exists(tree: &Tree, path: &str) -> bool {
    let folder = format!("{}/", path.trim_end_matches('/'));
    tree.files.iter().any(|file| file.path == path || file.path.starts_with(&folder))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::sample::tree;
    use super::*;

    #[rstest]
    #[case::a_file_that_is_there("docs/a.md", "see `suites/src/lib.rs`", 0)]
    #[case::a_folder_that_is_there("docs/a.md", "see `suites/src/` and `suites/src`", 0)]
    #[case::a_file_that_is_gone("docs/a.md", "see `suites/src/old.rs`", 1)]
    #[case::a_file_is_no_folder("docs/a.md", "see `suites/src/lib.rs/`", 1)]
    #[case::a_placeholder_is_no_path("docs/a.md", "see `suites/src/<suite>/<case>.rs`", 0)]
    #[case::other_code_is_no_path("docs/a.md", "say `cargo test` or `suites`", 0)]
    #[case::decisions_speak_of_their_time("docs/adr/0001-a.md", "see `suites/src/old.rs`", 0)]
    fn paths(#[case] page: &str, #[case] text: &str, #[case] count: usize) {
        assert_eq!(check(&tree(&[(page, text), ("suites/src/lib.rs", "")])).len(), count);
    }
}
