//! Builds are repeatable: the lock files of Rust and Go are committed.

use super::Finding;
use crate::workspace::Tree;

/// Findings for a missing Cargo.lock at the root and for Go modules without their sums.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let Some(tracked) = &tree.tracked else { return Vec::new() };
    let sums = tracked
        .iter()
        .filter(|path| *path == "go.mod" || path.ends_with("/go.mod"))
        .filter(|path| depends_on_others(tree, path))
        .map(|path| format!("{}go.sum", path.trim_end_matches("go.mod")));
    std::iter::once("Cargo.lock".to_owned())
        .chain(sums)
        .filter(|path| !tracked.contains(path))
        .map(|path| Finding::error(&path, 0, "must be committed"))
        .collect()
}

/// A module of which nothing is required has no sums.
fn depends_on_others(tree: &Tree, path: &str) -> bool {
    tree.file(path).is_none_or(|file| file.text.lines().any(|line| line.trim_start().starts_with("require")))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::sample::{places, tree};
    use super::*;

    #[rstest]
    #[case::both_locked(&["Cargo.lock", "a/go.mod", "a/go.sum"], &[])]
    #[case::no_cargo_lock(&["Cargo.toml"], &["Cargo.lock:0"])]
    #[case::a_go_module_without_sums(&["Cargo.lock", "a/go.mod", "b/go.sum"], &["a/go.sum:0"])]
    fn locks(#[case] paths: &[&str], #[case] found: &[&str]) {
        let files: Vec<(&str, &str)> = paths.iter().map(|path| (*path, "require a.example/b v1.0.0")).collect();
        assert_eq!(places(&check(&tree(&files))), found);
    }

    #[test]
    fn a_go_module_that_requires_nothing_needs_no_sums() {
        let files = [("Cargo.lock", ""), ("a/go.mod", "module a.example\n\ngo 1.24\n")];
        assert_eq!(check(&tree(&files)), []);
    }

    #[test]
    fn outside_git_nothing_is_known_of_commits() {
        assert_eq!(check(&Tree::default()), []);
    }
}
