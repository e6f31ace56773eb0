//! A cell that is asked for, whoever asks: a plan file, its matrix, flags, a command for one cluster.

use crate::{binaries::DEFAULT_VERSION, subject::Subject};
use jobsworth_api::{KubeVersion, Minor};
use std::collections::BTreeMap;

/// One cell that is asked for. What nobody said stays unsaid, so that it can be told from what was asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellRequest {
    /// Version of the binaries; without it the newest that is known.
    pub kubernetes: Option<KubeVersion>,
    /// The version to which cases of the cell may change it.
    pub other: Option<KubeVersion>,
    /// The version they emulate.
    pub emulate: Option<Minor>,
    /// Feature gates.
    pub gates: BTreeMap<String, bool>,
    /// The controller under test; without it the built-in one.
    pub controller: Option<Subject>,
    /// How many nodes pods can be put on, if not the provider's own number.
    pub nodes: Option<u32>,
}

impl CellRequest {
    /// The version of the binaries that is meant.
    #[must_use]
    pub fn version(&self) -> KubeVersion {
        self.kubernetes.unwrap_or(DEFAULT_VERSION)
    }

    /// The controller that is meant.
    #[must_use]
    pub fn subject(&self) -> Subject {
        self.controller.clone().unwrap_or_else(Subject::built_in)
    }

    /// With what is meant in the place of what nobody said: cells that mean the same are equal then.
    #[must_use]
    pub fn settled(self) -> Self {
        Self { kubernetes: Some(self.version()), controller: Some(self.subject()), ..self }
    }
}
