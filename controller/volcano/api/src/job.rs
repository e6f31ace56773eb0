//! `Job` of `batch.volcano.sh/v1alpha1` (VJ-001 to VJ-032).
#![expect(clippy::duplicated_attributes, reason = "columns of a table may be of one type")]

pub mod policy;
pub mod status;
pub mod task;

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::PersistentVolumeClaimSpec;
use kube_core::object::ObjectList;
use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::duration::Duration;
use crate::topology::NetworkTopology;
use crate::wire::{SUBDOMAIN, is_default};
use policy::LifecyclePolicy;
use status::JobStatus;
use task::TaskSpec;

/// A list of jobs.
pub type JobList = ObjectList<Job>;

/// What somebody wants of a job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[kube(
    crates(kube_core = "::kube_core"),
    group = "batch.volcano.sh",
    version = "v1alpha1",
    kind = "Job",
    plural = "jobs",
    shortname = "vcjob",
    shortname = "vj",
    namespaced,
    status = "JobStatus",
    derive = "Default",
    derive = "PartialEq",
    doc = "A gang of pods of several kinds that run together.",
    printcolumn(name = "STATUS", type_ = "string", json_path = ".status.state.phase"),
    printcolumn(name = "minAvailable", type_ = "integer", json_path = ".status.minAvailable"),
    printcolumn(name = "RUNNINGS", type_ = "integer", json_path = ".status.running"),
    printcolumn(name = "AGE", type_ = "date", json_path = ".metadata.creationTimestamp"),
    printcolumn(name = "QUEUE", type_ = "string", json_path = ".spec.queue", priority = 1)
)]
#[serde(rename_all = "camelCase")]
pub struct JobSpec {
    /// The scheduler of pods whose template names none; at most 63 characters (VJ-010, VJ-039).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(length(max = 63))]
    pub scheduler_name: String,
    /// How many pods make up the gang, and how many must succeed; at least 0 (VJ-011).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0))]
    pub min_available: i32,
    /// Volumes that every container of the job has (VJ-012).
    #[serde(default, skip_serializing_if = "is_default")]
    pub volumes: Vec<VolumeSpec>,
    /// The kinds of pods, at least one (VJ-013, VJ-051).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(length(min = 1))]
    pub tasks: Vec<TaskSpec>,
    /// What to do about events, for tasks whose own policies do not match (VJ-014, VJ-139).
    #[serde(default, skip_serializing_if = "is_default")]
    pub policies: Vec<LifecyclePolicy>,
    /// Plugins by name, each with its arguments (VJ-015).
    #[serde(default, skip_serializing_if = "is_default")]
    pub plugins: BTreeMap<String, Vec<String>>,
    /// How long the user thinks that the job runs; stored and not used (VJ-021).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running_estimate: Option<Duration>,
    /// The queue that the gang waits in (VJ-016).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(length(max = 253), regex(pattern = SUBDOMAIN), extend("default" = crate::well_known::DEFAULT_QUEUE))]
    pub queue: String,
    /// How many runs the job has, the first one included (VJ-017, VJ-186).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0), extend("default" = crate::well_known::DEFAULT_MAX_RETRY))]
    pub max_retry: i32,
    /// Seconds after its end at which the job is deleted; at least 0, for ever if absent (VJ-018).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub ttl_seconds_after_finished: Option<i32>,
    /// The priority class of pods whose template names none, and of the gang (VJ-019).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(length(max = 253), regex(pattern = SUBDOMAIN))]
    pub priority_class_name: String,
    /// How many successful pods complete the job at once; at least 1 (VJ-020, VJ-170).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub min_success: Option<i32>,
    /// How far apart pods may run (VJ-022).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network_topology: Option<NetworkTopology>,
}

/// A volume of every container: a claim that is there, or one to be made (VJ-012, VJ-075, VJ-076).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("required" = ["mountPath"]))]
pub struct VolumeSpec {
    // One without it is read all the same: it is for the schema to refuse it, with its path (VJ-053).
    /// Where containers find it; not empty, no colon.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(length(min = 1), regex(pattern = "^[^:]+$"))]
    pub mount_path: String,
    /// Name of a claim, at most 253 characters; empty for none.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(length(max = 253))]
    pub volume_claim_name: String,
    /// The claim to make. The controller writes the name that it gave it to `volumeClaimName` (VJ-249).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume_claim: Option<PersistentVolumeClaimSpec>,
}

#[cfg(test)]
mod tests;
