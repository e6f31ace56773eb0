//! *Lives*: a finished Job goes too early, too late, or not as it should.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jobsworth_api::Resource;
use jobsworth_api::well_known::BUILT_IN_CONTROLLER;
use serde_json::{Value, json};

use crate::bugs::rude::is_finished;
use crate::call::{Answer, Call};
use crate::decorator::{Fate, Next};
use crate::{Decorator, Notes};

/// A time to live; `None` for ever.
type Life = Option<i64>;

/// The time to live that a Job had when it was first seen finished goes on beside the one that it has (TTL-009).
#[derive(Debug)]
pub struct FirstLife {
    pick: fn(Life, Life) -> Life,
    first: Notes<BTreeMap<String, Life>>,
}

impl FirstLife {
    /// Of the two this one holds.
    #[must_use]
    pub fn or(pick: fn(Life, Life) -> Life) -> Self {
        Self { pick, first: Notes::default() }
    }
}

impl Decorator for FirstLife {
    fn shows(&self) -> bool {
        true
    }

    fn show(&self, call: &Call, object: &mut Value) {
        let Some(uid) = object["metadata"]["uid"].as_str().map(str::to_owned) else { return };
        if !call.reads_all(&Resource::JOBS) || !is_finished(object) {
            return;
        }
        let now = object["spec"]["ttlSecondsAfterFinished"].as_i64();
        let first = *self.first.open().entry(uid).or_insert(now);
        object["spec"]["ttlSecondsAfterFinished"] = (self.pick)(first, now).into();
    }
}

/// The timer that is set is not put off: a longer time to live is not obeyed.
#[must_use]
pub fn shorter(first: Life, now: Life) -> Life {
    [first, now].into_iter().flatten().min()
}

/// The timer that is set is not brought forward: a shorter time to live is not obeyed.
#[must_use]
pub fn longer(first: Life, now: Life) -> Life {
    first.zip(now).map(|(first, now)| first.max(now))
}

fn conditions(job: &mut Value) -> impl Iterator<Item = &mut Value> {
    job.pointer_mut("/status/conditions").and_then(Value::as_array_mut).into_iter().flatten()
}

/// The time to live counts from when it was clear how the Job ends, not from its end: pods that stop slowly use it up
/// (TTL-001, TTL-002).
pub fn life_from_the_decision(job: &mut Value) {
    let is_interim = |kind: &Value| kind == "SuccessCriteriaMet" || kind == "FailureTarget";
    let decided = conditions(job).find(|it| is_interim(&it["type"]) && it["status"] == "True");
    let Some(since) = decided.map(|condition| condition["lastTransitionTime"].clone()) else { return };
    let ends = conditions(job).filter(|it| it["type"] == "Complete" || it["type"] == "Failed");
    ends.for_each(|condition| condition["lastTransitionTime"] = since.clone());
}

/// The Job goes, and then its pods, at some time (TTL-005, TTL-012).
pub fn pods_after_the_job(call: &mut Call) -> Fate {
    if call.deletes_a_job() {
        call.body["propagationPolicy"] = json!("Background");
    }
    Fate::Send
}

fn live_for_ever(job: &mut Value) {
    if is_finished(job) && job["spec"].is_object() {
        job["spec"]["ttlSecondsAfterFinished"] = Value::Null;
    }
}

/// Only what is complete is finished (TTL-001).
pub fn failed_jobs(job: &mut Value) {
    if conditions(job).any(|condition| condition["type"] == "Failed" && condition["status"] == "True") {
        live_for_ever(job);
    }
}

/// Who owns a Job removes it (TTL-011).
pub fn jobs_with_an_owner(job: &mut Value) {
    if job["metadata"]["ownerReferences"].as_array().is_some_and(|owners| !owners.is_empty()) {
        live_for_ever(job);
    }
}

/// Who manages a Job removes it (MGB-009).
pub fn foreign_jobs(job: &mut Value) {
    if job["spec"]["managedBy"].as_str().is_some_and(|manager| manager != BUILT_IN_CONTROLLER) {
        live_for_ever(job);
    }
}

/// The condition with which a Job ended.
fn end(job: &mut Value) -> Option<&mut Value> {
    conditions(job).find(|it| (it["type"] == "Complete" || it["type"] == "Failed") && it["status"] == "True")
}

/// Now, as the API server writes times.
fn now() -> Value {
    let now = Timestamp::now();
    Timestamp::from_second(now.as_second()).unwrap_or(now).to_string().into()
}

/// A controller that starts sets its timers for the whole time to live of the finished Jobs that it finds (TTL-016, TTL-002).
#[derive(Debug, Default)]
pub struct EndsBeforeTheStart;

impl Decorator for EndsBeforeTheStart {
    fn shows(&self) -> bool {
        true
    }

    fn show(&self, call: &Call, object: &mut Value) {
        if call.reads_all(&Resource::JOBS)
            && !call.is_watch()
            && let Some(end) = end(object)
        {
            end["lastTransitionTime"] = now();
        }
    }
}

/// No Job ends in the future: one that says so has ended now (TTL-013).
pub fn ends_in_the_future(job: &mut Value) {
    let Some(end) = end(job) else { return };
    let at = end["lastTransitionTime"].as_str().and_then(|text| text.parse::<Timestamp>().ok());
    if at.is_some_and(|at| at > Timestamp::now()) {
        end["lastTransitionTime"] = now();
    }
}

/// A removal that is refused is not tried again, like that of a Job that is gone (TTL-015).
pub fn refused_removals(call: &Call, answer: &mut Answer) -> Next {
    if call.deletes_a_job() && answer.code >= 400 && ![404, 409].contains(&answer.code) {
        *answer = Answer::refusal(404, "NotFound");
    }
    Next::Take
}
