//! `docs/historical-bugs.md`: bugs that real controllers have had, what rejects each, and what shows that it does.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::workspace::Tree;

const LIST: &str = "suites/historical-bugs.txt";
const LEVELS: &str = "suites/slos.yaml";
/// Where profiles of load are, each with what it should reach.
const LOADS: &str = "suites/load/";
/// Where mutants are listed.
const ROSTER: &str = "controller/mutants/src/roster";
/// How many bugs there are.
const BUGS: usize = 44;
/// What stands where the built-in controller itself shows that a bug is rejected.
const BUILT_IN: &str = "builtin";

/// How the page begins.
pub const HEAD: &str = "# Historical bugs

Bugs that Kubernetes' Job controller, its TTL controller or its API have had. Each is mapped to what rejects it: cases ([catalogue.md](catalogue.md)),
invariants ([invariants.md](invariants.md)), service levels (`suites/slos.yaml`) and profiles of load with what they should reach
([load.md](load.md)). That they do is shown by bad controllers that are rejected
([mutants.md](mutants.md)), or by the built-in controller where it has the bug to this day. The list stands in `suites/historical-bugs.txt`.";

/// A bug and what is held against it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Bug {
    number: usize,
    source: String,
    symptom: String,
    checks: Vec<String>,
    planted: Vec<String>,
}

/// The bugs, and everything that they may name.
#[derive(Debug, Default)]
pub struct Bugs {
    all: Vec<Bug>,
    /// Lines of the list that are not read.
    unread: Vec<String>,
    checks: BTreeSet<String>,
    /// What is wrong with each mutant.
    mutants: BTreeMap<String, String>,
}

impl Bugs {
    /// Reads the list, the program's tables of cases and invariants, and the roster of mutants.
    pub fn read(tree: &Tree, cases: &str, invariants: &str) -> Self {
        let text = |path: &str| tree.file(path).map_or("", |file| &file.text);
        let mut bugs = Self::default();
        for line in text(LIST).lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            match bug(line) {
                Some(bug) => bugs.all.push(bug),
                None => bugs.unread.push(line.to_owned()),
            }
        }
        let first =
            |line: &str| line.trim_start_matches(['|', ' ']).split(" | ").next().map(|cell| cell.trim().to_owned());
        bugs.checks.extend(cases.lines().chain(invariants.lines()).filter_map(first));
        bugs.checks.extend(text(LEVELS).lines().filter_map(|line| line.strip_prefix("- id: ")).map(str::to_owned));
        let profiles = tree.files.iter().filter(|file| file.path.starts_with(LOADS));
        bugs.checks.extend(
            profiles
                .flat_map(|file| file.text.lines())
                .filter_map(|line| line.strip_prefix("name: "))
                .map(|name| format!("load/{name}")),
        );
        for file in tree.files.iter().filter(|file| file.path.starts_with(ROSTER)) {
            bugs.mutants.extend(file.text.lines().filter_map(mutant));
        }
        bugs
    }

    /// What keeps the page from being accepted.
    pub fn problems(&self) -> Vec<String> {
        let mut problems: Vec<String> =
            self.unread.iter().map(|line| format!("{LIST}: “{line}” has no five parts")).collect();
        let numbers: Vec<usize> = self.all.iter().map(|bug| bug.number).collect();
        if numbers != (1..=BUGS).collect::<Vec<_>>() {
            problems.push(format!("{LIST} does not have the bugs 1 to {BUGS}, each once and in order"));
        }
        for bug in &self.all {
            if bug.checks.is_empty() {
                problems.push(format!("bug {}: nothing rejects it", bug.number));
            }
            let unknown = bug.checks.iter().filter(|check| !self.checks.contains(*check));
            problems.extend(unknown.map(|check| format!("bug {}: there is no check {check}", bug.number)));
            let is_known = |planted: &str| planted == BUILT_IN || self.mutants.contains_key(planted);
            let unknown = bug.planted.iter().filter(|planted| !is_known(planted));
            problems.extend(unknown.map(|planted| format!("bug {}: there is no mutant {planted}", bug.number)));
        }
        problems
    }

    /// What follows the head of the page.
    pub fn page(&self) -> String {
        let shown = self.all.iter().filter(|bug| !bug.planted.is_empty()).count();
        let mut text = format!("**{} bugs, {shown} of them shown to be rejected.**\n\n", self.all.len());
        text.push_str("| bug | source | symptom | rejected by | shown by |\n| --- | --- | --- | --- | --- |\n");
        for bug in &self.all {
            let checks: Vec<String> = bug.checks.iter().map(|check| format!("`{check}`")).collect();
            let planted: Vec<String> = bug.planted.iter().map(|planted| self.words(planted)).collect();
            let (number, source, symptom) = (bug.number, &bug.source, &bug.symptom);
            let _ =
                writeln!(text, "| {number} | {source} | {symptom} | {} | {} |", checks.join(", "), planted.join("; "));
        }
        text
    }

    fn words(&self, planted: &str) -> String {
        match self.mutants.get(planted) {
            Some(bug) => format!("{planted}: {bug}"),
            None => "the built-in controller has it".to_owned(),
        }
    }
}

fn bug(line: &str) -> Option<Bug> {
    let [number, source, symptom, checks, planted] = line.split(" | ").collect::<Vec<_>>()[..] else { return None };
    let listed = |text: &str| text.split(',').map(|part| part.trim().to_owned()).filter(|part| part != "-").collect();
    Some(Bug {
        number: number.trim().parse().ok()?,
        source: source.to_owned(),
        symptom: symptom.to_owned(),
        checks: listed(checks),
        planted: listed(planted),
    })
}

/// The number of a mutant and its bug, from the line of the roster that begins it.
fn mutant(line: &str) -> Option<(String, String)> {
    let (number, rest) = line.trim_start().split_once(' ')?;
    let is_number =
        number.strip_prefix('M').is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()));
    let bug = rest.split('"').nth(1).filter(|_| is_number)?;
    Some((number.to_owned(), bug.to_owned()))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::workspace::SourceFile;

    const CASES: &str = "| case | claim |\n| --- | --- |\n| suite/one | it works |\n";
    const INVARIANTS: &str = "| invariant | Jobs of |\n| --- | --- |\n| S07 | batch/v1 |\n";

    fn bugs(first: &str) -> Bugs {
        let file = |path: &str, text: &str| SourceFile { path: path.to_owned(), text: text.to_owned() };
        let rest: String = (2..=44).map(|n| format!("{n} | #{n} | it hangs | S07 | -\n")).collect();
        let roster = "    M05 drop \"forgets it\" [S05]\n        x, Fair \"suite/one\";\n    let M = \"no mutant\";\n";
        let files = vec![
            file(LIST, &format!("# Bugs.\n{first}\n{rest}")),
            file(LEVELS, "- id: SLO-010\n"),
            file("suites/load/small.yaml", "name: small\nmix:\n- {name: other}\n"),
            file("controller/mutants/src/roster/more.rs", roster),
        ];
        Bugs::read(&Tree { files, tracked: None }, CASES, INVARIANTS)
    }

    #[rstest]
    #[case::all_is_there("1 | #1 | it hangs | S07, suite/one, SLO-010, load/small | M05", &[])]
    #[case::shown_by_the_real_one("1 | #1 | it hangs | S07 | builtin", &[])]
    #[case::no_such_check("1 | #1 | it hangs | suite/two | M05", &["bug 1: there is no check suite/two"])]
    #[case::no_such_mutant("1 | #1 | it hangs | S07 | M06", &["bug 1: there is no mutant M06"])]
    #[case::nothing_rejects_it("1 | #1 | it hangs | - | M05", &["bug 1: nothing rejects it"])]
    #[case::a_number_twice("2 | #1 | it hangs | S07 | -", &["suites/historical-bugs.txt does not have"])]
    #[case::a_part_is_missing("1 | #1 | it hangs | S07", &["suites/historical-bugs.txt: “1", "suites/historical-bugs.txt does not have"])]
    fn problems(#[case] first: &str, #[case] expected: &[&str]) {
        let found = bugs(first).problems();
        assert_eq!(found.len(), expected.len(), "{found:?}");
        assert!(found.iter().zip(expected).all(|(found, start)| found.starts_with(start)), "{found:?}");
    }

    #[test]
    fn the_page_names_what_rejects_a_bug_and_what_shows_that() {
        let page = bugs("1 | #1 | it hangs | S07, suite/one | M05, builtin").page();
        assert!(page.contains("**44 bugs, 1 of them shown to be rejected.**"), "{page}");
        let row = "| 1 | #1 | it hangs | `S07`, `suite/one` | M05: forgets it; the built-in controller has it |";
        assert!(page.contains(row), "{page}");
        assert!(page.contains("| 2 | #2 | it hangs | `S07` |  |"), "{page}");
    }
}
