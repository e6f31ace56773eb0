//! No file, folder or module with a name that could hold anything.

use super::Finding;
use crate::workspace::Tree;

const BANNED: &[&str] = &["utils", "util", "helpers", "helper", "common", "misc", "types", "models", "errors"];

/// Findings for Rust files, folders above them and modules with a banned name.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.ending(".rs") {
        for part in file.path.trim_end_matches(".rs").split('/').filter(|part| BANNED.contains(part)) {
            findings.push(Finding::error(&file.path, 0, refusal(part)));
        }
        for (at, line) in file.text.lines().enumerate() {
            if let Some(name) = declared_module(line).filter(|name| BANNED.contains(name)) {
                findings.push(Finding::error(&file.path, at + 1, refusal(name)));
            }
        }
    }
    findings
}

fn refusal(name: &str) -> String {
    format!("`{name}` says nothing about what is inside; name the thing")
}

fn declared_module(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = line.strip_prefix("pub(crate) ").or_else(|| line.strip_prefix("pub ")).unwrap_or(line);
    let name = line.strip_prefix("mod ")?;
    name.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::sample::{places, tree};
    use super::*;

    #[rstest]
    #[case::a_banned_file("harness/src/utils.rs", "", &["harness/src/utils.rs:0"])]
    #[case::a_banned_folder("suites/tests/common/lab.rs", "", &["suites/tests/common/lab.rs:0"])]
    #[case::a_banned_module("a.rs", "//! A.\npub mod errors {", &["a.rs:2"])]
    #[case::a_name_that_only_contains_one("src/container_types_of_pods.rs", "mod commonplace;", &[])]
    fn naming(#[case] path: &str, #[case] text: &str, #[case] found: &[&str]) {
        assert_eq!(places(&check(&tree(&[(path, text)]))), found);
    }
}
