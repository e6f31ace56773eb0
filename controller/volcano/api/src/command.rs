//! `Command` of `bus.volcano.sh/v1alpha1`: an order for a job or a queue (VJ-300).

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube_core::object::ObjectList;
use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bus::Action;
use crate::wire::{is_default, word};

/// A list of orders.
pub type CommandList = ObjectList<Command>;

/// What an order says. These fields stand at the top of the object, it has no `spec`; in Rust they are `command.spec`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[kube(
    crates(kube_core = "::kube_core"),
    group = "bus.volcano.sh",
    version = "v1alpha1",
    kind = "Command",
    plural = "commands",
    namespaced,
    no_spec,
    derive = "Default",
    derive = "PartialEq",
    doc = "An order for a job or a queue, carried out at most once."
)]
#[serde(rename_all = "camelCase")]
pub struct CommandFields {
    /// What to do; any word is taken (VJ-306).
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "word")]
    pub action: Option<Action>,
    /// Whom to do it to, an object of the same namespace, by name (VJ-301, VJ-304).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<OwnerReference>,
    /// A word for the reason.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reason: String,
    /// A sentence about it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub message: String,
}
