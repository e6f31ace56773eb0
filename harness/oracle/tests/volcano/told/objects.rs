//! V06 and V09: whose things are, and that they are there in time.

use super::{Told, breaks, legal};
use crate::story::{
    Story, admitted, admitted_of, both_run, equipped, plugins, running, stripped, torn_down, with_plugins,
};
use serde_json::{Value, json};

fn owned_by(change: Value) -> Value {
    let mut owner = json!({
        "apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": "job", "uid": "job-uid", "controller": true,
    });
    crate::timelines::merge(&mut owner, change);
    json!({"metadata": {"ownerReferences": [owner]}})
}

fn made_by(manager: &str) -> Value {
    json!({"metadata": {"managedFields": [{"manager": manager, "operation": "Update"}]}})
}

pub const TOLD: &[Told] = &[
    breaks("V06", "an owner without its full API version", || {
        admitted().make_bare("Service", "job", owned_by(json!({"apiVersion": "batch/v1"})))
    }),
    breaks("V06", "an owner that is no controller", || {
        admitted().make_bare("ConfigMap", "job-svc", owned_by(json!({"controller": null})))
    }),
    breaks("V06", "a claim of nobody's", || admitted().make_bare("PersistentVolumeClaim", "job-pvc-1", json!({}))),
    breaks("V06", "a Secret of nobody's", || admitted().make_bare("Secret", "job-ssh", json!({}))),
    breaks("V06", "two owners", || {
        let mut two = owned_by(json!({}));
        let other = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "c", "uid": "c"});
        two["metadata"]["ownerReferences"].as_array_mut().unwrap().push(other);
        admitted().make_bare("NetworkPolicy", "job", two)
    }),
    breaks("V06", "the owner's UID is that of nobody", || {
        admitted().make_bare("Service", "job", owned_by(json!({"uid": "who"})))
    }),
    breaks("V06", "the owner's name is that of another", || {
        admitted().make_bare("Service", "job", owned_by(json!({"name": "who"})))
    }),
    breaks("V06", "a group loses its owner", || {
        admitted().change("PodGroup", "job-job-uid", json!({"metadata": {"ownerReferences": null}}))
    }),
    legal("V06", "what the script makes is its own", || {
        admitted().make_bare("PersistentVolumeClaim", "mine", made_by("jobsworth-script"))
    }),
    legal("V06", "what the cluster puts into each namespace", || {
        admitted().make_bare("ConfigMap", "kube-root-ca.crt", json!({}))
    }),
    legal("V06", "a pod of a Job of Kubernetes' own", || {
        let owner = json!({"apiVersion": "batch/v1", "kind": "Job", "name": "job", "uid": "b", "controller": true});
        admitted().make_bare("Pod", "job-x", json!({"metadata": {"ownerReferences": [owner]}}))
    }),
    legal("V06", "what others make where they may act", || {
        admitted().shared().make_bare("ConfigMap", "theirs", json!({}))
    }),
    legal("V06", "what is left behind by a Job that was deleted without it", || {
        let orphan = json!({"metadata": {"ownerReferences": null, "managedFields": [
            {"manager": "kube-controller-manager", "operation": "Update"},
        ]}});
        running().job_gone().change("Pod", "job-worker-0", orphan)
    }),
    breaks("V09", "a pod before the hosts", || {
        admitted_of(plugins()).make("Secret", "job-ssh", json!({})).create("worker-0")
    }),
    breaks("V09", "a pod before the keys", || {
        admitted_of(plugins()).make("ConfigMap", "job-svc", json!({})).create("worker-0")
    }),
    breaks("V09", "keys come after the pods of a restart", || {
        torn_down(stripped(with_plugins().restart())).phase("Pending").group().admit().create("worker-0")
    }),
    breaks("V09", "hosts that have been gone for long", || {
        with_plugins().lose("ConfigMap", "job-svc").gone("worker-0").wait(10).create("worker-0")
    }),
    breaks("V09", "a restart after a quiet time: hosts go, and come after the pods", || {
        stripped(with_plugins().wait(10).restart()).gone("worker-0").create("worker-0")
    }),
    legal("V09", "somebody takes the hosts away long after a restart", || {
        let restarted =
            both_run(equipped(stripped(torn_down(with_plugins().wait(10).restart())).phase("Pending")).group().admit());
        restarted.wait(60).lose("ConfigMap", "job-svc").gone("worker-0").create("worker-0")
    }),
    legal("V09", "no plugin, no hosts", running),
    legal("V09", "hosts and keys first, at a restart too", || {
        both_run(equipped(torn_down(stripped(with_plugins().restart())).phase("Pending")).group().admit())
    }),
    legal("V09", "somebody took the hosts away just now", || {
        with_plugins().wait(10).lose("ConfigMap", "job-svc").gone("worker-0").create("worker-0")
    }),
    legal("V09", "hosts that somebody else made", || {
        let foreign = made_by("jobsworth-script");
        let story =
            Story::of(json!({"plugins": {"svc": []}})).phase("Pending").make_bare("ConfigMap", "job-svc", foreign);
        story.group().admit().create("worker-0")
    }),
];
