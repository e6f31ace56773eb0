//! The configurations that lead the API server here.

use jobsworth_volcano::webhook::admit::Question;
use serde_json::{Value, json};

fn documents() -> Vec<Value> {
    let text = include_str!("../../../deploy/volcano/webhooks.yaml");
    text.split("---\n").skip(1).map(|text| serde_yaml::from_str(text).unwrap()).collect()
}

/// (VJ-042, VJ-090, VJ-091, VJ-100)
#[test]
fn each_configuration_leads_to_a_question() {
    let mut seen = Vec::new();
    for document in documents() {
        let hook = &document["webhooks"][0];
        let path = hook["clientConfig"]["service"]["path"].as_str().unwrap();
        assert!(Question::at(path).is_some(), "{path}");
        assert_eq!(document["metadata"]["name"], format!("volcano-admission-service{}", path.replace('/', "-")));
        assert_eq!((&hook["failurePolicy"], &hook["timeoutSeconds"]), (&json!("Fail"), &json!(10)));
        assert_eq!((&hook["sideEffects"], &hook["admissionReviewVersions"]), (&json!("NoneOnDryRun"), &json!(["v1"])));
        let resource = hook["rules"][0]["resources"][0].as_str().unwrap();
        assert!(path.starts_with(&format!("/{resource}/")), "{path}: {resource}");
        let is_mutating = document["kind"] == "MutatingWebhookConfiguration";
        assert_eq!(is_mutating, hook["rules"][0]["operations"] == json!(["CREATE"]));
        if resource != "queues" {
            let exempt = &hook["namespaceSelector"]["matchExpressions"][0]["values"];
            assert_eq!(exempt, &json!(["kube-system", "volcano-system"]));
        }
        seen.push(path.to_owned());
    }
    assert_eq!(seen, ["/jobs/mutate", "/jobs/validate", "/podgroups/mutate", "/queues/validate"]);
}
