//! What one sync sees, in a form that can be tampered with.

use std::sync::Arc;

use jiff::Timestamp;
use jobsworth_controller::cache::CachedJob;
use jobsworth_controller::parts::SyncContext;
use jobsworth_core::pod::Phase;
use jobsworth_core::{
    Action, Batch, Decision, Gates, JobSpec, JobView, Limits, Memory, NewStatus, PodView, Snapshot, Status, Uid,
    reconcile,
};
use k8s_openapi::api::batch::v1 as api;

/// A Job, its pods and everything else that a decision depends on.
#[derive(Clone, Debug)]
pub struct Observed {
    /// The Job.
    pub job: JobView,
    /// Its pods.
    pub pods: Vec<PodView>,
    /// The newest version that the pod cache knows.
    pub pods_revision: u64,
    /// What is remembered.
    pub memory: Memory,
    /// The time.
    pub now: Timestamp,
    /// Which features are on.
    pub gates: Gates,
    /// How much one sync may do, and how long it waits.
    pub limits: Limits,
    object: Arc<api::Job>,
}

impl Observed {
    /// What the controller really sees.
    #[must_use]
    pub fn of(job: &CachedJob, look: &SyncContext<'_>) -> Self {
        Self {
            job: look.seen.job.clone(),
            pods: look.seen.pods.iter().map(|pod| (*pod).clone()).collect(),
            pods_revision: look.seen.pods_revision,
            memory: look.memory.clone(),
            now: look.now,
            gates: *look.gates,
            limits: *look.limits,
            object: Arc::new(job.object()),
        }
    }

    /// The core's decision about what was observed.
    #[must_use]
    pub fn decision(&self) -> Decision {
        let pods: Vec<&PodView> = self.pods.iter().collect();
        let seen = Snapshot { job: &self.job, pods: &pods, pods_revision: self.pods_revision };
        reconcile(&seen, &self.memory, self.now, &self.gates, &self.limits)
    }

    /// The Job's spec, to be changed.
    pub fn spec(&mut self) -> &mut JobSpec {
        Arc::make_mut(&mut self.job.spec)
    }

    /// Changes the policies as they stand in the API object.
    pub fn policies(&mut self, change: impl FnOnce(&mut api::JobSpec)) {
        let mut spec = self.object.spec.clone().unwrap_or_default();
        change(&mut spec);
        if let Ok(parsed) = JobSpec::parse(&spec) {
            self.job.spec = Arc::new(parsed);
        }
    }

    /// The pod with this UID.
    #[must_use]
    pub fn pod(&self, uid: &Uid) -> Option<&PodView> {
        self.pods.iter().find(|pod| pod.uid == *uid)
    }

    /// Pods that ended in this phase and are in none of the status' lists: what this sync counts.
    pub fn just_ended(&self, phase: Phase) -> impl Iterator<Item = &PodView> {
        let listed = &self.job.status.uncounted;
        let ended = self.pods.iter().filter(move |pod| pod.phase == phase && pod.tracked);
        ended.filter(move |pod| !listed.succeeded.contains(&pod.uid) && !listed.failed.contains(&pod.uid))
    }

    /// The write of this status over the one that is seen, with nothing to tell about it.
    #[must_use]
    pub fn write(&self, status: Status) -> Batch {
        let new = NewStatus { status, based_on: self.job.revision, notices: Vec::new(), samples: Vec::new() };
        Batch::and_go_on(vec![Action::WriteStatus(Box::new(new))])
    }

    /// Namespace and name of the Job: what a careless controller takes for its identity.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}/{}", self.job.namespace, self.job.name)
    }
}

/// Changes every status that a decision writes.
pub fn each_status(decision: &mut Decision, mut change: impl FnMut(&mut NewStatus)) {
    for action in decision.batches.iter_mut().flat_map(|batch| &mut batch.actions) {
        if let Action::WriteStatus(status) = action {
            change(status);
        }
    }
}

/// Every status that a decision writes.
pub fn statuses(decision: &Decision) -> impl Iterator<Item = &Status> {
    decision.batches.iter().flat_map(|batch| &batch.actions).filter_map(|action| match action {
        Action::WriteStatus(new) => Some(&new.status),
        _ => None,
    })
}
