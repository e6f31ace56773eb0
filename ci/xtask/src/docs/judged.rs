//! `docs/requirements-judged.md`: each requirement of Kubernetes' Jobs, and what judges it whoever the controller is.
//!
//! Cases and invariants come from the program's list of requirements, service levels from `suites/slos.yaml`: one whose id is the
//! number judges it. Tests of the reference controller are on a page of their own and count for nothing here.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::workspace::Tree;

const LIST: &str = "suites/requirements.txt";
/// Numbers that nothing judges, each with the reason.
const OPEN: &str = "suites/requirements-open.txt";
const LEVELS: &str = "suites/slos.yaml";
/// How many of a hundred numbers have to be judged.
const AT_LEAST_PERCENT: usize = 95;

/// How the page begins.
pub const HEAD: &str = "# Requirements of Kubernetes' Jobs

Each number of `suites/requirements.txt`, and what judges it, whoever the controller is: invariants, which are judged in every case
([invariants.md](invariants.md)), cases ([catalogue.md](catalogue.md)), and service levels, which `run`, `load` and `slo check` judge
(`suites/slos.yaml`, [load.md](load.md)). What nothing judges is listed with the reason, which stands in `suites/requirements-open.txt`.
Tests of the reference controller alone do not count: they are in [reference-requirements.md](reference-requirements.md).";

#[derive(Debug, Default)]
struct Row {
    phrase: String,
    /// Invariants and cases, as the program lists them.
    checks: Vec<String>,
    levels: BTreeSet<String>,
}

impl Row {
    fn is_judged(&self) -> bool {
        !self.checks.is_empty() || !self.levels.is_empty()
    }
}

/// All requirements by number, by family, and the reasons for what is open.
#[derive(Debug, Default)]
pub struct Judged {
    /// Headings with their numbers, in the order of the list.
    families: Vec<(String, Vec<String>)>,
    rows: BTreeMap<String, Row>,
    open: BTreeMap<String, String>,
    at_least_percent: usize,
}

impl Judged {
    /// Reads the lists and the program's table of requirements.
    pub fn read(tree: &Tree, table: &str) -> Self {
        let text = |path: &str| tree.file(path).map_or("", |file| &file.text);
        let mut judged = Self { at_least_percent: AT_LEAST_PERCENT, ..Self::default() };
        for line in text(LIST).lines() {
            judged.list(line);
        }
        for line in text(OPEN).lines().filter(|line| !line.starts_with('#')) {
            if let Some((number, reason)) = line.split_once(' ') {
                judged.open.insert(number.to_owned(), reason.trim().to_owned());
            }
        }
        for line in table.lines() {
            if let [number, _, checks] = line.trim_matches(['|', ' ']).split(" | ").collect::<Vec<_>>()[..]
                && let Some(row) = judged.rows.get_mut(number.trim())
            {
                let named = checks.split(',').map(str::trim);
                row.checks =
                    named.filter(|check| !check.is_empty() && *check != "every case").map(str::to_owned).collect();
            }
        }
        for id in text(LEVELS).lines().filter_map(|line| line.strip_prefix("- id: ")) {
            // `SLO-008-makespan` is the second level of SLO-008.
            let number: String = id.splitn(3, '-').take(2).collect::<Vec<_>>().join("-");
            if let Some(row) = judged.rows.get_mut(&number) {
                row.levels.insert(id.trim().to_owned());
            }
        }
        judged
    }

    fn list(&mut self, line: &str) {
        let is_number = |text: &str| {
            text.split_once('-').is_some_and(|(family, rest)| {
                family.len() == 3
                    && family.bytes().all(|b| b.is_ascii_uppercase())
                    && rest.len() == 3
                    && rest.bytes().all(|b| b.is_ascii_digit())
            })
        };
        match line.split_once(' ') {
            Some((number, phrase)) if is_number(number) => {
                self.rows.insert(number.to_owned(), Row { phrase: phrase.to_owned(), ..Row::default() });
                if let Some((_, numbers)) = self.families.last_mut() {
                    numbers.push(number.to_owned());
                }
            }
            Some(("#", heading)) => self.families.push((heading.to_owned(), Vec::new())),
            _ => {}
        }
    }

    /// What keeps the page from being accepted.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for (number, row) in &self.rows {
            match (row.is_judged(), self.open.contains_key(number)) {
                (false, false) => {
                    problems.push(format!("{number} ({}): nothing judges it, and {OPEN} gives no reason", row.phrase));
                }
                (true, true) => problems.push(format!("{number} is judged, and yet listed in {OPEN}")),
                _ => {}
            }
        }
        let unknown = self.open.keys().filter(|number| !self.rows.contains_key(*number));
        problems.extend(unknown.map(|number| format!("{number} in {OPEN} is no requirement of Kubernetes' Jobs")));
        if self.count() * 100 < self.rows.len() * self.at_least_percent {
            problems.push(format!("only {} of {} requirements are judged", self.count(), self.rows.len()));
        }
        problems
    }

    fn count(&self) -> usize {
        self.rows.values().filter(|row| row.is_judged()).count()
    }

    /// What follows the head of the page.
    pub fn page(&self) -> String {
        let mut text = String::new();
        let tenths = (self.count() * 1000).checked_div(self.rows.len()).unwrap_or(0);
        let share = format!("{}.{} %", tenths / 10, tenths % 10);
        let _ = writeln!(text, "**{} of {} judged: {share}.**\n\n## Not judged\n", self.count(), self.rows.len());
        text.push_str("| requirement | what | reason |\n| --- | --- | --- |\n");
        for (number, row) in self.rows.iter().filter(|(_, row)| !row.is_judged()) {
            let reason = self.open.get(number).map_or("", String::as_str);
            let _ = writeln!(text, "| {number} | {} | {reason} |", cell(&row.phrase));
        }
        for (heading, numbers) in self.families.iter().filter(|(_, numbers)| !numbers.is_empty()) {
            let _ = writeln!(text, "\n## {heading}\n\n| requirement | what | judged by |\n| --- | --- | --- |");
            for number in numbers {
                let row = &self.rows[number];
                let levels = row.levels.iter().map(|id| format!("service level {id}"));
                let checks = row.checks.iter().map(|check| format!("`{check}`")).chain(levels);
                let _ =
                    writeln!(text, "| {number} | {} | {} |", cell(&row.phrase), checks.collect::<Vec<_>>().join(", "));
            }
        }
        text
    }
}

/// What would be read as markup in a cell.
fn cell(phrase: &str) -> String {
    phrase.replace('<', "\\<").replace('*', "\\*").replace('|', "\\|")
}

#[cfg(test)]
mod tests;
