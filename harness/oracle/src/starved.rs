//! Pods that never started because their machine had nothing left for them: no fault of any controller.
//!
//! The kubelet reports such a pod as failed, and a controller rightly counts it. Claims that do not hold then say nothing
//! about the controller; invariants do, as they hold for every history.

use crate::timeline::Timeline;
use k8s_openapi::api::core::v1::{ContainerStatus, Pod};

/// Reasons with which a kubelet says that a container never ran.
const NEVER_RAN: [&str; 2] = ["StartError", "ContainerCannotRun"];
/// What the kernel says when it has nothing left, as runtimes quote it.
const NOTHING_LEFT: [&str; 5] = [
    "resource temporarily unavailable",
    "cannot allocate memory",
    "no space left on device",
    "too many open files",
    "pthread_create failed",
];

/// The doubt that such a pod casts on the claims of a case, if there is one.
pub(crate) fn doubt(timeline: &Timeline) -> Option<String> {
    timeline.entries().iter().find_map(|entry| of_pod(entry.fact.version::<Pod>()?))
}

fn of_pod(pod: &Pod) -> Option<String> {
    let status = pod.status.as_ref()?;
    let containers = status.init_container_statuses.iter().chain(&status.container_statuses).flatten();
    let message = containers.into_iter().find_map(message_of)?;
    let name = pod.metadata.name.as_deref().unwrap_or_default();
    Some(format!("the machine had nothing left for pod {name}, which never ran: {message}"))
}

fn message_of(container: &ContainerStatus) -> Option<&str> {
    let states = [container.state.as_ref(), container.last_state.as_ref()];
    states.into_iter().flatten().find_map(|state| {
        let ended = state.terminated.as_ref()?;
        let (reason, message) = (ended.reason.as_deref()?, ended.message.as_deref()?);
        let lower = message.to_lowercase();
        let is_starved = NEVER_RAN.contains(&reason) && NOTHING_LEFT.iter().any(|words| lower.contains(words));
        is_starved.then_some(message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    #[rstest]
    #[case::no_more_processes("StartError", "runc create failed: fork/exec: Resource temporarily unavailable", true)]
    #[case::no_more_memory("ContainerCannotRun", "OCI runtime error: cannot allocate memory", true)]
    #[case::a_program_that_is_not_there("StartError", "exec: \"nosuch\": executable file not found in $PATH", false)]
    #[case::a_program_that_ran("Error", "fork: resource temporarily unavailable", false)]
    fn a_machine_that_has_nothing_left_is_told_from_a_bad_pod(
        #[case] reason: &str,
        #[case] message: &str,
        #[case] is_starved: bool,
    ) {
        let ended = json!({"exitCode": 128, "reason": reason, "message": message});
        let container = json!({"name": "main", "image": "x", "imageID": "", "ready": false, "restartCount": 0,
            "state": {"terminated": ended}});
        let pod = json!({"metadata": {"name": "job-1"}, "status": {"containerStatuses": [container]}});
        let pod: Pod = serde_json::from_value(pod).unwrap();
        assert_eq!(of_pod(&pod).is_some(), is_starved, "{:?}", of_pod(&pod));
    }
}
