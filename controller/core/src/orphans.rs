//! Pods whose Job is gone or finished, and which still have the tracking finalizer.

use crate::{Gates, JobView, PodView, Role};

/// Whether the tracking finalizer of this pod is to be removed outside of a sync. `job` is the Job that its controller
/// reference names, if there is one with that UID; a pod without a reference is looked at as one without a Job
/// (FIN-011, FIN-012, FIN-014 to FIN-016, SYN-028). Pods that a plain DELETE of the Job left behind lose it and nothing else
/// (PAR-026).
#[must_use]
pub fn is_to_be_released(pod: &PodView, job: Option<&JobView>, role: &Role, gates: &Gates) -> bool {
    let foreign = pod.owner.as_ref().is_some_and(|owner| !owner.is_job);
    if !pod.tracked || foreign {
        return false;
    }
    let job = job.filter(|job| pod.belongs_to(job));
    job.is_none_or(|job| role.reconciles(&job.spec, gates) && job.status.is_finished())
}
