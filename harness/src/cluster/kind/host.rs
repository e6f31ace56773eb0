//! What a machine is like, as far as a cluster's settings depend on it.

use crate::container_runtime::{Cgroup, Machine};

/// Facts about a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostFacts {
    /// How processes are grouped.
    pub cgroups: Cgroups,
    /// Whether a process's score for the out-of-memory killer may be lowered.
    pub scores: Scores,
}

/// Which form of control groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cgroups {
    /// Hierarchies, one a controller.
    V1,
    /// One hierarchy.
    V2,
}

/// Who may lower a process's `oom_score_adj`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scores {
    /// We may.
    Free,
    /// Nobody may: CAP_SYS_RESOURCE is missing.
    Fixed,
}

impl HostFacts {
    /// Those of a machine.
    #[must_use]
    pub fn of(machine: &Machine) -> Self {
        let cgroups = if machine.cgroup == Cgroup::V2 { Cgroups::V2 } else { Cgroups::V1 };
        let scores = if machine.can_raise_limits() { Scores::Free } else { Scores::Fixed };
        Self { cgroups, scores }
    }
}
