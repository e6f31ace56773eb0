//! `report.html`: a run on one page that needs nothing beside it.
//!
//! The page is read without a script; the small one that it has draws swimlanes of passed cases when asked for, filters the
//! list of cases and shows changes where the pointer is. The policy in its head allows this style and this script by
//! their hashes and nothing else, and every text goes through [`shown`].

mod cases;
mod charts;
mod environment;
mod failures;
mod folder;
mod head;
mod lanes;
mod matrix;
mod requirements;
#[cfg(test)]
pub(crate) mod rules;
mod sheet;
mod timings;
mod untested;

use super::{
    ReportError,
    escape::xml as visible,
    evidence::{Evidence, FolderFiles},
    schema::{Run, State, Verdict},
    store,
};
use lanes::Lanes;
use maud::{Markup, html};
pub(crate) use sheet::Sheet;
use std::path::Path;

const SCRIPT: &str = include_str!("html/script.js");
/// Longest text of one place, in characters; some come from a cluster.
const LONGEST: usize = 4_000;

/// Writes the page of the run in this folder.
///
/// # Errors
/// When the file cannot be written.
pub fn write(run: &Run, folder: &Path, to: &Path) -> Result<(), ReportError> {
    let page = render(run, &FolderFiles::of(folder));
    store::write_whole(to, page.as_bytes())
}

/// Renders a run.
#[must_use]
pub fn render(run: &Run, evidence: &dyn Evidence) -> String {
    let mut lanes = Lanes::new(evidence);
    // In this order the room on the page is given away.
    let failures = failures::failures(run, &mut lanes);
    let open = failures::undecided(run, &mut lanes);
    let deviating = failures::deviating(run, &mut lanes);
    let only = cases::only(run, &mut lanes);
    let cases = cases::list(run, &mut lanes);
    let unjudged = cases::unjudged(run, evidence, &mut lanes);
    let parts = [
        head::verdict(run),
        untested::section(run),
        matrix::section(run),
        failures,
        open,
        deviating,
        failures::breakdowns(run),
        only,
        cases,
        unjudged,
        environment::section(run),
        requirements::section(run),
        timings::section(run),
        cases::flaky(run),
        charts::section(evidence),
        folder::section(run, evidence.files()),
    ];
    let title = format!("jobsworth: {} – run {}", head::word(run), visible(&run.id));
    let sheet = Sheet {
        title: &title,
        skip: ("#failures", "To the failures"),
        before: head::hatching(),
        main: html! { @for part in &parts { (part) } (foot(run)) },
        data: lanes.chunks(),
        script: Some(SCRIPT),
    };
    sheet.render()
}

fn foot(run: &Run) -> Markup {
    html! {
        footer {
            "jobsworth " (shown(&run.program.version)) " · run " (shown(&run.id)) " · seed " (run.seed)
            @if run.state == State::Running { " · the run did not end in order" }
        }
    }
}

/// A text from anywhere: what could deceive a reader becomes visible, and what is endless ends.
pub(crate) fn shown(text: &str) -> String {
    jobsworth_swimlane::plain::fitted(&visible(text), LONGEST)
}

/// Sign and word of a verdict; the sign never stands alone.
const fn sign(verdict: Verdict) -> (&'static str, &'static str, &'static str) {
    match verdict {
        Verdict::Pass => ("✔", "passed", "good"),
        Verdict::Deviates => ("≠", "deviates, as known", "open"),
        Verdict::Fail => ("✖", "failed", "bad"),
        Verdict::Inconclusive => ("~", "inconclusive", "open"),
        Verdict::Incomplete => ("…", "incomplete", "open"),
        Verdict::Skip => ("–", "skipped", "none"),
    }
}

fn verdict_mark(verdict: Verdict) -> Markup {
    let (sign, word, class) = sign(verdict);
    html! { span class={ "v " (class) } { (sign) " " (word) } }
}

#[cfg(test)]
mod tests;
