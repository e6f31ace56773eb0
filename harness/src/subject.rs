//! Controllers that can be put to the test, by name: what each of them is, is data.

pub mod checkout;
mod reference;

use crate::cluster::{ClusterSpec, SubjectKind};

pub use jobsworth_oracle::Ownership;

/// Kubernetes' own Job controller and TTL controller: what everything else is compared with, and what is meant without a name.
pub const BUILT_IN: &str = "builtin";
/// Jobsworth's own controller in the place of both.
pub const REFERENCE: &str = "reference";
/// Jobsworth's own controller beside the built-in ones, which run too: each Job belongs to one of them, by `spec.managedBy`
/// (KEP-4368).
pub const BESIDE: &str = "beside";

/// The value of `spec.managedBy` for Jobs that are given to jobsworth's own controller beside the built-in one.
const MANAGER: &str = "jobsworth.dev/reference";

/// A controller that can be put to the test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The name that plans and reports use.
    pub name: String,
    /// What it is.
    pub kind: SubjectKind,
    /// The flags by which a command line names it.
    pub flags: Vec<String>,
}

impl Subject {
    /// Of this name, which alone says what it is.
    #[must_use]
    pub fn of(name: &str, kind: SubjectKind) -> Self {
        Self { name: name.to_owned(), kind, flags: vec!["--controller".to_owned(), name.to_owned()] }
    }

    /// Kubernetes' own.
    #[must_use]
    pub fn built_in() -> Self {
        Self { flags: Vec::new(), ..Self::of(BUILT_IN, SubjectKind::BuiltIn) }
    }

    /// The same, named by other flags.
    #[must_use]
    pub fn named_by(self, flags: &[&str]) -> Self {
        Self { flags: flags.iter().map(|&flag| flag.to_owned()).collect(), ..self }
    }

    /// Jobsworth's own in its place, started from the program beside ours.
    #[must_use]
    pub fn reference() -> Self {
        Self::of(REFERENCE, SubjectKind::drop_in(reference::own_program()))
    }

    /// Jobsworth's own beside it.
    #[must_use]
    pub fn beside() -> Self {
        Self::of(BESIDE, SubjectKind::beside(reference::own_program(), MANAGER))
    }

    /// Those that need no description.
    #[must_use]
    pub fn known() -> [Self; 3] {
        [Self::built_in(), Self::reference(), Self::beside()]
    }

    /// Which Jobs are its own.
    #[must_use]
    pub fn ownership(&self) -> Ownership {
        self.kind.ownership()
    }

    /// The cluster as this subject needs it.
    #[must_use]
    pub fn prepare(&self, spec: ClusterSpec) -> ClusterSpec {
        ClusterSpec { subject: self.kind.clone(), ..spec }
    }
}
