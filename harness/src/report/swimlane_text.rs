//! The swimlane of a run of one turn, for a terminal: what `observe` and a single case end with.

use super::{
    evidence::Evidence,
    schema::{CaseRecord, Run, Verdict},
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
    Some(text::render(&swimlane, window, width))
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
