//! *Gangs*: how many pods, and which, are enough.

use jobsworth_volcano_core::{Call, Decision, Phase};

use crate::volcano::{Look, edit};

/// Tells the group of a scaled job how many pods it has, and not what they use (VJ-226, VJ-262). The scheduler lets in a gang
/// that it has no room for, or keeps one out that would fit.
pub fn what_a_scaled_gang_uses(look: &Look, decision: &mut Decision) {
    for call in edit::calls(decision) {
        if let (Call::UpdateGroup(new), Some(old)) = (call, &look.group) {
            new.spec.min_resources.clone_from(&old.spec.min_resources);
        }
    }
}

/// Waits for all tasks where one is enough (VJ-231): the word `iteration` says nothing to it.
pub fn all_of_several(look: &mut Look) {
    let waiting = look.job_mut().spec.tasks.iter_mut().filter_map(|task| task.depends_on.as_mut());
    waiting.for_each(|first| first.iteration.clear());
}

/// Holds the successes of a job against its own least number only (VJ-171), as before tasks had one. A job that has enough of
/// them from one task is completed, though another task has none.
pub fn what_each_task_needs(look: &mut Look) {
    if look.phase() == Phase::Running && ended(look) == total(look) {
        look.job_mut().spec.tasks.iter_mut().for_each(|task| task.min_available = None);
    }
}

/// Asks for `minSuccess` when all pods have ended, and not before (VJ-170). The job ends as it should, but pods that nobody
/// needs run to their end.
pub fn enough_before_the_end(look: &mut Look) {
    let status = look.status();
    let ended = ended(look).max(usize::try_from(status.succeeded.saturating_add(status.failed)).unwrap_or_default());
    if look.phase() == Phase::Running && ended < total(look) {
        look.job_mut().spec.min_success = None;
    }
}

/// Pods that have ended, as far as they are there.
fn ended(look: &Look) -> usize {
    look.present().filter(|pod| pod.phase.has_ended()).count()
}

/// Pods that the job wants.
fn total(look: &Look) -> usize {
    let replicas = look.job.spec.tasks.iter().map(|task| usize::try_from(task.replicas).unwrap_or_default());
    replicas.fold(0, usize::saturating_add)
}
