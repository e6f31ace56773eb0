//! What failed and what could not be told, each with its swimlane.

use super::{lanes::Lanes, shown, verdict_mark};
use crate::report::{
    escape::link,
    schema::{CaseRecord, Failure, Run, Verdict},
    wording,
};
use maud::{Markup, html};

/// Cards of one section; the list of cases has all.
const CARDS: usize = 200;

pub(super) fn failures(run: &Run, lanes: &mut Lanes<'_>) -> Markup {
    let cards = cards(run, lanes, &[Verdict::Fail]);
    html! {
        section #failures aria-labelledby="failures-h" {
            h2 #failures-h { "Failures" }
            @if cards.is_empty() { p { "No case failed." } } @else {
                p.dim { a href="#key" { "How to read a swimlane" } }
            }
            @for card in &cards { (card) }
        }
    }
}

pub(super) fn undecided(run: &Run, lanes: &mut Lanes<'_>) -> Markup {
    let cards = cards(run, lanes, &[Verdict::Inconclusive, Verdict::Incomplete]);
    html! {
        @if !cards.is_empty() {
            section #undecided aria-labelledby="undecided-h" {
                h2 #undecided-h { "Could not tell" }
                @for card in &cards { (card) }
            }
        }
    }
}

/// What is known of a controller, and showed again.
pub(super) fn deviating(run: &Run, lanes: &mut Lanes<'_>) -> Markup {
    let cards = cards(run, lanes, &[Verdict::Deviates]);
    html! {
        @if !cards.is_empty() {
            section #deviating aria-labelledby="deviating-h" {
                h2 #deviating-h { "Deviates, as known" }
                @for card in &cards { (card) }
            }
        }
    }
}

fn cards(run: &Run, lanes: &mut Lanes<'_>, verdicts: &[Verdict]) -> Vec<Markup> {
    let is_such = |case: &&CaseRecord| verdicts.contains(&case.verdict);
    let all = run.cases.iter().filter(is_such).count();
    let cases = run.cases.iter().enumerate().filter(|(_, case)| is_such(case));
    let mut cards: Vec<Markup> = cases.take(CARDS).map(|(number, case)| card(number, case, lanes)).collect();
    if all > CARDS {
        cards.push(html! { p.note { "and " (all - CARDS) " more in the list of cases" } });
    }
    cards
}

fn card(number: usize, case: &CaseRecord, lanes: &mut Lanes<'_>) -> Markup {
    lanes.with_card.insert(number);
    let attempt = if case.attempt > 1 { format!(", attempt {}", case.attempt) } else { String::new() };
    let (swimlane, is_drawn) = match &case.timeline {
        Some(_) => lanes.in_full(number, case),
        None => (html! { p.note { "There is no recording of it." } }, false),
    };
    let excerpt = if is_drawn { Excerpt::Drawn } else { Excerpt::InWords };
    html! {
        article.card id={ "f" (number) } {
            h3 { (verdict_mark(case.verdict)) " " code { (shown(&case.case)) } " in " (shown(&case.cell)) (attempt) }
            p.claim { span.dim { (shown(&case.source)) ": " } (shown(&case.claim)) }
            @for failure in &case.failures { (broken(failure, excerpt)) }
            @if let Some(deviation) = &case.deviation { p.note { (shown(&wording::known(deviation))) } }
            @if !case.doubts.is_empty() {
                ul.doubts { @for doubt in &case.doubts { li { (shown(doubt)) } } }
            }
            @if let Some(because) = &case.because { pre { (shown(because)) } }
            (swimlane)
            p.again { "Again: " code { (shown(&case.again)) } }
            @if let Some(timeline) = &case.timeline {
                p.dim { "timeline: " a href=(link(timeline)) { (shown(timeline)) } }
            }
        }
    }
}

/// How the timeline around a breach is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Excerpt {
    Drawn,
    InWords,
}

/// One broken sentence. The excerpt in words stands where no swimlane is drawn.
fn broken(failure: &Failure, excerpt: Excerpt) -> Markup {
    let by = match failure.source.0.as_str() {
        "claim" => "claim".to_owned(),
        "controller" => "controller".to_owned(),
        id => format!("invariant {}", shown(id)),
    };
    let at = jobsworth_swimlane::svg::time(failure.breach.at_us);
    let place = match failure.breach.revision {
        0 => format!("not seen up to {at}"),
        revision => format!("at {at}, revision {revision}"),
    };
    html! {
        div.broken {
            p { span.tag { (by) } " “" (shown(&failure.says)) "” " span.dim { (place) } }
            dl.pair {
                dt { "expected" } dd { (shown(&failure.breach.expected)) }
                dt { "observed" } dd { (shown(&failure.breach.observed)) }
            }
            @if !failure.excerpt.is_empty() && excerpt == Excerpt::InWords {
                pre { (shown(&failure.excerpt)) }
            }
        }
    }
}

/// Deaths and panics of controllers.
pub(super) fn breakdowns(run: &Run) -> Markup {
    let all: Vec<_> =
        run.cells.iter().flat_map(|cell| cell.breakdowns.iter().map(move |breakdown| (cell, breakdown))).collect();
    html! {
        @if !all.is_empty() {
            section aria-labelledby="broke-h" {
                h2 #broke-h { "The controller broke down" }
                @for (cell, breakdown) in all.iter().take(CARDS) {
                    article.card { h3 { "in " (shown(&cell.id)) } pre { (shown(&wording::breakdown(breakdown))) } }
                }
                @if all.len() > CARDS { p.note { "and " (all.len() - CARDS) " times more" } }
            }
        }
    }
}
