//! S21: what a template says is in its pods, and what others may add or change.

use super::{Told, breaks, legal};
use crate::timelines::Story;
use serde_json::json;

/// A Job whose template says much.
fn rich(gated: bool) -> Story {
    let container = json!({
        "name": "main", "image": "i", "args": ["fast"], "env": [{"name": "OWN", "value": "yes"}], "imagePullPolicy": "Never",
        "volumeMounts": [{"name": "data", "mountPath": "/data", "readOnly": true}],
        "resources": {"requests": {"cpu": "1"}}, "ports": [{"containerPort": 80, "protocol": "TCP", "name": "web"}],
    });
    let gates = if gated { json!([{"name": "example.com/mine"}]) } else { json!(null) };
    Story::of(json!({"template": {"spec": {
        "containers": [container], "initContainers": [{"name": "first", "image": "i"}], "schedulingGates": gates,
        "volumes": [{"name": "data", "emptyDir": {}}], "tolerations": [{"key": "a", "operator": "Exists"}],
        "nodeSelector": {"zone": "a"}, "securityContext": {},
    }}}))
}

pub const TOLD: &[Told] = &[
    breaks("S21", "other arguments than the template's", || {
        rich(false).create_with("a", |pod| pod["spec"]["containers"][0]["args"] = json!(["slowly"]))
    }),
    breaks("S21", "a variable has another value than the template's", || {
        rich(false).create_with("a", |pod| pod["spec"]["containers"][0]["env"][0]["value"] = "no".into())
    }),
    breaks("S21", "a variable of the template is left out", || {
        rich(false).create_with("a", |pod| pod["spec"]["containers"][0]["env"] = json!([]))
    }),
    breaks("S21", "an init container is left out", || {
        rich(false).create_with("a", |pod| pod["spec"]["initContainers"] = json!([]))
    }),
    breaks("S21", "a volume is another one", || {
        rich(false)
            .create_with("a", |pod| pod["spec"]["volumes"][0] = json!({"name": "data", "hostPath": {"path": "/"}}))
    }),
    breaks("S21", "a mount becomes one that can be written to", || {
        rich(false).create_with("a", |pod| {
            pod["spec"]["containers"][0]["volumeMounts"] = json!([
                {"name": "data", "mountPath": "/data"}
            ])
        })
    }),
    breaks("S21", "a toleration of the template is left out", || {
        rich(false).create_with("a", |pod| pod["spec"]["tolerations"] = json!([{"key": "other"}]))
    }),
    breaks("S21", "a request is larger than the template's", || {
        rich(false).create_with("a", |pod| {
            pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "2".into();
        })
    }),
    breaks("S21", "it goes to other nodes than the template says", || {
        rich(false).create_with("a", |pod| pod["spec"]["nodeSelector"] = json!({"zone": "b"}))
    }),
    breaks("S21", "a port is of another protocol", || {
        rich(false).create_with("a", |pod| pod["spec"]["containers"][0]["ports"][0]["protocol"] = "UDP".into())
    }),
    breaks("S21", "the Job's deadline is written to the pod", || {
        rich(false).create_with("a", |pod| pod["spec"]["activeDeadlineSeconds"] = 60.into())
    }),
    legal("S21", "whatever the template says is in the pod", || rich(false).create("a")),
    legal("S21", "the deadline of a pod is the template's", || {
        Story::of(json!({"template": {"spec": {"activeDeadlineSeconds": 60}}})).create("a")
    }),
    legal("S21", "the host of an index is called after it, whatever the template says", || {
        Story::of(json!({"completionMode": "Indexed", "completions": 1, "template": {"spec": {"hostname": "mine"}}}))
            .create("0a")
    }),
    legal("S21", "admission plugins add what they have to add", || {
        rich(false).create_with("a", |pod| {
            let spec = &mut pod["spec"];
            (spec["serviceAccountName"], spec["priority"]) = ("default".into(), 0.into());
            spec["tolerations"].as_array_mut().unwrap().push(json!({"key": "node.kubernetes.io/not-ready"}));
            spec["volumes"].as_array_mut().unwrap().insert(0, json!({"name": "kube-api-access", "projected": {}}));
            let token = json!({"name": "kube-api-access", "mountPath": "/var/run/secrets"});
            spec["containers"][0]["volumeMounts"].as_array_mut().unwrap().push(token);
            spec["containers"][0]["resources"]["limits"] = json!({"memory": "1Gi"});
            spec["containers"][0]["imagePullPolicy"] = "Always".into();
            spec["nodeSelector"]["runtime"] = "other".into();
        })
    }),
    legal("S21", "a webhook changes arguments where others share the cluster", || {
        let own = rich(false).create_with("a", |pod| pod["spec"]["containers"][0]["args"] = json!(["slowly"]));
        own.shared()
    }),
    legal("S21", "a scheduler and a kubelet work on the pod later", || {
        rich(true).create("a").pod("a", json!({"spec": {"nodeName": "n", "schedulingGates": null}}))
    }),
    legal("S21", "the template of a suspended Job was edited a moment ago", || {
        let elsewhere = json!({"template": {"spec": {"nodeSelector": {"zone": "b"}}}});
        rich(false).spec(elsewhere).create_with("a", |pod| pod["spec"]["nodeSelector"] = json!({"zone": "a"}))
    }),
];
