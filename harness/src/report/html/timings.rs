//! What took how long.

use super::{matrix::suite, shown};
use crate::report::{
    schema::{CaseRecord, Run},
    wording,
};
use maud::{Markup, html};
use std::{collections::BTreeMap, time::Duration};

/// Slowest turns that are named.
const SLOWEST: usize = 15;
/// Length of the longest bar.
const LONGEST: u64 = 300;

pub(super) fn section(run: &Run) -> Markup {
    let mut turns: Vec<(u64, &CaseRecord)> = run.cases.iter().filter_map(|case| Some((case.took_ms?, case))).collect();
    turns.sort_by_key(|(took, _)| std::cmp::Reverse(*took));
    let mut suites: BTreeMap<&str, (u64, usize)> = BTreeMap::new();
    for (took, case) in &turns {
        let sum = suites.entry(suite(case)).or_default();
        *sum = (sum.0 + took, sum.1 + 1);
    }
    let slowest = turns.iter().take(SLOWEST).map(|(took, case)| (case.case.clone(), case.cell.clone(), *took));
    let mut suites: Vec<(String, String, u64)> = suites
        .into_iter()
        .map(|(suite, (took, number))| (suite.to_owned(), format!("turns: {number}"), took))
        .collect();
    suites.sort_by_key(|(.., took)| std::cmp::Reverse(*took));
    let cells = run.cells.iter().filter_map(|cell| Some((cell.id.clone(), cell.provider.clone(), cell.up_ms?)));
    html! {
        section #timings aria-labelledby="timings-h" {
            h2 #timings-h { "Timings" }
            @if turns.is_empty() { p { "No time was taken." } }
            (bars("Slowest turns", slowest.collect()))
            (bars("Suites, all turns together", suites))
            (bars("Clusters, until they were up", cells.collect()))
        }
    }
}

fn bars(title: &str, rows: Vec<(String, String, u64)>) -> Markup {
    let longest = rows.iter().map(|(.., took)| *took).max().unwrap_or(0).max(1);
    html! {
        @if !rows.is_empty() {
            details open[rows.len() <= SLOWEST] {
                summary { (title) }
                table.bars { tbody { @for (name, of, took) in &rows {
                    tr {
                        th scope="row" { (shown(name)) }
                        td.dim { (shown(of)) }
                        td.n { (wording::short(Duration::from_millis(*took))) }
                        td { svg width=(LONGEST) height="10" aria-hidden="true" {
                            rect.bar width=((took * LONGEST / longest).max(1)) height="10" {}
                        } }
                    }
                } } }
            }
        }
    }
}
