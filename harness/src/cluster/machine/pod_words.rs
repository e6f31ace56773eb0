//! What a pod's status says about why it does not run, in words.

use k8s_openapi::api::core::v1::{
    ContainerState, ContainerStateTerminated, ContainerStateWaiting, ContainerStatus, Pod,
};

/// Reasons for which a container waits and will go on waiting: somebody has to do something.
const HOPELESS: [&str; 8] = [
    "ErrImagePull",
    "ErrImageNeverPull",
    "ImagePullBackOff",
    "InvalidImageName",
    "CreateContainerError",
    "RunContainerError",
    "CreateContainerConfigError",
    "CrashLoopBackOff",
];

/// The state of each of its containers that has one.
pub(crate) fn containers(pod: &Pod) -> impl Iterator<Item = &ContainerStatus> {
    let status = pod.status.as_ref();
    let all = status.map(|status| [&status.init_container_statuses, &status.container_statuses]);
    all.into_iter().flatten().flatten().flatten()
}

/// Whether a container is to run as long as its pod is there, so that no end of it is as it should be. One that prepares the pod
/// is to end, and so are those of a pod that is not to be started again, as of a Job.
pub(crate) fn is_service(pod: &Pod, container: &ContainerStatus) -> bool {
    let policy = pod.spec.as_ref().and_then(|spec| spec.restart_policy.as_deref());
    let mut main = pod.status.iter().flat_map(|status| status.container_statuses.iter().flatten());
    policy.is_none_or(|policy| policy == "Always") && main.any(|status| status.name == container.name)
}

/// Why a container that waits will not run, if that is clear.
pub(crate) fn hopeless(waiting: &ContainerStateWaiting) -> Option<String> {
    let reason = waiting.reason.as_deref().filter(|reason| HOPELESS.contains(reason))?;
    Some(said(reason, waiting.message.as_deref()))
}

/// A reason, with what was said of it.
pub(crate) fn said(reason: &str, message: Option<&str>) -> String {
    message.map_or_else(|| reason.to_owned(), |message| format!("{reason}: {message}"))
}

/// How a container ended: `exit code 1 (Error)`.
pub(crate) fn ended(end: &ContainerStateTerminated) -> String {
    format!("exit code {} ({})", end.exit_code, end.reason.as_deref().unwrap_or("no reason"))
}

/// What a container does or waits for; and how it ended before, if it was started again.
pub(crate) fn state(status: &ContainerStatus) -> String {
    let now = match status.state.as_ref() {
        Some(ContainerState { running: Some(_), .. }) if status.ready => "ready".to_owned(),
        Some(ContainerState { running: Some(_), .. }) => "running, and not ready".to_owned(),
        Some(ContainerState { waiting: Some(waiting), .. }) => {
            said(waiting.reason.as_deref().unwrap_or("waiting"), waiting.message.as_deref())
        }
        Some(ContainerState { terminated: Some(end), .. }) => format!("ended with {}", ended(end)),
        _ => "not started".to_owned(),
    };
    let before = status.last_state.as_ref().and_then(|last| last.terminated.as_ref());
    before.map_or(now.clone(), |end| format!("{now}; it ended before with {}", ended(end)))
}

/// Why it does not run, as far as anybody has said.
pub(crate) fn why_not(pod: &Pod) -> String {
    let waiting = containers(pod).find(|status| !status.ready);
    let conditions = pod.status.iter().flat_map(|status| status.conditions.iter().flatten());
    let unscheduled = conditions.into_iter().find(|condition| condition.status == "False");
    match (waiting, unscheduled) {
        (Some(waiting), _) => state(waiting),
        (None, Some(condition)) => {
            said(condition.reason.as_deref().unwrap_or(&condition.type_), condition.message.as_deref())
        }
        (None, None) => "nobody has taken notice of it: is there a scheduler?".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::{Value, json};

    use super::*;

    fn pod(state: Value, last: Value) -> Pod {
        let status = json!({
            "name": "main", "image": "i", "imageID": "", "ready": false, "restartCount": 0, "state": state, "lastState": last,
        });
        serde_json::from_value(json!({"metadata": {}, "status": {"containerStatuses": [status]}})).unwrap()
    }

    #[rstest]
    #[case::an_image_that_nobody_has(
        pod(json!({"waiting": {"reason": "ErrImagePull", "message": "no such host"}}), json!({})),
        "ErrImagePull: no such host"
    )]
    #[case::one_that_ends_again_and_again(
        pod(json!({"waiting": {"reason": "CrashLoopBackOff"}}), json!({"terminated": {"exitCode": 3, "reason": "Error"}})),
        "CrashLoopBackOff; it ended before with exit code 3 (Error)"
    )]
    #[case::one_that_ended(pod(json!({"terminated": {"exitCode": 0, "reason": "Completed"}}), json!({})), "ended with exit code 0 (Completed)")]
    #[case::one_that_runs(pod(json!({"running": {}}), json!({})), "running, and not ready")]
    fn a_pod_says_why_it_does_not_run(#[case] pod: Pod, #[case] says: &str) {
        assert_eq!(why_not(&pod), says);
    }

    #[test]
    fn a_pod_that_nobody_schedules_says_so() {
        let condition =
            json!({"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/1 nodes"});
        let pod = serde_json::from_value(json!({"metadata": {}, "status": {"conditions": [condition]}})).unwrap();
        assert_eq!(why_not(&pod), "Unschedulable: 0/1 nodes");
        assert!(why_not(&Pod::default()).contains("is there a scheduler"));
    }

    #[rstest]
    #[case::being_made("ContainerCreating", false)]
    #[case::without_an_image("ImagePullBackOff", true)]
    #[case::ending_again_and_again("CrashLoopBackOff", true)]
    fn it_is_clear_that_a_container_will_not_run(#[case] reason: &str, #[case] is_clear: bool) {
        let waiting = ContainerStateWaiting { reason: Some(reason.to_owned()), message: None };
        assert_eq!(hopeless(&waiting).is_some(), is_clear);
    }

    #[rstest]
    #[case::of_a_deployment("containerStatuses", Some("Always"), true)]
    #[case::where_nobody_says_so("containerStatuses", None, true)]
    #[case::of_a_job("containerStatuses", Some("Never"), false)]
    #[case::of_a_job_that_is_tried_again("containerStatuses", Some("OnFailure"), false)]
    #[case::that_prepares_a_pod("initContainerStatuses", Some("Always"), false)]
    fn a_container_is_to_run_for_ever(#[case] list: &str, #[case] policy: Option<&str>, #[case] is_to: bool) {
        let status = json!({
            "name": "main", "image": "i", "imageID": "", "ready": true, "restartCount": 0, "state": {"running": {}},
        });
        let spec = json!({"containers": [], "restartPolicy": policy});
        let object = json!({"metadata": {}, "spec": spec, "status": {list: [status]}});
        let pod: Pod = serde_json::from_value(object).unwrap();
        assert_eq!(containers(&pod).map(|status| is_service(&pod, status)).collect::<Vec<_>>(), [is_to]);
    }
}
