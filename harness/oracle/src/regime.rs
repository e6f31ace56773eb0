//! What the control plane was at each point of a timeline: versions and gates decide which rules hold.

use crate::setting::Setting;
use jobsworth_api::{KubeVersion, Minor};
use std::collections::BTreeMap;

/// What a control plane is, as far as rules depend on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regime {
    /// Version of the API server's binary.
    pub kubernetes: KubeVersion,
    /// `--emulated-version`, if one was given.
    pub emulated: Option<Minor>,
    /// State of the Job gates.
    pub gates: BTreeMap<String, bool>,
}

/// How far a change of the control plane is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It begins: until it is attested each component may be either.
    Begun,
    /// Every component has said that it is what was wanted.
    Attested,
}

/// A point at which the control plane begins to change, or has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegimeMark {
    /// The point's name, for example `JobSuccessPolicy off, attested`.
    pub mark: String,
    /// How far the change is.
    pub phase: Phase,
    /// What the control plane is to be, or is.
    pub regime: Regime,
}

impl Regime {
    /// Whether a gate is on. A gate that the control plane no longer knows counts as on when it
    /// graduated and was removed, which holds for every gate that is not in the table.
    #[must_use]
    pub fn gate(&self, name: &str) -> bool {
        self.gates.get(name).copied().unwrap_or(true)
    }
}

impl From<&Setting> for Regime {
    fn from(setting: &Setting) -> Self {
        Self { kubernetes: setting.kubernetes, emulated: setting.emulated, gates: setting.gates.clone() }
    }
}
