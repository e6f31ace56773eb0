//! *Births*: a pod is not made as its template and its Job say.

use std::collections::BTreeMap;

use jobsworth_api::Resource;
use jobsworth_api::well_known::{
    COMPLETION_INDEX, COMPLETION_INDEX_ENV, INDEX_IGNORED_FAILURE_COUNT, LEGACY_CONTROLLER_UID, LEGACY_JOB_NAME,
    TRACKING_FINALIZER,
};
use serde_json::{Value, json};

use crate::call::Call;
use crate::decorator::Fate;
use crate::{Decorator, Notes};

/// How the names of the controller's own annotations begin.
const OWN: &str = "batch.kubernetes.io/";

/// The index that a pod is to be born with.
fn has_an_index(call: &Call) -> bool {
    call.creates_a_pod() && call.body["metadata"]["annotations"][COMPLETION_INDEX].is_string()
}

/// The environments of the containers in a list of the pod's spec.
fn environments<'a>(pod: &'a mut Value, list: &str) -> impl Iterator<Item = &'a mut Vec<Value>> {
    let containers = pod["spec"].get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
    containers.filter_map(|container| container.get_mut("env").and_then(Value::as_array_mut))
}

/// The variable with the index is the controller's, so it is set whether a container brings its own or not (IDX-004).
pub fn variables_of_containers(call: &mut Call) -> Fate {
    if has_an_index(call) {
        let path = format!("metadata.labels['{COMPLETION_INDEX}']");
        for list in ["initContainers", "containers"] {
            for variable in environments(&mut call.body, list).flatten() {
                if variable["name"] == COMPLETION_INDEX_ENV {
                    *variable = json!({"name": COMPLETION_INDEX_ENV, "valueFrom": {"fieldRef": {"fieldPath": path}}});
                }
            }
        }
    }
    Fate::Send
}

/// Init containers are not told the index (IDX-003).
pub fn variables_of_init_containers(call: &mut Call) -> Fate {
    if has_an_index(call) {
        let is_ours = |variable: &Value| {
            variable["name"] == COMPLETION_INDEX_ENV && variable["valueFrom"]["fieldRef"].is_object()
        };
        environments(&mut call.body, "initContainers").for_each(|env| env.retain(|variable| !is_ours(variable)));
    }
    Fate::Send
}

/// A pod does not hold the deletion of its Job back: one in the foreground does not wait for it (PAR-014).
pub fn block_of_the_owners_deletion(call: &mut Call) -> Fate {
    if call.creates_a_pod() {
        call.body["metadata"]["ownerReferences"][0]["blockOwnerDeletion"] = false.into();
    }
    Fate::Send
}

/// The annotations with index and failures are set in place of those of the template (PAR-014).
pub fn annotations_beside_the_index(call: &mut Call) -> Fate {
    if has_an_index(call)
        && let Some(annotations) = call.body["metadata"]["annotations"].as_object_mut()
    {
        annotations.retain(|name, _| name.starts_with(OWN));
    }
    Fate::Send
}

/// The finalizer is set in place of those of the template (PAR-014).
pub fn finalizers_of_the_template(call: &mut Call) -> Fate {
    if call.creates_a_pod() {
        call.body["metadata"]["finalizers"] = json!([TRACKING_FINALIZER]);
    }
    Fate::Send
}

/// A template is immutable, so the first one that was seen of a Job is kept (SUS-010 to SUS-012).
#[derive(Debug, Default)]
pub struct FirstTemplate {
    templates: Notes<BTreeMap<String, Value>>,
}

impl Decorator for FirstTemplate {
    fn shows(&self) -> bool {
        true
    }

    fn show(&self, call: &Call, object: &mut Value) {
        let uid = object["metadata"]["uid"].as_str().map(str::to_owned);
        let Some(uid) = uid.filter(|_| call.reads_all(&Resource::JOBS)) else { return };
        if let Some(template) = object.pointer_mut("/spec/template") {
            *template = self.templates.open().entry(uid).or_insert_with(|| template.clone()).clone();
        }
    }
}

/// The host name is the beginning of the pod's name, which is cut where the name of the Job is long (IDX-005).
pub fn host_names_of_long_names(call: &mut Call) -> Fate {
    let prefix = call.body["metadata"]["generateName"].as_str().filter(|_| has_an_index(call));
    if let Some(host) = prefix.map(|prefix| prefix.trim_end_matches('-').to_owned()) {
        call.body["spec"]["hostname"] = host.into();
    }
    Fate::Send
}

/// Only failures that count are carried on to the next pod of an index (BLI-001).
pub fn ignored_failures_of_an_index(call: &mut Call) -> Fate {
    if has_an_index(call)
        && let Some(annotations) = call.body["metadata"]["annotations"].as_object_mut()
    {
        annotations.remove(INDEX_IGNORED_FAILURE_COUNT);
    }
    Fate::Send
}

/// Pods have the labels with the prefix of the API group, and not the old ones without (PAR-014).
pub fn old_labels(call: &mut Call) -> Fate {
    if call.creates_a_pod()
        && let Some(labels) = call.body["metadata"]["labels"].as_object_mut()
    {
        labels.retain(|name, _| name != LEGACY_JOB_NAME && name != LEGACY_CONTROLLER_UID);
    }
    Fate::Send
}
