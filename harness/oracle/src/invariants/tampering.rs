//! What of a Job's status the script has written itself, and what follows from it.
//!
//! What follows from a status that was tampered with is no breach, but no more than that is left out: an invariant says
//! on which parts of the status its verdict rests, and judges every Job whose parts the script has not touched. What was
//! written is told by `managedFields`: by the fields that the script owns, and by what changed in steps that may be the
//! script's. An entry there has the time of its writer's last write, in whole seconds: of two writes in one second nothing
//! shows whose the second is, and it counts as the script's.

use super::reading::SCRIPT;
use crate::history::{ObjectHistory, Version};
use jiff::Timestamp;
use jobsworth_api::ConditionKind;
use k8s_openapi::{api::batch::v1::Job, apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A part of a Job's status on which verdicts may rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// The interim and the terminal conditions.
    Decision,
    /// The condition `Suspended`.
    Suspension,
    /// `active`, `ready` and `terminating`.
    LivePods,
    /// `succeeded` and `failed`.
    EndedPods,
    /// `uncountedTerminatedPods`.
    Ledger,
    /// `completedIndexes` and `failedIndexes`.
    Indexes,
    /// `startTime`.
    Start,
    /// `completionTime`.
    Completion,
}

impl Part {
    fn of_field(name: &str) -> Option<Self> {
        Some(match name {
            "active" | "ready" | "terminating" => Self::LivePods,
            "succeeded" | "failed" => Self::EndedPods,
            "uncountedTerminatedPods" => Self::Ledger,
            "completedIndexes" | "failedIndexes" => Self::Indexes,
            "startTime" => Self::Start,
            "completionTime" => Self::Completion,
            _ => return None,
        })
    }

    /// Conditions of others are nobody's concern.
    fn of_condition(kind: &str) -> Option<Self> {
        let decisions = [
            ConditionKind::Complete,
            ConditionKind::Failed,
            ConditionKind::SuccessCriteriaMet,
            ConditionKind::FailureTarget,
        ];
        match kind {
            _ if kind == ConditionKind::Suspended.as_str() => Some(Self::Suspension),
            _ => decisions.iter().any(|decision| decision.as_str() == kind).then_some(Self::Decision),
        }
    }
}

/// The parts of this Job's status that the script has written.
pub(super) fn written(job: &ObjectHistory<Job>) -> BTreeSet<Part> {
    let entries = job.versions.iter().filter_map(entry);
    let mut parts: BTreeSet<Part> = entries.flat_map(owned).collect();
    for (before, after) in job.steps().filter(|(before, after)| may_be_by_script(before, after)) {
        parts.extend(changed(before, after));
    }
    parts
}

/// What the script owns of the status in this version.
fn entry(version: &Version<Job>) -> Option<&ManagedFieldsEntry> {
    let entries = version.object.metadata.managed_fields.iter().flatten();
    let mut own = entries.filter(|entry| entry.manager.as_deref() == Some(SCRIPT));
    own.find(|entry| entry.subresource.as_deref() == Some("status"))
}

fn may_be_by_script(before: &Version<Job>, after: &Version<Job>) -> bool {
    let (was, is) = (writers(before), writers(after));
    let has_written = |manager: &&str| was.get(manager) != is.get(manager);
    is.contains_key(SCRIPT) && (has_written(&SCRIPT) || !is.keys().any(has_written))
}

/// Who wrote to the status, and when last.
fn writers(version: &Version<Job>) -> BTreeMap<&str, Option<Timestamp>> {
    let entries = version.object.metadata.managed_fields.iter().flatten();
    let entries = entries.filter(|entry| entry.subresource.as_deref() == Some("status"));
    entries.map(|entry| (entry.manager.as_deref().unwrap_or(""), entry.time.as_ref().map(|time| time.0))).collect()
}

fn owned(entry: &ManagedFieldsEntry) -> BTreeSet<Part> {
    let fields = entry.fields_v1.as_ref().and_then(|fields| fields.0.get("f:status")).and_then(Value::as_object);
    let mut parts = BTreeSet::new();
    for (key, below) in fields.into_iter().flatten() {
        match key.strip_prefix("f:") {
            Some("conditions") => {
                let keys = below.as_object().into_iter().flatten().filter_map(|(key, _)| key.strip_prefix("k:"));
                let kinds = keys.filter_map(|key| serde_json::from_str::<Value>(key).ok());
                parts.extend(kinds.filter_map(|key| Part::of_condition(key["type"].as_str()?)));
            }
            Some(field) => parts.extend(Part::of_field(field)),
            None => {}
        }
    }
    parts
}

/// What differs between two versions of the status; what is missing counts as changed.
fn changed(before: &Version<Job>, after: &Version<Job>) -> BTreeSet<Part> {
    let (was, is) = (fields(before), fields(after));
    let names: BTreeSet<_> = was.keys().chain(is.keys()).copied().collect();
    let differ = names.into_iter().filter(|name| was.get(name) != is.get(name)).filter_map(Part::of_field);
    let (was, is) = (conditions(before), conditions(after));
    let kinds: BTreeSet<_> = was.keys().chain(is.keys()).copied().collect();
    let turned = kinds.into_iter().filter(|kind| was.get(kind) != is.get(kind)).filter_map(Part::of_condition);
    differ.chain(turned).collect()
}

fn fields(version: &Version<Job>) -> BTreeMap<&str, &Value> {
    let status = version.object.raw.get("status").and_then(Value::as_object);
    status.into_iter().flatten().map(|(name, value)| (name.as_str(), value)).collect()
}

fn conditions(version: &Version<Job>) -> BTreeMap<&str, &Value> {
    let conditions = version.object.raw.pointer("/status/conditions").and_then(Value::as_array);
    conditions.into_iter().flatten().filter_map(|condition| Some((condition["type"].as_str()?, condition))).collect()
}
