//! *Rude*: a precondition or courtesy that protects others is left out.

use std::collections::BTreeSet;

use http::Method;
use jiff::Timestamp;
use jobsworth_api::Resource;
use jobsworth_api::well_known::BUILT_IN_CONTROLLER;
use jobsworth_core::{Decision, Memory, Requeue, Uid};
use serde_json::{Value, json};

use crate::call::Call;
use crate::decorator::Fate;
use crate::{Decorator, Notes, Observed};

/// Whoever writes the status last wins.
pub fn status_without_version(call: &mut Call) -> Fate {
    if call.writes_a_status() {
        forget_version(&mut call.body);
    }
    Fate::Send
}

/// Takes the lease whatever has become of it.
pub fn lease_without_version(call: &mut Call) -> Fate {
    if call.is_about_a_lease() && call.method == Method::PUT {
        forget_version(&mut call.body);
        // The API server refuses to replace a lease without a version, but not to patch it.
        call.becomes_a_patch();
    }
    Fate::Send
}

fn forget_version(object: &mut Value) {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("resourceVersion");
    }
}

pub(super) fn is_finished(job: &Value) -> bool {
    let conditions = job.pointer("/status/conditions").and_then(Value::as_array);
    let ends = |condition: &Value| {
        condition["status"] == "True" && (condition["type"] == "Complete" || condition["type"] == "Failed")
    };
    conditions.is_some_and(|conditions| conditions.iter().any(ends))
}

/// The time to live is counted from the Job's creation.
pub fn life_from_creation(job: &mut Value) {
    if is_finished(job) {
        let created = job["metadata"]["creationTimestamp"].clone();
        let conditions = job.pointer_mut("/status/conditions").and_then(Value::as_array_mut);
        conditions.into_iter().flatten().for_each(|condition| condition["lastTransitionTime"] = created.clone());
    }
}

/// Removes an expired Job whatever has become of it since it was seen.
pub fn removal_of_another_version(call: &mut Call) -> Fate {
    if call.deletes_a_job()
        && let Some(conditions) = call.body["preconditions"].as_object_mut()
    {
        conditions.remove("resourceVersion");
    }
    Fate::Send
}

/// Removes the Job and leaves its pods.
pub fn removal_without_pods(call: &mut Call) -> Fate {
    if call.deletes_a_job() {
        call.body["propagationPolicy"] = json!("Orphan");
    }
    Fate::Send
}

/// Removes whatever has the Job's name.
pub fn removal_by_name(call: &mut Call) -> Fate {
    if call.deletes_a_job()
        && let Some(options) = call.body.as_object_mut()
    {
        options.remove("preconditions");
    }
    Fate::Send
}

/// Takes a time to live of 0 for none.
pub fn no_life_at_all(job: &mut Value) {
    if is_finished(job) && job["spec"]["ttlSecondsAfterFinished"] == 0 {
        job["spec"]["ttlSecondsAfterFinished"] = Value::Null;
    }
}

/// Gives a new Job its start time before it asks who manages it: one of another manager is touched once, and then left
/// alone (SYN-030).
#[derive(Debug, Default)]
pub struct StartOfForeignJobs {
    foreign: Notes<BTreeSet<Uid>>,
}

impl Decorator for StartOfForeignJobs {
    fn shows(&self) -> bool {
        true
    }

    fn show(&self, call: &Call, object: &mut Value) {
        let is_foreign = object["spec"]["managedBy"].as_str().is_some_and(|manager| manager != BUILT_IN_CONTROLLER);
        let runs = object["spec"]["suspend"] != true && object["metadata"]["deletionTimestamp"].is_null();
        if !call.reads_all(&Resource::JOBS) || !is_foreign || !runs || !object["status"]["startTime"].is_null() {
            return;
        }
        if let Some(uid) = object["metadata"]["uid"].as_str() {
            self.foreign.open().insert(uid.into());
        }
        if let Some(spec) = object["spec"].as_object_mut() {
            spec.remove("managedBy");
        }
    }

    fn say(&self, observed: &Observed, decision: &mut Decision) {
        if !self.foreign.open().contains(&observed.job.uid) || observed.job.unreadable.is_some() {
            return;
        }
        let mut status = observed.job.status.clone();
        status.start_time = Timestamp::from_second(observed.now.as_second()).ok();
        (decision.notices, decision.samples) = (Vec::new(), Vec::new());
        (decision.batches, decision.awaiting) = (vec![observed.write(status)], None);
        (decision.memory, decision.requeue, decision.effort) = (Memory::default(), Requeue::No, None);
    }
}
