//! The commands that README and CI name are the ones that `check` runs.

use super::Finding;
use crate::workspace::Tree;

/// The README's second command, word for word: the last step of `cargo xtask check`.
pub const TEST_COMMAND: [&str; 4] = ["cargo", "test", "--features", "e2e"];

/// Findings where the README's or CI's words drift from the steps of `cargo xtask check`.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let test = TEST_COMMAND.join(" ");
    let promises =
        [("README.md", "cargo jobsworth run"), ("README.md", test.as_str()), (".ci/run", "exec cargo xtask check")];
    promises
        .into_iter()
        .filter(|(path, command)| !tree.file(path).is_some_and(|file| names(&file.text, command)))
        .map(|(path, command)| Finding::error(path, 0, format!("has no line with `{command}` as its command")))
        .collect()
}

/// Whether a line is this command, with nothing behind it but a comment.
fn names(text: &str, command: &str) -> bool {
    text.lines().any(|line| line.split('#').next().unwrap_or_default().trim() == command)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::sample::tree;
    use super::*;

    const README: &str = "cargo jobsworth run          # a run\ncargo test --features e2e    # tests\n";

    #[rstest]
    #[case::both_keep_their_word(README, "exec cargo xtask check\n", 0)]
    #[case::another_test_command_is_found(
        "cargo jobsworth run\ncargo test --workspace --features e2e\n",
        "exec cargo xtask check\n",
        1
    )]
    #[case::ci_with_steps_of_its_own_is_found(README, "cargo test\n", 1)]
    #[case::flags_behind_the_command_are_found(README, "exec cargo xtask check --from test\n", 1)]
    fn words(#[case] readme: &str, #[case] run: &str, #[case] count: usize) {
        assert_eq!(check(&tree(&[("README.md", readme), (".ci/run", run)])).len(), count);
    }
}
