//! What to do when something happens (VJ-014, VJ-032).

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bus::{Action, Event};
use crate::duration::Duration;
use crate::wire::{is_default, word};

/// One rule: events or an exit code, and the action that follows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LifecyclePolicy {
    /// What is done. Admission asks for it (VJ-329); any word may be stored.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "word")]
    pub action: Option<Action>,
    /// An event that it is done after.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "word")]
    pub event: Option<Event>,
    /// More such events.
    #[serde(default, skip_serializing_if = "is_default")]
    pub events: Vec<Event>,
    /// The exit code of a pod that it is done after, in place of events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// How long to wait before (VJ-195).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Duration>,
}

impl LifecyclePolicy {
    /// Events of both fields, each once, in the order `events`, `event`.
    #[must_use]
    pub fn all_events(&self) -> Vec<&Event> {
        let mut seen = BTreeSet::new();
        self.events.iter().chain(&self.event).filter(|event| seen.insert(*event)).collect()
    }
}
