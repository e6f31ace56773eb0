//! Every Rust file opens with a sentence that says what it is for.

use super::Finding;
use crate::workspace::Tree;

/// Findings for `.rs` files whose first line is not a module comment.
pub fn check(tree: &Tree) -> Vec<Finding> {
    tree.ending(".rs")
        .filter(|file| !opens_with_a_sentence(&file.text))
        .map(|file| Finding::error(&file.path, 1, "the file does not open with a `//!` sentence"))
        .collect()
}

fn opens_with_a_sentence(text: &str) -> bool {
    text.lines()
        .find(|line| !line.trim().is_empty())
        .is_some_and(|line| line.strip_prefix("//!").is_some_and(|sentence| !sentence.trim().is_empty()))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::sample::tree;
    use super::*;

    #[rstest]
    #[case::a_sentence_is_enough("//! Judges.\n", 0)]
    #[case::blank_lines_before_it_do_not_matter("\n//! Judges.\n", 0)]
    #[case::an_empty_comment_is_no_sentence("//!\nfn a() {}\n", 1)]
    #[case::code_first_is_found("fn a() {}\n//! Late.\n", 1)]
    #[case::an_empty_file_is_found("", 1)]
    fn heads(#[case] text: &str, #[case] count: usize) {
        assert_eq!(check(&tree(&[("src/a.rs", text)])).len(), count);
    }
}
