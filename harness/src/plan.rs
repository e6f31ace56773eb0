//! From what a user asks for to what is run: plan files, filters, cells, and which case fits which cell.
//!
//! Everything here is pure: text and arguments in, a [`RunPlan`](crate::run::RunPlan) or a [`PlanError`]
//! out. Files are read, and the clock and chance are asked, in [`cli`](crate::cli).

mod cell;
pub mod controller;
pub mod estimate;
pub mod existing;
pub mod file;
pub mod filter;
pub mod fit;
pub mod manifest;
pub mod matrix;
pub mod order;
pub mod partition;
pub mod provider;
pub mod request;
pub mod requirements;
pub mod resolve;
pub mod run_id;

pub use cell::CellRequest;
pub use file::PlanFile;
pub use filter::Filter;
pub use partition::Partition;
pub use request::{Request, Selection};
pub use resolve::{AskedFor, Resolved, resolve};

/// Why there is no plan. Nothing has been started when one of these is said.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// A plan file or a manifest has mistakes; all that were found.
    #[error(transparent)]
    File(#[from] crate::yaml::FileError),
    /// A filter expression has a mistake.
    #[error(transparent)]
    Filter(#[from] filter::FilterError),
    /// A name that nothing has.
    #[error("failed to find the {kind} `{name}`{}", crate::nearest::hint(.nearest))]
    Unknown {
        /// What kind of thing was looked for, for example `case`.
        kind: &'static str,
        /// The name.
        name: String,
        /// Names that look like it, best first.
        nearest: Vec<String>,
    },
    /// A value that cannot be read.
    #[error("failed to read {what} `{text}`: {why}")]
    Unreadable {
        /// What it should be, for example `the version`.
        what: &'static str,
        /// The text.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// A cell that cannot exist.
    #[error("failed to plan the cell {cell}")]
    ImpossibleCell {
        /// The cell.
        cell: String,
        /// Why it cannot exist, and what would.
        #[source]
        why: crate::gates::GateRefusal,
    },
    /// A controller with a webhook where the API server could not reach it.
    #[error(
        "failed to plan the cell {cell}: the webhook of its controller is a process on this machine, which the API server of the provider {provider} does not reach; choose --provider local, or install the controller in the cluster"
    )]
    UnreachableWebhook {
        /// The cell.
        cell: String,
        /// The provider.
        provider: &'static str,
    },
    /// A controller in pods where nobody runs any.
    #[error(
        "failed to plan the cell {cell}: its controller is an image, and nobody runs containers in clusters of the provider {provider}; choose --provider kind or existing"
    )]
    NoPods {
        /// The cell.
        cell: String,
        /// The provider.
        provider: &'static str,
    },
    /// Two cells that are the same.
    #[error("failed to plan the cell {0}: it is asked for twice")]
    TwiceTheSame(String),
    /// Nothing can bring up a cluster here.
    #[error("failed to choose a provider: {0}")]
    NoProvider(String),
}

impl PlanError {
    /// A name that is none of many.
    pub fn unknown<'a>(kind: &'static str, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        Self::Unknown { kind, name: name.to_owned(), nearest: crate::nearest::nearest(name, known) }
    }

    /// A name that is none of few: all are offered if none is near.
    pub fn none_of<'a>(kind: &'static str, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        let mut nearest = crate::nearest::nearest(name, known.iter().copied());
        if nearest.is_empty() {
            nearest = known.into_iter().map(str::to_owned).collect();
        }
        Self::Unknown { kind, name: name.to_owned(), nearest }
    }
}
