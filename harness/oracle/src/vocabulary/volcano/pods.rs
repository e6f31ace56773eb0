//! Words about the pods of Volcano's Jobs.

use crate::{
    reading::{annotation, label},
    vocabulary::pods::{PodWord, PodWords, pods as all_pods, word},
};
use jobsworth_api::{Resource, well_known::volcano};
use k8s_openapi::api::core::v1::Pod;

/// The pods of the Volcano Job of the case.
#[must_use]
pub fn pods() -> PodWords {
    pods_of("job")
}

/// The pods whose controller is a Volcano Job of this name.
#[must_use]
pub fn pods_of(job: &'static str) -> PodWords {
    all_pods().that_are(word(format!("of {job}"), move |pod| job_name(pod) == Some(job)))
}

/// The pod of a task of the Job of the case, by its index (VJ-240).
#[must_use]
pub fn pod(task: &str, index: u32) -> PodWords {
    let name = format!("job-{task}-{index}");
    all_pods().that_are(word(format!("named {name}"), move |pod| pod.metadata.name.as_deref() == Some(&*name)))
}

/// Of this task (VJ-243).
#[must_use]
pub fn of_task(task: &'static str) -> PodWord {
    word(format!("of task {task}"), move |pod| task_name(pod) == Some(task))
}

/// Made when `status.version` was `n` (VJ-244).
#[must_use]
pub fn of_version(n: i32) -> PodWord {
    word(format!("of version {n}"), move |pod| number(pod, volcano::JOB_VERSION) == Some(n))
}

/// Made when `status.retryCount` was `n` (VJ-244).
#[must_use]
pub fn of_attempt(n: i32) -> PodWord {
    word(format!("of retry {n}"), move |pod| number(pod, volcano::JOB_RETRY_COUNT) == Some(n))
}

/// Marked as being killed by their controller (VJ-150).
#[must_use]
pub fn killed() -> PodWord {
    word("marked as killed", |pod| annotation(&pod.metadata, volcano::OUT_OF_SYNC) == Some("true"))
}

/// Of the gang of this name (VJ-244).
#[must_use]
pub fn member_of(group: &'static str) -> PodWord {
    word(format!("of the group {group}"), move |pod| annotation(&pod.metadata, volcano::GROUP_NAME) == Some(group))
}

/// Held by a finalizer.
#[must_use]
pub fn held_by(finalizer: &'static str) -> PodWord {
    word(format!("held by {finalizer}"), move |pod| {
        pod.metadata.finalizers.iter().flatten().any(|held| held == finalizer)
    })
}

/// The name of the pod's task (VJ-243).
#[must_use]
pub fn task_name(pod: &Pod) -> Option<&str> {
    label(&pod.metadata, volcano::TASK_SPEC).or_else(|| annotation(&pod.metadata, volcano::TASK_SPEC))
}

/// A number that stands in an annotation.
fn number(pod: &Pod, key: &str) -> Option<i32> {
    annotation(&pod.metadata, key)?.parse().ok()
}

fn job_name(pod: &Pod) -> Option<&str> {
    let mut owners = pod.metadata.owner_references.iter().flatten();
    let controller = owners.find(|owner| owner.controller == Some(true))?;
    Resource::VOLCANO_JOBS.is_kind_of(&controller.api_version, &controller.kind).then_some(controller.name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Seen, fact::Fact, world::World};
    use rstest::rstest;
    use serde_json::json;
    use std::time::Duration;

    fn world(api: &str) -> World {
        let owner = json!({"apiVersion": api, "kind": "Job", "name": "job", "uid": "j", "controller": true});
        let annotations = json!({
            volcano::JOB_VERSION: "2", volcano::JOB_RETRY_COUNT: "1", volcano::OUT_OF_SYNC: "true", volcano::GROUP_NAME: "g",
        });
        let metadata = json!({
            "name": "job-worker-0", "uid": "p", "ownerReferences": [owner], "annotations": annotations,
            "labels": {volcano::TASK_SPEC: "worker"}, "finalizers": ["example.com/held"],
        });
        let mut world = World::default();
        world.apply(1, Duration::ZERO, &Fact::there::<Pod>(Seen::new(json!({"metadata": metadata})).unwrap()));
        world
    }

    #[rstest]
    #[case::its_task(of_task("worker"), of_task("master"))]
    #[case::its_version(of_version(2), of_version(1))]
    #[case::its_retry(of_attempt(1), of_attempt(2))]
    #[case::its_group(member_of("g"), member_of("h"))]
    #[case::who_holds_it(held_by("example.com/held"), held_by("example.com/other"))]
    #[case::whether_it_is_killed(killed(), killed().negated())]
    fn a_word_is_true_of_one_pod_and_not_of_another(#[case] is_true: PodWord, #[case] is_not: PodWord) {
        let world = world("batch.volcano.sh/v1alpha1");
        assert!(pods().that_are(is_true).count(1).holds(&world));
        assert!(pods().that_are(is_not).count(0).holds(&world));
        assert!(pod("worker", 0).count(1).and(pod("worker", 1).count(0)).holds(&world));
    }

    #[test]
    fn a_pod_of_a_job_of_another_group_is_not_of_this_one() {
        assert!(pods().count(0).holds(&world("batch/v1")));
        assert!(pods_of("other").count(0).holds(&world("batch.volcano.sh/v1alpha1")));
    }
}
