//! What differs in a pod's template when a script has said beforehand how pods are to behave, or when the agent has another
//! image here.
//!
//! Without either nothing differs: the same bytes go to a cluster with kubelets and to one without.

use super::{PodBehaviour, When};
use crate::cluster::AGENT_IMAGE;
use jobsworth_api::{RequestPath, Resource};
use serde_json::{Value, json};

/// Tells the agent what SIGTERM means to it.
const STOP: &str = "JOBSWORTH_STOP";
/// A pod with it is scheduled when the script says so.
pub(super) const GATE: &str = "jobsworth.dev/on-word";

/// Lays what was said over every pod template in an object that is about to be created.
pub(super) fn prepare(target: &RequestPath<'_>, object: &mut Value, behaviour: PodBehaviour, image: Option<&str>) {
    let image = image.filter(|image| *image != AGENT_IMAGE);
    if behaviour == PodBehaviour::default() && image.is_none() {
        return;
    }
    let is_a = |resource: &Resource| target.is_of(resource) && object["kind"] == *resource.kind;
    let pointer = match () {
        () if is_a(&Resource::JOBS) => "/spec/template/spec",
        () if is_a(&Resource::PODS) => "/spec",
        () => return,
    };
    let Some(spec) = object.pointer_mut(pointer).filter(|spec| spec.is_object()) else { return };
    if behaviour.start == When::OnWord {
        push(&mut spec["schedulingGates"], json!({"name": GATE}));
    }
    let stop = match (behaviour.stop, behaviour.stop_code) {
        (When::OnWord, _) => "on-word".to_owned(),
        (When::AtOnce, code) => code.to_string(),
    };
    for container in spec["containers"].as_array_mut().into_iter().flatten() {
        if container["image"] != AGENT_IMAGE {
            continue;
        }
        if behaviour != PodBehaviour::default() {
            push(&mut container["env"], json!({"name": STOP, "value": stop}));
        }
        if let Some(image) = image {
            container["image"] = image.into();
        }
    }
}

/// Whether SIGTERM ends the pod by itself.
pub(super) fn waits_for_a_word(pod: &k8s_openapi::api::core::v1::Pod) -> bool {
    let containers = pod.spec.iter().flat_map(|spec| &spec.containers);
    let environment = containers.flat_map(|container| container.env.iter().flatten());
    environment.into_iter().any(|variable| variable.name == STOP && variable.value.as_deref() == Some("on-word"))
}

fn push(list: &mut Value, item: Value) {
    match list.as_array_mut() {
        Some(items) => items.push(item),
        None => *list = json!([item]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> Value {
        json!({"kind": "Job", "spec": {"template": {"spec": {"containers": [
            {"name": "main", "image": AGENT_IMAGE}, {"name": "own", "image": "example.com/own:1"},
        ]}}}})
    }

    fn prepare(object: &mut Value, behaviour: PodBehaviour, image: Option<&str>) {
        let resource = if object["kind"] == "Pod" { Resource::PODS } else { Resource::JOBS };
        super::prepare(&RequestPath::of(&resource), object, behaviour, image);
    }

    #[test]
    fn a_job_of_somebody_else_is_left_alone() {
        let mut object = job();
        let theirs = RequestPath::parse("/apis/batch.volcano.sh/v1alpha1/jobs").unwrap();
        super::prepare(&theirs, &mut object, PodBehaviour { stop: When::OnWord, ..PodBehaviour::default() }, None);
        assert_eq!(object, job());
    }

    #[test]
    fn without_a_word_nothing_differs() {
        let mut object = job();
        prepare(&mut object, PodBehaviour::default(), Some(AGENT_IMAGE));
        assert_eq!(object, job());
    }

    #[test]
    fn pods_that_stop_on_word_are_told_so_and_images_of_others_are_left_alone() {
        let mut object = job();
        prepare(&mut object, PodBehaviour { stop: When::OnWord, ..PodBehaviour::default() }, None);
        let containers = &object["spec"]["template"]["spec"]["containers"];
        assert_eq!(containers[0]["env"], json!([{"name": "JOBSWORTH_STOP", "value": "on-word"}]));
        assert_eq!(containers[1], job()["spec"]["template"]["spec"]["containers"][1]);
    }

    #[test]
    fn where_the_agent_has_another_image_only_that_differs() {
        let mut object = job();
        prepare(&mut object, PodBehaviour::default(), Some("registry.example.com/agent:v1"));
        let mut wanted = job();
        wanted["spec"]["template"]["spec"]["containers"][0]["image"] = "registry.example.com/agent:v1".into();
        assert_eq!(object, wanted);
    }

    #[test]
    fn pods_that_start_on_word_are_not_scheduled_before() {
        let mut object = json!({"kind": "Pod", "spec": {"containers": []}});
        prepare(&mut object, PodBehaviour { start: When::OnWord, ..PodBehaviour::default() }, None);
        assert_eq!(object["spec"]["schedulingGates"], json!([{"name": GATE}]));
    }
}
