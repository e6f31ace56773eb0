//! Tells what happens in a run, and counts it.

use super::{Event, EventKind, Outcome, Sink, Turn};
use std::sync::{Mutex, PoisonError};
use tokio::time::Instant;

pub(super) struct EventEmitter<'r> {
    sink: &'r dyn Sink,
    clock: Instant,
    outcome: Mutex<Outcome>,
}

impl<'r> EventEmitter<'r> {
    pub(super) fn new(sink: &'r dyn Sink) -> Self {
        Self { sink, clock: Instant::now(), outcome: Mutex::default() }
    }

    pub(super) fn tell(&self, kind: EventKind) {
        self.sink.take(&Event { at: jiff::Timestamp::now(), elapsed: self.clock.elapsed(), kind });
    }

    pub(super) fn outcome<T>(&self, change: impl FnOnce(&mut Outcome) -> T) -> T {
        change(&mut self.outcome.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn incomplete(
        &self,
        cell: &str,
        turn: &Turn<'_>,
        because: String,
        timeline: Option<std::path::PathBuf>,
    ) {
        self.outcome(|outcome| outcome.incomplete += 1);
        let (case, attempt) = (turn.case.about().id, turn.attempt);
        self.tell(EventKind::CaseIncomplete { cell: cell.to_owned(), case, attempt, because, timeline });
    }
}
