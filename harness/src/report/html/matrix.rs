//! Cells by suites, as a map of colours that say in words what they mean.

use super::shown;
use crate::report::{
    schema::{CaseRecord, Run, Verdict},
    side_by_side::differences,
};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// Rows of differences.
const ROWS: usize = 100;

pub(super) fn section(run: &Run) -> Markup {
    let suites: BTreeSet<&str> = run.cases.iter().map(suite).collect();
    html! {
        section #matrix aria-labelledby="matrix-h" {
            h2 #matrix-h { "Cells by suite" }
            @if suites.is_empty() {
                p { "No case is on record." }
            } @else {
                div.wide tabindex="0" role="group" aria-label="Cells by suite, a table" {
                    table.heat {
                        caption { "Passed of judged turns; – where every case was skipped." }
                        thead { tr {
                            th scope="col" { "suite" }
                            @for cell in &run.cells { th scope="col" { (broken(&cell.id)) } }
                        } }
                        tbody {
                            @for suite in &suites {
                                tr {
                                    th scope="row" { (head(run, suite)) }
                                    @for cell in &run.cells { (square(run, suite, &cell.id)) }
                                }
                            }
                        }
                    }
                }
                (side_by_side(run))
            }
        }
    }
}

/// A suite's name; it leads to its cases where one was begun.
fn head(run: &Run, suite: &str) -> Markup {
    let is_listed = run.cases.iter().any(|case| self::suite(case) == suite && case.verdict != Verdict::Skip);
    html! {
        @if is_listed { a href={ "#suite-" (anchor(suite)) } { (shown(suite)) } } @else { (shown(suite)) }
    }
}

/// The suite of a case: what stands before the slash.
pub(super) fn suite(case: &CaseRecord) -> &str {
    case.case.split_once('/').map_or(case.case.as_str(), |(suite, _)| suite)
}

/// A suite as part of an anchor.
pub(super) fn anchor(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect()
}

fn square(run: &Run, suite: &str, cell: &str) -> Markup {
    let of = |verdict: Verdict| {
        let is_such = |case: &&CaseRecord| case.cell == cell && case.verdict == verdict && self::suite(case) == suite;
        run.cases.iter().filter(is_such).count()
    };
    let (passed, failed, skipped) = (of(Verdict::Pass), of(Verdict::Fail), of(Verdict::Skip));
    let open = of(Verdict::Inconclusive) + of(Verdict::Incomplete) + of(Verdict::Deviates);
    let judged = passed + failed + open;
    let (sign, class, words) = match (failed, open, judged, skipped) {
        (1.., ..) => ("✖", if failed * 4 > judged { "h-bad2" } else { "h-bad" }, "failed"),
        (0, 1.., ..) => ("~", "h-open", "could not tell, or deviates as known"),
        (0, 0, 1.., _) => ("✔", "h-good", "all passed"),
        (0, 0, 0, 1..) => ("–", "h-none", "all skipped"),
        (0, 0, 0, 0) => ("", "h-none", "not planned"),
    };
    let title = format!("{passed} passed, {failed} failed, {open} undecided or deviating, {skipped} skipped");
    html! {
        td class=(class) title=(title) {
            @if judged > 0 {
                a href={ "#suite-" (anchor(suite)) } data-find={ (suite) "/ " (cell) } {
                    (sign) " " (passed) "/" (judged)
                }
            } @else { (sign) }
            span.sr { " " (words) }
            @if skipped > 0 && judged > 0 { small { " –" (skipped) span.sr { " skipped" } } }
        }
    }
}

/// A cell's id may be broken at its dashes.
fn broken(id: &str) -> Markup {
    let id = shown(id);
    html! { @for (number, part) in id.split('-').enumerate() { @if number > 0 { "-" wbr; } (part) } }
}

fn side_by_side(run: &Run) -> Markup {
    if run.cells.len() < 2 {
        return Markup::default();
    }
    let (rows, alike) = differences(run);
    html! {
        details open[!rows.is_empty() && rows.len() < 12] {
            summary { (alike) " cases ended alike in all cells, " strong { (rows.len()) " did not" } }
            @if !rows.is_empty() {
                div.wide tabindex="0" role="group" aria-label="Cases that did not end alike" {
                    table {
                        thead { tr {
                            th scope="col" { "case" }
                            @for cell in &run.cells { th scope="col" { (broken(&cell.id)) } }
                        } }
                        tbody { @for row in rows.iter().take(ROWS) {
                            tr { th scope="row" { (shown(row.case)) } @for cell in &row.cells { td { (cell) } } }
                        } }
                    }
                }
                @if rows.len() > ROWS { p.note { "and " (rows.len() - ROWS) " cases more" } }
            }
        }
    }
}
