//! Files stay short enough to read: 600 lines of production code at most, a warning above 400.
//!
//! Tests at a file's end and files that hold only tests are not counted. The length of functions is clippy's job.

use super::Finding;
use crate::workspace::Tree;

const MOST: usize = 600;
const MANY: usize = 400;

/// Findings for Rust files that are too long.
pub fn check(tree: &Tree) -> Vec<Finding> {
    tree.ending(".rs")
        .filter(|file| !holds_only_tests(&file.path))
        .filter_map(|file| judge(&file.path, &file.text))
        .collect()
}

fn judge(path: &str, text: &str) -> Option<Finding> {
    let lines = production_lines(text);
    if lines > MOST {
        let says =
            format!("{lines} lines of production code, at most {MOST} are allowed: the missing noun is the finding");
        return Some(Finding::error(path, 0, says));
    }
    (lines > MANY).then(|| Finding::warning(path, 0, format!("{lines} lines of production code; think of a split")))
}

fn holds_only_tests(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.split('/').any(|part| part == "tests" || part == "benches")
}

/// Lines before a test module at the end of the file.
fn production_lines(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    let tests = lines.windows(2).position(|pair| pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod "));
    tests.unwrap_or(lines.len())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::Weight;
    use super::*;

    fn lines(count: usize) -> String {
        "let a = 1;\n".repeat(count)
    }

    #[rstest]
    #[case::short_files_pass("src/a.rs", lines(400), None)]
    #[case::long_files_warn("src/a.rs", lines(401), Some(Weight::Warning))]
    #[case::the_limit_itself_passes("src/a.rs", lines(600), Some(Weight::Warning))]
    #[case::longer_files_fail("src/a.rs", lines(601), Some(Weight::Error))]
    #[case::tests_at_the_end_do_not_count("src/a.rs", lines(300) + "#[cfg(test)]\nmod tests {\n" + &lines(900), None)]
    #[case::files_of_tests_do_not_count("tests/e2e.rs", lines(900), None)]
    #[case::test_modules_do_not_count("src/a/tests.rs", lines(900), None)]
    fn lengths(#[case] path: &str, #[case] text: String, #[case] weight: Option<Weight>) {
        let tree = super::super::sample::tree(&[(path, &text)]);
        assert_eq!(check(&tree).first().map(|finding| finding.weight), weight);
    }
}
