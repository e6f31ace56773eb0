//! Limits to how far apart pods may run (VJ-088).

use jobsworth_volcano_api::NetworkTopology;

use super::Findings;

pub(super) fn check(topology: Option<&NetworkTopology>, path: &str, findings: &mut Findings) {
    let both =
        |topology: &NetworkTopology| topology.highest_tier_allowed.is_some() && !topology.highest_tier_name.is_empty();
    if topology.is_some_and(both) {
        findings.add(format!("must not specify 'highestTierAllowed' and 'highestTierName' in {path} simultaneously;"));
    }
}
