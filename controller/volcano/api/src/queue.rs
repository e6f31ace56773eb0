//! `Queue` of `scheduling.volcano.sh/v1beta1`: where gangs wait (VJ-078 to VJ-081).

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kube_core::object::ObjectList;
use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::wire::{SUBDOMAIN, is_default, word};
use crate::words::words;

/// A list of queues.
pub type QueueList = ObjectList<Queue>;

/// How a queue shares resources with others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[kube(
    crates(kube_core = "::kube_core"),
    group = "scheduling.volcano.sh",
    version = "v1beta1",
    kind = "Queue",
    plural = "queues",
    shortname = "q",
    shortname = "queue-v1beta1",
    status = "QueueStatus",
    derive = "Default",
    derive = "PartialEq",
    doc = "A place where gangs wait for resources.",
    printcolumn(name = "PARENT", type_ = "string", json_path = ".spec.parent")
)]
#[serde(rename_all = "camelCase")]
pub struct QueueSpec {
    /// Its share against others; 1 to 65535, 1 if absent.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 1, max = 65535), extend("default" = 1))]
    pub weight: i32,
    /// The most that its gangs may use.
    #[serde(default, skip_serializing_if = "is_default")]
    pub capability: BTreeMap<String, Quantity>,
    /// Whether others may take back what it uses beyond its share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reclaimable: Option<bool>,
    /// Clusters that its jobs are sent to.
    #[serde(default, skip_serializing_if = "is_default")]
    pub extend_clusters: Vec<Cluster>,
    /// What is kept for it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub guarantee: Guarantee,
    /// Node groups that its pods run on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub affinity: Option<Affinity>,
    /// A word for its kind.
    #[serde(rename = "type", default, skip_serializing_if = "is_default")]
    #[schemars(length(max = 253))]
    pub type_: String,
    /// The queue that it is a part of; empty for none (VJ-081).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(length(max = 253), regex(pattern = SUBDOMAIN))]
    pub parent: String,
    /// What it should have.
    #[serde(default, skip_serializing_if = "is_default")]
    pub deserved: BTreeMap<String, Quantity>,
    /// Its priority; at least 0, higher is served first.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0))]
    pub priority: i32,
    /// Whether a gang that does not fit holds up those behind it.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "word")]
    #[schemars(extend("default" = "traverse"))]
    pub dequeue_strategy: Option<DequeueStrategy>,
}

/// A cluster that jobs are sent to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cluster {
    /// Its name.
    #[serde(default, skip_serializing_if = "is_default")]
    pub name: String,
    /// Its share.
    #[serde(default, skip_serializing_if = "is_default")]
    pub weight: i32,
    /// What it has.
    #[serde(default, skip_serializing_if = "is_default")]
    pub capacity: BTreeMap<String, Quantity>,
}

/// Resources that are kept for a queue.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Guarantee {
    /// How much of each.
    #[serde(default, skip_serializing_if = "is_default")]
    pub resource: BTreeMap<String, Quantity>,
}

/// Node groups that pods of a queue are drawn to or kept from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Affinity {
    /// Groups that they are drawn to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_group_affinity: Option<NodeGroups>,
    /// Groups that they are kept from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_group_anti_affinity: Option<NodeGroups>,
}

/// Names of node groups.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeGroups {
    /// A must.
    #[serde(default, skip_serializing_if = "is_default")]
    pub required_during_scheduling_ignored_during_execution: Vec<String>,
    /// A wish.
    #[serde(default, skip_serializing_if = "is_default")]
    pub preferred_during_scheduling_ignored_during_execution: Vec<String>,
}

/// What the queue controller and the scheduler say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueStatus {
    /// Whether it takes jobs; absent until a controller has seen it (VJ-079).
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "word")]
    pub state: Option<QueueState>,
    /// Gangs in phase Unknown.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0))]
    pub unknown: i32,
    /// Gangs in phase Pending.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0))]
    pub pending: i32,
    /// Gangs in phase Running.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0))]
    pub running: i32,
    /// Gangs in phase Inqueue.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0))]
    pub inqueue: i32,
    /// Gangs in phase Completed.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0))]
    pub completed: i32,
    /// What is held for it on nodes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reservation: Reservation,
    /// What its gangs use.
    #[serde(default, skip_serializing_if = "is_default")]
    pub allocated: BTreeMap<String, Quantity>,
}

/// What is held on nodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reservation {
    /// The nodes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub nodes: Vec<String>,
    /// What is idle on them.
    #[serde(default, skip_serializing_if = "is_default")]
    pub resource: BTreeMap<String, Quantity>,
}

words! { closed
    /// Whether a queue takes jobs. An unknown word is read as none.
    QueueState {
        /// It takes jobs.
        Open = "Open",
        /// It takes none.
        Closed = "Closed",
        /// It takes none and still has some.
        Closing = "Closing",
        /// Nobody knows.
        Unknown = "Unknown",
    }
}
words!(enum QueueState);

words! { open
    /// Whether a gang that does not fit holds up those behind it.
    DequeueStrategy {
        /// It does.
        Fifo = "fifo",
        /// It does not.
        Traverse = "traverse",
    }
}
words!(enum DequeueStrategy);
