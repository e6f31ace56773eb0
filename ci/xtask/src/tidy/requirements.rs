//! Requirement numbers in cases, the oracle and the documents exist in the lists of `suites/`.

use std::collections::BTreeSet;

use super::Finding;
use crate::workspace::Tree;

/// The list of numbers; the program embeds it.
const LIST: &str = "suites/requirements.txt";
/// Those of Volcano.
const VOLCANO: &str = "suites/requirements-volcano.txt";

/// Findings for malformed and repeated lines of the list, and for numbers that are not in it.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let Some(list) = tree.file(LIST) else {
        return vec![Finding::error(LIST, 0, "missing: cases and invariants refer to it")];
    };
    let more = tree.file(VOLCANO).map_or("", |file| &file.text);
    let mut known = BTreeSet::new();
    let mut findings = read(LIST, &list.text, &mut known);
    findings.extend(read(VOLCANO, more, &mut known));
    for file in tree.files.iter().filter(|file| speaks_of_requirements(&file.path)) {
        for (at, line) in file.text.lines().enumerate() {
            for number in numbers(line).filter(|number| !known.contains(number)) {
                findings.push(Finding::error(&file.path, at + 1, format!("`{number}` is not in {}", list_of(number))));
            }
        }
    }
    findings
}

fn speaks_of_requirements(path: &str) -> bool {
    let code = path.starts_with("suites/") || path.starts_with("harness/oracle/") || path.starts_with("controller/");
    (code && (path.ends_with(".rs") || path.ends_with(".yaml"))) || path.ends_with(".md")
}

/// Where a number should be.
fn list_of(number: &str) -> &'static str {
    if number.starts_with("VJ-") { VOLCANO } else { LIST }
}

fn read<'text>(path: &str, text: &'text str, known: &mut BTreeSet<&'text str>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        let (number, phrase) = line.split_once(' ').unwrap_or((line, ""));
        if !is_number(number) || phrase.trim().is_empty() {
            findings.push(Finding::error(path, at + 1, "a line is a number, one space and a short phrase"));
        } else if !known.insert(number) {
            findings.push(Finding::error(path, at + 1, format!("`{number}` is in the list twice")));
        }
    }
    findings
}

/// Words of a line that look like requirement numbers. `KEP-592` looks like one and names a document.
fn numbers(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_')
        .map(whole)
        .flat_map(|word| if is_number(word) { vec![word] } else { word.split('-').collect() })
        .filter(|word| is_number(word) && !word.starts_with("KEP-"))
}

/// The number of which a word names a part: `VJ-189` of `VJ-189a`.
fn whole(word: &str) -> &str {
    if word.starts_with("VJ-") { word.trim_end_matches(|c: char| c.is_ascii_lowercase()) } else { word }
}

fn is_number(word: &str) -> bool {
    let digits = |text: &str, count| text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    match word.split_once('-') {
        Some((family, number)) => {
            let is_family = family.len() == 3 && family.bytes().all(|byte| byte.is_ascii_uppercase());
            (is_family || family == "VJ") && digits(number, 3)
        }
        None => word.strip_prefix(['S', 'V']).is_some_and(|number| digits(number, 2)),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::sample::{places, tree};
    use super::*;

    const KNOWN: &str = "# SUC success policy\nSUC-001 first rule decides\n\nS01 never both\n";

    #[rstest]
    #[case::known_numbers_pass("covers: &[\"SUC-001\", \"S01\"]", &[])]
    #[case::an_unknown_number_is_found("covers: &[\"SUC-999\"]", &["suites/src/a.rs:1"])]
    #[case::an_unknown_family_is_found("// see SUX-001", &["suites/src/a.rs:1"])]
    #[case::an_unknown_invariant_is_found("// S33", &["suites/src/a.rs:1"])]
    #[case::the_end_of_a_range_counts("// S01-S33 and SUC-001..002", &["suites/src/a.rs:1"])]
    #[case::proposals_are_no_requirements("// KEP-592 and KEP-3998", &[])]
    #[case::volcanos_have_a_list_of_their_own("// VJ-001, V01", &[])]
    #[case::an_unknown_one_of_volcano("// VJ-999", &["suites/src/a.rs:1"])]
    #[case::a_part_of_one_of_volcano("// VJ-001b", &[])]
    #[case::a_part_of_an_unknown_one("// VJ-999b", &["suites/src/a.rs:1"])]
    #[case::a_bug_of_volcano_is_no_requirement("// VJ-B03", &[])]
    #[case::longer_words_are_none("// UTF-8, S3, S012, ASUC-001, SUC-0011", &[])]
    fn numbers_in_code(#[case] line: &str, #[case] found: &[&str]) {
        let lists = [(LIST, KNOWN), (VOLCANO, "VJ-001 its group\nV01 only edges\n"), ("suites/src/a.rs", line)];
        assert_eq!(places(&check(&tree(&lists))), found);
    }

    #[rstest]
    #[case::a_repeated_number("S01 one\nS01 two\n", 1)]
    #[case::a_number_without_a_phrase("S01\n", 1)]
    #[case::a_word_in_place_of_a_number("first rule\n", 1)]
    #[case::comments_and_blank_lines_pass("# S family\n\nS01 one\n", 0)]
    fn the_list_itself(#[case] list: &str, #[case] count: usize) {
        assert_eq!(check(&tree(&[(LIST, list)])).len(), count);
    }

    #[rstest]
    #[case::documents_are_read("docs/judging.md", 1)]
    #[case::other_code_is_not("harness/src/a.rs", 0)]
    fn files(#[case] path: &str, #[case] count: usize) {
        assert_eq!(check(&tree(&[(LIST, KNOWN), (path, "SUC-777")])).len(), count);
    }
}
