//! Changes of the calls that a decision makes.
//!
//! Outcomes are told apart by their place in the list. So calls may be changed where they stand or come in addition at the
//! end; deletions may go, as one is like the other.

use jobsworth_volcano_api::JobStatus;
use jobsworth_volcano_core::{Batch, Call, Decision, PodView};
use k8s_openapi::api::core::v1::Pod;

/// All calls of a decision.
pub fn calls(decision: &mut Decision) -> impl Iterator<Item = &mut Call> {
    decision.batches.iter_mut().flatten()
}

/// Changes every status that a decision writes.
pub fn each_status(decision: &mut Decision, mut change: impl FnMut(&mut JobStatus)) {
    for call in calls(decision) {
        if let Call::WriteStatus(new) = call {
            change(&mut new.status);
        }
    }
}

/// The status that a decision writes, if it writes one.
#[must_use]
pub fn written(decision: &Decision) -> Option<&JobStatus> {
    decision.batches.iter().flatten().find_map(|call| match call {
        Call::WriteStatus(new) => Some(&new.status),
        _ => None,
    })
}

/// Changes every pod that a decision makes.
pub fn each_pod(decision: &mut Decision, mut change: impl FnMut(&mut Pod)) {
    for call in calls(decision) {
        if let Call::CreatePod(pod) = call {
            change(pod);
        }
    }
}

/// Kills these pods, too.
pub fn kill_more<'a>(decision: &mut Decision, pods: impl Iterator<Item = &'a PodView>) {
    let kill = |pod: &PodView| Call::KillPod { name: pod.name.clone(), uid: pod.uid.clone(), marked: pod.out_of_sync };
    let kills: Batch = pods.map(kill).collect();
    if !kills.is_empty() {
        decision.batches.push(kills);
    }
}

/// Leaves out the deletions that `goes` says no to.
pub fn keep_deletions(decision: &mut Decision, goes: impl Fn(&Call) -> bool) {
    decision.batches.iter_mut().for_each(|batch| batch.retain(&goes));
}
