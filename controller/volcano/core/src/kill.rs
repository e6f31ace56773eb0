//! Which pods an action takes (VJ-148, VJ-149, VJ-151, VJ-154, VJ-156).

use jobsworth_volcano_api::Action;

use crate::census::Census;
use crate::transition::Kill;
use crate::{Call, PodView, Profile, Request};

/// The pods to delete; those that are being deleted are left alone. `last` says that no run follows: a hard kill then keeps
/// what ended.
pub(crate) fn targets<'a>(
    census: &Census<'a>,
    kind: Kill,
    action: &Action,
    request: &Request,
    last: bool,
    profile: Profile,
) -> Vec<&'a PodView> {
    let pods = census.pods.iter().copied().filter(|pod| !pod.deleting);
    match kind {
        Kill::Soft => pods.filter(|pod| !pod.phase.has_ended()).collect(),
        Kill::Hard => pods.filter(|pod| !(last && pod.phase.has_ended())).collect(),
        Kill::Targeted => pods.filter(|pod| is_meant(pod, action, request, profile)).collect(),
    }
}

/// Whether a restart of less than the job is about this pod.
pub(crate) fn is_meant(pod: &PodView, action: &Action, request: &Request, profile: Profile) -> bool {
    let of_task = request.task.as_deref() == Some(pod.task.as_str());
    match action {
        Action::RestartTask => of_task,
        Action::RestartPartition => of_task && request.partition.is_some() && request.partition == pod.partition,
        // A pod that took another one's name is not that pod, but for release 1.15.
        Action::RestartPod => request
            .pod
            .as_ref()
            .is_some_and(|(name, uid)| *name == pod.name && (*uid == pod.uid || profile.follows_requests())),
        _ => false,
    }
}

/// The call that deletes a pod.
pub(crate) fn call(pod: &PodView) -> Call {
    Call::KillPod { name: pod.name.clone(), uid: pod.uid.clone(), marked: pod.out_of_sync }
}
