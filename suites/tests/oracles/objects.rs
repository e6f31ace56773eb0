//! Other versions of a Workload or a `PodGroup`.

use crate::falsify::{set, with, without};
use serde_json::{Value, json};

/// Versions of `object` with one change.
pub fn edits(object: &Value) -> Vec<Value> {
    let gang = |size: u32| json!({"gang": {"minCount": size}});
    let mut edits = vec![
        set(object, "/metadata", "name", "planned".into()),
        without(object, "/metadata", "ownerReferences"),
        set(object, "/spec", "controllerRef", json!({})),
    ];
    for policy in [gang(1), gang(2), gang(5), gang(70), json!({"basic": {}})] {
        edits.push(set(object, "/spec", "schedulingPolicy", policy.clone()));
        edits.push(with(object, |copy| {
            if let Some(template) = copy.pointer_mut("/spec/podGroupTemplates/0") {
                template["schedulingPolicy"] = policy;
            }
        }));
    }
    edits.push(with(object, |copy| {
        for owner in copy["metadata"]["ownerReferences"].as_array_mut().into_iter().flatten() {
            owner["controller"] = false.into();
        }
    }));
    edits.push(with(object, |copy| {
        if let Some(owners) = copy["metadata"]["ownerReferences"].as_array_mut() {
            owners.retain(|owner| owner["controller"] == true);
            owners
                .push(json!({"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "Workload", "name": "w", "uid": "w"}));
        }
    }));
    edits.push(with(object, |copy| {
        if let Some(owners) = copy["metadata"]["ownerReferences"].as_array_mut() {
            owners.retain(|owner| owner["controller"] == true);
        }
    }));
    edits
}

/// Others like `object`: one more for its Job, and one for each other Job that a case may have.
pub fn twins(object: &Value) -> Vec<Value> {
    let twin = set(&set(object, "/metadata", "name", "twin".into()), "/metadata", "uid", "twin".into());
    let others = ["job", "astray", "own", "below", "next", "crowd"].into_iter().map(|job| {
        with(&twin, |copy| {
            for owner in copy["metadata"]["ownerReferences"].as_array_mut().into_iter().flatten() {
                if owner["kind"] == "Job" {
                    owner["name"] = job.into();
                }
            }
        })
    });
    others.chain([twin.clone()]).collect()
}
