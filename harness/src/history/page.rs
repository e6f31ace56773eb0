//! A history as a page: what calls for attention, with a strip of runs and the interval as a bar. It needs no script.

use super::{
    text::{LEGEND, STRIP, sign, word},
    wire::{CaseHistory, History, Mark, Said, Word},
};
use crate::report::html::{Sheet, shown};
use maud::{Markup, html};

/// Rows of one table.
const ROWS: usize = 2_000;
/// Runs and folders that are named.
const NAMED: usize = 500;
/// Length of a whole bar.
const WHOLE: f64 = 160.0;

/// Renders a history.
#[must_use]
pub fn render(history: &History) -> String {
    let calling: Vec<&CaseHistory> = history.cases.iter().filter(|case| case.word < Word::Unjudged).collect();
    let quiet: Vec<&CaseHistory> = history.cases.iter().filter(|case| case.word >= Word::Unjudged).collect();
    let main = html! {
        (head(history))
        section #attention aria-labelledby="attention-h" {
            h2 #attention-h { "Flaky, failing, changed" }
            @if calling.is_empty() { p { "Every case held whenever it was judged." } } @else { (table(&calling, "Cases that are flaky, failing or changed", history)) }
        }
        section #steady aria-labelledby="steady-h" {
            h2 #steady-h { "Steady and unjudged" }
            details {
                summary { strong { (quiet.len()) } " cases that never failed" }
                (table(&quiet, "Cases that never failed", history))
            }
        }
        (runs(history))
    };
    let title = format!("jobsworth: history of {} runs", history.runs.len());
    let sheet = Sheet {
        title: &title,
        skip: ("#attention", "To what calls for attention"),
        before: Markup::default(),
        main,
        data: Markup::default(),
        script: None,
    };
    sheet.render()
}

fn head(history: &History) -> Markup {
    let count = |word| history.cases.iter().filter(|case| case.word == word).count();
    let (flaky, failing, changed) = (count(Word::Flaky), count(Word::Failing), count(Word::Changed));
    let (sign, class) = match flaky + failing {
        0 => ("✔", "good"),
        _ => ("✖", "bad"),
    };
    let ends = history.runs.first().zip(history.runs.last());
    html! {
        header class={ "verdict " (class) } {
            p.brand { "jobsworth · history" }
            h1 { span aria-hidden="true" { (sign) " " } (flaky) " flaky, " (failing) " failing, " (changed) " changed" }
            p.tally {
                (history.cases.len()) " cases in " (history.runs.len()) " runs"
                @if let Some((first, last)) = ends { " from " (shown(&first.started)) " to " (shown(&last.started)) }
            }
            p.dim {
                "A case is flaky where it held and failed with the same programs and gates; changed where they were not the same. "
                "Behind “held” stands the interval in which the true share is in 95 of 100 such histories (Wilson’s). " (LEGEND) "."
            }
        }
    }
}

fn table(cases: &[&CaseHistory], name: &str, history: &History) -> Markup {
    html! {
        div.wide tabindex="0" role="group" aria-label=(name) {
            table {
                thead { tr {
                    th scope="col" { "word" } th scope="col" { "case" } th scope="col" { "cell" } th scope="col" { "held" }
                    th scope="col" { "interval" } th scope="col" { "runs, the latest to the right" }
                } }
                tbody { @for case in cases.iter().take(ROWS) { (row(case, history)) } }
            }
        }
        @if cases.len() > ROWS { p.note { "and " (cases.len() - ROWS) " more; " code { "jobsworth history --json" } " has all" } }
    }
}

fn row(case: &CaseHistory, history: &History) -> Markup {
    let class = match case.word {
        Word::Flaky | Word::Failing => "bad",
        Word::Changed => "open",
        Word::Unjudged => "none",
        Word::Steady => "good",
    };
    let (from, length) = (case.low * WHOLE, ((case.high - case.low) * WHOLE).max(1.0));
    let left = case.strip.len().saturating_sub(STRIP);
    html! {
        tr {
            td { span class={ "v " (class) } { (word(case.word)) } }
            th scope="row" { code { (shown(&case.case)) } }
            td { (shown(&case.cell)) }
            td.n { (case.held) " of " (case.judged) }
            td {
                (format!("{:.2}–{:.2}", case.low, case.high)) " "
                svg width=(WHOLE) height="10" aria-hidden="true" {
                    rect.bar x=(format!("{from:.1}")) width=(format!("{length:.1}")) height="10" {}
                }
            }
            td { @if left > 0 { "…" } @for mark in case.strip.iter().skip(left) { (square(*mark, history)) } }
        }
    }
}

fn square(mark: Mark, history: &History) -> Markup {
    let class = match mark.said {
        Said::Held => "good",
        Said::Failed | Said::Flaky => "bad",
        Said::Open => "open",
        Said::Skipped => "none",
    };
    let run = history.runs.get(mark.run).map(|run| shown(&run.run)).unwrap_or_default();
    html! { span class={ "v " (class) } title=(run) { (sign(mark.said)) } }
}

fn runs(history: &History) -> Markup {
    html! {
        section #runs aria-labelledby="runs-h" {
            h2 #runs-h { "Runs" }
            details {
                summary { strong { (history.runs.len()) } " runs, the latest first" }
                table {
                    thead { tr {
                        th scope="col" { "run" } th scope="col" { "started" } th scope="col" { "exit" } th scope="col" { "jobsworth" }
                        th scope="col" { "folder" }
                    } }
                    tbody { @for run in history.runs.iter().rev().take(NAMED) {
                        tr {
                            th scope="row" { code { (shown(&run.run)) } }
                            td { (shown(&run.started)) }
                            td.n { (run.exit.map(|code| code.to_string()).unwrap_or_default()) }
                            td { (shown(&run.program)) }
                            td { (shown(&run.folder)) }
                        }
                    } }
                }
                @if history.runs.len() > NAMED { p.note { "and " (history.runs.len() - NAMED) " more" } }
            }
            @if !history.left_out.is_empty() {
                details {
                    summary { strong { (history.left_out.len()) } " folders are not counted" }
                    ul.names { @for out in history.left_out.iter().take(NAMED) {
                        li { code { (shown(&out.folder)) } " – " (shown(&out.because)) }
                    } }
                }
            }
        }
    }
}
