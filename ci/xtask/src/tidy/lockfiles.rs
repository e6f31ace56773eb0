//! Builds are repeatable: the lock files of Rust and Go are committed.

use super::Finding;
use crate::workspace::Tree;

/// Findings for a missing Cargo.lock at the root and for Go modules without their sums.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let Some(tracked) = &tree.tracked else { return Vec::new() };
    let sums = tracked
        .iter()
        .filter(|path| *path == "go.mod" || path.ends_with("/go.mod"))
        .map(|path| format!("{}go.sum", path.trim_end_matches("go.mod")));
    std::iter::once("Cargo.lock".to_owned())
        .chain(sums)
        .filter(|path| !tracked.contains(path))
        .map(|path| Finding::error(&path, 0, "must be committed"))
        .collect()
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
        let files: Vec<(&str, &str)> = paths.iter().map(|path| (*path, "")).collect();
        assert_eq!(places(&check(&tree(&files))), found);
    }

    #[test]
    fn outside_git_nothing_is_known_of_commits() {
        assert_eq!(check(&Tree::default()), []);
    }
}
