//! What a run leaves behind, all of it made from one stream of events.
//!
//! The [`record`] turns events into the wire form of [`schema`]; JUnit, Markdown, the annotations and the
//! console's end block are pure functions of that form, so a stored run renders again the same way.

pub mod annotations;
pub mod chart;
pub mod console;
pub mod escape;
pub mod event_log;
pub mod evidence;
pub mod exit;
pub mod flakiness;
pub mod host;
pub mod html;
pub mod junit;
pub mod markdown;
pub mod openmetrics;
pub mod prow;
pub mod rejudge;
pub mod run_record;
#[cfg(test)]
pub(crate) mod sample_folder;
pub mod schema;
mod side_by_side;
pub mod skips;
pub mod store;
pub mod stored;
pub mod swimlane_text;
pub mod tally;
pub mod wording;

pub use exit::{Deviations, Exit};
pub use run_record::RunRecord;

use crate::run::{Event, Sink};

/// Several sinks that hear the same events, in the order in which they were added.
#[derive(Default)]
pub struct SinkSet<'a>(Vec<&'a dyn Sink>);

impl<'a> SinkSet<'a> {
    /// One sink more.
    #[must_use]
    pub fn and(mut self, sink: &'a dyn Sink) -> Self {
        self.0.push(sink);
        self
    }
}

impl Sink for SinkSet<'_> {
    fn take(&self, event: &Event) {
        for sink in &self.0 {
            sink.take(event);
        }
    }
}

/// Why a report could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A file or folder could not be used.
    #[error("failed to {what} {}: {source}", .path.display())]
    File {
        /// What was tried.
        what: &'static str,
        /// The file.
        path: std::path::PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file is not what it should be.
    #[error("failed to read {}: {why}", .path.display())]
    Unreadable {
        /// The file.
        path: std::path::PathBuf,
        /// What is wrong with it, with the line if it is known.
        why: String,
    },
    /// A report could not be rendered.
    #[error("failed to render {what}: {why}")]
    Render {
        /// The report.
        what: &'static str,
        /// What the library said.
        why: String,
    },
}
