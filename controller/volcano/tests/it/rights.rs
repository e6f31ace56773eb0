//! A job that uses everything there is: what is made for it, and that the controller's role allows every request.

use std::collections::BTreeSet;

use k8s_openapi::api::rbac::v1::PolicyRule;
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::world::{COMMAND, JOB, World, command, running};

/// The roles that it is deployed with.
const ROLES: &str = include_str!("../../../deploy/volcano/roles.yaml");

/// The rules of the controller's role.
fn rules() -> Vec<PolicyRule> {
    let documents = ROLES.split("\n---\n").map(|text| serde_yaml::from_str::<Value>(text).unwrap());
    let is_role = |it: &Value| it["kind"] == "ClusterRole" && it["metadata"]["name"] == "jobsworth-volcano-controller";
    let role = documents.into_iter().find(is_role).unwrap();
    Vec::deserialize(&role["rules"]).unwrap()
}

/// API group, resource and verb of a request.
fn right(line: &str) -> (String, String, &'static str) {
    let (method, uri) = line.split_once(' ').unwrap();
    let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let (group, rest) = if parts[0] == "api" { ("", &parts[2..]) } else { (parts[1], &parts[3..]) };
    let rest = if rest[0] == "namespaces" { &rest[2..] } else { rest };
    let resource = if rest.len() > 2 { format!("{}/{}", rest[0], rest[2]) } else { rest[0].to_owned() };
    let verb = match method {
        "GET" if query.contains("watch=true") => "watch",
        "GET" if rest.len() == 1 => "list",
        "GET" => "get",
        "POST" => "create",
        "PUT" => "update",
        "PATCH" => "patch",
        _ => "delete",
    };
    (group.to_owned(), resource, verb)
}

fn is_there(world: &World, path: &str) -> bool {
    world.get(path).is_some()
}

/// (VJ-249, VJ-278, VJ-284, VJ-285)
#[tokio::test(start_paused = true)]
async fn a_job_with_plugins_and_a_claim_gets_them_by_requests_that_the_role_allows() {
    let claim = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}});
    let spec = json!({
        "plugins": {"ssh": [], "svc": [], "env": []},
        "volumes": [{"mountPath": "/data", "volumeClaim": claim}],
    });
    let world = running(&spec, |_| None).await;
    let objects = [
        "/api/v1/namespaces/n/services/j",
        "/api/v1/namespaces/n/configmaps/j-svc",
        "/api/v1/namespaces/n/secrets/j-ssh",
        "/apis/networking.k8s.io/v1/namespaces/n/networkpolicies/j",
    ];
    for path in objects {
        assert!(is_there(&world, path), "{path}: {:#?}", world.lines());
    }
    let name = world.get(JOB).unwrap()["spec"]["volumes"][0]["volumeClaimName"].as_str().unwrap().to_owned();
    assert!(name.starts_with("j-pvc-"), "{name}");
    assert!(is_there(&world, &format!("/api/v1/namespaces/n/persistentvolumeclaims/{name}")));
    world.put(COMMAND, command("AbortJob", "j"));
    world.until("an aborted job", |world| world.phase().as_deref() == Some("Aborted")).await;
    assert!(!is_there(&world, objects[0]), "objects of plugins go with the pods");
    let rules = rules();
    let asked: BTreeSet<_> = world.log.lock().unwrap().iter().map(|seen| right(&seen.line)).collect();
    for (group, resource, verb) in &asked {
        let has = |list: Option<&Vec<String>>, word: &str| list.is_some_and(|list| list.iter().any(|it| it == word));
        let allows = |rule: &PolicyRule| {
            has(rule.api_groups.as_ref(), group)
                && has(rule.resources.as_ref(), resource)
                && rule.verbs.iter().any(|it| it == verb)
        };
        assert!(rules.iter().any(allows), "{verb} {resource} in {group}");
    }
}
