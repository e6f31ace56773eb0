//! *Gangs*: a Workload or a `PodGroup` is not made, for the wrong pods, of the wrong size, or somebody else's.
//! All of it shows only with the gate `WorkloadWithJob`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jobsworth_api::Resource;
use jobsworth_controller::cache::{CachedJob, CachedPod, Pods};
use jobsworth_core::Uid;
use jobsworth_core::scheduling::API_VERSION;
use serde_json::{Value, json};

use crate::Notes;
use crate::call::{Answer, Call};
use crate::decorator::{Decorator, Fate, Next};

/// A group that stands for none: what names it is taken off again before it leaves.
const NOBODYS: &str = "nobodys";

/// Takes the parallelism for the size of a gang even where it is 0 (SCH-004). The API server refuses such a size, and
/// that ends the sync: when a gang is scaled to 0, to have it pause, its pods go on.
pub fn gang_of_none(job: &mut Value) {
    let is_idle = job["spec"]["parallelism"] == 0;
    let gang = job.pointer_mut("/spec/scheduling/schedulingPolicy/gang").and_then(Value::as_object_mut);
    if let Some(gang) = gang.filter(|gang| is_idle && !gang.contains_key("minCount")) {
        gang.insert("minCount".to_owned(), 0.into());
    }
}

/// Takes an Indexed Job whose pods all run at once for a gang although it does not say so: the rule of 1.36 (SCH-002).
/// Where there is room for some of its pods it runs none.
pub fn as_in_1_36(job: &mut Value) {
    let spec = &mut job["spec"];
    let parallelism = spec["parallelism"].as_i64().filter(|parallelism| *parallelism > 1);
    let at_once = parallelism.is_some() && spec["completions"].as_i64() == parallelism;
    if spec["completionMode"] == "Indexed" && at_once && spec["scheduling"]["schedulingPolicy"].is_null() {
        spec["scheduling"]["schedulingPolicy"] = json!({"gang": {}});
    }
}

/// Falls back to pods without a group when the API server refuses the `PodGroup` (SCH-012). A gang is scheduled pod by
/// pod: a part of it sits on its nodes and waits for the rest, and it has no group when the refusal is over either.
#[derive(Debug, Default)]
pub struct RefusedGroups {
    refused: Notes<BTreeSet<String>>,
}

impl Decorator for RefusedGroups {
    fn ask(&self, call: &mut Call) -> Fate {
        let refused = self.refused.open();
        if tells_of_one(call, &refused) {
            return Fate::Answered(Answer::ok(&call.body));
        }
        if call.creates_a_pod() && refused.contains(group_of(&call.body)) {
            leave_group(&mut call.body);
        }
        Fate::Send
    }

    fn told(&self, call: &Call, answer: &mut Answer) -> Next {
        // Taken names and requests to wait are no refusals.
        if call.creates(&Resource::POD_GROUPS) && answer.code >= 400 && !matches!(answer.code, 409 | 429) {
            let mut made = call.body.clone();
            let name = text(&made["metadata"]["name"]);
            made["metadata"]["uid"] = name.clone().into();
            *answer = Answer::ok(&made);
            self.refused.open().insert(name);
        }
        Next::Take
    }
}

/// Takes a Workload that names the Job for its own whoever made it, and makes the Job its controller (SCH-009). What
/// somebody else planned goes with the Job. A Job that is made anew takes over the Workload of its predecessor, whose
/// `PodGroup` is a stranger's and stays: it gets no pods.
#[derive(Debug, Default)]
pub struct WhoseWorkload {
    /// Names of Workloads, by the Job that they name.
    named: Notes<BTreeMap<String, String>>,
    taken: Notes<BTreeSet<String>>,
}

impl Decorator for WhoseWorkload {
    fn shows(&self) -> bool {
        true
    }

    fn show(&self, call: &Call, object: &mut Value) {
        let (metadata, of) = (&object["metadata"], &object["spec"]["controllerRef"]);
        if call.reads_all(&Resource::WORKLOADS) && of["apiGroup"] == "batch" && of["kind"] == "Job" {
            let job = place(&metadata["namespace"], &of["name"]);
            self.named.open().insert(job, text(&metadata["name"]));
        }
    }

    fn ask(&self, call: &mut Call) -> Fate {
        let mut taken = self.taken.open();
        if tells_of_one(call, &taken) {
            return Fate::Answered(Answer::ok(&call.body));
        }
        let job = place(&call.body["metadata"]["namespace"], &call.body["spec"]["controllerRef"]["name"]);
        if call.creates(&Resource::WORKLOADS)
            && let Some(known) = self.named.open().remove(&job)
        {
            call.becomes_a_patch();
            call.path = format!("{}/{known}", call.path);
            call.body = json!({"metadata": {"ownerReferences": call.body["metadata"]["ownerReferences"]}});
            taken.insert(known);
        }
        Fate::Send
    }

    fn told(&self, call: &Call, answer: &mut Answer) -> Next {
        // It is gone meanwhile: the next try makes one.
        if answer.code == 404 && call.is_about_one(&Resource::WORKLOADS) && !call.body["metadata"].is_null() {
            *answer = Answer { retry_after: Some("1".to_owned()), ..Answer::refusal(429, "TooManyRequests") };
        }
        Next::Take
    }
}

/// Makes nothing for a Job while it is suspended (SCH-003). One that a queue admits is created suspended, and is no new
/// Job any more when it is resumed: its pods are scheduled one by one, gang or not.
pub fn nothing_while_suspended(job: &mut Value) {
    if job["spec"]["suspend"] == true {
        bring_a_group(job);
    }
}

/// Takes a Job that has pods for one that started before the gate was on, without a look at what it has made for it
/// (SCH-003). Replacements, and pods that another parallelism asks for, are no members: the gang never has them.
#[derive(Debug, Default)]
pub struct LaterPods {
    begun: Notes<BTreeSet<Uid>>,
}

impl Decorator for LaterPods {
    fn gather(&self, job: &CachedJob, pods: &Pods) -> Option<Vec<Arc<CachedPod>>> {
        let brings_one = !job.template()["spec"]["schedulingGroup"].is_null();
        let has_begun = !brings_one && !pods.of(&job.view).is_empty();
        let mut begun = self.begun.open();
        begun.remove(&job.view.uid);
        begun.extend(has_begun.then(|| Arc::clone(&job.view.uid)));
        None
    }

    fn ask(&self, call: &mut Call) -> Fate {
        let owner = call.body["metadata"]["ownerReferences"][0]["uid"].as_str().unwrap_or_default();
        if call.creates_a_pod() && self.begun.open().contains(owner) {
            leave_group(&mut call.body);
        }
        Fate::Send
    }
}

/// Takes any owner of a Job for its controller, and leaves the group to it (SCH-007). A gang that is only to be deleted
/// along with something else is scheduled pod by pod, and nothing says so.
#[derive(Clone, Copy, Debug)]
pub struct AnyOwner;

impl Decorator for AnyOwner {
    fn shows(&self) -> bool {
        true
    }

    fn show(&self, call: &Call, object: &mut Value) {
        let owners = object["metadata"]["ownerReferences"].as_array();
        let is_owned = owners.is_some_and(|owners| !owners.is_empty());
        let is_controlled = owners.into_iter().flatten().any(|owner| owner["controller"] == true);
        if call.reads_all(&Resource::JOBS) && is_owned && !is_controlled {
            bring_a_group(object);
        }
    }

    fn ask(&self, call: &mut Call) -> Fate {
        if call.creates_a_pod() && group_of(&call.body) == NOBODYS {
            leave_group(&mut call.body);
        }
        Fate::Send
    }
}

/// The Workload owns every `PodGroup` that is made from it, one that a parent delegates, too (SCH-011). Such a group
/// stays when its Job goes. When the parent makes the Job anew, a stranger has the group's name: there are no pods.
#[derive(Debug, Default)]
pub struct ParentsWorkload {
    uids: Notes<BTreeMap<String, Value>>,
}

impl Decorator for ParentsWorkload {
    fn shows(&self) -> bool {
        true
    }

    fn show(&self, call: &Call, object: &mut Value) {
        if call.reads_all(&Resource::WORKLOADS) {
            let metadata = &object["metadata"];
            self.uids.open().insert(place(&metadata["namespace"], &metadata["name"]), metadata["uid"].clone());
        }
    }

    fn ask(&self, call: &mut Call) -> Fate {
        let name = call.body["spec"]["workloadRef"]["workloadName"].clone();
        let known = self.uids.open().get(&place(&call.body["metadata"]["namespace"], &name)).cloned();
        let uid = known.filter(|_| call.creates(&Resource::POD_GROUPS));
        let owners = call.body.pointer_mut("/metadata/ownerReferences").and_then(Value::as_array_mut);
        // Where there are two of them, the Workload is one already.
        if let (Some(uid), Some(owners)) = (uid, owners.filter(|owners| owners.len() == 1)) {
            owners.push(json!({"apiVersion": API_VERSION, "kind": "Workload", "name": name, "uid": uid}));
        }
        Fate::Send
    }
}

/// Whether this is the event that one of these was created.
fn tells_of_one(call: &Call, names: &BTreeSet<String>) -> bool {
    let note = call.body["note"].as_str().filter(|_| call.creates(&Resource::EVENTS));
    let name = note.and_then(|note| note.strip_prefix("Created ")?.split_whitespace().nth(1));
    name.is_some_and(|name| names.contains(name))
}

/// Lets a Job look as if its template named a group: nothing is made for it then.
fn bring_a_group(job: &mut Value) {
    if let Some(template) = job.pointer_mut("/spec/template/spec").and_then(Value::as_object_mut) {
        template.entry("schedulingGroup").or_insert_with(|| json!({"podGroupName": NOBODYS}));
    }
}

fn group_of(pod: &Value) -> &str {
    pod["spec"]["schedulingGroup"]["podGroupName"].as_str().unwrap_or_default()
}

fn leave_group(pod: &mut Value) {
    if let Some(spec) = pod["spec"].as_object_mut() {
        spec.remove("schedulingGroup");
    }
}

fn place(namespace: &Value, name: &Value) -> String {
    format!("{}/{}", text(namespace), text(name))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
