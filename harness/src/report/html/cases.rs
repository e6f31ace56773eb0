//! Every case that was begun, by suite, its swimlane one click away; and those that ended in different ways.

use super::{
    lanes::{Asked, Lanes},
    matrix::{anchor, suite},
    shown, verdict_mark,
};
use crate::report::{
    escape::link,
    evidence::Evidence,
    flakiness,
    schema::{CaseRecord, Run, Verdict},
    swimlane_text, wording,
};
use maud::{Markup, html};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// Recordings without a verdict that are listed.
const UNJUDGED: usize = 200;

pub(super) fn list(run: &Run, lanes: &mut Lanes<'_>) -> Markup {
    let mut suites: BTreeMap<&str, Vec<(usize, &CaseRecord)>> = BTreeMap::new();
    for (number, case) in run.cases.iter().enumerate().filter(|(_, case)| case.verdict != Verdict::Skip) {
        suites.entry(suite(case)).or_default().push((number, case));
    }
    // The same case of several cells side by side: easier to compare, and packed in less.
    suites.values_mut().for_each(|cases| cases.sort_by(|(_, one), (_, other)| one.case.cmp(&other.case)));
    let suites: Vec<(&str, Markup)> =
        suites.into_iter().map(|(suite, cases)| (suite, table(suite, &cases, lanes))).collect();
    html! {
        section #cases aria-labelledby="cases-h" {
            h2 #cases-h { "Cases" }
            p.dim { "What was skipped stands under " a href="#untested" { "Not tested" } "." }
            (key())
            @if suites.is_empty() { p { "No case was begun." } }
            div #filter {}
            @for (suite, table) in &suites {
                details id={ "suite-" (anchor(suite)) } { (table) }
            }
        }
    }
}

/// How to read a swimlane.
fn key() -> Markup {
    html! {
        details #key {
            summary { "How to read a swimlane" }
            p.key {
                "Time goes to the right. Above: changes of the cluster, the script and its marks, what the API server answered to its "
                "writes (▲ accepted, ✖ refused), and the writes of each writer that " code { "managedFields" } " names. Then each Job "
                "with what its spec asks for, its conditions, counters and index lists. Then the pods by index: their phases in words, hatched while they are "
                "being deleted, the line below as long as the tracking finalizer holds them, × where they are gone. Then Events, "
                "warnings as ✖. The dashed line is where a sentence was broken, with the number of the invariant, or “claim”. "
                "A grey stretch with ⋯ is a time in which nothing happened, drawn shorter than it was. Times are when the recorder heard of it."
            }
        }
    }
}

fn table(suite: &str, cases: &[(usize, &CaseRecord)], lanes: &mut Lanes<'_>) -> Markup {
    let passed = cases.iter().filter(|(_, case)| case.verdict == Verdict::Pass).count();
    html! {
        summary { strong { (shown(suite)) } " " (passed) " of " (cases.len()) " passed" }
        table.cases {
            thead { tr {
                th scope="col" { "verdict" } th scope="col" { "case" } th scope="col" { "cell" } th scope="col" { "took" }
                th scope="col" { "swimlane" }
            } }
            tbody { @for (number, case) in cases { (row(*number, case, lanes)) } }
        }
    }
}

fn row(number: usize, case: &CaseRecord, lanes: &mut Lanes<'_>) -> Markup {
    let asked = match &case.timeline {
        _ if lanes.with_card.contains(&number) => None,
        Some(path) => Some(lanes.when_asked(path, Some(case))),
        None => Some(Asked::Not("no recording".to_owned())),
    };
    let took = case.took_ms.map(|took| wording::short(Duration::from_millis(took))).unwrap_or_default();
    html! {
        tr id={ "c" (number) } {
            td { (verdict_mark(case.verdict)) }
            td {
                code title=(shown(&case.claim)) { (shown(&case.case)) }
                @if case.attempt > 1 { " #" (case.attempt) }
            }
            td { (shown(&case.cell)) }
            td.n { (took) }
            (drawn(asked, number, case.timeline.as_deref()))
        }
    }
}

/// Where a script draws it; without one, where its recording is.
fn drawn(asked: Option<Asked>, number: usize, path: Option<&str>) -> Markup {
    html! {
        @match (asked, path) {
            (None, _) => { td { a href={ "#f" (number) } { "above" } } }
            (Some(Asked::Packed(pack, place)), Some(path)) => {
                td data-lane={ (pack) "/" (place) } { a href=(link(path)) { "timeline" } }
            }
            (Some(Asked::Not(because)), _) => { td.dim { (shown(&because)) } }
            (Some(Asked::Packed(..)), None) => { td {} }
        }
    }
}

/// The swimlane of a run that is one case: nobody should have to ask for it.
pub(super) fn only(run: &Run, lanes: &mut Lanes<'_>) -> Markup {
    let only = swimlane_text::single(run).filter(|case| case.verdict == Verdict::Pass && case.timeline.is_some());
    let Some(case) = only else { return Markup::default() };
    let (swimlane, _) = lanes.in_full(run.cases.len(), case);
    html! {
        section #recording aria-labelledby="recording-h" {
            h2 #recording-h { "The recording" }
            p { (verdict_mark(case.verdict)) " " code { (shown(&case.case)) } " in " (shown(&case.cell)) }
            (swimlane)
        }
    }
}

/// Recordings in the folder that the record of the run does not name: it was cut off before they were judged.
pub(super) fn unjudged(run: &Run, evidence: &dyn Evidence, lanes: &mut Lanes<'_>) -> Markup {
    let named: BTreeSet<&str> = run.cases.iter().filter_map(|case| case.timeline.as_deref()).collect();
    let is_such = |path: &&str| path.ends_with(".timeline.ndjson") && !named.contains(path);
    let found: Vec<&str> = evidence.files().iter().map(|file| file.path.as_str()).filter(is_such).collect();
    let rows: Vec<(&str, Asked)> =
        found.iter().take(UNJUDGED).map(|path| (*path, lanes.when_asked(path, None))).collect();
    html! {
        @if !rows.is_empty() {
            section #unjudged aria-labelledby="unjudged-h" {
                h2 #unjudged-h { "Recorded, but not in the record of the run" }
                p {
                    "Recordings without a verdict of this run: " (found.len()) ". They are of cases that were under way "
                    "when it was cut off, or that were begun again. "
                    code { "jobsworth judge" } " judges those that the record names."
                }
                table.cases {
                    thead { tr { th scope="col" { "recording" } th scope="col" { "swimlane" } } }
                    tbody {
                        @for (path, asked) in rows { tr { td { code { (shown(path)) } } (drawn(Some(asked), 0, Some(path))) } }
                    }
                }
            }
        }
    }
}

/// Cases that did not end alike each time in the same cell: flaky where they held and were broken, else unsettled.
pub(super) fn flaky(run: &Run) -> Markup {
    let mut records: BTreeMap<(&str, &str), Vec<(usize, &CaseRecord)>> = BTreeMap::new();
    for (number, case) in run.cases.iter().enumerate() {
        if matches!(case.verdict, Verdict::Pass | Verdict::Deviates | Verdict::Fail | Verdict::Inconclusive) {
            records.entry((&case.cell, &case.case)).or_default().push((number, case));
        }
    }
    records.retain(|_, turns| turns.windows(2).any(|pair| pair[0].1.verdict != pair[1].1.verdict));
    let turns = flakiness::turns(run);
    let of = |place| turns.get(place).copied().unwrap_or_default();
    html! {
        section #flaky aria-labelledby="flaky-h" {
            h2 #flaky-h { "Flaky" }
            @if run.plan.repeat < 2 && records.is_empty() {
                p { "Each case was run once in each cell, so nothing is known of it. " code { "--repeat N" } " tells." }
            } @else if records.is_empty() {
                p { "Every case ended alike each time." }
            } @else {
                div.wide tabindex="0" role="group" aria-label="Cases that did not end alike each time" { table {
                    caption { "Held of judged turns, and between what the true share is in 95 of 100 such runs (Wilson’s interval)." }
                    thead { tr {
                        th scope="col" { "word" } th scope="col" { "case" } th scope="col" { "cell" } th scope="col" { "held" }
                        th scope="col" { "attempts" }
                    } }
                    tbody { @for (place, records) in &records {
                        tr {
                            td { @if of(place).are_flaky() { "flaky" } @else { "unsettled" } }
                            td { code { (shown(place.1)) } }
                            td { (shown(place.0)) }
                            td { (of(place).held()) }
                            td { @for (number, case) in records.iter().take(40) {
                                a href={ "#c" (number) } { (super::sign(case.verdict).0) (case.attempt) } " "
                            } }
                        }
                    } }
                } }
            }
        }
    }
}
