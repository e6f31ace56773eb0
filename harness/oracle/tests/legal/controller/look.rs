//! What the controller has before its eyes in one sync.

use super::{
    super::{
        objects::{Job, JobId, Owner, Pod, PodId},
        world::World,
    },
    Controller,
};
use std::sync::Arc;

/// A Job and its pods, as the caches have them.
pub struct Look {
    pub id: JobId,
    pub job: Arc<Job>,
    /// The version of the Job.
    pub from: u64,
    pub pods: Vec<(PodId, Arc<Pod>)>,
    /// Whether the caches have all that the controller has done itself.
    pub is_job_fresh: bool,
    pub are_pods_fresh: bool,
    /// Now, in seconds, and in milliseconds.
    pub seconds: i64,
    pub now: u64,
}

impl Look {
    pub fn take(controller: &mut Controller, world: &World, id: JobId) -> Option<Self> {
        let (jobs, pods) = (controller.jobs, controller.pods);
        let (from, job) = world.jobs[id].at(jobs)?;
        let memory = controller.memory(id);
        let (is_job_fresh, are_pods_fresh) = (memory.job_seen <= jobs, memory.pods_seen <= pods);
        let seen = world.pods.iter().enumerate().filter_map(|(pod, track)| Some((pod, track.at(pods)?.1.clone())));
        let pods = seen.filter(|(_, pod)| pod.owner == Owner::Job(id)).collect();
        Some(Self {
            id,
            job: job.clone(),
            from,
            pods,
            is_job_fresh,
            are_pods_fresh,
            seconds: world.seconds(),
            now: world.now,
        })
    }

    /// Whether this pod stands for something that the Job still wants (IDX-025).
    pub fn has_place(&self, pod: &Pod) -> bool {
        !self.job.spec.indexed || pod.index.is_some_and(|index| index < self.job.bound())
    }

    pub fn active(&self) -> impl Iterator<Item = &(PodId, Arc<Pod>)> {
        self.pods.iter().filter(|(_, pod)| pod.is_active())
    }
}
