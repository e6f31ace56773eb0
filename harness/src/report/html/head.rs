//! The verdict, what led to it, and what the run was.

use super::shown;
use crate::report::{
    schema::{Run, State},
    wording,
};
use maud::{Markup, html};
use std::time::Duration;

/// The verdict in a few words.
pub(super) fn word(run: &Run) -> &'static str {
    match run.exit.as_ref().map(|exit| exit.code) {
        Some(0) => "every selected claim held",
        Some(1) => "a claim is broken",
        Some(2) => "nothing was started",
        Some(4) => "an objective was missed",
        Some(130 | 143) => "stopped before its end",
        Some(_) => "could not tell",
        None if run.state == State::Running => "no verdict: the run did not end in order",
        None => "no verdict",
    }
}

pub(super) fn verdict(run: &Run) -> Markup {
    let (sign, class) = match run.exit.as_ref().map(|exit| exit.code) {
        Some(0) => ("✔", "good"),
        Some(1) => ("✖", "bad"),
        _ => ("~", "open"),
    };
    html! {
        header class={ "verdict " (class) } {
            p.brand { "jobsworth · run " (shown(&run.id)) }
            h1 { span aria-hidden="true" { (sign) " " } (capital(word(run))) }
            p.tally { (wording::tally(&run.outcome)) (took(run)) }
            @if let Some(exit) = &run.exit {
                @if !exit.causes.is_empty() {
                    ul.causes { @for cause in &exit.causes { li { (shown(&cause.says)) } } }
                }
                p.code { "exit code " (exit.code) }
            }
            @if run.state == State::Running {
                p.warn {
                    "The program that ran this was killed, or still runs: " code { "run.json" }
                    " is from the run's beginning. What is not on this page did not get into it."
                }
            }
            @for warning in &run.warnings { p.warn { "Warning: " (shown(warning)) } }
            dl.facts {
                @for (name, value) in facts(run) { div { dt { (name) } dd { (value) } } }
            }
        }
    }
}

fn took(run: &Run) -> String {
    run.took_ms.map(|took| format!(" in {}", wording::short(Duration::from_millis(took)))).unwrap_or_default()
}

fn facts(run: &Run) -> Vec<(&'static str, String)> {
    let subjects: std::collections::BTreeSet<&str> = run.cells.iter().map(|cell| cell.subject.as_str()).collect();
    let versions: std::collections::BTreeSet<&str> =
        run.cells.iter().map(|cell| cell.wanted.kubernetes.as_str()).collect();
    let list = |words: std::collections::BTreeSet<&str>| shown(&words.into_iter().collect::<Vec<_>>().join(", "));
    vec![
        ("controller", list(subjects)),
        ("Kubernetes", list(versions)),
        ("cells", run.cells.len().to_string()),
        ("started", run.started.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()),
        ("plan", shown(run.plan.name.as_deref().unwrap_or("none"))),
        ("provider", shown(&run.plan.provider)),
    ]
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The pattern of what is being deleted; pictures refer to it.
pub(super) fn hatching() -> Markup {
    html! {
        svg.defs width="0" height="0" aria-hidden="true" {
            defs {
                pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" {
                    rect.hatch0 width="6" height="6" {}
                    rect.hatch1 width="3" height="6" {}
                }
            }
        }
    }
}
