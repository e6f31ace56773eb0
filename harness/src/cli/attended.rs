//! Work that somebody waits for, without a cluster: it shows what it is at, and ends in order when it is asked to.

use super::{Failure, signals, surroundings};
use crate::{
    bundle::Stopped,
    report::{
        console::{Drawing, Volume},
        escape::terminal,
    },
};
use indicatif::{ProgressBar, ProgressStyle};
use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::runtime::Runtime;

/// Shows a line on stderr, where a person looks, and hears signals; the line is gone when it is dropped.
pub(super) struct Attended {
    line: ProgressBar,
    asked: Arc<OnceLock<&'static str>>,
    _listens: Runtime,
}

impl Attended {
    /// Begins; from here on a signal no longer ends the process by itself.
    pub(super) fn begin(doing: &'static str, volume: Volume) -> Result<Self, Failure> {
        let failed = |error: std::io::Error| Failure::undecided(format!("failed to start the runtime: {error}"));
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().map_err(failed)?;
        let asked = Arc::new(OnceLock::new());
        let mut signals = {
            let _inside = runtime.enter();
            signals::listen().map_err(failed)?
        };
        let told = Arc::clone(&asked);
        runtime.spawn(async move {
            // Nobody else sets it.
            let _ = told.set(signals.first().await);
        });
        let line = match surroundings::drawing(volume) {
            Drawing::Bars => {
                let style = ProgressStyle::with_template("{prefix} {pos}  {elapsed}  {wide_msg}")
                    .expect("the template is a constant");
                let line = ProgressBar::no_length().with_style(style).with_prefix(doing);
                line.enable_steady_tick(Duration::from_millis(500));
                line
            }
            Drawing::Lines => ProgressBar::hidden(),
        };
        Ok(Self { line, asked, _listens: runtime })
    }

    /// Shows what is worked on now.
    pub(super) fn heard(&self, what: &str) -> Result<(), Stopped> {
        self.line.inc(1);
        self.line.set_message(terminal(what));
        self.asked.get().map_or(Ok(()), |signal| Err(Stopped(signal)))
    }
}

impl Drop for Attended {
    fn drop(&mut self) {
        self.line.finish_and_clear();
    }
}
