//! No skipped tests, no unsafe code, and every crate takes part in the workspace's lints.

use super::Finding;
use crate::workspace::Tree;

// In two halves, so that this file does not find itself.
const SKIPPED: &str = concat!("#[ig", "nore");
const UNSAFE: &[&str] = &[concat!("unsa", "fe {"), concat!("unsa", "fe fn "), concat!("unsa", "fe impl ")];

/// Findings for skipped tests, unsafe code and manifests that leave the workspace's lints.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.ending(".rs") {
        for (at, line) in file.text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if code.contains(SKIPPED) {
                let says = "a skipped test is not a test; assert what is, or delete it";
                findings.push(Finding::error(&file.path, at + 1, says));
            }
            if UNSAFE.iter().any(|word| code.contains(word)) {
                findings.push(Finding::error(&file.path, at + 1, "no unsafe code in this workspace"));
            }
        }
    }
    for manifest in tree.ending("Cargo.toml") {
        if manifest.text.contains("[package]") && !takes_the_workspace_lints(&manifest.text) {
            findings.push(Finding::error(&manifest.path, 0, "needs `[lints]` with `workspace = true`"));
        }
    }
    findings
}

fn takes_the_workspace_lints(manifest: &str) -> bool {
    manifest
        .lines()
        .map(str::trim)
        .skip_while(|line| *line != "[lints]")
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .any(|line| line.replace(' ', "") == "workspace=true")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::sample::{places, tree};
    use super::*;

    #[rstest]
    #[case::a_skipped_test_is_found("fn a() {}\n#[SKIP]\nfn b() {}", &["a.rs:2"])]
    #[case::a_skipped_test_with_a_reason_is_found("#[SKIP = \"slow\"]", &["a.rs:1"])]
    #[case::a_comment_may_speak_of_it("// no #[SKIP] here", &[])]
    #[case::unsafe_blocks_are_found("let x = RISK { y };", &["a.rs:1"])]
    fn code(#[case] text: &str, #[case] found: &[&str]) {
        let text = text.replace("#[SKIP", SKIPPED).replace("RISK {", UNSAFE[0]);
        assert_eq!(places(&check(&tree(&[("a.rs", &text)]))), found);
    }

    #[rstest]
    #[case::with_lints("[package]\n[lints]\nworkspace = true\n", 0)]
    #[case::without_lints("[package]\nname = \"a\"\n", 1)]
    #[case::a_workspace_alone_needs_none("[workspace]\n", 0)]
    fn manifests(#[case] text: &str, #[case] count: usize) {
        assert_eq!(check(&tree(&[("a/Cargo.toml", text)])).len(), count);
    }
}
