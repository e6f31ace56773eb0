//! S25, S26 and S28: what belongs to others, and what is left behind.

use super::{
    Told, breaks, legal,
    requests::{asked, delete, patch},
};
use crate::timelines::{Story, TRACKING, two_complete, two_decided};
use jobsworth_oracle::{Ending, Ownership, Request};
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

/// A pod of a foreign Job that its controller, played by the script, made a while ago.
fn foreign_with_pod() -> Story {
    let script = json!([{"manager": "jobsworth-script", "operation": "Update", "apiVersion": "v1"}]);
    foreign().create_with("a", |pod| pod["metadata"]["managedFields"] = script).wait(9)
}

/// The finalizer of that pod goes, and the subject has asked for it.
fn let_go(story: Story) -> Story {
    let made = story.revision() + 1;
    story.release("a").asks(of_pod(patch("pods", made)))
}

fn of_pod(request: Request) -> Request {
    Request { name: "job-axxxx".to_owned(), ..request }
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
    breaks("S28", "the subject asks to let go of a foreign pod", || let_go(foreign_with_pod())),
    breaks("S28", "the subject asks to delete a foreign pod", || {
        foreign_with_pod().asks(of_pod(asked("delete", "pods", 200))).stop("a")
    }),
    breaks("S28", "a foreign pod is let go of although its Job is being deleted", || {
        let_go(foreign_with_pod().delete_job("example.com/mine").wait(6))
    }),
    breaks("S28", "a foreign Job that lives for ever is deleted", || foreign().wait(1).asks(delete(Some("job-uid")))),
    breaks("S28", "a foreign Job is labelled", || {
        let labelled = foreign().edit(|job| job["metadata"]["labels"] = json!({"seen": "yes"}));
        let made = labelled.revision();
        labelled.asks(patch("jobs", made))
    }),
    breaks("S28", "a controller with a name of its own makes a pod for a Job without one", || {
        let story = under(Story::plain(1, 1), Ownership::ManagedBy("example.com/mine".to_owned())).create("a");
        let made = Some(story.revision());
        story.asks(Request { made, ..asked("create", "pods", 201) })
    }),
    legal("S28", "the built-in controller makes a pod beside a controller with a name of its own", || {
        under(Story::plain(1, 1), Ownership::ManagedBy("example.com/mine".to_owned())).create("a")
    }),
    legal("S28", "a foreign Job has lived as long as it says", || {
        Story::of(json!({"managedBy": "example.com/other", "ttlSecondsAfterFinished": 1}))
            .finish("Complete", "Done", json!({}))
            .wait(3)
            .delete_job("foregroundDeletion")
            .asks(delete(Some("job-uid")))
    }),
    legal("S28", "a foreign pod was nobody's a moment ago", || {
        let story = foreign_with_pod().pod("a", json!({"metadata": {"ownerReferences": null}})).wait(9);
        let owners = owned("Job", "job-uid");
        let story = story.pod("a", json!({"metadata": {"ownerReferences": owners}})).wait(1);
        story.asks(of_pod(asked("delete", "pods", 200)))
    }),
    legal("S28", "the pod of a foreign Job that is gone is let go of", || let_go(foreign_with_pod().job_gone())),
    legal("S28", "a foreign pod of the name that a pod of its own had", || {
        let own = Story::plain(1, 1).create("a").wait(9).asks(of_pod(asked("delete", "pods", 200))).gone("a");
        own.again("second", json!({"managedBy": "example.com/other"}))
    }),
    legal("S28", "the garbage collector of the same program takes the pods of a foreign Job", || {
        let by = "system:serviceaccount:kube-system:generic-garbage-collector".to_owned();
        let story = foreign_with_pod().delete_job("foregroundDeletion");
        story.asks(Request { by, ..of_pod(asked("delete", "pods", 200)) }).stop("a")
    }),
    legal("S28", "what was asked for a foreign pod was refused", || {
        foreign_with_pod().asks(of_pod(asked("delete", "pods", 403)))
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
