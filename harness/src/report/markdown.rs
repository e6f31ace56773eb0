//! `summary.md`: what people read on the page of a CI run; never longer than such pages allow.

use super::{
    escape::{fenced, markdown},
    flakiness::{self, FlakyCase},
    schema::{CaseRecord, Run, Verdict},
    side_by_side::differences,
    skips, wording,
};
use std::{fmt::Write as _, time::Duration};

/// Longest summary, in bytes; step summaries end at some 64 kB.
const LONGEST: usize = 60_000;
/// Beyond so many, failures are only named.
const DETAILED: usize = 20;
/// Longest text of one failure, in bytes.
const LONGEST_DETAIL: usize = 8_000;

/// Renders a run.
#[must_use]
pub fn render(run: &Run) -> String {
    let mut page = Page { text: heading(run), left_out: 0 };
    page.add(&cells(run));
    if let Some(exit) = run.exit.as_ref().filter(|exit| exit.code != 0) {
        let causes: Vec<String> = exit.causes.iter().map(|cause| markdown(&cause.says)).collect();
        page.add(&format!("\n**exit {}**: {}\n", exit.code, causes.join("; ")));
    }
    page.add(&broken_down(run));
    for (title, verdicts) in [
        ("Failed", &[Verdict::Fail][..]),
        ("Could not tell", &[Verdict::Inconclusive, Verdict::Incomplete][..]),
        ("Deviates, as known", &[Verdict::Deviates][..]),
    ] {
        let cases: Vec<&CaseRecord> = run.cases.iter().filter(|case| verdicts.contains(&case.verdict)).collect();
        if !cases.is_empty() {
            page.add(&format!("\n### {title}\n"));
        }
        for (position, case) in cases.into_iter().enumerate() {
            page.add(&if position < DETAILED { detailed(case) } else { named(case) });
        }
    }
    page.add(&flaky(run));
    page.add(&side_by_side(run));
    page.add(&skipped(run));
    page.close(run)
}

struct Page {
    text: String,
    left_out: usize,
}

impl Page {
    fn add(&mut self, part: &str) {
        // Room for the last lines is kept.
        if self.left_out == 0 && self.text.len() + part.len() < LONGEST - 1_000 {
            self.text.push_str(part);
        } else if !part.is_empty() {
            self.left_out += 1;
        }
    }

    fn close(mut self, run: &Run) -> String {
        if self.left_out > 0 {
            let _ = write!(self.text, "\n{} more parts are left out here; `run.json` has everything.\n", self.left_out);
        }
        let Run { id, seed, program, .. } = run;
        let _ = writeln!(self.text, "\n<sub>run {id} · seed {seed} · jobsworth {}</sub>", program.version);
        self.text
    }
}

fn heading(run: &Run) -> String {
    let sign = match run.exit.as_ref().map(|exit| exit.code) {
        Some(0) => "✅",
        Some(1) => "❌",
        _ => "⚠️",
    };
    let took = run.took_ms.map(|took| format!(" ({})", wording::short(Duration::from_millis(took))));
    format!("## jobsworth: {sign} {}{}\n\n", wording::tally(&run.outcome), took.unwrap_or_default())
}

fn cells(run: &Run) -> String {
    let mut text = "| cell | passed | failed | inconclusive | incomplete | skipped | attested |\n\
        |---|--:|--:|--:|--:|--:|---|\n"
        .to_owned();
    for cell in &run.cells {
        let count = |verdict| run.cases.iter().filter(|case| case.cell == cell.id && case.verdict == verdict).count();
        let attested = match (&cell.lost, &cell.attested) {
            (Some(lost), _) => format!("lost: {}", markdown(lost.because.lines().next().unwrap_or(""))),
            (None, Some(attested)) if attested.holds => format!("✔ {} facts", attested.rows.len()),
            (None, Some(_)) => "✘".to_owned(),
            (None, None) => "–".to_owned(),
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {attested} |",
            markdown(&cell.id),
            count(Verdict::Pass),
            count(Verdict::Fail),
            count(Verdict::Inconclusive),
            count(Verdict::Incomplete),
            count(Verdict::Skip),
        );
    }
    text
}

/// Deaths and panics of controllers.
fn broken_down(run: &Run) -> String {
    let all = run.cells.iter().flat_map(|cell| cell.breakdowns.iter().map(move |breakdown| (cell, breakdown)));
    let mut text = String::new();
    for (cell, breakdown) in all.take(DETAILED) {
        let says = fenced(&wording::breakdown(breakdown));
        let _ = write!(text, "\nIn {}:\n\n{says}\n", markdown(&cell.id));
    }
    if text.is_empty() { text } else { format!("\n### The controller broke down\n{text}") }
}

/// Cases that held at least once and failed at least once.
fn flaky(run: &Run) -> String {
    let flaky = flakiness::flaky(run);
    let rows = flaky.iter().take(DETAILED).map(|FlakyCase { cell, case, turns }| {
        format!("- {} in {}: held in {}\n", markdown(case), markdown(cell), markdown(&turns.held().to_string()))
    });
    let text: String = rows.collect();
    match flaky.len().checked_sub(DETAILED) {
        _ if flaky.is_empty() => String::new(),
        None | Some(0) => format!("\n### Flaky\n\n{text}"),
        Some(more) => format!("\n### Flaky\n\n{text}- and {more} more\n"),
    }
}

/// Only for runs with several cells: where the same case ended in different ways.
fn side_by_side(run: &Run) -> String {
    if run.cells.len() < 2 {
        return String::new();
    }
    let (rows, alike) = differences(run);
    let mut text = format!("\n### Side by side\n\n{alike} cases ended alike in all cells, {} did not.\n", rows.len());
    if rows.is_empty() {
        return text;
    }
    let cells: String = run.cells.iter().map(|cell| format!(" {} |", markdown(&cell.id))).collect();
    let _ = write!(text, "\n| case |{cells}\n|---|{}\n", "---|".repeat(run.cells.len()));
    for row in rows {
        let _ = writeln!(text, "| {} | {} |", markdown(row.case), row.cells.join(" | "));
    }
    text
}

fn named(case: &CaseRecord) -> String {
    format!("- {} in {} (attempt {})\n", markdown(&case.case), markdown(&case.cell), case.attempt)
}

fn detailed(case: &CaseRecord) -> String {
    let mut says = wording::failure(case);
    if says.len() > LONGEST_DETAIL {
        let end = (0..=LONGEST_DETAIL).rev().find(|at| says.is_char_boundary(*at)).unwrap_or(0);
        says.truncate(end);
        says.push_str("\n… shortened");
    }
    format!(
        "\n<details><summary>{}: {} in {}</summary>\n\n{}: {}\n\n{}\n</details>\n",
        case.verdict.as_str(),
        markdown(&case.case),
        markdown(&case.cell),
        markdown(&case.source),
        markdown(&case.claim),
        fenced(&says)
    )
}

fn skipped(run: &Run) -> String {
    let kinds = skips::kinds(run);
    if kinds.is_empty() {
        return String::new();
    }
    let all: usize = kinds.iter().map(|(count, _)| count).sum();
    let mut text = format!("\n<details><summary>{all} skipped</summary>\n\n");
    for (count, kind) in kinds {
        let _ = writeln!(text, "- {count}: {}", markdown(kind));
    }
    text + "\nEach by name: `jobsworth report RUN --verbose`, or `run.json`.\n\n</details>\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::schema::sample;

    #[test]
    fn a_nasty_text_stays_text() {
        insta::assert_snapshot!(render(&sample::nasty()));
    }

    #[test]
    fn a_run_with_a_thousand_failures_fits_on_the_page() {
        let mut run = sample::nasty();
        let failed = run.cases.pop().unwrap();
        run.cases = vec![failed; 1_000];
        let text = render(&run);
        assert!(text.len() < LONGEST, "{}", text.len());
        assert!(text.contains("more parts are left out"));
        assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
    }
}
