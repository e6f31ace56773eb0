//! What the cluster says of a sharded run: whether it has ended, and why a slice left no result.

use crate::{cluster::pod_words, plan::Partition, report::escape::terminal};
use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};
use kube::ResourceExt as _;

/// The label with a pod's index.
const INDEX: &str = "batch.kubernetes.io/job-completion-index";
/// Most characters of what a pod said last.
const SHOWN: usize = 600;

/// Whether no slice runs any more.
#[must_use]
pub fn has_ended(job: &Job) -> bool {
    let conditions = job.status.iter().flat_map(|status| status.conditions.iter().flatten());
    conditions
        .into_iter()
        .any(|condition| condition.status == "True" && ["Complete", "Failed"].contains(&condition.type_.as_str()))
}

/// How many slices there are, if it is a Job of slices.
#[must_use]
pub fn slices_of(job: &Job) -> Option<u32> {
    let spec = job.spec.as_ref().filter(|spec| spec.completion_mode.as_deref() == Some("Indexed"))?;
    u32::try_from(spec.completions?).ok().filter(|slices| *slices > 0)
}

/// Why this slice left no result, in a sentence fit for a terminal.
#[must_use]
pub fn because(slice: Partition, job: &Job, pods: &[Pod]) -> String {
    let index = slice.shard().saturating_sub(1).to_string();
    let of_slice = pods.iter().filter(|pod| pod.labels().get(INDEX) == Some(&index));
    // The last that was made, should there be several.
    let pod = of_slice.max_by_key(|pod| pod.creation_timestamp());
    let says = match pod {
        None if has_ended(job) => "its pod is gone: it was deleted, or its node was lost".to_owned(),
        None => "it has no pod yet, or none any more".to_owned(),
        Some(pod) => of_pod(pod),
    };
    format!("{slice} left no result: {says}")
}

fn of_pod(pod: &Pod) -> String {
    let name = terminal(&pod.name_any());
    let mut containers = pod.status.iter().flat_map(|status| status.container_statuses.iter().flatten());
    let ended = containers.find_map(|container| container.state.as_ref()?.terminated.as_ref());
    let Some(ended) = ended else {
        let going = if pod.metadata.deletion_timestamp.is_some() { " and is being deleted" } else { "" };
        return format!("its pod {name} has not ended{going}: {}", terminal(&pod_words::why_not(pod)));
    };
    let words: Vec<&str> = ended.message.iter().flat_map(|message| message.lines()).collect();
    let told = end_of(&terminal(words.join(" ").trim()));
    let told = if told.is_empty() { told } else { format!(": {told}") };
    format!("its pod {name} ended with {}{told}", pod_words::ended(ended))
}

/// The last of it: there it says why it ended.
fn end_of(told: &str) -> String {
    match told.chars().count().saturating_sub(SHOWN) {
        0 => told.to_owned(),
        before => format!("…{}", told.chars().skip(before).collect::<String>()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::{Value, json};

    fn job(condition: &str) -> Job {
        serde_json::from_value(json!({
            "metadata": {"name": "nightly"},
            "spec": {"completionMode": "Indexed", "completions": 3, "template": {}},
            "status": {"conditions": [{"type": condition, "status": "True"}]},
        }))
        .unwrap()
    }

    fn pod(index: &str, state: Value) -> Pod {
        let status = json!({
            "name": "slice", "image": "i", "imageID": "", "ready": false, "restartCount": 0, "state": state,
        });
        serde_json::from_value(json!({
            "metadata": {"name": format!("nightly-{index}"), "labels": {INDEX: index}},
            "status": {"containerStatuses": [status]},
        }))
        .unwrap()
    }

    #[rstest]
    #[case::of_which_nothing_is_left("Failed", Vec::new(), "its pod is gone: it was deleted, or its node was lost")]
    #[case::that_has_not_begun("Suspended", Vec::new(), "it has no pod yet, or none any more")]
    #[case::whose_pod_failed(
        "Failed",
        vec![pod("1", json!({"terminated": {"exitCode": 2, "reason": "Error", "message": "refused\nto begin"}}))],
        "its pod nightly-1 ended with exit code 2 (Error): refused to begin"
    )]
    #[case::whose_pod_was_killed(
        "Failed",
        vec![pod("1", json!({"terminated": {"exitCode": 137, "reason": "OOMKilled"}}))],
        "its pod nightly-1 ended with exit code 137 (OOMKilled)"
    )]
    #[case::whose_image_is_nowhere(
        "Suspended",
        vec![pod("1", json!({"waiting": {"reason": "ErrImagePull", "message": "no such host"}}))],
        "its pod nightly-1 has not ended: ErrImagePull: no such host"
    )]
    #[case::beside_which_another_failed(
        "Failed",
        vec![pod("2", json!({"terminated": {"exitCode": 2, "reason": "Error"}}))],
        "its pod is gone: it was deleted, or its node was lost"
    )]
    fn a_slice(#[case] condition: &str, #[case] pods: Vec<Pod>, #[case] says: &str) {
        let told = because("slice:2/3".parse().unwrap(), &job(condition), &pods);
        assert_eq!(told, format!("slice:2/3 left no result: {says}"));
    }

    #[test]
    fn of_a_pod_that_said_much_the_end_is_told() {
        let said = format!("{}failed to store", "a line\n".repeat(200));
        let ended = pod("1", json!({"terminated": {"exitCode": 3, "reason": "Error", "message": said}}));
        let told = because("slice:2/3".parse().unwrap(), &job("Failed"), &[ended]);
        assert!(told.contains("(Error): …") && told.ends_with("a line failed to store"), "{told}");
        let (_, shown) = told.split_once('…').unwrap();
        assert_eq!(shown.chars().count(), SHOWN);
    }

    #[rstest]
    #[case::complete("Complete", true)]
    #[case::failed("Failed", true)]
    #[case::on_its_way_there("FailureTarget", false)]
    fn a_run_has_ended_when_its_job_has(#[case] condition: &str, #[case] ended: bool) {
        assert_eq!(has_ended(&job(condition)), ended);
    }

    #[test]
    fn only_an_indexed_job_has_slices() {
        let mut job = job("Complete");
        assert_eq!(slices_of(&job), Some(3));
        job.spec.as_mut().unwrap().completion_mode = None;
        assert_eq!(slices_of(&job), None);
    }
}
