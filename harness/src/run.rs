//! One invocation: cells one after the other, cases side by side, everything told as events.

pub mod cell;
mod changed;
mod death;
pub mod dispatcher;
pub mod event;
pub mod execute;
pub mod stage;

pub use cell::{Cell, CellPlan, Keep, RunPlan, Turn};
pub use dispatcher::{Interrupt, asked, dispatch};
pub use event::{Breakdown, CaseReport, Event, EventKind, Outcome, Sink};

/// An error with all its causes in one line.
#[must_use]
pub fn in_full(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| {
        let cause = cause.to_string();
        if text.contains(&cause) { text } else { format!("{text}: {cause}") }
    })
}
