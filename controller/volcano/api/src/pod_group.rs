//! `PodGroup` of `scheduling.volcano.sh/v1beta1`: what the scheduler is told of a gang, and says of it (VJ-255 to VJ-263).
#![expect(clippy::duplicated_attributes, reason = "columns of a table may be of one type")]

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, Time};
use kube_core::object::ObjectList;
use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::topology::NetworkTopology;
use crate::wire::{SUBDOMAIN, is_default, word};
use crate::words::words;

/// A list of gangs.
pub type PodGroupList = ObjectList<PodGroup>;

/// What a gang needs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[kube(
    crates(kube_core = "::kube_core"),
    group = "scheduling.volcano.sh",
    version = "v1beta1",
    kind = "PodGroup",
    plural = "podgroups",
    shortname = "pg",
    shortname = "podgroup-v1beta1",
    namespaced,
    status = "PodGroupStatus",
    derive = "Default",
    derive = "PartialEq",
    doc = "A gang of pods that are scheduled together.",
    printcolumn(name = "STATUS", type_ = "string", json_path = ".status.phase"),
    printcolumn(name = "minMember", type_ = "integer", json_path = ".spec.minMember"),
    printcolumn(name = "RUNNINGS", type_ = "integer", json_path = ".status.running"),
    printcolumn(name = "AGE", type_ = "date", json_path = ".metadata.creationTimestamp"),
    printcolumn(name = "QUEUE", type_ = "string", json_path = ".spec.queue", priority = 1)
)]
#[serde(rename_all = "camelCase")]
pub struct PodGroupSpec {
    /// How many pods run together or not at all; at least 0 (VJ-256).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0))]
    pub min_member: i32,
    /// The same for each task (VJ-257).
    #[serde(default, skip_serializing_if = "is_default")]
    pub min_task_member: BTreeMap<String, i32>,
    /// The queue that it waits in (VJ-258).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(length(max = 253), regex(pattern = SUBDOMAIN), extend("default" = crate::well_known::DEFAULT_QUEUE))]
    pub queue: String,
    /// Its priority class (VJ-259).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(length(max = 253))]
    pub priority_class_name: String,
    /// What its smallest gang uses (VJ-260).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_resources: Option<BTreeMap<String, Quantity>>,
    /// How far apart its pods may run (VJ-261).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network_topology: Option<NetworkTopology>,
    /// Gangs within it (VJ-261).
    #[serde(default, skip_serializing_if = "is_default")]
    pub sub_group_policy: Vec<SubGroupPolicy>,
}

/// Gangs within a gang: pods of one selection, parted by the values of labels (VJ-261).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubGroupPolicy {
    /// Name, at most 253 characters.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(length(max = 253))]
    pub name: String,
    /// How far apart the pods of one may run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network_topology: Option<NetworkTopology>,
    /// How many pods each has; at least 1, which is the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1), extend("default" = 1))]
    pub sub_group_size: Option<i32>,
    /// How many of them must be possible; at least 0, which is the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), extend("default" = 0))]
    pub min_sub_groups: Option<i32>,
    /// Which pods it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label_selector: Option<LabelSelector>,
    /// Labels whose values part them.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub match_label_keys: Vec<String>,
}

/// What the scheduler says. Not a subresource: whoever may update the group may write it (VJ-263).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodGroupStatus {
    /// The phase; absent at first (VJ-335).
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "word")]
    pub phase: Option<PodGroupPhase>,
    /// What the scheduler found.
    #[serde(default, skip_serializing_if = "is_default")]
    pub conditions: Vec<PodGroupCondition>,
    /// Pods that run.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0))]
    pub running: i32,
    /// Pods that succeeded.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0))]
    pub succeeded: i32,
    /// Pods that failed.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0))]
    pub failed: i32,
}

/// One finding of the scheduler.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodGroupCondition {
    /// `Scheduled` or `Unschedulable`.
    #[serde(rename = "type", default, skip_serializing_if = "is_default")]
    pub type_: String,
    /// `True`, `False` or `Unknown`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub status: String,
    /// Which round of the scheduler it is from.
    #[serde(rename = "transitionID", default, skip_serializing_if = "is_default")]
    pub transition_id: String,
    /// Since when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_transition_time: Option<Time>,
    /// A word for the reason.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reason: String,
    /// A sentence about it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub message: String,
}

words! { closed
    /// Where a gang is (VJ-263). An unknown phase is read as none.
    PodGroupPhase {
        /// It waits; no pods are made.
        Pending = "Pending",
        /// Its gang runs.
        Running = "Running",
        /// Part of its gang runs and the rest cannot be scheduled.
        Unknown = "Unknown",
        /// Its pods may be made (VJ-162).
        Inqueue = "Inqueue",
        /// All of its pods are finished.
        Completed = "Completed",
    }
}
words!(enum PodGroupPhase);
