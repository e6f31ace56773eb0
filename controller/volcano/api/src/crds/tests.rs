//! What the definitions must say.

use std::sync::LazyLock;

use rstest::rstest;
use serde_json::{Value, json};

use super::*;

/// Made once: it takes a while.
static ALL: LazyLock<Vec<Value>> =
    LazyLock::new(|| all().iter().map(|crd| serde_json::to_value(crd).unwrap()).collect());

fn crd(name: &str) -> &'static Value {
    ALL.iter().find(|crd| crd["metadata"]["name"] == name).unwrap()
}

fn schema(name: &str, path: &str) -> Value {
    let root = "/spec/versions/0/schema/openAPIV3Schema";
    let path = path.split('.').fold(root.to_owned(), |at, step| match step {
        "[]" => format!("{at}/items"),
        "{}" => format!("{at}/additionalProperties"),
        name => format!("{at}/properties/{name}"),
    });
    crd(name).pointer(&path).cloned().unwrap_or_else(|| panic!("{path}"))
}

const JOBS: &str = "jobs.batch.volcano.sh";
const GROUPS: &str = "podgroups.scheduling.volcano.sh";
const QUEUES: &str = "queues.scheduling.volcano.sh";
const COMMANDS: &str = "commands.bus.volcano.sh";

#[test]
fn the_file_is_what_the_types_say() {
    let file = include_str!("../../../../deploy/volcano/crds.yaml");
    assert!(
        file == yaml(),
        "write it anew: cargo run -p jobsworth-volcano -- crds > controller/deploy/volcano/crds.yaml"
    );
}

#[test]
fn the_text_reads_back_as_the_definitions() {
    let text = yaml();
    let documents = text.split("---\n").filter(|text| !text.is_empty());
    let back: Vec<CustomResourceDefinition> = documents.map(|text| serde_yaml::from_str(text).unwrap()).collect();
    assert_eq!(back, all());
}

/// (VJ-001, VJ-002, VJ-300)
#[rstest]
#[case(JOBS, "batch.volcano.sh", "v1alpha1", "Job", json!(["vcjob", "vj"]), "Namespaced")]
#[case(GROUPS, "scheduling.volcano.sh", "v1beta1", "PodGroup", json!(["pg", "podgroup-v1beta1"]), "Namespaced")]
#[case(QUEUES, "scheduling.volcano.sh", "v1beta1", "Queue", json!(["q", "queue-v1beta1"]), "Cluster")]
#[case(COMMANDS, "bus.volcano.sh", "v1alpha1", "Command", json!([]), "Namespaced")]
fn names_are_those_of_the_api(
    #[case] name: &str,
    #[case] group: &str,
    #[case] version: &str,
    #[case] kind: &str,
    #[case] short: Value,
    #[case] scope: &str,
) {
    let crd = crd(name);
    let spec = &crd["spec"];
    assert_eq!(spec["group"], group);
    assert_eq!(spec["versions"].as_array().unwrap().len(), 1);
    assert_eq!(spec["versions"][0]["name"], version);
    assert_eq!((&spec["versions"][0]["served"], &spec["versions"][0]["storage"]), (&json!(true), &json!(true)));
    assert_eq!(spec["names"]["kind"], kind);
    assert_eq!(spec["names"]["singular"], kind.to_lowercase());
    assert_eq!(spec["names"].get("shortNames").cloned().unwrap_or(json!([])), short);
    assert_eq!(spec["scope"], scope);
}

/// (VJ-003, VJ-263, VJ-300)
#[rstest]
#[case::jobs(JOBS, true)]
#[case::queues(QUEUES, true)]
#[case::groups(GROUPS, false)]
#[case::commands(COMMANDS, false)]
fn status_is_a_subresource_where_it_is_one(#[case] name: &str, #[case] is: bool) {
    assert_eq!(crd(name).pointer("/spec/versions/0/subresources/status").is_some(), is);
}

/// (VJ-004)
#[test]
fn a_table_of_jobs_has_five_columns() {
    let crd = crd(JOBS);
    let columns: Vec<(&str, &str, &str, i64)> = crd["spec"]["versions"][0]["additionalPrinterColumns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|column| {
            let text = |key: &str| column[key].as_str().unwrap();
            (text("name"), text("type"), text("jsonPath"), column["priority"].as_i64().unwrap_or(0))
        })
        .collect();
    assert_eq!(
        columns,
        [
            ("STATUS", "string", ".status.state.phase", 0),
            ("minAvailable", "integer", ".status.minAvailable", 0),
            ("RUNNINGS", "integer", ".status.running", 0),
            ("AGE", "date", ".metadata.creationTimestamp", 0),
            ("QUEUE", "string", ".spec.queue", 1),
        ]
    );
}

/// (VJ-005, VJ-026) Whatever stands under an unknown name is pruned, at every depth.
#[test]
fn nothing_keeps_unknown_fields_and_nothing_is_nullable() {
    let text = serde_json::to_string(&*ALL).unwrap();
    assert!(!text.contains("preserve-unknown-fields"));
    assert!(!text.contains("\"nullable\""));
    assert!(!text.contains("\"$ref\""));
    assert!(!text.contains("VJ-"), "numbers of requirements are not for users");
}

#[rstest]
// VJ-010
#[case("spec.schedulerName", json!({"type": "string", "maxLength": 63}))]
// VJ-011, VJ-050
#[case("spec.minAvailable", json!({"type": "integer", "format": "int32", "minimum": 0.0}))]
// VJ-012, VJ-053
#[case("spec.volumes.[].mountPath", json!({"type": "string", "minLength": 1, "pattern": "^[^:]+$"}))]
#[case("spec.volumes.[].volumeClaimName", json!({"type": "string", "maxLength": 253}))]
// VJ-015
#[case("spec.plugins", json!({"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}}))]
// VJ-016
#[case("spec.queue", json!({"type": "string", "maxLength": 253, "default": "default", "pattern": crate::wire::SUBDOMAIN}))]
// VJ-017, VJ-050
#[case("spec.maxRetry", json!({"type": "integer", "format": "int32", "minimum": 0.0, "default": 3}))]
// VJ-018
#[case("spec.ttlSecondsAfterFinished", json!({"type": "integer", "format": "int32", "minimum": 0.0}))]
// VJ-019
#[case("spec.priorityClassName", json!({"type": "string", "maxLength": 253, "pattern": crate::wire::SUBDOMAIN}))]
// VJ-020, VJ-053
#[case("spec.minSuccess", json!({"type": "integer", "format": "int32", "minimum": 1.0}))]
// VJ-021
#[case("spec.runningEstimate", json!({"type": "string"}))]
// VJ-022
#[case("spec.networkTopology.mode", json!({"type": "string", "enum": ["hard", "soft"], "default": "hard"}))]
#[case("spec.networkTopology.highestTierAllowed", json!({"type": "integer", "format": "int64", "minimum": 0.0}))]
#[case("spec.networkTopology.highestTierName", json!({"type": "string", "maxLength": 253, "pattern": crate::wire::SUBDOMAIN}))]
// VJ-023, VJ-052
#[case("spec.tasks.[].name", json!({"type": "string", "maxLength": 63, "pattern": crate::wire::LABEL}))]
// VJ-024, VJ-025, VJ-029
#[case("spec.tasks.[].replicas", json!({"type": "integer", "format": "int32", "minimum": 0.0}))]
#[case("spec.tasks.[].minAvailable", json!({"type": "integer", "format": "int32", "minimum": 0.0}))]
#[case("spec.tasks.[].maxRetry", json!({"type": "integer", "format": "int32", "minimum": 0.0}))]
// VJ-028
#[case("spec.tasks.[].topologyPolicy", json!({"type": "string", "enum": ["none", "best-effort", "restricted", "single-numa-node"]}))]
// VJ-030
#[case("spec.tasks.[].dependsOn.iteration", json!({"type": "string"}))]
// VJ-031, VJ-054
#[case("spec.tasks.[].partitionPolicy.totalPartitions", json!({"type": "integer", "format": "int32", "minimum": 1.0}))]
#[case("spec.tasks.[].partitionPolicy.partitionSize", json!({"type": "integer", "format": "int32", "minimum": 1.0}))]
#[case("spec.tasks.[].partitionPolicy.minPartitions", json!({"type": "integer", "format": "int32", "minimum": 0.0, "default": 0}))]
// VJ-032
#[case("spec.policies.[].action", json!({"type": "string"}))]
#[case("spec.policies.[].timeout", json!({"type": "string"}))]
#[case("spec.policies.[].exitCode", json!({"type": "integer", "format": "int32"}))]
#[case("spec.policies.[].event", json!({"type": "string", "enum": ["*", "PodPending", "PodRunning", "PodFailed", "PodEvicted", "Unknown",
    "TaskCompleted", "TaskFailed", "OutOfSync", "CommandIssued", "JobUpdated"]}))]
// VJ-106
#[case("status.state.phase", json!({"type": "string", "enum": ["Pending", "Aborting", "Aborted", "Running", "Restarting", "Completing",
    "Completed", "Terminating", "Terminated", "Failed"]}))]
// Quantities are numbers too.
#[case("spec.tasks.[].template.spec.containers.[].resources.limits.{}", json!({"anyOf": [{"type": "integer"}, {"type": "string"}],
    "x-kubernetes-int-or-string": true, "pattern": QUANTITY}))]
#[case("spec.tasks.[].template.spec.containers.[].livenessProbe.httpGet.port", json!({"anyOf": [{"type": "integer"}, {"type": "string"}],
    "x-kubernetes-int-or-string": true}))]
fn a_field_of_a_job_is_what_the_page_says(#[case] path: &str, #[case] mut expected: Value) {
    let mut found = schema(JOBS, path);
    found.as_object_mut().unwrap().remove("description");
    // Whether a bound is written 0 or 0.0 says nothing.
    for value in [&mut found, &mut expected] {
        if let Some(minimum) = value.get_mut("minimum") {
            *minimum = json!(minimum.as_f64());
        }
    }
    assert_eq!(found, expected);
}

/// (VJ-013, VJ-031, VJ-051, VJ-054, VJ-105)
#[test]
fn required_fields_and_counters_are_those_of_the_page() {
    assert_eq!(schema(JOBS, "spec.tasks")["minItems"], 1);
    assert_eq!(schema(JOBS, "spec").get("required"), None);
    assert_eq!(schema(JOBS, "spec.tasks.[].partitionPolicy")["required"], json!(["partitionSize", "totalPartitions"]));
    assert_eq!(schema(JOBS, "spec.volumes.[]")["required"], json!(["mountPath"]));
    assert_eq!(schema(JOBS, "spec.tasks.[].template.spec")["required"], json!(["containers"]));
    for counter in ["pending", "running", "succeeded", "failed", "terminating", "unknown", "version", "retryCount"] {
        assert_eq!(schema(JOBS, &format!("status.{counter}"))["type"], "integer");
    }
}

/// (VJ-005, VJ-012) Names of the design document that the API does not have.
#[rstest]
#[case("spec", "taskSpecs")]
#[case("spec.volumes.[]", "claim")]
#[case("spec.tasks.[].template.spec", "priorityClass")]
#[case("status", "Succeeded")]
fn names_of_the_seed_are_unknown(#[case] path: &str, #[case] name: &str) {
    assert_eq!(schema(JOBS, path)["properties"].get(name), None);
}

#[test]
fn a_template_hands_on_five_fields_of_its_metadata() {
    let metadata = schema(JOBS, "spec.tasks.[].template.metadata");
    let names: Vec<&String> = metadata["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, TEMPLATE_METADATA);
}

/// (VJ-300)
#[test]
fn an_order_has_its_fields_at_the_top() {
    for name in ["action", "target", "reason", "message"] {
        schema(COMMANDS, name);
    }
    let crd = crd(COMMANDS);
    assert_eq!(crd.pointer("/spec/versions/0/schema/openAPIV3Schema/properties/spec"), None);
}

/// What an API server asks of a schema before it takes it ("structural"), as far as these schemas could break it.
fn faults(path: &str, schema: &Value, found: &mut Vec<String>) {
    let is_either = schema.get("x-kubernetes-int-or-string") == Some(&json!(true));
    let kind = schema.get("type").and_then(Value::as_str).unwrap_or_default();
    let mut says = |fault: &str| found.push(format!("{path}: {fault}"));
    if is_either != kind.is_empty() {
        says("it has a type, or is a number or a text");
    }
    if is_either != schema.get("anyOf").is_some()
        || ["oneOf", "allOf", "not"].iter().any(|word| schema.get(*word).is_some())
    {
        says("alternatives are for what is a number or a text");
    }
    if schema.get("properties").is_some() && schema.get("additionalProperties").is_some() {
        says("it has fields, or is a map");
    }
    if (kind == "array") != schema.get("items").is_some() || (kind != "object" && schema.get("properties").is_some()) {
        says("items are for arrays, fields for objects");
    }
    let required = schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if required.iter().filter_map(Value::as_str).any(|name| schema["properties"].get(name).is_none()) {
        says("a required field is not among the fields");
    }
    let is_known = |word: &String| KEYWORDS.contains(&word.as_str());
    if let Some(word) = schema.as_object().unwrap().keys().find(|word| !is_known(word)) {
        says(&format!("{word} is no word of such a schema"));
    }
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        faults(&format!("{path}.{name}"), property, found);
    }
    for below in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get(below) {
            faults(&format!("{path}.{below}"), inner, found);
        }
    }
}

const KEYWORDS: [&str; 18] = [
    "additionalProperties",
    "anyOf",
    "default",
    "description",
    "enum",
    "format",
    "items",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "pattern",
    "properties",
    "required",
    "type",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-type",
];

#[test]
fn schemas_are_structural() {
    let mut found = Vec::new();
    for crd in ALL.iter() {
        let name = crd["metadata"]["name"].as_str().unwrap();
        faults(name, &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"], &mut found);
    }
    assert_eq!(found, Vec::<String>::new());
}
