//! The objects of a controller in pods, from its manifests: what is wrong with them, and what they become in one cluster. Pure.

use serde_json::{Value, json};

use crate::cluster::contract::subject_kind::{DeployedController, Placeholder, Values, named};

/// The environment variables by which a program in a pod finds the API server.
const API_SERVER: [&str; 2] = ["KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"];

/// Where the API server is for pods, where the address of its Service leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ApiServer {
    pub host: String,
    pub port: u16,
}

/// What an object is called: `ClusterRole {namespace}`.
pub(super) fn title(object: &Value) -> String {
    format!("{} {}", object["kind"], object["metadata"]["name"]).replace('"', "")
}

/// What is wrong with placeholders in an object, in words.
pub(super) fn mistake(object: &Value, manager: Option<&str>) -> Option<String> {
    match object {
        Value::String(text) => named(text).find_map(|name| wrong(name, manager)),
        Value::Array(items) => items.iter().find_map(|item| mistake(item, manager)),
        Value::Object(fields) => {
            // What YAML makes of braces without quotes.
            let bare = fields.iter().next().filter(|(_, value)| fields.len() == 1 && value.is_null());
            let bare = bare.filter(|(name, _)| DeployedController::PLACEHOLDERS.iter().any(|one| one.name() == *name));
            match bare {
                Some((name, _)) => Some(format!("`{{{name}}}` needs quotes around it: without them it is an object")),
                None => fields.values().find_map(|value| mistake(value, manager)),
            }
        }
        _ => None,
    }
}

/// What is wrong with a name in braces. One that is no placeholder's with a slip in it is a text of the manifest's own.
fn wrong(name: &str, manager: Option<&str>) -> Option<String> {
    let own = DeployedController::PLACEHOLDERS.map(Placeholder::name);
    if own.contains(&name) {
        let is_nothing = name == Placeholder::Manager.name() && manager.is_none();
        return is_nothing.then(|| "`{manager}` stands for nothing: the controller has no manager's name".to_owned());
    }
    if Placeholder::ALL.iter().any(|one| one.name() == name) {
        let there = own.map(|name| format!("{{{name}}}")).join(", ");
        return Some(format!("`{{{name}}}` is of a program on this machine; in manifests there are {there}"));
    }
    let near = own.into_iter().find(|one| strsim::osa_distance(name, one) == 1);
    near.map(|near| format!("there is no placeholder `{{{name}}}`; did you mean `{{{near}}}`?"))
}

/// Puts the values in; an item of a list or a field whose placeholder stands for nothing is left out.
pub(super) fn fill(object: &mut Value, values: &Values) {
    let filled = |text: &str| values.fill_only(&DeployedController::PLACEHOLDERS, text);
    let stays = |value: &mut Value| match value {
        Value::String(text) => match filled(text) {
            Some(full) => {
                *text = full;
                true
            }
            None => false,
        },
        other => {
            fill(other, values);
            true
        }
    };
    match object {
        Value::Array(items) => items.retain_mut(stays),
        Value::Object(fields) => fields.retain(|_, value| stays(value)),
        _ => {}
    }
}

/// Makes the namespace of the controller its owner: what is cluster-scoped, or in another namespace, goes with it.
pub(super) fn owned_by(object: &mut Value, namespace: &str, uid: &str) {
    let owner = json!({"apiVersion": "v1", "kind": "Namespace", "name": namespace, "uid": uid});
    match object["metadata"]["ownerReferences"].as_array_mut() {
        Some(owners) => owners.push(owner),
        None => object["metadata"]["ownerReferences"] = json!([owner]),
    }
}

/// Tells containers where the API server is, unless they are told already.
pub(super) fn told(object: &mut Value, api_server: &ApiServer) {
    let place = match object["kind"].as_str() {
        Some("Pod") => "/spec",
        Some("CronJob") => "/spec/jobTemplate/spec/template/spec",
        _ => "/spec/template/spec",
    };
    let Some(pod) = object.pointer_mut(place).and_then(Value::as_object_mut) else { return };
    for list in ["initContainers", "containers"] {
        for container in pod.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            // What is no container is the API server's to refuse.
            let Some(container) = container.as_object_mut() else { continue };
            let variables = container.entry("env").or_insert_with(|| json!([]));
            if !variables.is_array() {
                *variables = json!([]);
            }
            let Some(variables) = variables.as_array_mut() else { continue };
            for (name, value) in API_SERVER.into_iter().zip([api_server.host.clone(), api_server.port.to_string()]) {
                if !variables.iter().any(|variable| variable["name"] == name) {
                    variables.push(json!({"name": name, "value": value}));
                }
            }
        }
    }
}

/// The Deployments among the objects, as `NAMESPACE/NAME`; those that name no namespace are in this one.
pub(super) fn deployments(objects: &[Value], namespace: &str) -> Vec<String> {
    let deployments = objects.iter().filter(|object| object["kind"] == "Deployment");
    let place = |object: &Value| {
        let within = object["metadata"]["namespace"].as_str().unwrap_or(namespace).to_owned();
        format!("{within}/{}", object["metadata"]["name"].as_str().unwrap_or_default())
    };
    deployments.map(place).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn values() -> Values {
        let values = Values::default().with(Placeholder::Image, "example.com/mine:v1");
        values.with(Placeholder::Namespace, "jw-controller-1").with(Placeholder::Qps, 20)
    }

    #[rstest]
    #[case::none(json!({"kind": "Role", "rules": [{"verbs": ["get"]}]}), None)]
    #[case::those_there_are(json!({"image": "{image}", "args": ["--qps={qps}", "--gates={gates}"]}), None)]
    #[case::a_text_of_its_own(json!({"description": "{name} of {pod-name}"}), None)]
    #[case::one_that_is_misspelt(json!({"args": ["--name={manger}"]}), Some("did you mean `{manager}`?"))]
    #[case::one_of_a_process(json!({"args": ["{kubeconfig}"]}), Some("`{kubeconfig}` is of a program on this machine"))]
    #[case::one_without_quotes(json!({"image": {"image": null}}), Some("`{image}` needs quotes around it"))]
    fn placeholders_of_manifests_are_looked_at(#[case] object: Value, #[case] says: Option<&str>) {
        match (mistake(&object, Some("example.com/mine")), says) {
            (found, None) => assert_eq!(found, None),
            (found, Some(says)) => assert!(found.as_deref().is_some_and(|found| found.contains(says)), "{found:?}"),
        }
    }

    #[test]
    fn a_manager_stands_for_nothing_where_the_controller_has_no_name() {
        let object = json!({"args": ["--manager={manager}"]});
        assert_eq!(mistake(&object, Some("example.com/mine")), None);
        assert!(mistake(&object, None).is_some_and(|says| says.contains("stands for nothing")));
    }

    #[test]
    fn values_stand_where_their_names_stood_and_what_has_none_is_left_out() {
        let mut object =
            json!({"image": "{image}", "args": ["--qps={qps}", "--gates={gates}"], "gates": "{gates}", "n": 1});
        fill(&mut object, &values());
        assert_eq!(object, json!({"image": "example.com/mine:v1", "args": ["--qps=20"], "n": 1}));
    }

    #[test]
    fn an_object_goes_with_the_namespace_of_the_controller() {
        let mut object = json!({"metadata": {"name": "mine"}});
        owned_by(&mut object, "jw-controller-1", "u");
        let owner = json!({"apiVersion": "v1", "kind": "Namespace", "name": "jw-controller-1", "uid": "u"});
        assert_eq!(object["metadata"]["ownerReferences"], json!([owner]));
    }

    #[rstest]
    #[case::a_deployment("Deployment", "/spec/template/spec")]
    #[case::a_pod("Pod", "/spec")]
    #[case::a_cron_job("CronJob", "/spec/jobTemplate/spec/template/spec")]
    fn containers_are_told_where_the_api_server_is(#[case] kind: &str, #[case] place: &str) {
        let own = json!({"name": "KUBERNETES_SERVICE_PORT", "value": "1"});
        let pod = json!({"containers": [{"name": "a"}, {"name": "b", "env": [own]}]});
        let mut object = place[1..].rsplit('/').fold(pod, |inner, name| json!({ name: inner }));
        object["kind"] = kind.into();
        told(&mut object, &ApiServer { host: "10.1.2.3".to_owned(), port: 6443 });
        let host = json!({"name": "KUBERNETES_SERVICE_HOST", "value": "10.1.2.3"});
        let port = json!({"name": "KUBERNETES_SERVICE_PORT", "value": "6443"});
        let containers = &object.pointer(place).unwrap()["containers"];
        assert_eq!(containers[0]["env"], json!([host, port]));
        assert_eq!(containers[1]["env"], json!([own, host]));
    }

    #[rstest]
    #[case::that_is_a_text(json!("mine"))]
    #[case::that_is_a_list(json!(["mine"]))]
    #[case::that_is_nothing(Value::Null)]
    fn a_container_is_left_alone(#[case] container: Value) {
        let mut object = json!({"kind": "Pod", "spec": {"containers": [container]}});
        let before = object.clone();
        told(&mut object, &ApiServer { host: "10.1.2.3".to_owned(), port: 6443 });
        assert_eq!(object, before);
    }

    #[test]
    fn an_environment_that_is_no_list_makes_room_for_one() {
        let mut object = json!({"kind": "Pod", "spec": {"containers": [{"env": "A=1"}]}});
        told(&mut object, &ApiServer { host: "10.1.2.3".to_owned(), port: 6443 });
        assert_eq!(object["spec"]["containers"][0]["env"].as_array().map(Vec::len), Some(2));
    }

    #[test]
    fn deployments_are_found_with_their_namespaces() {
        let objects = [
            json!({"kind": "Role", "metadata": {"name": "r"}}),
            json!({"kind": "Deployment", "metadata": {"name": "a"}}),
            json!({"kind": "Deployment", "metadata": {"name": "b", "namespace": "mine"}}),
        ];
        assert_eq!(deployments(&objects, "jw"), ["jw/a", "mine/b"]);
    }
}
