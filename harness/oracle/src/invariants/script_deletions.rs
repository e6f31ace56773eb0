//! What the script has deleted, as the answers have it.

use crate::{
    fact::{Answer, Fact},
    timeline::Timeline,
};
use std::collections::BTreeSet;

/// UIDs in accepted answers that are a Job being deleted, or a Status with details of one.
pub(super) fn deleted_by_script(timeline: &Timeline) -> BTreeSet<String> {
    let answers = timeline.entries().iter().filter_map(|entry| match &entry.fact {
        Fact::Answer(answer) if answer.code < 300 => Some(answer),
        _ => None,
    });
    let text = |answer: &Answer, pointer: &str| {
        answer.body.pointer(pointer).and_then(|value| value.as_str()).map(str::to_owned)
    };
    answers
        .filter_map(|answer| {
            let is_deleting = answer.body.pointer("/metadata/deletionTimestamp").is_some();
            text(answer, "/details/uid").or_else(|| text(answer, "/metadata/uid").filter(|_| is_deleting))
        })
        .collect()
}
