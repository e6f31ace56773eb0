//! Histories of Volcano's Jobs told step by step: what a recorder would have written, in a few words.
//!
//! Pods are called by task and index: `"worker-0"` is pod `job-worker-0`. Each step is one version, 10 ms after the one before.

use crate::timelines::{Story as BatchStory, merge};
use jobsworth_api::{Resource, well_known::volcano};
use jobsworth_oracle::{Answer, Ending, Entry, Fact, Request, Setting, Sighting, Timeline};
use serde_json::{Value, json};
use std::{collections::BTreeMap, sync::Arc, time::Duration};

/// A history under way.
#[derive(Clone)]
pub struct Story {
    pub setting: Setting,
    entries: Vec<Entry>,
    revision: u64,
    at: Duration,
    pub job: Value,
    /// Everything else, by kind and name.
    objects: BTreeMap<String, Value>,
    /// Objects that were there before, so that another of a name has another UID.
    born: u32,
}

impl Story {
    /// A Job of two workers with these fields of its spec.
    pub fn of(spec: Value) -> Self {
        let batch = BatchStory::of(json!({}));
        let mut story = Self {
            setting: Setting { judged: Resource::VOLCANO_JOBS, ..batch.setting },
            entries: Vec::new(),
            revision: 100,
            at: Duration::ZERO,
            job: Value::Null,
            objects: BTreeMap::new(),
            born: 0,
        };
        let mut whole = json!({
            "minAvailable": 2, "maxRetry": 3, "queue": "default",
            "tasks": [{"name": "worker", "replicas": 2, "template": {"spec": {"containers": [{"name": "c", "image": "i"}]}}}],
        });
        merge(&mut whole, spec);
        story.job = json!({
            "apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job",
            "metadata": {"name": "job", "namespace": "jw-1", "uid": "job-uid", "creationTimestamp": story.now()},
            "spec": whole, "status": {},
        });
        story.write_job()
    }

    /// A Job of two workers.
    pub fn new() -> Self {
        Self::of(json!({}))
    }

    /// Time passes.
    pub fn wait(mut self, seconds: u64) -> Self {
        self.at += Duration::from_secs(seconds);
        self
    }

    /// The Job as somebody edits it.
    pub fn edit(mut self, change: impl FnOnce(&mut Value)) -> Self {
        change(&mut self.job);
        self.write_job()
    }

    /// The controller writes the status.
    pub fn status(self, patch: Value) -> Self {
        self.edit(|job| merge(&mut job["status"], patch))
    }

    /// The controller moves the Job to a phase.
    pub fn phase(self, phase: &str) -> Self {
        self.phase_with(phase, json!({}))
    }

    /// The same, with more of the status.
    pub fn phase_with(self, phase: &str, more: Value) -> Self {
        let now = self.now();
        self.edit(|job| {
            let status = &mut job["status"];
            let mut conditions = status["conditions"].as_array().cloned().unwrap_or_default();
            conditions.retain(|condition| condition["status"] != phase);
            conditions.push(json!({"status": phase, "lastTransitionTime": now}));
            status["conditions"] = conditions.into();
            status["state"] = json!({"phase": phase, "lastTransitionTime": now});
            merge(status, more);
        })
    }

    /// The controller begins to kill the Job: a new version.
    pub fn kill(self, phase: &str) -> Self {
        let version = self.version() + 1;
        self.phase_with(phase, json!({"version": version}))
    }

    /// The controller begins to restart the Job: a new version, and one more retry.
    pub fn restart(self) -> Self {
        let (version, retries) = (self.version() + 1, self.number("retryCount") + 1);
        self.phase_with("Restarting", json!({"version": version, "retryCount": retries}))
    }

    /// The script writes the status.
    pub fn tampered(self, patch: Value) -> Self {
        let entry = json!({
            "manager": "jobsworth-script", "operation": "Update", "subresource": "status", "fieldsType": "FieldsV1", "fieldsV1": {},
        });
        self.edit(|job| job["metadata"]["managedFields"] = json!([entry])).status(patch)
    }

    /// Somebody deletes the Job; it stays until the finalizer goes.
    pub fn delete_job(self, finalizer: &str) -> Self {
        let now = self.now();
        self.edit(|job| {
            job["metadata"]["deletionTimestamp"] = now.into();
            job["metadata"]["finalizers"] = json!([finalizer]);
        })
    }

    /// The script's deletion is answered.
    pub fn deletion_answered(self) -> Self {
        let body = json!({"details": {"uid": self.job["metadata"]["uid"]}});
        let answer = Answer {
            to: "delete".to_owned(),
            code: 200,
            reason: String::new(),
            message: String::new(),
            causes: vec![],
            warnings: vec![],
            body: Arc::new(body),
        };
        self.enter(Fact::Answer(answer))
    }

    /// The Job is gone.
    pub fn job_gone(mut self) -> Self {
        self.revision += 1;
        self.job["metadata"]["resourceVersion"] = self.revision.to_string().into();
        let job = Sighting::of_any_kind(self.job.clone()).unwrap();
        self.enter(Fact::ObjectGone(job))
    }

    /// The controller asks for something, and has its answer so many milliseconds later.
    pub fn asks(self, request: Request, milliseconds: u64) -> Self {
        let sent_us = u64::try_from(self.at.as_micros()).unwrap();
        self.enter(Fact::Request(Request { sent_us, took_us: milliseconds * 1000, ..request }.into()))
    }

    /// The gang as the scheduler is told of it.
    pub fn group(self) -> Self {
        self.make("PodGroup", "job-job-uid", json!({"spec": {"minMember": 2}}))
    }

    /// The scheduler lets the gang in.
    pub fn admit(self) -> Self {
        self.change("PodGroup", "job-job-uid", json!({"status": {"phase": "Inqueue"}}))
    }

    /// An object of the Job's, made by the controller.
    pub fn make(self, kind: &str, name: &str, more: Value) -> Self {
        let mut owned = json!({"metadata": {"ownerReferences": [self.owner()]}});
        merge(&mut owned, more);
        self.make_bare(kind, name, owned)
    }

    /// An object of nobody's.
    pub fn make_bare(mut self, kind: &str, name: &str, more: Value) -> Self {
        self.born += 1;
        let mut object = json!({
            "apiVersion": api_version(kind), "kind": kind,
            "metadata": {"name": name, "namespace": "jw-1", "uid": format!("{name}-uid-{}", self.born), "creationTimestamp": self.now()},
        });
        merge(&mut object, more);
        let key = format!("{kind}/{name}");
        self.objects.insert(key.clone(), object);
        self.write(&key)
    }

    /// A change of such an object.
    pub fn change(mut self, kind: &str, name: &str, patch: Value) -> Self {
        let key = format!("{kind}/{name}");
        merge(self.objects.get_mut(&key).expect("it was made"), patch);
        self.write(&key)
    }

    /// Such an object is gone.
    pub fn lose(mut self, kind: &str, name: &str) -> Self {
        let mut object = self.objects.remove(&format!("{kind}/{name}")).expect("it was made");
        self.revision += 1;
        object["metadata"]["resourceVersion"] = self.revision.to_string().into();
        self.enter(Fact::ObjectGone(Sighting::of_any_kind(object).unwrap()))
    }

    /// The controller makes a pod.
    pub fn create(self, place: &str) -> Self {
        self.create_with(place, json!({}))
    }

    /// The controller makes a pod that is not as it should be.
    pub fn create_with(self, place: &str, change: Value) -> Self {
        let (task, index) = place.rsplit_once('-').unwrap();
        let text = |number: i64| Value::String(number.to_string());
        let annotations = json!({
            volcano::JOB_NAME: "job", volcano::TASK_SPEC: task, volcano::TASK_INDEX: index,
            volcano::JOB_VERSION: text(self.version()), volcano::JOB_RETRY_COUNT: text(self.number("retryCount")),
            volcano::GROUP_NAME: "job-job-uid",
        });
        let labels = json!({volcano::JOB_NAME: "job", volcano::TASK_SPEC: task, volcano::TASK_INDEX: index});
        let mut pod = json!({
            "metadata": {"labels": labels, "annotations": annotations},
            "spec": {"containers": [{"name": "c", "image": "i"}]}, "status": {"phase": "Pending"},
        });
        merge(&mut pod, change);
        self.make("Pod", &format!("job-{place}"), pod)
    }

    /// A pod as somebody changes it.
    pub fn pod(self, place: &str, patch: Value) -> Self {
        self.change("Pod", &format!("job-{place}"), patch)
    }

    /// The pod runs.
    pub fn run(self, place: &str) -> Self {
        self.pod(place, json!({"status": {"phase": "Running"}}))
    }

    /// The pod succeeds.
    pub fn succeed(self, place: &str) -> Self {
        self.pod(place, json!({"status": {"phase": "Succeeded"}}))
    }

    /// The pod fails.
    pub fn fail(self, place: &str) -> Self {
        self.pod(place, json!({"status": {"phase": "Failed"}}))
    }

    /// The pod is told to stop.
    pub fn stop(self, place: &str) -> Self {
        let now = self.now();
        self.pod(place, json!({"metadata": {"deletionTimestamp": now}}))
    }

    /// The pod is gone.
    pub fn gone(self, place: &str) -> Self {
        self.lose("Pod", &format!("job-{place}"))
    }

    /// The script passes a point.
    pub fn mark(self, name: &str) -> Self {
        self.enter(Fact::Mark(name.to_owned()))
    }

    /// The watch loses history.
    pub fn gap(self, resource: &str) -> Self {
        self.enter(Fact::Gap(resource.to_owned()))
    }

    /// Others than the script may act in the namespace.
    pub fn shared(mut self) -> Self {
        self.setting.shared = true;
        self
    }

    /// The whole history.
    pub fn end(self) -> Timeline {
        Timeline::seal(self.setting, self.entries, Ending::Complete)
    }

    /// The reference by which the Job is the controller of something.
    pub fn owner(&self) -> Value {
        json!({
            "apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": "job", "uid": self.job["metadata"]["uid"],
            "controller": true, "blockOwnerDeletion": true,
        })
    }

    fn version(&self) -> i64 {
        self.number("version")
    }

    fn number(&self, field: &str) -> i64 {
        self.job["status"][field].as_i64().unwrap_or(0)
    }

    fn now(&self) -> String {
        let then = self.setting.started + jiff::SignedDuration::from_secs(self.at.as_secs() as i64);
        then.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }

    fn write_job(mut self) -> Self {
        self.revision += 1;
        self.job["metadata"]["resourceVersion"] = self.revision.to_string().into();
        let job = Sighting::of_any_kind(self.job.clone()).unwrap();
        self.enter(Fact::Object(job))
    }

    fn write(mut self, key: &str) -> Self {
        self.revision += 1;
        self.objects.get_mut(key).unwrap()["metadata"]["resourceVersion"] = self.revision.to_string().into();
        let object = Sighting::of_any_kind(self.objects[key].clone()).unwrap();
        self.enter(Fact::Object(object))
    }

    fn enter(mut self, fact: Fact) -> Self {
        self.entries.push(Entry { revision: self.revision, at: self.at, fact });
        self.at += Duration::from_millis(10);
        self
    }
}

fn api_version(kind: &str) -> &'static str {
    match kind {
        "PodGroup" => "scheduling.volcano.sh/v1beta1",
        "NetworkPolicy" => "networking.k8s.io/v1",
        _ => "v1",
    }
}

/// A Job whose gang was let in.
pub fn admitted() -> Story {
    admitted_of(json!({}))
}

/// The same, with these fields of its spec.
pub fn admitted_of(spec: Value) -> Story {
    Story::of(spec).phase("Pending").group().admit()
}

/// A Job whose two workers run.
pub fn running() -> Story {
    both_run(admitted())
}

/// The two workers are made, and run.
pub fn both_run(story: Story) -> Story {
    story.create("worker-0").create("worker-1").run("worker-0").run("worker-1").phase("Running")
}

/// A running Job is killed: its workers stop, its group goes.
pub fn torn_down(story: Story) -> Story {
    story.stop("worker-0").stop("worker-1").lose("PodGroup", "job-job-uid").gone("worker-0").gone("worker-1")
}

/// A Job whose two workers have succeeded, Completed.
pub fn completed() -> Story {
    running().succeed("worker-0").succeed("worker-1").phase("Completed")
}

/// A Job that was restarted once and runs again.
pub fn restarted() -> Story {
    both_run(torn_down(running().fail("worker-0").restart()).phase("Pending").group().admit())
}

/// A Job with hosts and keys whose workers run.
pub fn with_plugins() -> Story {
    both_run(equipped(Story::of(plugins()).phase("Pending")).group().admit())
}

/// What plugins `svc` and `ssh` ask for.
pub fn plugins() -> Value {
    json!({"plugins": {"svc": [], "ssh": []}})
}

/// Hosts and keys are made.
pub fn equipped(story: Story) -> Story {
    story.make("ConfigMap", "job-svc", json!({})).make("Service", "job", json!({})).make("Secret", "job-ssh", json!({}))
}

/// Hosts and keys are taken away.
pub fn stripped(story: Story) -> Story {
    story.lose("ConfigMap", "job-svc").lose("Service", "job").lose("Secret", "job-ssh")
}
