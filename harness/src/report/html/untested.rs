//! What was not tested and why, by reason and not line by line.

use super::{shown, verdict_mark};
use crate::{
    plan::fit::kind,
    report::{
        schema::{CaseRecord, Run, Verdict},
        skips, wording,
    },
};
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

/// Names of one reason.
const NAMED: usize = 200;

pub(super) fn section(run: &Run) -> Markup {
    let skips = skips::kinds(run);
    let cut = incomplete(run);
    let lost: Vec<_> = run.cells.iter().filter_map(|cell| Some((cell, cell.lost.as_ref()?))).collect();
    html! {
        section #untested aria-labelledby="untested-h" {
            h2 #untested-h { "Not tested" }
            @if skips.is_empty() && cut.is_empty() && lost.is_empty() {
                p { "Nothing was left out: every planned turn came to a verdict." }
            }
            @for (cell, lost) in &lost {
                details {
                    summary { (verdict_mark(Verdict::Incomplete)) " cell " (shown(&cell.id)) " was lost: nothing is known of it" }
                    pre { (shown(&wording::lost(lost))) }
                }
            }
            @for (because, cases) in &cut {
                details {
                    summary { strong { (cases.len()) } " incomplete: " (shown(because)) }
                    (names(cases))
                }
            }
            @for (count, reason) in &skips {
                details {
                    summary { strong { (count) } " skipped: " (shown(reason)) }
                    (names(&of_kind(run, reason)))
                }
            }
        }
    }
}

fn incomplete(run: &Run) -> Vec<(&str, Vec<&CaseRecord>)> {
    let mut reasons: BTreeMap<&str, Vec<&CaseRecord>> = BTreeMap::new();
    for case in run.cases.iter().filter(|case| case.verdict == Verdict::Incomplete) {
        let because = case.because.as_deref().unwrap_or("no reason is known");
        reasons.entry(because.lines().next().unwrap_or_default()).or_default().push(case);
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, cases)| std::cmp::Reverse(cases.len()));
    reasons
}

fn of_kind<'a>(run: &'a Run, reason: &str) -> Vec<&'a CaseRecord> {
    let is_such = |case: &&CaseRecord| {
        case.verdict == Verdict::Skip && kind(case.because.as_deref().unwrap_or("no reason is known")) == reason
    };
    run.cases.iter().filter(is_such).collect()
}

/// Each case once, with the number of cells and the reasons in full.
fn names(cases: &[&CaseRecord]) -> Markup {
    let mut by_case: BTreeMap<&str, (BTreeSet<&str>, BTreeSet<&str>)> = BTreeMap::new();
    for case in cases {
        let (cells, reasons) = by_case.entry(&case.case).or_default();
        cells.insert(&case.cell);
        reasons.extend(case.because.as_deref().and_then(|because| because.lines().next()));
    }
    let more = by_case.len().saturating_sub(NAMED);
    html! {
        ul.names {
            @for (case, (cells, reasons)) in by_case.iter().take(NAMED) {
                li {
                    code { (shown(case)) } " in "
                    @match cells.iter().next() {
                        Some(cell) if cells.len() == 1 => { (shown(cell)) }
                        _ => { (cells.len()) " cells" }
                    }
                    @if let Some(reason) = reasons.iter().next().filter(|_| reasons.len() == 1) {
                        span.dim { " – " (shown(reason)) }
                    }
                }
            }
            @if more > 0 { li { "and " (more) " cases more" } }
        }
    }
}
