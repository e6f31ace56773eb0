//! *Drop*: something that should be done is not done, and taken for done.

use std::collections::{BTreeMap, BTreeSet};

use jobsworth_api::Resource;
use jobsworth_core::{Action, Batch, Decision, JobView, PodView, Uid, Why};
use serde_json::json;

use crate::call::{Answer, Call};
use crate::decorator::{Decorator, Fate, Next};
use crate::{Notes, Observed};

/// Finalizers are not taken off.
pub fn releases(call: &mut Call) -> Fate {
    match call.releases_a_pod() {
        true => Fate::Answered(Answer::ok(&json!({"metadata": {"resourceVersion": "0"}}))),
        false => Fate::Send,
    }
}

/// Finalizers are not taken off when the Job is gone.
#[derive(Debug, Default)]
pub struct OrphansReleases {
    gone: Notes<BTreeSet<String>>,
}

impl Decorator for OrphansReleases {
    fn told(&self, call: &Call, answer: &mut Answer) -> Next {
        let job = call.target().filter(|path| path.is_of(&Resource::JOBS) && path.subresource.is_none());
        if let Some((Some(namespace), Some(name))) = job.map(|path| (path.namespace, path.name))
            && answer.code == 404
        {
            self.gone.open().insert(format!("{}/{name}-", Resource::PODS.list_path(&namespace)));
        }
        Next::Take
    }

    fn ask(&self, call: &mut Call) -> Fate {
        match self.gone.open().iter().any(|pods| call.path.starts_with(pods)) {
            true => releases(call),
            false => Fate::Send,
        }
    }
}

/// Pods that are left over once the Job is decided are released, but not deleted.
pub fn deletions_after_the_decision(_: &Observed, decision: &mut Decision) {
    for action in decision.batches.iter_mut().flat_map(|batch| &mut batch.actions) {
        if let Action::StripAndDelete { uid, name, why: Why::Decided, .. } | Action::DeletePod { uid, name } = action {
            *action = Action::ReleasePod { uid: uid.clone(), name: name.clone() };
        }
    }
}

/// A finished pod that somebody deletes before it is accounted is let go, and counts for nothing (FIN-004).
#[derive(Debug, Default)]
pub struct AccountsOfDeletedPods {
    /// What is to be let go at the end of a sync, by Job.
    releases: Notes<BTreeMap<Uid, Vec<Action>>>,
}

impl AccountsOfDeletedPods {
    fn is_passed_over(job: &JobView, pod: &PodView) -> bool {
        let listed = &job.status.uncounted;
        let recorded = listed.succeeded.contains(&pod.uid) || listed.failed.contains(&pod.uid);
        pod.is_terminal() && pod.deleting && pod.tracked && pod.belongs_to(job) && !recorded
    }
}

impl Decorator for AccountsOfDeletedPods {
    fn see(&self, observed: &mut Observed) {
        if observed.job.status.is_finished() {
            return;
        }
        let pods = std::mem::take(&mut observed.pods).into_iter();
        let (gone, others): (Vec<PodView>, Vec<PodView>) =
            pods.partition(|pod| Self::is_passed_over(&observed.job, pod));
        observed.pods = others;
        let releases = gone.into_iter().map(|pod| Action::ReleasePod { uid: pod.uid, name: pod.name });
        self.releases.open().insert(observed.job.uid.clone(), releases.collect());
    }

    fn say(&self, observed: &Observed, decision: &mut Decision) {
        // Behind everything else: nobody waits for the outcomes.
        if decision.awaiting.is_none() {
            let releases = self.releases.open().remove(&observed.job.uid).unwrap_or_default();
            if !releases.is_empty() {
                decision.batches.push(Batch::and_go_on(releases));
            }
        }
    }
}

/// The clean-up of a pod that no sync lets go is tried once: an error is told, and the pod taken off the queue like any other
/// (FIN-013).
#[derive(Debug, Default)]
pub struct FailedCleanUps {
    /// Pods that the sync under way lets go, by Job: that is tried again.
    of_syncs: Notes<BTreeMap<Uid, BTreeSet<Uid>>>,
    tried: Notes<BTreeSet<Uid>>,
}

impl Decorator for FailedCleanUps {
    fn say(&self, observed: &Observed, decision: &mut Decision) {
        let actions = decision.batches.iter().flat_map(|batch| &batch.actions);
        let released = actions.filter_map(|action| match action {
            Action::ReleasePod { uid, .. } | Action::StripAndDelete { uid, .. } | Action::OrphanPod { uid, .. } => {
                Some(uid.clone())
            }
            _ => None,
        });
        self.of_syncs.open().insert(observed.job.uid.clone(), released.collect());
    }

    fn ask(&self, call: &mut Call) -> Fate {
        let pod = call.body["metadata"]["uid"].as_str().filter(|_| call.releases_a_pod());
        let Some(pod) = pod else { return Fate::Send };
        let of_a_sync = self.of_syncs.open().values().any(|pods| pods.contains(pod));
        match of_a_sync || self.tried.open().insert(pod.into()) {
            true => Fate::Send,
            false => releases(call),
        }
    }
}

/// That a finalizer could not be taken off is not looked at: the pod is counted, and the Job goes on as if it were gone (FIN-002).
pub fn refused_releases(call: &Call, answer: &mut Answer) -> Next {
    if call.releases_a_pod() && answer.code >= 400 && ![404, 409, 429].contains(&answer.code) {
        *answer = Answer::ok(&json!({"metadata": {"resourceVersion": "0"}}));
    }
    Next::Take
}
