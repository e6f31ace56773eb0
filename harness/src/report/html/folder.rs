//! The files of a run's folder, and how the page leads there.

use super::shown;
use crate::report::{escape::link, evidence::FoundFile, schema::Run, wording};
use maud::{Markup, html};

/// Files that are listed by name.
const LISTED: usize = 60;

/// What each file of a run holds.
const KNOWN: [(&str, &str); 9] = [
    ("run.json", "the run in one object"),
    ("verdicts.json", "every claim and invariant of every case, judged"),
    ("events.ndjson", "what happened, line by line"),
    ("junit.xml", "for CI"),
    ("summary.md", "for the page of a CI run"),
    ("report.html", "this page"),
    ("metrics.txt", "OpenMetrics, for CI"),
    ("manifest.json", "SHA-256 sums of the recordings"),
    ("plan.yaml", "the plan"),
];

pub(super) fn section(run: &Run, files: &[FoundFile]) -> Markup {
    let is_recording = |file: &&FoundFile| file.path.ends_with(".timeline.ndjson");
    let recordings = files.iter().filter(is_recording).count();
    let others: Vec<&FoundFile> = files.iter().filter(|file| !is_recording(file)).collect();
    let has = |name: &str| files.iter().any(|file| file.path == name);
    let missing: Vec<&str> = KNOWN[..5].iter().map(|(name, _)| *name).filter(|name| !has(name)).collect();
    let named = run.cases.iter().filter_map(|case| case.timeline.as_deref()).filter(|path| !has(path)).count();
    html! {
        section #files aria-labelledby="files-h" {
            h2 #files-h { "Files of the run folder" }
            ul.names {
                @for file in others.iter().take(LISTED) {
                    li {
                        a href=(link(&file.path)) { (shown(&file.path)) } " "
                        span.dim { (wording::size(file.bytes)) @if let Some((_, holds)) = KNOWN.iter().find(|(name, _)| *name == file.path) { " – " (holds) } }
                    }
                }
                @if others.len() > LISTED { li { "and " (others.len() - LISTED) " files more" } }
                @if recordings > 0 { li { "recordings of cases: " (recordings) ", below " a href="./cells/" { "cells/" } } }
            }
            @if !missing.is_empty() { p.note { "Not there: " (missing.join(", ")) "." } }
            @if named > 0 { p.note { "Recordings that the run names and that are not there: " (named) "." } }
        }
    }
}
