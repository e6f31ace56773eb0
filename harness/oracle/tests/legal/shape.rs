//! The shape of a history: which kinds of changes there were, in which order, without names and times.

use jobsworth_oracle::{Fact, Timeline};
use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Two histories of one number had the same kinds of changes in the same order.
pub fn of(timeline: &Timeline) -> u64 {
    let mut known: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for entry in timeline.entries() {
        let word = match &entry.fact {
            Fact::Mark(mark) => mark.clone(),
            Fact::Request(request) => format!("{} {} {:?}", request.verb, request.on, request.code),
            Fact::Gap(resource) => format!("gap {resource}"),
            Fact::Answer(answer) => answer.to.clone(),
            fact => {
                let Some(sighting) = fact.sighting() else { continue };
                let traits = match (fact.version::<Job>(), fact.version::<Pod>()) {
                    (Some(job), _) => job_traits(&job.raw),
                    (_, Some(pod)) => pod_traits(&pod.raw),
                    _ => continue,
                };
                let before = known.insert(sighting.uid().to_owned(), traits.clone()).unwrap_or_default();
                let mut word = String::from(if matches!(fact, Fact::ObjectGone(_)) { "gone" } else { "there" });
                for trait_ in traits.iter().filter(|trait_| !before.contains(trait_)) {
                    let _ = write!(word, " +{trait_}");
                }
                for trait_ in before.iter().filter(|trait_| !traits.contains(trait_)) {
                    let _ = write!(word, " -{trait_}");
                }
                word
            }
        };
        for byte in word.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}

fn text(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).map(ToString::to_string).unwrap_or_default()
}

fn job_traits(job: &Value) -> Vec<String> {
    let mut traits = Vec::new();
    for key in ["parallelism", "completions", "suspend", "backoffLimit", "completionMode", "podReplacementPolicy"] {
        traits.push(format!("{key} {}", text(job, &format!("/spec/{key}"))));
    }
    for key in ["active", "ready", "terminating", "succeeded", "failed", "completedIndexes", "failedIndexes"] {
        traits.push(format!("{key} {}", text(job, &format!("/status/{key}"))));
    }
    for list in ["succeeded", "failed"] {
        let uncounted = job.pointer(&format!("/status/uncountedTerminatedPods/{list}")).and_then(Value::as_array);
        traits.push(format!("uncounted {list} {}", uncounted.map_or(0, Vec::len)));
    }
    for condition in job.pointer("/status/conditions").and_then(Value::as_array).into_iter().flatten() {
        traits.push(format!("{} {} {}", condition["type"], condition["status"], condition["reason"]));
    }
    traits.push(format!("finalizers {}", text(job, "/metadata/finalizers")));
    traits.push(format!("deleted {}", job.pointer("/metadata/deletionTimestamp").is_some()));
    traits
}

fn pod_traits(pod: &Value) -> Vec<String> {
    vec![
        text(pod, "/status/phase"),
        format!("finalizers {}", text(pod, "/metadata/finalizers")),
        format!("owners {}", pod.pointer("/metadata/ownerReferences").and_then(Value::as_array).map_or(0, Vec::len)),
        format!("stopping {}", pod.pointer("/metadata/deletionTimestamp").is_some()),
        format!("node {}", pod.pointer("/spec/nodeName").is_some()),
        format!("ready {}", text(pod, "/status/conditions/0/status")),
        format!("index {}", text(pod, "/metadata/annotations/batch.kubernetes.io~1job-completion-index")),
    ]
}
