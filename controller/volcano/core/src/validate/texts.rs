//! Texts that must be a quantity or a length of time.
//!
//! Volcano decodes an object before it looks at it, in both webhooks, and refuses what it cannot decode, without a path (VJ-083).

use std::collections::BTreeMap;

use jobsworth_volcano_api::duration::{Duration, DurationError};
use jobsworth_volcano_api::quantity::{Amount, QuantityError};
use jobsworth_volcano_api::{JobSpec, LifecyclePolicy};
use k8s_openapi::api::core::v1::{
    Container, DownwardAPIVolumeFile, EnvVar, EphemeralContainer, PersistentVolumeClaimSpec, PodSpec,
    ResourceFieldSelector, ResourceRequirements, Volume,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

/// The first text of a job that is not what it has to be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// It should be a length of time.
    #[error(transparent)]
    Duration(#[from] DurationError),
    /// It should be a quantity.
    #[error(transparent)]
    Quantity(#[from] QuantityError),
}

type Checked = Result<(), TextError>;
type Amounts = BTreeMap<String, Quantity>;

/// Reads every quantity and every length of time of a job.
///
/// # Errors
/// The first that cannot be read.
pub fn check(spec: &JobSpec) -> Checked {
    each(&spec.running_estimate, duration)?;
    each(&spec.policies, policy)?;
    each(spec.volumes.iter().filter_map(|volume| volume.volume_claim.as_ref()), claim)?;
    each(&spec.tasks, |task| {
        each(&task.policies, policy)?;
        each(&task.template.spec, pod)
    })
}

fn each<T>(items: impl IntoIterator<Item = T>, check: impl Fn(T) -> Checked) -> Checked {
    items.into_iter().try_for_each(check)
}

fn duration(text: &Duration) -> Checked {
    text.as_nanos()?;
    Ok(())
}

fn policy(policy: &LifecyclePolicy) -> Checked {
    each(&policy.timeout, duration)
}

fn amount(quantity: &Quantity) -> Checked {
    Amount::try_from(quantity)?;
    Ok(())
}

fn amounts(list: &Option<Amounts>) -> Checked {
    each(list.iter().flat_map(BTreeMap::values), amount)
}

fn pod(pod: &PodSpec) -> Checked {
    each(&pod.containers, container)?;
    each(pod.init_containers.iter().flatten(), container)?;
    each(pod.ephemeral_containers.iter().flatten(), ephemeral_container)?;
    each(&pod.resources, resources)?;
    amounts(&pod.overhead)?;
    each(pod.volumes.iter().flatten(), volume)
}

fn container(container: &Container) -> Checked {
    each(&container.resources, resources)?;
    each(container.env.iter().flatten(), env)
}

fn ephemeral_container(container: &EphemeralContainer) -> Checked {
    each(&container.resources, resources)?;
    each(container.env.iter().flatten(), env)
}

fn resources(resources: &ResourceRequirements) -> Checked {
    amounts(&resources.limits)?;
    amounts(&resources.requests)
}

fn env(env: &EnvVar) -> Checked {
    each(env.value_from.iter().filter_map(|from| from.resource_field_ref.as_ref()), divisor)
}

fn divisor(field: &ResourceFieldSelector) -> Checked {
    each(&field.divisor, amount)
}

fn file(file: &DownwardAPIVolumeFile) -> Checked {
    each(&file.resource_field_ref, divisor)
}

fn claim(claim: &PersistentVolumeClaimSpec) -> Checked {
    each(&claim.resources, |resources| {
        amounts(&resources.limits)?;
        amounts(&resources.requests)
    })
}

fn volume(volume: &Volume) -> Checked {
    each(volume.empty_dir.iter().filter_map(|dir| dir.size_limit.as_ref()), amount)?;
    each(volume.ephemeral.iter().filter_map(|source| source.volume_claim_template.as_ref()), |template| {
        claim(&template.spec)
    })?;
    each(volume.downward_api.iter().filter_map(|source| source.items.as_ref()).flatten(), file)?;
    let sources = volume.projected.iter().filter_map(|source| source.sources.as_ref()).flatten();
    each(sources.filter_map(|source| source.downward_api.as_ref()?.items.as_ref()).flatten(), file)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::{Value, json};

    use super::*;

    const QUANTITY: &str =
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

    fn pod(spec: &Value) -> Value {
        json!({"tasks": [{"template": {"spec": spec}}]})
    }

    fn verdict(spec: &Value) -> Result<(), String> {
        check(&serde_json::from_value(spec.clone()).unwrap()).map_err(|error| error.to_string())
    }

    /// (VJ-083)
    #[rstest]
    #[case::a_timeout(json!({"policies": [{"timeout": "5"}]}), "time: missing unit in duration \"5\"")]
    #[case::a_timeout_of_a_task(json!({"tasks": [{"policies": [{"timeout": "x"}]}]}), "time: invalid duration \"x\"")]
    #[case::an_estimate(json!({"runningEstimate": "1y"}), "time: unknown unit \"y\" in duration \"1y\"")]
    #[case::a_request(pod(&json!({"containers": [{"name": "c", "resources": {"requests": {"cpu": "-"}}}]})), QUANTITY)]
    #[case::a_limit(pod(&json!({"containers": [{"name": "c", "resources": {"limits": {"cpu": "two"}}}]})), QUANTITY)]
    #[case::an_init_container(pod(&json!({"containers": [], "initContainers": [{"name": "c", "resources": {"limits": {"cpu": "two"}}}]})), QUANTITY)]
    #[case::an_ephemeral_container(
        pod(&json!({"containers": [], "ephemeralContainers": [{"name": "c", "resources": {"limits": {"cpu": "two"}}}]})), QUANTITY)]
    #[case::a_whole_pod(pod(&json!({"containers": [], "resources": {"limits": {"cpu": "two"}}})), QUANTITY)]
    #[case::an_overhead(pod(&json!({"containers": [], "overhead": {"cpu": "two"}})), QUANTITY)]
    #[case::a_folder(pod(&json!({"containers": [], "volumes": [{"name": "v", "emptyDir": {"sizeLimit": "two"}}]})), QUANTITY)]
    #[case::a_divisor(
        pod(&json!({"containers": [{"name": "c", "env": [{"name": "e", "valueFrom": {"resourceFieldRef": {"resource": "r", "divisor": "two"}}}]}]})),
        QUANTITY)]
    #[case::a_divisor_in_a_file(
        pod(&json!({"containers": [], "volumes": [{"name": "v", "downwardAPI": {"items": [{"path": "p",
            "resourceFieldRef": {"resource": "r", "divisor": "two"}}]}}]})), QUANTITY)]
    #[case::a_divisor_in_a_projection(
        pod(&json!({"containers": [], "volumes": [{"name": "v", "projected": {"sources": [{"downwardAPI": {"items": [{"path": "p",
            "resourceFieldRef": {"resource": "r", "divisor": "two"}}]}}]}}]})), QUANTITY)]
    #[case::a_claim_of_the_pod(
        pod(&json!({"containers": [], "volumes": [{"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": {"resources":
            {"requests": {"storage": "two"}}}}}}]})), QUANTITY)]
    #[case::a_claim_of_the_job(json!({"volumes": [{"mountPath": "/", "volumeClaim": {"resources": {"requests": {"storage": "two"}}}}]}), QUANTITY)]
    fn what_cannot_be_read_is_refused(#[case] spec: Value, #[case] says: &str) {
        assert_eq!(verdict(&spec), Err(says.to_owned()));
    }

    /// (VJ-330)
    #[rstest]
    #[case::a_negative_timeout(json!({"policies": [{"timeout": "-5s"}]}))]
    #[case::quantities(pod(&json!({"containers": [{"name": "c", "resources": {"requests": {"cpu": "1.5", "memory": "2Gi"}}}], "overhead": {"cpu": "1m"}})))]
    #[case::nothing(json!({}))]
    fn what_can_be_read_passes(#[case] spec: Value) {
        assert_eq!(verdict(&spec), Ok(()));
    }
}
