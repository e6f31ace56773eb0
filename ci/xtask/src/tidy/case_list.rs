//! Every case is in the one list, and its id is unique: its suite and its name in the list, with hyphens.
//!
//! The list is the macro `for_each_case!` in `suites/src/catalog.rs`: `suite { case_name: path::Type, … }`.

use std::collections::BTreeMap;

use super::Finding;
use crate::workspace::{SourceFile, Tree};

const LIST: &str = "suites/src/catalog.rs";
const SUITES: &str = "suites/src/";

#[derive(Debug, PartialEq, Eq)]
struct Entry {
    suite: String,
    name: String,
    case: String,
}

/// Findings for cases outside the list, entries without a case, and ids that are not what the list makes of them.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let entries = tree.file(LIST).map(|list| entries(&list.text)).unwrap_or_default();
    let files: Vec<(&str, &SourceFile)> =
        tree.ending(".rs").filter_map(|file| suite_of(&file.path).map(|suite| (suite, file))).collect();
    let mut findings = Vec::new();
    let mut declared = Vec::new();
    for (suite, file) in &files {
        for case in cases(&file.text) {
            if !entries.iter().any(|entry| entry.suite == *suite && entry.case == case) {
                findings.push(Finding::error(&file.path, 0, format!("`{case}` is not in {LIST} under `{suite}`")));
            }
            declared.push((*suite, case));
        }
    }
    for entry in &entries {
        if !declared.contains(&(entry.suite.as_str(), entry.case.as_str())) {
            let says = format!("`{}` of suite `{}` has no `impl Case` in its folder", entry.name, entry.suite);
            findings.push(Finding::error(LIST, 0, says));
        }
    }
    findings.extend(judge_ids(&files, &entries));
    findings
}

fn judge_ids(files: &[(&str, &SourceFile)], entries: &[Entry]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut first: BTreeMap<&str, &str> = BTreeMap::new();
    for (suite, file) in files {
        let cases = cases(&file.text);
        let here = entries.iter().filter(|entry| entry.suite == *suite && cases.contains(&entry.case.as_str()));
        let expected: Vec<String> = here.map(|entry| format!("{suite}/{}", entry.name).replace('_', "-")).collect();
        for (line, id) in ids(&file.text).into_iter().filter(|_| !expected.is_empty()) {
            if !expected.iter().any(|known| known == id) {
                let says = format!("id `{id}` is not `{}`, as {LIST} has it", expected.join("` or `"));
                findings.push(Finding::error(&file.path, line, says));
            }
            if let Some(path) = first.insert(id, &file.path) {
                findings.push(Finding::error(&file.path, line, format!("id `{id}` is also in {path}")));
            }
        }
    }
    findings
}

/// The suite of `suites/src/<suite>/<case>.rs`.
fn suite_of(path: &str) -> Option<&str> {
    path.strip_prefix(SUITES)?.split_once('/').map(|(suite, _)| suite)
}

/// Types that implement `Case` in this file.
fn cases(text: &str) -> Vec<&str> {
    let names = text.lines().filter_map(|line| line.strip_prefix("impl Case for "));
    names.filter_map(|rest| rest.split([' ', '{', '<']).next()).collect()
}

/// Line and text of each `id: "…"`.
fn ids(text: &str) -> Vec<(usize, &str)> {
    let lines = text.lines().enumerate();
    lines
        .filter_map(|(at, line)| {
            let (_, rest) = line.split_once("id: \"")?;
            rest.split_once('"').map(|(id, _)| (at + 1, id))
        })
        .collect()
}

/// Entries of the macro: a word, an opening brace, then `name: path::Type` separated by commas.
fn entries(text: &str) -> Vec<Entry> {
    let words = words(text);
    let mut found = Vec::new();
    for (at, pair) in words.windows(2).enumerate() {
        if is_name(&pair[0]) && pair[1] == "{" {
            found.extend(block(&pair[0], &words[at + 2..]).unwrap_or_default());
        }
    }
    found
}

/// The entries of one suite, or `None` if the block is something else.
fn block(suite: &str, mut rest: &[String]) -> Option<Vec<Entry>> {
    let mut found = Vec::new();
    loop {
        match rest {
            [end, ..] if end == "}" => return Some(found),
            [name, colon, path, tail @ ..] if is_name(name) && colon == ":" && is_name(path.rsplit("::").next()?) => {
                let case = path.rsplit("::").next()?.to_owned();
                found.push(Entry { suite: suite.to_owned(), name: name.clone(), case });
                rest = tail.strip_prefix([",".to_owned()].as_slice()).unwrap_or(tail);
            }
            _ => return None,
        }
    }
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic()) && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Words, paths (`a::b`, without a leading `$crate`) and single signs, without comments.
fn words(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in text.lines().map(|line| line.split("//").next().unwrap_or_default()) {
        let mut word = String::new();
        for c in line.replace("$crate::", "").replace("::", "\u{1}").chars().chain([' ']) {
            if c.is_ascii_alphanumeric() || c == '_' || c == '\u{1}' {
                word.push(c);
                continue;
            }
            if !word.is_empty() {
                found.push(std::mem::take(&mut word).replace('\u{1}', "::"));
            }
            if !c.is_whitespace() {
                found.push(c.to_string());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::sample::{places, tree};
    use super::*;

    const LISTED: &str = "macro_rules! for_each_case {\n    ($make:ident) => { $make! {\n        success_policy {\n            // the KEP's story\n            first_rule: $crate::success_policy::FirstRule,\n        }\n    } };\n}\n";
    const CASE: &str = "impl Case for FirstRule {\n    id: \"success-policy/first-rule\",\n}\n";

    fn check_with(path: &str, text: &str) -> Vec<String> {
        places(&check(&tree(&[(LIST, LISTED), ("suites/src/success_policy/first_rule.rs", CASE), (path, text)])))
    }

    #[test]
    fn the_macro_is_read_past_comments_and_its_own_code() {
        let entry = Entry { suite: "success_policy".into(), name: "first_rule".into(), case: "FirstRule".into() };
        assert_eq!(entries(LISTED), [entry]);
    }

    #[rstest]
    #[case::a_listed_case_passes("suites/src/success_policy.rs", "mod first_rule;", &[])]
    #[case::an_unlisted_case_is_found("suites/src/ttl/zero.rs", "impl Case for Zero {\nid: \"ttl/zero\",", &["suites/src/ttl/zero.rs:0"])]
    #[case::a_file_without_a_case_needs_no_entry("suites/src/ttl/table.rs", "pub const ROWS: u8 = 1;", &[])]
    fn listing(#[case] path: &str, #[case] text: &str, #[case] found: &[&str]) {
        assert_eq!(check_with(path, text), found);
    }

    #[test]
    fn an_entry_without_a_case_is_found() {
        assert_eq!(places(&check(&tree(&[(LIST, LISTED)]))), ["suites/src/catalog.rs:0"]);
    }

    #[rstest]
    #[case::a_foreign_suite_is_found("ttl/second", 1)]
    #[case::another_name_than_in_the_list_is_found("success-policy/other", 1)]
    #[case::a_repeated_id_is_found_twice_over("success-policy/first-rule", 2)]
    #[case::suite_and_name_with_hyphens_pass("success-policy/second", 0)]
    fn identity(#[case] id: &str, #[case] count: usize) {
        let listed = LISTED.replace("\n        }", "\n second: success_policy::second::Second\n        }");
        let second = format!("impl Case for Second {{\n    id: \"{id}\",\n}}\n");
        let files = [
            (LIST, listed.as_str()),
            ("suites/src/success_policy/first_rule.rs", CASE),
            ("suites/src/success_policy/second.rs", &second),
        ];
        let findings = check(&tree(&files));
        assert_eq!(findings.len(), count, "{findings:?}");
    }
}
