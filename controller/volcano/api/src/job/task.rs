//! One kind of pod of a job (VJ-023 to VJ-031).

use k8s_openapi::api::core::v1::PodTemplateSpec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::policy::LifecyclePolicy;
use crate::topology::NetworkTopology;
use crate::wire::{LABEL, is_default, word};
use crate::words::words;

/// Pods that are alike.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskSpec {
    /// Name, a DNS label of at most 63 characters (VJ-023, VJ-033, VJ-052).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(length(max = 63), regex(pattern = LABEL))]
    pub name: String,
    /// How many pods, at least 0 (VJ-024).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0))]
    pub replicas: i32,
    /// How many of them the gang needs; at least 0 (VJ-025, VJ-034).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub min_available: Option<i32>,
    /// The pods (VJ-026).
    #[serde(default, skip_serializing_if = "is_default")]
    pub template: PodTemplateSpec,
    /// What to do about events, before the job's policies are looked at (VJ-027, VJ-139).
    #[serde(default, skip_serializing_if = "is_default")]
    pub policies: Vec<LifecyclePolicy>,
    /// Where on a node the parts of a pod may lie (VJ-028, VJ-089).
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "word")]
    pub topology_policy: Option<NumaPolicy>,
    /// How many container restarts make the task fail; at least 0 (VJ-029, VJ-126).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0))]
    pub max_retry: i32,
    /// Tasks that must be ready before pods of this one are made (VJ-030, VJ-231).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depends_on: Option<DependsOn>,
    /// How the pods are parted into groups (VJ-031, VJ-087).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition_policy: Option<PartitionPolicy>,
}

/// Tasks that come first (VJ-030).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DependsOn {
    /// Their names.
    #[serde(default, skip_serializing_if = "is_default")]
    pub name: Vec<String>,
    /// `any` if one of several is enough; every other text means all.
    #[serde(default, skip_serializing_if = "is_default")]
    pub iteration: String,
}

impl DependsOn {
    /// Whether one ready task of several is enough (VJ-231).
    #[must_use]
    pub fn any_is_enough(&self) -> bool {
        self.iteration == "any"
    }
}

/// Groups of pods within a task (VJ-031).
// One that lacks a number is read all the same: it is for the schema to refuse it, with its path (VJ-054).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("required" = ["partitionSize", "totalPartitions"]))]
pub struct PartitionPolicy {
    /// How many groups, at least 1.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 1))]
    pub total_partitions: i32,
    /// How many pods in each, at least 1.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 1))]
    pub partition_size: i32,
    /// How many groups the gang needs; at least 0, which is the default.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0), extend("default" = 0))]
    pub min_partitions: i32,
    /// How far apart the pods of one group may run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network_topology: Option<NetworkTopology>,
}

words! { open
    /// Where on a node the parts of a pod may lie. The schema refuses every other word (VJ-053).
    NumaPolicy {
        /// Anywhere.
        None = "none",
        /// Close together if that is possible.
        BestEffort = "best-effort",
        /// As close together as the request allows.
        Restricted = "restricted",
        /// All on one.
        SingleNumaNode = "single-numa-node",
    }
}
words!(enum NumaPolicy);
