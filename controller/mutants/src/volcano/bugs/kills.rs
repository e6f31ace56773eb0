//! *Kills*: more or less is taken down than is meant, or the wrong thing is remembered of it.

use jobsworth_volcano_api::Action;
use jobsworth_volcano_core::pod::PodPhase;
use jobsworth_volcano_core::{Call, Decision, Phase};

use crate::volcano::{Look, edit};

/// Which restart of less than the job begins with this decision, if one does.
fn targeted(look: &Look, decision: &Decision) -> Option<Action> {
    let begun = begun(look, decision)?;
    matches!(begun, Action::RestartTask | Action::RestartPod | Action::RestartPartition).then_some(begun)
}

/// Which restart begins with this decision, if one does.
fn begun(look: &Look, decision: &Decision) -> Option<Action> {
    let state = &edit::written(decision)?.state;
    let moves = state.phase == Some(Phase::Restarting) && look.phase() != Phase::Restarting;
    moves.then(|| Action::from(state.reason.as_str()))
}

/// Spares only pods that succeeded when a job is aborted, completed or terminated (VJ-148). A failed pod is not worth keeping
/// to somebody who has not had to find out why it failed.
pub fn failed_pods_go_too(look: &Look, decision: &mut Decision) {
    let next = edit::written(decision).and_then(|status| status.state.phase);
    let begins =
        matches!(next, Some(Phase::Aborting | Phase::Terminating | Phase::Completing)) && next != Some(look.phase());
    if begins {
        edit::kill_more(decision, look.present().filter(|pod| pod.phase == PodPhase::Failed));
    }
}

/// Leaves pods alone that succeeded when their task is restarted (VJ-154): what is done need not be done again.
pub fn successes_of_a_task_stay(look: &Look, decision: &mut Decision) {
    if targeted(look, decision) == Some(Action::RestartTask) {
        let succeeded = look.present().filter(|pod| pod.phase == PodPhase::Succeeded);
        let succeeded: Vec<_> = succeeded.map(|pod| pod.uid.clone()).collect();
        edit::keep_deletions(decision, |call| !matches!(call, Call::KillPod { uid, .. } if succeeded.contains(uid)));
    }
}

/// Takes the `PodGroup` down with a single pod, as with the whole job (VJ-154, VJ-B05): one function kills, whatever is meant.
pub fn the_group_goes_with_a_pod(look: &Look, decision: &mut Decision) {
    if targeted(look, decision).is_none() {
        return;
    }
    let metadata = look.group.as_ref().map(|group| &group.metadata).filter(|it| it.deletion_timestamp.is_none());
    let named = metadata.and_then(|it| Some((it.name.clone()?, it.uid.as_deref()?.into())));
    decision.batches.extend(named.map(|(name, uid)| vec![Call::DeleteGroup { name, uid }]));
}

/// Raises the retries with a restart, but not the version (VJ-108): the one is counted where the action is chosen, and the
/// other where pods are killed. Pods of both runs say that they are of the same one.
pub fn one_version_for_all_runs(look: &Look, decision: &mut Decision) {
    if begun(look, decision) == Some(Action::RestartJob) {
        let version = look.status().version;
        edit::each_status(decision, |status| status.version = version);
    }
}
