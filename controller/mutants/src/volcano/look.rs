//! What one sync of the Volcano controller sees, in a form that can be tampered with.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use jobsworth_volcano_api::{Job, JobStatus, LifecyclePolicy, PodGroup};
use jobsworth_volcano_core::min_resources::Priorities;
use jobsworth_volcano_core::{Decision, Limits, Memory, Order, Phase, PodView, Request, Snapshot, names, sync};

/// A job, its pods and everything else that a decision depends on.
#[derive(Clone, Debug)]
pub struct Look {
    /// The job.
    pub job: Arc<Job>,
    /// Pods of its name.
    pub pods: Vec<PodView>,
    /// Its gang.
    pub group: Option<PodGroup>,
    /// Whether its queue exists.
    pub queue_exists: bool,
    /// Names of the claims in the namespace.
    pub claims: BTreeSet<String>,
    /// Values of priority classes.
    pub priorities: Priorities,
    /// Commands for it, oldest first.
    pub commands: Vec<Order>,
    /// What came of changes.
    pub requests: Vec<Request>,
    /// Passes in a row that failed.
    pub failures: u32,
    /// What is remembered.
    pub memory: Memory,
    /// The time.
    pub now: Timestamp,
    /// How long decisions wait, and whom they follow.
    pub limits: Limits,
}

impl Look {
    /// What the controller really sees.
    #[must_use]
    pub fn of(seen: &Snapshot<'_>, memory: &Memory, now: Timestamp, limits: &Limits) -> Self {
        Self {
            job: Arc::clone(seen.job),
            pods: seen.pods.iter().map(|pod| (*pod).clone()).collect(),
            group: seen.group.cloned(),
            queue_exists: seen.queue_exists,
            claims: seen.claims.clone(),
            priorities: seen.priorities.clone(),
            commands: seen.commands.to_vec(),
            requests: seen.requests.to_vec(),
            failures: seen.failures,
            memory: memory.clone(),
            now,
            limits: *limits,
        }
    }

    /// The core's decision about it.
    #[must_use]
    pub fn decision(&self) -> Decision {
        let pods: Vec<&PodView> = self.pods.iter().collect();
        let seen = Snapshot {
            job: &self.job,
            pods: &pods,
            group: self.group.as_ref(),
            queue_exists: self.queue_exists,
            claims: &self.claims,
            priorities: &self.priorities,
            commands: &self.commands,
            requests: &self.requests,
            failures: self.failures,
        };
        sync(&seen, &self.memory, self.now, &self.limits)
    }

    /// The job, to be changed.
    pub fn job_mut(&mut self) -> &mut Job {
        Arc::make_mut(&mut self.job)
    }
    /// The status that the job has.
    #[must_use]
    pub fn status(&self) -> JobStatus {
        self.job.status.clone().unwrap_or_default()
    }

    /// The phase that the job is in; `Pending` before anybody has looked at it.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.job.status.as_ref().and_then(|status| status.state.phase).unwrap_or(Phase::Pending)
    }

    /// The job's UID.
    #[must_use]
    pub fn uid(&self) -> String {
        names::uid(&self.job).to_owned()
    }

    /// Pods that this very job controls and that nobody deletes.
    pub fn present(&self) -> impl Iterator<Item = &PodView> {
        let uid = names::uid(&self.job);
        self.pods.iter().filter(move |pod| *pod.job_uid == *uid && !pod.deleting)
    }

    /// Changes every list of policies: the job's, and those of its tasks.
    pub fn each_list_of_policies(&mut self, change: impl Fn(&mut Vec<LifecyclePolicy>)) {
        let spec = &mut self.job_mut().spec;
        change(&mut spec.policies);
        spec.tasks.iter_mut().for_each(|task| change(&mut task.policies));
    }
}
