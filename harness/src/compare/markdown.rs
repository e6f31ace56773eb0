//! A comparison for the page of a CI run; never longer than such pages allow.

use super::{
    wire::{Change, Difference, OnlyIn, RunComparison},
    words::{came, counted, millis, of_durations, title},
};
use crate::report::escape::markdown;
use std::fmt::Write as _;

/// Longest page, in bytes; step summaries end at some 64 kB.
const LONGEST: usize = 60_000;

/// A page that is full at some point, and says so.
#[derive(Debug, Default)]
pub(super) struct Page {
    text: String,
    left_out: usize,
}

impl Page {
    /// One part more, if there is room.
    pub(super) fn add(&mut self, part: &str) {
        // Room for the last line is kept.
        if self.left_out == 0 && self.text.len() + part.len() < LONGEST - 500 {
            self.text.push_str(part);
        } else {
            self.left_out += 1;
        }
    }

    /// A table of what else differs.
    pub(super) fn differences(&mut self, rows: &[Difference]) {
        if rows.is_empty() {
            return;
        }
        self.add("\n| differs | BASE | HEAD |\n|---|---|---|\n");
        for Difference { about, base, head } in rows {
            self.add(&format!("| {} | {} | {} |\n", markdown(about), markdown(base), markdown(head)));
        }
    }

    pub(super) fn close(mut self) -> String {
        if self.left_out > 0 {
            let _ = write!(self.text, "\n{} more parts are left out here; `--json` has everything.\n", self.left_out);
        }
        self.text
    }
}

/// The first line: how many things are worse.
pub(super) fn heading(regressions: usize) -> String {
    match regressions {
        0 => "## jobsworth compare: ✅ no regression\n".to_owned(),
        some => format!("## jobsworth compare: ❌ {}\n", counted(some, "regression")),
    }
}

/// Renders a comparison of runs.
pub(super) fn render(comparison: &RunComparison) -> String {
    let mut page = Page::default();
    page.add(&heading(comparison.regressions));
    let side = |run: &str, started: &str| format!("{} ({})", markdown(run), markdown(started));
    let (base, head) = (&comparison.base, &comparison.head);
    page.add(&format!("\n{} → {}\n", side(&base.run, &base.started), side(&head.run, &head.started)));
    page.differences(&comparison.differences);
    for caution in &comparison.cautions {
        page.add(&format!("\n> {}\n", markdown(caution)));
    }
    for group in comparison.changes.chunk_by(|one, other| (one.kind, one.regression) == (other.kind, other.regression))
    {
        changes(group, &mut page);
    }
    for broke in comparison.breakdowns.iter().filter(|broke| broke.regression) {
        let (cell, times) = (markdown(&broke.cell), counted(broke.head, "time"));
        page.add(&format!("\n❌ The controller of {cell} died or panicked {times}, and never in BASE.\n"));
    }
    times(comparison, &mut page);
    claims(comparison, &mut page);
    page.add(&format!("\n{} came out alike.\n", counted(comparison.alike as usize, "case")));
    page.close()
}

fn changes(group: &[Change], page: &mut Page) {
    let Some(first) = group.first() else { return };
    let sign = if first.regression { "❌ " } else { "" };
    page.add(&format!(
        "\n### {sign}{} ({})\n\n| case | cell | BASE | HEAD | |\n|---|---|---|---|---|\n",
        title(first.kind),
        group.len()
    ));
    for change in group {
        let because: Vec<String> = change.because.iter().map(|says| markdown(says)).collect();
        page.add(&format!(
            "| {} | {} | {} | {} | {} |\n",
            markdown(&change.case),
            markdown(&change.cell),
            markdown(&came(change.base)),
            markdown(&came(change.head)),
            because.join("<br>")
        ));
    }
}

fn times(comparison: &RunComparison, page: &mut Page) {
    let durations = &comparison.durations;
    page.add(&format!("\n### Times\n\n{}\n", markdown(&of_durations(durations))));
    let all = durations.slower.iter().map(|timing| ("❌ slower", timing));
    let all: Vec<_> = all.chain(durations.faster.iter().map(|timing| ("faster", timing))).collect();
    if all.is_empty() {
        return;
    }
    page.add("\n| | case | cell | BASE | HEAD | p |\n|---|---|---|--:|--:|--:|\n");
    for (word, timing) in all {
        let (case, cell) = (markdown(&timing.case), markdown(&timing.cell));
        let (base, head, chance) = (millis(timing.base_ms), millis(timing.head_ms), timing.chance);
        page.add(&format!("| {word} | {case} | {cell} | {base} | {head} | {chance:.4} |\n"));
    }
}

fn claims(comparison: &RunComparison, page: &mut Page) {
    if comparison.claims.is_empty() {
        return;
    }
    page.add("\n### Claims of only one of the programs\n\nNo regressions, whatever became of them.\n\n");
    for claim in &comparison.claims {
        let word = match claim.only {
            OnlyIn::Head => "added",
            OnlyIn::Base => "removed",
        };
        let (source, says) = (markdown(&claim.source), markdown(&claim.says));
        page.add(&format!("- {word}: {source} “{says}”, of {}\n", counted(claim.cases.len(), "case")));
    }
}
