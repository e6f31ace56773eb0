//! When something happened, as far as what was written down tells.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

/// When this version of an object was written: the latest time of its writers, else of its creation. Of an Event, when it
/// last happened.
pub(super) fn of_object(object: &Value) -> Option<Timestamp> {
    let writers = object.pointer("/metadata/managedFields").and_then(Value::as_array).into_iter().flatten();
    let writers = writers.filter_map(|entry| parsed(entry.get("time")?));
    let others = [
        "/metadata/creationTimestamp",
        "/lastTimestamp",
        "/deprecatedLastTimestamp",
        "/eventTime",
        "/series/lastObservedTime",
    ];
    let others = others.into_iter().filter_map(|pointer| parsed(object.pointer(pointer)?));
    writers.chain(others).chain(deleted(object)).max()
}

/// When it was deleted: the time until which it may stay, without its grace.
fn deleted(object: &Value) -> Option<Timestamp> {
    let until = parsed(object.pointer("/metadata/deletionTimestamp")?)?;
    let grace = object.pointer("/metadata/deletionGracePeriodSeconds").and_then(Value::as_i64).unwrap_or(0);
    until.checked_sub(SignedDuration::from_secs(grace)).ok()
}

pub(super) fn parsed(text: &Value) -> Option<Timestamp> {
    text.as_str()?.parse().ok()
}
