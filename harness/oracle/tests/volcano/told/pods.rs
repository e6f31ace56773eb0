//! V04, V05, V10 and V11: which pods are made, and when.

use super::{Told, breaks, legal};
use crate::story::{Story, admitted, completed, restarted, running, torn_down};
use jobsworth_api::well_known::volcano;
use serde_json::{Value, json};

fn of_version(version: &str) -> Value {
    json!({"metadata": {"annotations": {volcano::JOB_VERSION: version}}})
}

fn at(task: &str, index: &str) -> Value {
    json!({"metadata": {"annotations": {volcano::TASK_SPEC: task, volcano::TASK_INDEX: index}}})
}

/// The first worker is restarted, and made again.
fn replaced() -> Story {
    running().phase_with("Restarting", json!({"retryCount": 1})).stop("worker-0").gone("worker-0").phase("Pending")
}

pub const TOLD: &[Told] = &[
    breaks("V04", "a second pod of a place, under another name", || {
        running().create_with("worker-2", at("worker", "0"))
    }),
    breaks("V04", "a pod that is not named after its task", || admitted().create_with("worker-0", at("other", "0"))),
    breaks("V04", "a pod without an index", || {
        admitted().create_with("worker-0", json!({"metadata": {"annotations": {volcano::TASK_INDEX: null}}}))
    }),
    legal("V04", "nobody saw the first pod of the place go", || running().gap("pods").create("worker-0")),
    legal("V04", "a pod in place of one that went", || replaced().create("worker-0")),
    legal("V04", "pods of another Job of the name", || {
        let mut story = torn_down(running()).job_gone();
        story.job["metadata"]["uid"] = "another".into();
        story.edit(|job| job["status"] = json!({})).phase("Pending").group().admit().create("worker-0")
    }),
    breaks("V05", "a pod of the version before", || {
        torn_down(running().restart()).phase("Pending").group().admit().create_with("worker-0", of_version("0"))
    }),
    breaks("V05", "a pod of a version to come", || admitted().create_with("worker-0", of_version("1"))),
    breaks("V05", "a pod without a version", || {
        admitted().create_with("worker-0", json!({"metadata": {"annotations": {volcano::JOB_VERSION: null}}}))
    }),
    legal("V05", "pods of the old version live on while new ones are made", || {
        running().phase_with("Restarting", json!({"retryCount": 1, "version": 1})).create("worker-2")
    }),
    legal("V05", "a request of a subject that died arrives late", || {
        torn_down(running().restart())
            .phase("Pending")
            .group()
            .admit()
            .mark("subject crashed")
            .create_with("worker-0", of_version("0"))
    }),
    breaks("V10", "a pod before there is a group", || Story::new().phase("Pending").create("worker-0")),
    breaks("V10", "a pod before the group is let in", || Story::new().phase("Pending").group().create("worker-0")),
    breaks("V10", "a group whose phase says Pending", || {
        let pending = json!({"status": {"phase": "Pending"}});
        Story::new().phase("Pending").group().change("PodGroup", "job-job-uid", pending).create("worker-0")
    }),
    breaks("V10", "a second group", || admitted().make("PodGroup", "job", json!({}))),
    breaks("V10", "pods long after the group went", || {
        torn_down(running().restart()).phase("Pending").wait(10).create("worker-0")
    }),
    legal("V10", "pods of a group that runs", || {
        let running = json!({"status": {"phase": "Running"}});
        admitted().change("PodGroup", "job-job-uid", running).create("worker-0")
    }),
    legal("V10", "a group that has just gone", || torn_down(running().restart()).phase("Pending").create("worker-0")),
    legal("V10", "one group after another", restarted),
    legal("V10", "the group of another Job", || {
        let other = json!({"metadata": {"ownerReferences": [{
            "apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": "other", "uid": "other", "controller": true,
        }]}});
        let mut story = Story::new();
        story.job["metadata"]["name"] = "other".into();
        story.job["metadata"]["uid"] = "other".into();
        let mut story = story.edit(|_| {});
        story.job["metadata"]["name"] = "job".into();
        story.job["metadata"]["uid"] = "job-uid".into();
        story.edit(|_| {}).group().make_bare("PodGroup", "other", other)
    }),
    breaks("V11", "a pod while the Job is aborted", || running().kill("Aborting").gone("worker-0").create("worker-0")),
    breaks("V11", "a pod after the end", || completed().create("worker-2")),
    breaks("V11", "a pod of an aborted Job", || {
        torn_down(running().kill("Aborting")).phase("Aborted").group().admit().create("worker-0")
    }),
    breaks("V11", "a pod of a Job that is being deleted", || {
        running().delete_job("foregroundDeletion").gone("worker-0").wait(6).create("worker-0")
    }),
    breaks("V11", "a pod of a Job that has been gone for long", || running().job_gone().wait(6).create("worker-2")),
    legal("V11", "a pod on its way when the Job went", || running().job_gone().create("worker-2")),
    legal("V11", "a pod of a Job that was deleted just now", || {
        admitted().create("worker-0").delete_job("foregroundDeletion").create("worker-1")
    }),
    legal("V11", "a pod while restarting", || running().restart().gone("worker-0").create("worker-0")),
];
