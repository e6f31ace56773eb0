//! A Job read from JSON, whatever is in it: a field that cannot be read costs no more than it must.
//!
//! Anybody who may write a Job may put into it what the API server stores and our bindings do not hold: a time after the last
//! one that they know, a field of a template in a form of later versions. Such a Job is served all the same. What decisions
//! need must be readable; if it is not, the Job is known, told of and left alone.

use jiff::Timestamp;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::{Map, Value, json};

use super::JobView;
use crate::Unparsable;

/// A Job as it is written back, and as decisions see it.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The object, as far as it can be read.
    pub object: Job,
    /// What decisions look at.
    pub view: JobView,
}

/// Reads a Job.
///
/// # Errors
///
/// When it does not say who it is: without UID, name, namespace or resourceVersion there is nothing to remember.
pub fn read(json: &str) -> Result<Reading, Unparsable> {
    match serde_json::from_str::<Job>(json) {
        Ok(object) => seen(object),
        Err(error) => salvage(json, &error.to_string()),
    }
}

fn seen(object: Job) -> Result<Reading, Unparsable> {
    let view = match JobView::parse(&object) {
        Ok(view) => view,
        Err(error) => {
            let manager = object.spec.as_ref().and_then(|spec| spec.managed_by.as_deref());
            JobView::unreadable(&object.metadata, manager, &error.to_string())?
        }
    };
    Ok(Reading { object, view })
}

/// The slow way: less and less is taken from the object until the rest can be read.
fn salvage(json: &str, why: &str) -> Result<Reading, Unparsable> {
    let no_json = |error: serde_json::Error| Unparsable::Invalid { field: "the object", problem: error.to_string() };
    let mut value: Value = serde_json::from_str(json).map_err(no_json)?;
    bring_times_into_range(&mut value);
    if let Ok(object) = serde_json::from_value::<Job>(value.clone()) {
        return seen(object);
    }
    // Pods are made from the template as it came; decisions need one field of it.
    if let Some(template) = value.pointer_mut("/spec/template") {
        let restarts = template.pointer("/spec/restartPolicy").cloned();
        *template = json!({"spec": {"containers": [], "restartPolicy": restarts}});
    }
    if let Ok(object) = serde_json::from_value::<Job>(value.clone()) {
        return seen(object);
    }
    let metadata = value.get("metadata").map(identity).unwrap_or_default();
    let manager = value.pointer("/spec/managedBy").and_then(Value::as_str);
    let view = JobView::unreadable(&metadata, manager, why)?;
    Ok(Reading { object: Job { metadata, ..Job::default() }, view })
}

/// Who an object is, when not even all of its metadata can be read.
fn identity(metadata: &Value) -> ObjectMeta {
    if let Ok(whole) = serde_json::from_value(metadata.clone()) {
        return whole;
    }
    let fields = ["name", "namespace", "uid", "resourceVersion"];
    let known: Map<String, Value> =
        fields.iter().filter_map(|field| Some(((*field).to_owned(), metadata.get(*field)?.clone()))).collect();
    let mut known: ObjectMeta = serde_json::from_value(known.into()).unwrap_or_default();
    // Whatever it says, what is there at all is a deletion.
    known.deletion_timestamp = metadata
        .get("deletionTimestamp")
        .filter(|time| !time.is_null())
        .map(|_| k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(Timestamp::UNIX_EPOCH));
    known
}

/// Puts the nearest time that can be held in place of times that cannot. Go's times go on for a day and a bit longer than ours.
pub(crate) fn bring_times_into_range(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            // What users wrote for themselves goes back as it came.
            for (name, field) in
                fields.iter_mut().filter(|(name, _)| !["annotations", "labels"].contains(&name.as_str()))
            {
                let is_time = ["Time", "Timestamp", "At"].iter().any(|end| name.ends_with(end));
                match field {
                    Value::String(text) if is_time => {
                        if let Some(nearest) = nearest(text) {
                            *text = nearest;
                        }
                    }
                    other => bring_times_into_range(other),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(bring_times_into_range),
        _ => {}
    }
}

/// The nearest time for a text that is like a time and none that can be held.
fn nearest(text: &str) -> Option<String> {
    let like_a_time = text.contains('T') && text.bytes().filter(u8::is_ascii_digit).count() >= 14;
    if !like_a_time || text.parse::<Timestamp>().is_ok() {
        return None;
    }
    let end = if text.starts_with('-') { Timestamp::UNIX_EPOCH } else { Timestamp::MAX };
    Timestamp::from_second(end.as_second()).ok().map(|time| time.to_string())
}
