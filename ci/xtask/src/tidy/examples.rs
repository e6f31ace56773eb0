//! No code in documentation that looks compiled and is not: libraries here have no tests in their docs (`doctest = false`), since to
//! look for them in all crates takes most of a minute.

use super::Finding;
use crate::workspace::Tree;

/// Findings for blocks of code in documentation that are not marked as text, and for libraries whose documentation is searched for tests.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.ending(".rs") {
        for at in unmarked(&file.text) {
            let says = "nobody compiles this example: mark it as ```text, or write a test";
            findings.push(Finding::error(&file.path, at, says));
        }
        let manifest = file.path.strip_suffix("src/lib.rs").map(|folder| format!("{folder}Cargo.toml"));
        let manifest = manifest.and_then(|path| tree.files.iter().find(|file| file.path == path));
        if let Some(manifest) = manifest.filter(|manifest| !manifest.text.contains("\ndoctest = false\n")) {
            findings.push(Finding::error(&manifest.path, 0, "needs `[lib]` with `doctest = false`"));
        }
    }
    findings
}

/// Lines on which a block begins that says nothing of what it is, or something other than `text`.
fn unmarked(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut is_open = false;
    for (at, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let docs = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
        let Some(kind) = docs.and_then(|docs| docs.trim().strip_prefix("```")) else { continue };
        is_open = !is_open;
        if is_open && kind != "text" {
            found.push(at + 1);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::sample::{places, tree};
    use super::*;

    #[rstest]
    #[case::text_is_no_code("/// ```text\n/// a\n/// ```\nfn a() {}", &[])]
    #[case::a_bare_block_is_code("//! ```\n//! a();\n//! ```", &["src/lib.rs:1"])]
    #[case::another_language_is_code("/// ```text\n/// ```\n    /// ```rust\n    /// ```", &["src/lib.rs:3"])]
    #[case::a_string_is_no_documentation("let a = \"```\";", &[])]
    fn examples(#[case] text: &str, #[case] found: &[&str]) {
        let files = [("src/lib.rs", text), ("Cargo.toml", "[lib]\ndoctest = false\n")];
        assert_eq!(places(&check(&tree(&files))), found);
    }

    #[rstest]
    #[case::a_library_that_is_searched("a/src/lib.rs", &["a/Cargo.toml:0"])]
    #[case::a_program("a/src/main.rs", &[])]
    fn manifests(#[case] path: &str, #[case] found: &[&str]) {
        assert_eq!(places(&check(&tree(&[(path, ""), ("a/Cargo.toml", "[package]\n")]))), found);
    }
}
