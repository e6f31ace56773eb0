//! S25, S26 and S28: what belongs to others, and what is left behind.

use super::{Told, breaks, legal};
use crate::timelines::{Story, TRACKING, two_complete, two_decided};
use jobsworth_oracle::{Ending, Ownership};
use serde_json::{Value, json};

fn owned(kind: &str, uid: &str) -> Value {
    json!([{"apiVersion": "example.com/v1", "kind": kind, "name": "o", "uid": uid, "controller": true}])
}

/// A pod that something else controls, made by the script a while ago.
fn with_strange_pod() -> Story {
    with_pod_of(owned("Widget", "other"))
}

/// A pod of a Job that nobody has seen.
fn with_pod_of_a_job(api: &str) -> Story {
    let mut owners = owned("Job", "other");
    owners[0]["apiVersion"] = api.into();
    with_pod_of(owners)
}

fn with_pod_of(owners: Value) -> Story {
    let strange = |pod: &mut Value| {
        pod["metadata"]["ownerReferences"] = owners;
        pod["metadata"]["managedFields"] = json!([
            {"manager": "jobsworth-script", "operation": "Update", "time": "2026-01-01T00:00:00Z", "apiVersion": "v1"}
        ]);
    };
    Story::plain(2, 1).create_with("x", strange).wait(5)
}

fn foreign() -> Story {
    Story::of(json!({"managedBy": "example.com/other"}))
}

fn written_by(story: Story, manager: &str) -> Story {
    let entry = json!({"manager": manager, "operation": "Update", "subresource": "status", "apiVersion": "batch/v1"});
    story.edit(move |job| {
        job["status"]["active"] = 7.into();
        job["metadata"]["managedFields"] = json!([entry]);
    })
}

fn under(mut story: Story, ownership: Ownership) -> Story {
    story.setting.ownership = ownership;
    story
}

pub const TOLD: &[Told] = &[
    breaks("S25", "a pod is taken over", || {
        with_strange_pod().pod("x", json!({"metadata": {"ownerReferences": owned("Job", "job-uid")}}))
    }),
    breaks("S25", "the finalizer of a strange pod is removed", || with_strange_pod().release("x")),
    breaks("S25", "the finalizer of a pod of a Job that another controller keeps is removed", || {
        let script = json!([{"manager": "jobsworth-script", "operation": "Update", "apiVersion": "v1"}]);
        foreign().create_with("a", |pod| pod["metadata"]["managedFields"] = script).wait(5).release("a").job_gone()
    }),
    breaks("S25", "a pod of the namesake is taken over", || {
        Story::plain(2, 1)
            .create("a")
            .start(1)
            .job_gone()
            .again("second", json!({}))
            .wait(5)
            .pod("a", json!({"metadata": {"ownerReferences": owned("Job", "second")}}))
    }),
    legal("S25", "the script lets go of its pod", || {
        with_strange_pod().pod("x", json!({"metadata": {"finalizers": null, "managedFields": [
            {"manager": "jobsworth-script", "operation": "Update", "time": "2026-01-01T00:00:05Z", "apiVersion": "v1"}
        ]}}))
    }),
    breaks("S25", "the finalizer of a pod of a Job of another API is removed", || {
        with_pod_of_a_job("batch.volcano.sh/v1alpha1").release("x")
    }),
    legal("S25", "a pod of a Job that never was is let go, however late", || {
        with_pod_of_a_job("batch/v1").release("x")
    }),
    legal("S25", "an orphan is adopted", || {
        Story::plain(2, 1)
            .create_with("x", |pod| pod["metadata"]["ownerReferences"] = json!([]))
            .wait(5)
            .pod("x", json!({"metadata": {"ownerReferences": owned("Job", "job-uid"), "finalizers": [TRACKING]}}))
    }),
    legal("S25", "a pod is released and adopted by another", || {
        with_strange_pod()
            .pod("x", json!({"metadata": {"ownerReferences": null}}))
            .pod("x", json!({"metadata": {"ownerReferences": owned("Job", "job-uid")}}))
    }),
    breaks("S26", "finished while a pod is held", || {
        two_decided().release("0a").finish("Complete", "CompletionsReached", json!({}))
    }),
    breaks("S26", "a pod is held long after its Job is gone", || {
        Story::plain(2, 1).create("a").start(1).run("a").job_gone().wait(20).mark("the end")
    }),
    breaks("S26", "an orphan is held long after its Job is gone", || {
        Story::plain(2, 1)
            .create("a")
            .start(1)
            .delete_job("orphan")
            .pod("a", json!({"metadata": {"ownerReferences": null}}))
            .job_gone()
            .wait(20)
            .mark("the end")
    }),
    legal("S26", "the recording ends too soon to tell", || {
        Story::plain(2, 1).create("a").start(1).run("a").job_gone().wait(2).mark("the end")
    }),
    legal("S26", "the recording was cut off", || {
        let story = Story::plain(2, 1).create("a").start(1).run("a").job_gone().wait(20).mark("the end");
        story.ending(Ending::Truncated)
    }),
    legal("S26", "another finalizer is nobody's business", || {
        two_decided().pod("0a", json!({"metadata": {"finalizers": ["example.com/mine"]}})).release("1a").finish(
            "Complete",
            "CompletionsReached",
            json!({}),
        )
    }),
    breaks("S28", "a status is written", || written_by(foreign(), "kube-controller-manager")),
    breaks("S28", "a pod is created", || foreign().create("a")),
    breaks("S28", "a stand-in writes a status", || {
        written_by(under(foreign(), Ownership::DropIn), "jobsworth-controller")
    }),
    breaks("S28", "a controller with a name of its own serves a Job without one", || {
        let story = under(Story::plain(1, 1), Ownership::ManagedBy("example.com/mine".to_owned()));
        written_by(story, "jobsworth-controller")
    }),
    legal("S28", "the script plays the other controller", || {
        let script = |pod: &mut Value| {
            pod["metadata"]["managedFields"] =
                json!([{"manager": "jobsworth-script", "operation": "Update", "apiVersion": "v1"}]);
        };
        written_by(foreign(), "jobsworth-script").create_with("a", script)
    }),
    legal("S28", "the built-in controller under its own name", || {
        Story::of(json!({"managedBy": "kubernetes.io/job-controller"})).create("a").start(1)
    }),
    legal("S28", "without the gate every Job is the controller's", || {
        foreign().without("JobManagedBy").create("a").start(1)
    }),
    legal("S28", "a foreign status may say what it likes", || {
        written_by(foreign(), "jobsworth-script").edit(|job| {
            job["status"] = json!({"active": 3, "conditions": [
                {"type": "Complete", "status": "True"}, {"type": "Failed", "status": "True"}
            ]});
        })
    }),
    legal("S26", "a finished Job whose pods stayed is no loss", two_complete),
];
