//! Two runs side by side, or two records of `load`: what is worse in HEAD, what is better, and what cannot be told.
//!
//! What is compared is read once ([`source`]); everything after that is a function of values. What else differs between
//! the two is found first ([`differences`]): a case that fails on another version of Kubernetes is another piece of news
//! than one that fails on the same.

mod cells;
mod change;
mod claims;
mod differences;
mod durations;
mod loads;
mod markdown;
mod runs;
pub mod source;
mod text;
pub mod wire;
mod words;

#[cfg(test)]
mod tests;

pub use change::Policy;
pub use durations::Bar;
pub use loads::{compare as compare_loads, json_schema as load_json_schema, wire::LoadComparison};
pub use runs::compare as compare_runs;
pub use wire::RunComparison;

/// Why two things cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum Incomparable {
    /// One of them could not be read, or is not whole.
    #[error(transparent)]
    Unreadable(#[from] crate::report::ReportError),
    /// Both are whole, and there is nothing to say about them.
    #[error("failed to compare {base} with {head}: {why}")]
    NothingToSay {
        /// The one that is compared with.
        base: String,
        /// The one that is compared.
        head: String,
        /// Why, in words.
        why: String,
    },
}

/// What comparisons are printed as.
pub trait Told {
    /// For a terminal or a log.
    fn text(&self, paint: crate::report::console::Paint) -> String;

    /// For a page of a CI run.
    fn markdown(&self) -> String;

    /// How many things are worse in HEAD.
    fn regressions(&self) -> usize;
}

impl Told for RunComparison {
    fn text(&self, paint: crate::report::console::Paint) -> String {
        text::render(self, paint)
    }

    fn markdown(&self) -> String {
        markdown::render(self)
    }

    fn regressions(&self) -> usize {
        self.regressions
    }
}
