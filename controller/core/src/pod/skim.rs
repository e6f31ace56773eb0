//! A pod read from JSON without what no decision looks at: containers, volumes and managed fields are passed over and never
//! become objects. That is most of a pod, and there are many pods.

use std::collections::BTreeMap;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{
    Container, ContainerState, ContainerStateTerminated, ContainerStatus, Pod, PodCondition, PodSpec, PodStatus,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference, Time};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::job::bring_times_into_range;

#[derive(Deserialize)]
struct Skimmed {
    #[serde(default)]
    metadata: Meta,
    spec: Option<Spec>,
    status: Option<Status>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Meta {
    name: Option<String>,
    namespace: Option<String>,
    uid: Option<String>,
    resource_version: Option<String>,
    creation_timestamp: Option<Time>,
    deletion_timestamp: Option<Time>,
    deletion_grace_period_seconds: Option<i64>,
    finalizers: Option<Vec<String>>,
    labels: Option<BTreeMap<String, String>>,
    annotations: Option<BTreeMap<String, String>>,
    owner_references: Option<Vec<OwnerReference>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spec {
    node_name: Option<String>,
    init_containers: Option<Vec<InitContainer>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InitContainer {
    #[serde(default)]
    name: String,
    restart_policy: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    phase: Option<String>,
    conditions: Option<Vec<Condition>>,
    container_statuses: Option<Vec<Ended>>,
    init_container_statuses: Option<Vec<Ended>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Condition {
    r#type: String,
    status: String,
    last_transition_time: Option<Time>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Ended {
    name: String,
    restart_count: i32,
    state: Option<State>,
}

#[derive(Deserialize)]
struct State {
    terminated: Option<Terminated>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Terminated {
    exit_code: i32,
    finished_at: Option<Time>,
}

/// Reads a pod as far as [`PodView::parse`](super::PodView::parse) looks at it.
///
/// # Errors
///
/// When the text is no JSON, or a field that is looked at has another type than the API gives it.
pub fn skim(json: &str) -> Result<Pod, serde_json::Error> {
    serde_json::from_str(json).map(whole)
}

/// The slow way for pods that [`skim`] cannot read: each field by itself, and those that cannot be read are left out. A pod
/// counts as what can be read of it.
///
/// # Errors
///
/// When the text is no JSON.
pub fn skim_what_can_be_read(json: &str) -> Result<Pod, serde_json::Error> {
    let mut pod: Value = serde_json::from_str(json)?;
    bring_times_into_range(&mut pod);
    let (metadata, spec, status) = (&pod["metadata"], &pod["spec"], &pod["status"]);
    Ok(whole(Skimmed {
        metadata: Meta {
            name: field(metadata, "name"),
            namespace: field(metadata, "namespace"),
            uid: field(metadata, "uid"),
            resource_version: field(metadata, "resourceVersion"),
            creation_timestamp: field(metadata, "creationTimestamp"),
            // Whatever it says, what is there at all is a deletion.
            deletion_timestamp: field(metadata, "deletionTimestamp")
                .or_else(|| (!metadata["deletionTimestamp"].is_null()).then_some(Time(Timestamp::UNIX_EPOCH))),
            deletion_grace_period_seconds: field(metadata, "deletionGracePeriodSeconds"),
            finalizers: items(metadata, "finalizers"),
            labels: entries(metadata, "labels"),
            annotations: entries(metadata, "annotations"),
            owner_references: items(metadata, "ownerReferences"),
        },
        spec: Some(Spec { node_name: field(spec, "nodeName"), init_containers: items(spec, "initContainers") }),
        status: Some(Status {
            phase: field(status, "phase"),
            conditions: items(status, "conditions"),
            container_statuses: items(status, "containerStatuses"),
            init_container_statuses: items(status, "initContainerStatuses"),
        }),
    }))
}

fn field<T: DeserializeOwned>(of: &Value, name: &str) -> Option<T> {
    of.get(name).and_then(|value| T::deserialize(value).ok())
}

fn items<T: DeserializeOwned>(of: &Value, name: &str) -> Option<Vec<T>> {
    let all = of.get(name)?.as_array()?;
    Some(all.iter().filter_map(|item| T::deserialize(item).ok()).collect())
}

fn entries(of: &Value, name: &str) -> Option<BTreeMap<String, String>> {
    let all = of.get(name)?.as_object()?;
    Some(all.iter().filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect())
}

fn whole(pod: Skimmed) -> Pod {
    Pod {
        metadata: meta(pod.metadata),
        spec: pod.spec.map(|spec| PodSpec {
            node_name: spec.node_name,
            init_containers: spec.init_containers.map(|all| all.into_iter().map(init_container).collect()),
            ..PodSpec::default()
        }),
        status: pod.status.map(|status| PodStatus {
            phase: status.phase,
            conditions: status.conditions.map(|all| all.into_iter().map(condition).collect()),
            container_statuses: status.container_statuses.map(|all| all.into_iter().map(ended).collect()),
            init_container_statuses: status.init_container_statuses.map(|all| all.into_iter().map(ended).collect()),
            ..PodStatus::default()
        }),
    }
}

fn meta(meta: Meta) -> ObjectMeta {
    ObjectMeta {
        name: meta.name,
        namespace: meta.namespace,
        uid: meta.uid,
        resource_version: meta.resource_version,
        creation_timestamp: meta.creation_timestamp,
        deletion_timestamp: meta.deletion_timestamp,
        deletion_grace_period_seconds: meta.deletion_grace_period_seconds,
        finalizers: meta.finalizers,
        labels: meta.labels,
        annotations: meta.annotations,
        owner_references: meta.owner_references,
        ..ObjectMeta::default()
    }
}

fn init_container(container: InitContainer) -> Container {
    Container { name: container.name, restart_policy: container.restart_policy, ..Container::default() }
}

fn condition(condition: Condition) -> PodCondition {
    PodCondition {
        type_: condition.r#type,
        status: condition.status,
        last_transition_time: condition.last_transition_time,
        ..PodCondition::default()
    }
}

fn ended(status: Ended) -> ContainerStatus {
    let terminated = |it: Terminated| ContainerStateTerminated {
        exit_code: it.exit_code,
        finished_at: it.finished_at,
        ..ContainerStateTerminated::default()
    };
    let state =
        |state: State| ContainerState { terminated: state.terminated.map(terminated), ..ContainerState::default() };
    ContainerStatus {
        name: status.name,
        restart_count: status.restart_count,
        state: status.state.map(state),
        ..ContainerStatus::default()
    }
}
