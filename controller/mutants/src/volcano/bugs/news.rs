//! *News*: what is old, or of the controller's own making, is taken for something that happened.

use std::collections::BTreeSet;

use jobsworth_volcano_api::{Action, Event};
use jobsworth_volcano_core::pod::PodPhase;
use jobsworth_volcano_core::{Decision, Phase, Request, Uid, choose_action};

use crate::Notes;
use crate::volcano::{Bug, Look, edit};

/// Does not compare versions (VJ-138): a pod of the run before that fails while it goes is one that failed. Whoever reads no
/// annotation of pods finds nothing wrong with that as long as pods go at once.
#[derive(Debug, Default)]
pub struct EarlierVersions {
    /// Pods of an earlier version that have not failed yet, or not been acted on.
    going: Notes<BTreeSet<Uid>>,
}

impl Bug for EarlierVersions {
    fn see(&self, look: &mut Look) {
        if !matches!(look.phase(), Phase::Pending | Phase::Running | Phase::Restarting) {
            return;
        }
        let (uid, version, profile) = (look.uid(), look.status().version, look.limits.profile);
        let job = look.job.clone();
        let mut going = self.going.open();
        for pod in look.pods.iter_mut().filter(|pod| *pod.job_uid == *uid && pod.version < version) {
            if pod.phase != PodPhase::Failed {
                going.insert(pod.uid.clone());
                continue;
            }
            let request = Request { version, ..Request::about(pod, Event::PodFailed, profile) };
            let matters = choose_action(&job, &request, profile).action != Action::SyncJob;
            if matters && going.contains(&pod.uid) {
                (pod.version, pod.deleting, pod.out_of_sync) = (version, false, false);
            }
        }
    }

    fn say(&self, look: &Look, decision: &mut Decision) {
        let old = look.status();
        let acts = edit::written(decision).is_some_and(|new| {
            (new.version, new.retry_count, new.state.phase) != (old.version, old.retry_count, old.state.phase)
        });
        if acts {
            let mut going = self.going.open();
            for pod in look.pods.iter().filter(|pod| pod.phase == PodPhase::Failed) {
                going.remove(&pod.uid);
            }
        }
    }
}

/// Takes the end of a pod that it has taken down itself for an eviction, as releases before the mark on such pods did
/// (VJ-128): a restart of a task brings the next one about, and so does scaling down.
pub fn own_kills(look: &mut Look) {
    let there: BTreeSet<Uid> = look.pods.iter().map(|pod| pod.uid.clone()).collect();
    let is_gone = |request: &Request| request.pod.as_ref().is_some_and(|(_, uid)| !there.contains(uid));
    for request in &mut look.requests {
        // One that succeeded has nothing left to lose.
        if request.event == Some(Event::OutOfSync) && !request.succeeded && is_gone(request) {
            request.event = Some(Event::PodEvicted);
        }
    }
}
