//! Whose Job is it: ours, the built-in controller's, or somebody else's.

use jobsworth_api::well_known;

use crate::{Gates, JobSpec};

/// Under which value of `spec.managedBy` this controller works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// In place of the built-in controller.
    BuiltIn,
    /// Beside it, for Jobs with this value.
    Named(String),
}

impl Role {
    /// Whether this controller reconciles such a Job. With the gate off the built-in one takes all, whatever was stored
    /// (MGB-001 to MGB-003, MGB-007, EVT-012, FIN-015).
    #[must_use]
    pub fn reconciles(&self, spec: &JobSpec, gates: &Gates) -> bool {
        let manager = spec.managed_by.as_deref().filter(|_| gates.managed_by);
        match self {
            Self::BuiltIn => manager.is_none_or(|name| name == well_known::BUILT_IN_CONTROLLER),
            Self::Named(own) => manager == Some(own),
        }
    }

    /// The label of `jobs_by_external_controller_total` for a Job that the built-in controller leaves alone
    /// (MGB-006, MET-014).
    #[must_use]
    pub fn external_manager<'a>(&self, spec: &'a JobSpec, gates: &Gates) -> Option<&'a str> {
        match self {
            Self::BuiltIn if !self.reconciles(spec, gates) => spec.managed_by.as_deref(),
            _ => None,
        }
    }
}
