//! How containers of a controller end: which ends are its death, and which of them were told already. Pure.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{ContainerState, ContainerStateTerminated, ContainerStatus, Pod};
use kube::ResourceExt as _;

use crate::cluster::machine::pod_words;

/// The reason of an end that a kubelet did not see. It counts the restart at once, and not when the container is there again.
const UNSEEN: &str = "ContainerStatusUnknown";

/// How often each container has ended, by its pod's uid and its name.
pub(super) type Ends = BTreeMap<(String, String), i32>;

/// What is known of containers at a start.
pub(super) fn known(pods: &[Pod]) -> Ends {
    let mut known = Ends::new();
    for pod in pods {
        for status in pod_words::containers(pod) {
            let _ = died(&mut known, pod, status);
        }
    }
    known
}

/// How a container died, if it did since it was known. A pod that is new was made by somebody, and is no death; neither is an end
/// as it should be.
pub(super) fn died(known: &mut Ends, pod: &Pod, status: &ContainerStatus) -> Option<String> {
    let not_counted = not_counted(status);
    let ends = status.restart_count + i32::from(not_counted.is_some());
    let slot = known.entry((pod.uid()?, status.name.clone())).or_insert(0);
    let before = *slot;
    // Never less: an end that was told is not told again.
    *slot = before.max(ends);
    if ends <= before {
        return None;
    }
    let last = not_counted.or_else(|| status.last_state.as_ref()?.terminated.as_ref());
    let has_failed = last.is_some_and(|end| end.exit_code != 0);
    let is_death = has_failed || pod_words::is_service(pod, status);
    is_death.then(|| last.map_or_else(|| "another container in its place".to_owned(), pod_words::ended))
}

/// How a container ended that has not been started again, be it that its kubelet lets it wait before: such an end is in no count
/// of restarts.
fn not_counted(status: &ContainerStatus) -> Option<&ContainerStateTerminated> {
    match status.state.as_ref()? {
        ContainerState { terminated: Some(end), .. } => Some(end),
        ContainerState { waiting: Some(_), .. } => {
            let before = status.last_state.as_ref()?.terminated.as_ref()?;
            (before.reason.as_deref() != Some(UNSEEN)).then_some(before)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::{Value, json};

    use super::*;

    fn end(code: i32, reason: &str) -> Value {
        json!({"terminated": {"exitCode": code, "reason": reason}})
    }

    fn running() -> Value {
        json!({"running": {}})
    }

    fn back_off() -> Value {
        json!({"waiting": {"reason": "CrashLoopBackOff"}})
    }

    fn status(restarts: i32, state: &Value, last: &Value) -> Value {
        json!({
            "name": "main", "image": "i", "imageID": "", "ready": false, "restartCount": restarts, "state": state, "lastState": last,
        })
    }

    fn pod(uid: &str, status: &Value) -> Pod {
        let metadata = json!({"name": "mine", "uid": uid});
        serde_json::from_value(json!({"metadata": metadata, "status": {"containerStatuses": [status]}})).unwrap()
    }

    fn seen(known: &mut Ends, pod: &Pod) -> Option<String> {
        pod_words::containers(pod).find_map(|status| died(known, pod, status))
    }

    #[test]
    fn a_container_that_ended_is_a_death_once_and_another_pod_is_none() {
        let killed = end(137, "OOMKilled");
        let first = pod("a", &status(1, &running(), &killed));
        let mut known = known(std::slice::from_ref(&first));
        assert_eq!(seen(&mut known, &first), None);
        let ended = pod("a", &status(1, &end(2, "Error"), &killed));
        assert_eq!(seen(&mut known, &ended).as_deref(), Some("exit code 2 (Error)"));
        let again = pod("a", &status(2, &running(), &end(2, "Error")));
        assert_eq!(seen(&mut known, &again), None, "the same end, told by the next start");
        let once_more = pod("a", &status(3, &running(), &killed));
        assert_eq!(seen(&mut known, &once_more).as_deref(), Some("exit code 137 (OOMKilled)"));
        assert_eq!(seen(&mut known, &pod("b", &status(0, &running(), &json!({})))), None);
    }

    /// A failure, as a status has it.
    fn failure() -> Value {
        end(2, "Error")
    }

    #[rstest]
    #[case::that_is_seen_when_it_happens(
        vec![(0, failure(), json!({})), (0, back_off(), failure()), (1, running(), failure())], 1
    )]
    #[case::that_is_first_seen_in_the_back_off(vec![(0, back_off(), failure()), (1, running(), failure())], 1)]
    #[case::that_is_first_seen_after_it(vec![(1, running(), failure())], 1)]
    #[case::that_is_followed_by_another(
        vec![(0, back_off(), failure()), (1, running(), failure()), (1, back_off(), failure()), (2, running(), failure())], 2
    )]
    #[case::that_is_forgotten_for_a_moment(
        vec![(0, failure(), json!({})), (0, json!({"waiting": {}}), json!({})), (0, back_off(), failure())], 1
    )]
    #[case::that_its_kubelet_did_not_see(
        vec![(1, json!({"waiting": {}}), end(137, UNSEEN)), (1, running(), end(137, UNSEEN)), (1, failure(), end(137, UNSEEN))], 2
    )]
    fn an_end_is_told_at_once_and_once(#[case] states: Vec<(i32, Value, Value)>, #[case] deaths: usize) {
        let mut known = known(&[pod("a", &status(0, &running(), &json!({})))]);
        let told: Vec<bool> = states
            .iter()
            .map(|(restarts, state, last)| seen(&mut known, &pod("a", &status(*restarts, state, last))).is_some())
            .collect();
        assert_eq!(told.iter().filter(|is_told| **is_told).count(), deaths, "{told:?}");
        assert!(told[0], "it is told as soon as it is seen");
    }

    #[rstest]
    #[case::of_a_container_that_is_to_run_for_ever("containerStatuses", Some("Always"), 0, true)]
    #[case::where_nobody_says_how_long_it_runs("containerStatuses", None, 0, true)]
    #[case::of_an_init_container_that_did_its_work("initContainerStatuses", Some("Always"), 0, false)]
    #[case::of_an_init_container_that_failed("initContainerStatuses", Some("Always"), 1, true)]
    #[case::of_a_job_that_did_its_work("containerStatuses", Some("Never"), 0, false)]
    #[case::of_a_job_that_is_tried_again("containerStatuses", Some("OnFailure"), 0, false)]
    #[case::of_a_pod_that_failed("containerStatuses", Some("Never"), 1, true)]
    fn an_end_is_a_death(
        #[case] list: &str,
        #[case] policy: Option<&str>,
        #[case] code: i32,
        #[case] is_death: bool,
        #[values(false, true)] is_counted: bool,
    ) {
        let ended = end(code, "Said");
        let status = match is_counted {
            false => status(0, &ended, &json!({})),
            true => status(1, &running(), &ended),
        };
        let object = json!({
            "metadata": {"name": "mine", "uid": "a"},
            "spec": {"containers": [], "restartPolicy": policy},
            "status": {list: [status]},
        });
        let told = seen(&mut Ends::new(), &serde_json::from_value(object).unwrap());
        assert_eq!(told, is_death.then(|| format!("exit code {code} (Said)")));
    }
}
