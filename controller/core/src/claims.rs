//! Which pods are to become the Job's, and which are to be let go.

use crate::{Action, JobView, PodView};

/// Adoptions and releases that bring the pods in line with the Job's selector. A Job that is finished, being deleted
/// or run by somebody else claims nothing (SYN-008, SYN-011, SYN-012, SYN-027).
#[must_use]
pub fn claims(job: &JobView, pods: &[&PodView]) -> Vec<Action> {
    if job.deleting {
        return Vec::new();
    }
    let mut actions = Vec::new();
    for pod in pods {
        let (uid, name) = (pod.uid.clone(), pod.name.clone());
        let selected = job.spec.selector.matches(&pod.labels);
        if pod.owner.is_none() && selected && !pod.deleting {
            actions.push(Action::AdoptPod { uid, name });
        } else if pod.belongs_to(job) && !selected {
            actions.push(Action::OrphanPod { uid, name });
        }
    }
    actions
}

/// Whether a sync counts this pod as the Job's.
#[must_use]
pub fn is_claimed(job: &JobView, pod: &PodView) -> bool {
    pod.belongs_to(job) && job.spec.selector.matches(&pod.labels)
}
