//! The swimlane of a run of one turn, for a terminal: what `observe` and a single case end with.

use super::{
    evidence::Evidence,
    schema::{CaseRecord, Run, Verdict},
};
use jobsworth_oracle::{
    Timeline,
    explain::{self, Explained},
};
use jobsworth_swimlane::{Mark, Swimlane, Window, plain, text};

/// The swimlane of the only case that was begun, around its breach if it has one, in so many columns; nothing where there
/// are several cases, or no recording that can be read.
#[must_use]
pub fn of_single_turn(run: &Run, evidence: &dyn Evidence, width: usize) -> Option<String> {
    let case = single(run)?;
    let timeline = evidence.timeline(case.timeline.as_deref()?).ok()?;
    let swimlane = Swimlane::of(&timeline, marks(case));
    if swimlane.changes.is_empty() {
        return None;
    }
    let window = match swimlane.marks.first() {
        Some(mark) => Window::around(&swimlane, mark),
        None => Window::whole(&swimlane),
    };
    Some(format!("{}\n{}", text::render(&swimlane, window, width).trim_end(), explained(&timeline, width)))
}

/// Jobs that are explained; a recording may have hundreds.
const EXPLAINED: usize = 5;

/// Why each Job is as it is at the end of a recording: its name, and below it the reasons, in lines of this width.
#[must_use]
pub fn explained(timeline: &Timeline, width: usize) -> String {
    let all = explain::at_end(timeline);
    let mut text = String::new();
    for Explained { job, reasons } in all.iter().take(EXPLAINED) {
        text += &format!("At its end, Job {}:\n", plain::shown(job, 60));
        for reason in reasons {
            let words = plain::shown(&reason.to_string(), 400);
            folded(&words, width.max(40)).for_each(|line| text += &format!("{line}\n"));
        }
    }
    if all.len() > EXPLAINED {
        text += &format!("and {} Jobs more\n", all.len() - EXPLAINED);
    }
    text
}

/// A reason as an item of a list.
fn folded(words: &str, width: usize) -> impl Iterator<Item = String> {
    let mut lines = vec!["  -".to_owned()];
    for word in words.split(' ') {
        let line = lines.last_mut().map(|line| (line.chars().count() + 1 + word.chars().count() > width, line));
        match line {
            Some((false, line)) => *line += &format!(" {word}"),
            _ => lines.push(format!("    {word}")),
        }
    }
    lines.into_iter()
}

/// The only case that was begun, if it is the only one.
#[must_use]
pub fn single(run: &Run) -> Option<&CaseRecord> {
    let mut begun = run.cases.iter().filter(|case| case.verdict != Verdict::Skip);
    let case = begun.next()?;
    begun.next().is_none().then_some(case)
}

/// Where the sentences of a case were broken.
#[must_use]
pub fn marks(case: &CaseRecord) -> Vec<Mark> {
    let mark = |failure: &super::schema::Failure| Mark {
        at: failure.breach.at_us,
        revision: failure.breach.revision,
        label: plain::shown(&failure.source.0, 20),
    };
    case.failures.iter().map(mark).collect()
}
