//! The definitions that an API server is given, made from the types.
//!
//! What cannot be said by a type is added here: nothing is nullable (the server drops a null, VJ-015), quantities may be numbers and
//! have a pattern, metadata within a pod template is what pods take from it, and a `PodGroup` has no status subresource (VJ-263).
//!
//! Pod templates and claims have the whole schema of Kubernetes, so that the server prunes what it does not know (VJ-026) and refuses
//! what has the wrong type, each with its path. They have no descriptions: with them the file would be four times as large.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube_core::crd::v1::CustomResourceExt;
use serde_json::{Map, Value, json};

use crate::{Command, Job, PodGroup, Queue};

/// What a quantity may look like.
const QUANTITY: &str = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$";
/// Fields that are a number or a word, not a quantity.
const INT_OR_STRING: &[&str] = &["port"];
/// Fields that hold a type of core/v1.
const CORE: &[&str] = &["template", "volumeClaim"];
/// Metadata that a pod takes from its template, or a claim from its.
const TEMPLATE_METADATA: &[&str] = &["annotations", "finalizers", "labels", "name", "namespace"];

/// The definitions of all four kinds.
#[must_use]
pub fn all() -> Vec<CustomResourceDefinition> {
    let mut groups = PodGroup::crd();
    for version in &mut groups.spec.versions {
        version.subresources = None;
    }
    [Job::crd(), Command::crd(), groups, Queue::crd()].into_iter().map(completed).collect()
}

/// All definitions as one YAML text, a document each.
#[must_use]
pub fn yaml() -> String {
    let text = |crd: &CustomResourceDefinition| {
        serde_yaml::to_string(crd).expect("a definition has nothing that YAML has not")
    };
    let documents: Vec<String> = all().iter().map(text).collect();
    format!("---\n{}", documents.join("---\n"))
}

fn completed(mut crd: CustomResourceDefinition) -> CustomResourceDefinition {
    for version in &mut crd.spec.versions {
        let schema = version.schema.as_mut().and_then(|schema| schema.open_api_v3_schema.as_mut());
        let Some(props) = schema else { continue };
        let mut value = serde_json::to_value(&*props).expect("a schema is JSON");
        complete("", &mut value, false);
        *props = serde_json::from_value(value).expect("an edited schema is a schema");
    }
    crd
}

/// Completes the schema of a field, and of all below it. `core` is whether it is within a type of core/v1.
fn complete(field: &str, schema: &mut Value, core: bool) {
    let Value::Object(schema) = schema else { return };
    schema.remove("nullable");
    schema.remove("title");
    if let Some(Value::Array(words)) = schema.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
    if core {
        schema.remove("description");
    } else if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = for_users(text);
    }
    if schema.contains_key("x-kubernetes-int-or-string") {
        schema.insert("anyOf".to_owned(), json!([{ "type": "integer" }, { "type": "string" }]));
        if !INT_OR_STRING.contains(&field) {
            schema.insert("pattern".to_owned(), QUANTITY.into());
            // The words of the library about quantities are a page long.
            schema.remove("description");
        }
    }
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        trim(properties);
        for (name, property) in properties {
            let core = core || CORE.contains(&name.as_str());
            complete(name, property, core);
            if core && CORE.contains(&name.as_str()) {
                describe(name, property);
            }
        }
    }
    for below in ["items", "additionalProperties"] {
        if let Some(below) = schema.get_mut(below) {
            complete("", below, core);
        }
    }
}

/// A description without the numbers of requirements.
fn for_users(text: &str) -> String {
    match text.split_once(" (VJ-") {
        Some((before, rest)) => [before, rest.split_once(')').map_or("", |(_, after)| after)].concat(),
        None => text.to_owned(),
    }
}

/// Leaves of an object's metadata what a template hands on.
fn trim(properties: &mut Map<String, Value>) {
    if properties.contains_key("managedFields") {
        properties.retain(|name, _| TEMPLATE_METADATA.contains(&name.as_str()));
    }
}

fn describe(name: &str, schema: &mut Value) {
    let text = if name == "template" { "The pods, as in core/v1." } else { "The claim to make, as in core/v1." };
    if let Value::Object(schema) = schema {
        schema.insert("description".to_owned(), text.into());
    }
}

#[cfg(test)]
mod tests;
