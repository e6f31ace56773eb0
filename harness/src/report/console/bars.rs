//! The bar and the running cases at the bottom of a terminal.

use crate::report::escape::terminal;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::{collections::BTreeSet, time::Duration};

/// Running cases that are shown.
const SHOWN: usize = 8;

/// Drawn on the terminal of stderr; gone when dropped.
pub(super) struct Bars {
    all: MultiProgress,
    cases: ProgressBar,
    note: ProgressBar,
    running: Vec<ProgressBar>,
}

impl Bars {
    pub(super) fn new() -> Self {
        let all = MultiProgress::new();
        let line = || ProgressStyle::with_template("  {wide_msg}").expect("the template is a constant");
        // As long as nobody knows how many cases there are, a bar of them would be full.
        let waiting = ProgressStyle::with_template("{elapsed}").expect("the template is a constant");
        let cases = all.add(ProgressBar::new(0).with_style(waiting));
        cases.enable_steady_tick(Duration::from_millis(500));
        let note = all.add(ProgressBar::new_spinner().with_style(line()));
        let running = (0..SHOWN).map(|_| all.add(ProgressBar::new_spinner().with_style(line()))).collect();
        Self { all, cases, note, running }
    }

    /// Writes lines above the bars.
    pub(super) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.all.suspend(write)
    }

    /// Shows what is being waited for before cases run.
    pub(super) fn note(&self, text: &str) {
        self.note.set_message(terminal(text));
    }

    /// Shows how many of the cases are done, and which run.
    pub(super) fn draw(&self, done: usize, turns: usize, failed: usize, running: &BTreeSet<String>) {
        self.note.set_message("");
        if self.cases.length() == Some(0) {
            let bar = ProgressStyle::with_template("cases [{bar:32}] {pos}/{len} {msg} {elapsed}");
            self.cases.set_style(bar.expect("the template is a constant").progress_chars("=> "));
        }
        self.cases.set_length(turns as u64);
        self.cases.set_position(done as u64);
        self.cases.set_message(format!("{failed} failed"));
        let mut names = running.iter();
        for bar in &self.running {
            bar.set_message(names.next().map(|name| terminal(name)).unwrap_or_default());
        }
    }
}

impl Drop for Bars {
    fn drop(&mut self) {
        // A terminal that is gone needs no clearing.
        let _ = self.all.clear();
    }
}
