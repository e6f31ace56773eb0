//! What this machine is like, as far as a cluster's settings depend on it.

use std::fs;
use std::path::Path;

/// Number of the capability CAP_SYS_RESOURCE.
const SYS_RESOURCE: u32 = 24;

/// Facts about this machine.
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
    /// Those of this machine.
    #[must_use]
    pub fn here() -> Self {
        let v2 = Path::new("/sys/fs/cgroup/cgroup.controllers").exists();
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        Self { cgroups: if v2 { Cgroups::V2 } else { Cgroups::V1 }, scores: scores(&status) }
    }
}

/// From the bounding set in `/proc/self/status`; where there is none to read, nothing is missing.
fn scores(status: &str) -> Scores {
    let bounding = status.lines().find_map(|line| line.strip_prefix("CapBnd:"));
    let bounding = bounding.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok()).unwrap_or(u64::MAX);
    if bounding >> SYS_RESOURCE & 1 == 1 { Scores::Free } else { Scores::Fixed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bounding_set_without_the_capability_fixes_scores() {
        assert_eq!(scores("Name:\tx\nCapBnd:\t000001fffeffffff\n"), Scores::Fixed);
        assert_eq!(scores("Name:\tx\nCapBnd:\t000001ffffffffff\n"), Scores::Free);
    }
}
