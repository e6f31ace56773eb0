//! Crates that decide and cases that state claims take time and chance as arguments.
//!
//! Clippy enforces it with `disallowed-methods`, but only where a crate's own clippy.toml lists them: a crate's file
//! replaces the one at the root. This check sees to it that the lists are there and whole.

use super::Finding;
use crate::workspace::Tree;

const CRATES: &[&str] = &[
    "controller/api",
    "controller/core",
    "controller/volcano/api",
    "controller/volcano/core",
    "harness/oracle",
    "suites",
];
const METHODS: &[&str] = &["std::time::Instant::now", "std::time::SystemTime::now", "std::thread::sleep"];

/// Findings for crates without a clippy.toml, and for lists that lack a method or lose a limit of the root's file.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let present = CRATES.iter().filter(|folder| tree.file(&format!("{folder}/Cargo.toml")).is_some());
    present.flat_map(|folder| judge(tree, &format!("{folder}/clippy.toml"))).collect()
}

fn judge(tree: &Tree, path: &str) -> Vec<Finding> {
    let Some(file) = tree.file(path) else {
        return vec![Finding::error(path, 0, "missing: this crate must not read clocks or chance")];
    };
    let methods = METHODS
        .iter()
        .filter(|method| !file.text.contains(&format!("\"{method}\"")))
        .map(|method| Finding::error(path, 0, format!("`{method}` is not among the disallowed methods")));
    let limits = tree.file("clippy.toml").map(|root| settings(&root.text)).unwrap_or_default();
    let lost = limits
        .into_iter()
        .filter(|setting| !file.text.lines().any(|line| line.trim() == setting))
        .map(|setting| Finding::error(path, 0, format!("`{setting}` of the root's clippy.toml is lost here")));
    methods.chain(lost).collect()
}

/// The one-line settings of a clippy.toml.
fn settings(text: &str) -> Vec<String> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.starts_with('#') && line.contains('=') && !line.contains(['{', '[']))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::sample::tree;
    use super::*;

    const ROOT: &str = "too-many-lines-threshold = 70\ndisallowed-methods = [\n]\n";
    const METHODS_ONLY: &str = "disallowed-methods = [\n\"std::time::Instant::now\", \"std::time::SystemTime::now\", \"std::thread::sleep\"\n]\n";

    #[rstest]
    #[case::a_whole_list_passes(Some(format!("too-many-lines-threshold = 70\n{METHODS_ONLY}")), 0)]
    #[case::a_lost_limit_is_found(Some(METHODS_ONLY.to_owned()), 1)]
    #[case::missing_methods_are_found(Some("too-many-lines-threshold = 70\n".to_owned()), 3)]
    #[case::a_missing_file_is_found(None, 1)]
    fn lists(#[case] list: Option<String>, #[case] count: usize) {
        let mut files = vec![("clippy.toml", ROOT), ("suites/Cargo.toml", "")];
        if let Some(text) = &list {
            files.push(("suites/clippy.toml", text));
        }
        assert_eq!(check(&tree(&files)).len(), count);
    }

    #[test]
    fn crates_that_do_not_exist_yet_need_no_list() {
        assert_eq!(check(&tree(&[])), []);
    }
}
