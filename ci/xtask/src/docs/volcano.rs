//! `docs/volcano-requirements.md`: each requirement of Volcano's Jobs, and what judges it.
//!
//! Cases and invariants come from the program's list of requirements, tests of the pure parts from the sources of the
//! Volcano controller: one that names a number judges it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::mentions::mentions;
use crate::workspace::Tree;

const LIST: &str = "suites/requirements-volcano.txt";
/// Numbers that nothing judges, each with the reason.
const OPEN: &str = "controller/volcano/requirements-open.txt";
/// Where tests of layer U are: no cluster, no clock.
const PURE: &[&str] = &["controller/volcano/api/", "controller/volcano/core/", "controller/volcano/src/webhook/"];
/// How many numbers have to be judged.
const AT_LEAST: usize = 235;

/// How the page begins.
pub const HEAD: &str = "# Requirements of Volcano's Jobs

Each number of `suites/requirements-volcano.txt`, and what judges it: invariants, which are judged in every case of Volcano's Jobs
([invariants.md](invariants.md)), cases ([catalogue.md](catalogue.md)), and tests of the pure parts of the Volcano controller. What
nothing judges is listed with the reason, which stands in `controller/volcano/requirements-open.txt`.";

#[derive(Debug, Default)]
struct Row {
    phrase: String,
    /// Invariants and cases, as the program lists them.
    checks: Vec<String>,
    tests: BTreeSet<String>,
}

/// All requirements of Volcano by number, by section, and the reasons for what is open.
#[derive(Debug, Default)]
pub struct Coverage {
    /// Headings with their numbers, in the order of the list.
    sections: Vec<(String, Vec<String>)>,
    rows: BTreeMap<String, Row>,
    open: BTreeMap<String, String>,
    at_least: usize,
}

impl Row {
    fn is_judged(&self) -> bool {
        !self.checks.is_empty() || !self.tests.is_empty()
    }
}

impl Coverage {
    /// Reads the list, the sources of the controller, and the program's table of requirements.
    pub fn read(tree: &Tree, table: &str) -> Self {
        let mut coverage = Self { at_least: AT_LEAST, ..Self::default() };
        for line in tree.file(LIST).map_or("", |file| &file.text).lines() {
            coverage.list(line);
        }
        for line in tree.file(OPEN).map_or("", |file| &file.text).lines().filter(|line| !line.starts_with('#')) {
            if let Some((number, reason)) = line.split_once(' ') {
                coverage.open.insert(number.to_owned(), reason.trim().to_owned());
            }
        }
        for line in table.lines() {
            if let [number, _, checks] = line.trim_matches(['|', ' ']).split(" | ").collect::<Vec<_>>()[..]
                && let Some(row) = coverage.rows.get_mut(number.trim())
            {
                let checks =
                    checks.split(',').map(str::trim).filter(|check| !check.is_empty() && *check != "every case");
                row.checks = checks.map(str::to_owned).collect();
            }
        }
        let is_pure = |path: &str| PURE.iter().any(|place| path.starts_with(place)) && path.ends_with(".rs");
        for file in tree.files.iter().filter(|file| is_pure(&file.path)) {
            for mention in mentions(&file.path, &file.text).into_iter().filter(|mention| mention.is_test) {
                let place = format!("{}::{}", short(&file.path), mention.name);
                for number in &mention.numbers {
                    if let Some(row) = coverage.rows.get_mut(number) {
                        row.tests.insert(place.clone());
                    }
                }
            }
        }
        coverage
    }

    fn list(&mut self, line: &str) {
        if let Some(heading) = line.strip_prefix("# VJ ") {
            self.sections.push((heading.to_owned(), Vec::new()));
        }
        let Some((number, phrase)) = line.split_once(' ').filter(|(number, _)| number.starts_with("VJ-")) else {
            return;
        };
        self.rows.insert(number.to_owned(), Row { phrase: phrase.to_owned(), ..Row::default() });
        if let Some((_, numbers)) = self.sections.last_mut() {
            numbers.push(number.to_owned());
        }
    }

    /// What keeps the page from being accepted.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for (number, row) in &self.rows {
            match (row.is_judged(), self.open.contains_key(number)) {
                (false, false) => {
                    problems.push(format!("{number} ({}): nothing judges it, and {OPEN} gives no reason", row.phrase))
                }
                (true, true) => problems.push(format!("{number} is judged, and yet listed in {OPEN}")),
                _ => {}
            }
        }
        let unknown = self.open.keys().filter(|number| !self.rows.contains_key(*number));
        problems.extend(unknown.map(|number| format!("{number} in {OPEN} is no requirement of Volcano's Jobs")));
        if self.judged() < self.at_least {
            problems.push(format!("only {} of {} requirements are judged", self.judged(), self.rows.len()));
        }
        problems
    }

    fn judged(&self) -> usize {
        self.rows.values().filter(|row| row.is_judged()).count()
    }

    /// What follows the head of the page.
    pub fn page(&self) -> String {
        let mut text = String::new();
        let by_cases = self.rows.values().filter(|row| !row.checks.is_empty()).count();
        let _ = writeln!(
            text,
            "**{} of {} judged, {by_cases} of them by cases or invariants.**\n\n## Not judged\n",
            self.judged(),
            self.rows.len()
        );
        text.push_str("| requirement | what | reason |\n| --- | --- | --- |\n");
        for (number, row) in self.rows.iter().filter(|(_, row)| !row.is_judged()) {
            let reason = self.open.get(number).map_or("", String::as_str);
            let _ = writeln!(text, "| {number} | {} | {reason} |", cell(&row.phrase));
        }
        for (heading, numbers) in &self.sections {
            let mut letters = heading.chars();
            let first = letters.next().into_iter().flat_map(char::to_uppercase);
            let title: String = first.chain(letters).collect();
            let _ = writeln!(text, "\n## {title}\n\n| requirement | what | cases and invariants | tests |");
            text.push_str("| --- | --- | --- | --- |\n");
            for number in numbers {
                let row = &self.rows[number];
                let (checks, tests) = (listed(row.checks.iter()), listed(row.tests.iter()));
                let _ = writeln!(text, "| {number} | {} | {checks} | {tests} |", cell(&row.phrase));
            }
        }
        text
    }
}

fn listed<'a>(places: impl Iterator<Item = &'a String>) -> String {
    places.map(|place| format!("`{place}`")).collect::<Vec<_>>().join(", ")
}

/// What would be read as markup in a cell.
fn cell(phrase: &str) -> String {
    phrase.replace('<', "\\<").replace('*', "\\*").replace('|', "\\|")
}

/// `core/policies` for `controller/volcano/core/tests/it/policies.rs`: the crate and the file.
fn short(path: &str) -> String {
    let path = path.strip_prefix("controller/volcano/").unwrap_or(path);
    path.strip_suffix(".rs").unwrap_or(path).replace("src/", "").replace("tests/it/", "")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::workspace::SourceFile;

    const TABLE: &str = "| requirement | phrase | cases |\n| --- | --- | --- |\n\
                         | VJ-002 | second | every case, V01, volcano_kills/one |\n| VJ-003 | third |  |\n";

    fn coverage(open: &str) -> Coverage {
        let file = |path: &str, text: &str| SourceFile { path: path.to_owned(), text: text.to_owned() };
        let list = "# VJ names\nVJ-001 first\nVJ-002 second <a>\nVJ-003 third\n\n# V invariants\nV01 x\n";
        let test = "/// (VJ-001)\n#[test]\nfn it_is_so() {}\n";
        let files = vec![
            file(LIST, list),
            file(OPEN, open),
            file("controller/volcano/core/tests/it/a.rs", test),
            file("controller/volcano/tests/it/world.rs", &test.replace("VJ-001", "VJ-003")),
        ];
        Coverage { at_least: 2, ..Coverage::read(&Tree { files, tracked: None }, TABLE) }
    }

    #[rstest]
    #[case::a_reason_for_what_is_open("VJ-003 nobody can\n", &[])]
    #[case::no_reason("", &["VJ-003 (third): nothing judges it"])]
    #[case::a_reason_too_many("VJ-001 so\nVJ-003 so\n", &["VJ-001 is judged"])]
    #[case::an_unknown_number("VJ-003 so\nVJ-999 so\n", &["VJ-999 in"])]
    fn problems(#[case] open: &str, #[case] expected: &[&str]) {
        let found = coverage(open).problems();
        assert_eq!(found.len(), expected.len(), "{found:?}");
        assert!(found.iter().zip(expected).all(|(found, start)| found.starts_with(start)), "{found:?}");
    }

    #[test]
    fn too_few_are_too_few() {
        let found = Coverage { at_least: 3, ..coverage("VJ-003 nobody can\n") }.problems();
        assert_eq!(found, ["only 2 of 3 requirements are judged"]);
    }

    #[test]
    fn the_page_names_cases_invariants_tests_and_reasons() {
        let page = coverage("VJ-003 nobody can\n").page();
        assert!(page.contains("**2 of 3 judged, 1 of them by cases or invariants.**"), "{page}");
        assert!(page.contains("| VJ-003 | third | nobody can |"), "{page}");
        assert!(page.contains("## Names\n"), "{page}");
        assert!(page.contains("| VJ-001 | first |  | `core/a::it_is_so` |"), "{page}");
        assert!(page.contains("| VJ-002 | second \\<a> | `V01`, `volcano_kills/one` |  |"), "{page}");
    }
}
