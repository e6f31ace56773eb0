//! `docs/reference-requirements.md`: each requirement of the Job and TTL controllers, who meets it, who checks it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::mentions::{mentions, numbers};
use crate::workspace::Tree;

/// The families that ask something of a controller.
const FAMILIES: &[&str] = &[
    "SYN", "PAR", "IDX", "SUC", "PFP", "BKO", "BLI", "DLN", "SUS", "PRP", "FIN", "STA", "MGB", "TTL", "EVT", "MET",
    "SCH",
];
const LIST: &str = "suites/requirements.txt";
/// Numbers that are not covered, each with the reason.
const OPEN: &str = "controller/requirements-open.txt";
/// How many of a hundred numbers have to be covered.
const AT_LEAST_PERCENT: usize = 97;

/// How the page begins.
pub const HEAD: &str = "# Requirements and the reference controller

Each requirement of `suites/requirements.txt` that is about the Job controller or the TTL controller, with the functions whose
documentation names it and the tests that name it: tests of the controller and cases of the catalogue
([catalogue.md](catalogue.md)). A requirement is covered when it has at least one function and at least one test. What is not
covered is listed with the reason, which stands in `controller/requirements-open.txt`.";

/// A requirement and what names it.
#[derive(Debug, Default)]
struct Row {
    phrase: String,
    functions: BTreeSet<String>,
    tests: BTreeSet<String>,
}

/// All requirements by family and number, and the reasons for what is open.
#[derive(Debug, Default)]
pub struct Coverage {
    headings: BTreeMap<String, String>,
    rows: BTreeMap<String, Row>,
    open: BTreeMap<String, String>,
}

impl Row {
    fn is_covered(&self) -> bool {
        !self.functions.is_empty() && !self.tests.is_empty()
    }
}

impl Coverage {
    /// Reads the list, the sources of the controller and the table of the catalogue's cases.
    pub fn read(tree: &Tree, catalogue: &str) -> Self {
        let mut coverage = Self::default();
        for line in tree.file(LIST).map_or("", |file| &file.text).lines() {
            coverage.list(line);
        }
        for line in tree.file(OPEN).map_or("", |file| &file.text).lines().filter(|line| !line.starts_with('#')) {
            if let Some((number, reason)) = line.split_once(' ') {
                coverage.open.insert(number.to_owned(), reason.trim().to_owned());
            }
        }
        let sources =
            tree.files.iter().filter(|file| file.path.starts_with("controller/") && file.path.ends_with(".rs"));
        // What the mutants name is what they break.
        let left_out = |path: &str| path.contains("/benches/") || path.starts_with("controller/mutants/");
        for file in sources.filter(|file| !left_out(&file.path)) {
            for mention in mentions(&file.path, &file.text) {
                let place = format!("{}::{}", short(&file.path), mention.name);
                coverage.add(&mention.numbers, mention.is_test, &place);
            }
        }
        for line in catalogue.lines() {
            let cells: Vec<&str> = line.split(" | ").collect();
            if let [name, .., covers, _needs] = cells.as_slice() {
                coverage.add(&numbers(covers), true, name.trim_start_matches("| ").trim());
            }
        }
        coverage
    }

    fn list(&mut self, line: &str) {
        let family = |text: &str| FAMILIES.iter().find(|family| text.starts_with(**family)).copied();
        match line.strip_prefix("# ") {
            Some(heading) => {
                if let (Some(family), Some((_, phrase))) = (family(heading), heading.split_once(' ')) {
                    self.headings.insert(family.to_owned(), phrase.to_owned());
                }
            }
            None => {
                if let (Some(_), Some((number, phrase))) = (family(line), line.split_once(' ')) {
                    self.rows.insert(number.to_owned(), Row { phrase: phrase.to_owned(), ..Row::default() });
                }
            }
        }
    }

    fn add(&mut self, numbers: &BTreeSet<String>, is_test: bool, place: &str) {
        for number in numbers {
            if let Some(row) = self.rows.get_mut(number) {
                let places = if is_test { &mut row.tests } else { &mut row.functions };
                places.insert(place.to_owned());
            }
        }
    }

    /// What keeps the page from being accepted.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for (number, row) in &self.rows {
            match (row.is_covered(), self.open.contains_key(number)) {
                (false, false) => {
                    let missing = if row.functions.is_empty() { "no function names it" } else { "no test names it" };
                    problems.push(format!("{number} ({}): {missing}, and {OPEN} gives no reason", row.phrase));
                }
                (true, true) => problems.push(format!("{number} is covered, and yet listed in {OPEN}")),
                _ => {}
            }
        }
        let unknown = self.open.keys().filter(|number| !self.rows.contains_key(*number));
        problems.extend(unknown.map(|number| format!("{number} in {OPEN} is no requirement of a controller")));
        if self.covered() * 100 < self.rows.len() * AT_LEAST_PERCENT {
            problems.push(format!("only {} of {} requirements are covered", self.covered(), self.rows.len()));
        }
        problems
    }

    fn covered(&self) -> usize {
        self.rows.values().filter(|row| row.is_covered()).count()
    }

    /// What follows the head of the page.
    pub fn page(&self) -> String {
        let mut text = String::new();
        let tenths = if self.rows.is_empty() { 0 } else { self.covered() * 1000 / self.rows.len() };
        let share = format!("{}.{} %", tenths / 10, tenths % 10);
        let _ = writeln!(text, "**{} of {} covered: {share}.**\n\n## Not covered\n", self.covered(), self.rows.len());
        text.push_str("| requirement | what | reason |\n| --- | --- | --- |\n");
        for (number, row) in self.rows.iter().filter(|(_, row)| !row.is_covered()) {
            let reason = self.open.get(number).map_or("", String::as_str);
            let _ = writeln!(text, "| {number} | {} | {reason} |", row.phrase);
        }
        for family in FAMILIES {
            let heading = self.headings.get(*family).map_or("", String::as_str);
            let _ = writeln!(text, "\n## {family}: {heading}\n\n| requirement | what | functions | tests |");
            text.push_str("| --- | --- | --- | --- |\n");
            for (number, row) in self.rows.iter().filter(|(number, _)| number.starts_with(family)) {
                let (functions, tests) = (listed(&row.functions), listed(&row.tests));
                let _ = writeln!(text, "| {number} | {} | {functions} | {tests} |", row.phrase);
            }
        }
        text
    }
}

fn listed(places: &BTreeSet<String>) -> String {
    places.iter().map(|place| format!("`{place}`")).collect::<Vec<_>>().join(", ")
}

/// `core/sizing` for `controller/core/src/sizing.rs`: the crate below `controller/` and the file.
fn short(path: &str) -> String {
    let path = path.strip_prefix("controller/").unwrap_or(path);
    path.strip_suffix(".rs").unwrap_or(path).replace("src/", "")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::workspace::SourceFile;

    const TABLE: &str = "| case | claim | source | requirements | needs |\n| --- | --- | --- | --- | --- |\n\
                         | suite/one | it works | KEP-1 | PAR-002, IDX-001 | gate on |\n";

    fn coverage(open: &str) -> Coverage {
        let file = |path: &str, text: &str| SourceFile { path: path.to_owned(), text: text.to_owned() };
        let list = "# PAR pods side by side\nPAR-001 first\nPAR-002 second\n\n# VAL not asked here\nVAL-001 x\n";
        let source = "/// (PAR-001, PAR-002)\nfn meets() {}\n";
        let mutant = "/// (PAR-001)\nfn breaks() {}\n";
        let files = vec![
            file(LIST, list),
            file(OPEN, open),
            file("controller/core/src/a.rs", source),
            file("controller/mutants/src/bugs/b.rs", mutant),
        ];
        Coverage::read(&Tree { files, tracked: None }, TABLE)
    }

    #[rstest]
    #[case::a_reason_for_what_is_open("PAR-001 nobody can test it\n", &["only 1 of 2"])]
    #[case::no_reason("", &["PAR-001 (first): no test names it", "only 1 of 2"])]
    #[case::a_reason_too_many("PAR-001 so\nPAR-002 so\n", &["PAR-002 is covered", "only 1 of 2"])]
    #[case::a_number_of_others("PAR-001 so\nVAL-001 so\n", &["VAL-001 in", "only 1 of 2"])]
    fn problems(#[case] open: &str, #[case] expected: &[&str]) {
        let found = coverage(open).problems();
        assert_eq!(found.len(), expected.len(), "{found:?}");
        assert!(found.iter().zip(expected).all(|(found, start)| found.starts_with(start)), "{found:?}");
    }

    #[test]
    fn the_page_names_functions_tests_and_reasons() {
        let page = coverage("PAR-001 nobody can test it\n").page();
        assert!(page.contains("**1 of 2 covered: 50.0 %.**"), "{page}");
        assert!(page.contains("| PAR-001 | first | nobody can test it |"), "{page}");
        assert!(page.contains("| PAR-002 | second | `core/a::meets` | `suite/one` |"), "{page}");
        assert!(!page.contains("mutants"), "{page}");
    }
}
