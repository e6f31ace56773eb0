//! Workloads and `PodGroup`s for the scheduler (KEP-5547, as in Kubernetes 1.37): who has them, and what is to be done next.
//!
//! Both are JSON in the version `scheduling.k8s.io/v1beta1`: what a user says about the scheduling of a Job goes into them as it is.

use k8s_openapi::{
    api::batch::v1::Job,
    apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference},
};
use serde_json::{Map, Value, json};

use crate::new_pod::{self, SUFFIX_ALPHABET};

/// The version that both objects are written in.
pub const API_VERSION: &str = "scheduling.k8s.io/v1beta1";
/// By this annotation a parent names the template of its Workload from which the Job's `PodGroup` is made.
const GROUP_TEMPLATE: &str = "scheduling.k8s.io/group-template-name";
/// The longest name of an object.
const LONGEST_NAME: usize = 253;
const MIN_COUNT: &str = "/schedulingPolicy/gang/minCount";

/// The `PodGroup` that the pods of a Job are members of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Membership {
    /// `metadata.name` of the group.
    pub name: String,
}

/// What is to be done before pods are created.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Nothing: pods are scheduled one by one.
    Plain,
    /// Nothing: pods are members of this group.
    Member(Membership),
    /// Create this Workload.
    CreateWorkload(Value),
    /// Create this `PodGroup`.
    CreateGroup(Value),
    /// Merge this into the Workload of this name.
    ResizeWorkload(String, Value),
    /// Merge this into the `PodGroup` of this name.
    ResizeGroup(String, Value),
    /// The Workload is not as it must be; the sync fails and is tried again.
    Unfit(String),
}

/// Which of both a Job has.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Managed<'a> {
    None,
    Both,
    /// A parent has the Workload and leaves the group to us.
    GroupFrom(&'a OwnerReference, &'a str),
}

/// What to do about the scheduling objects of a Job, given all Workloads and `PodGroup`s of its namespace that the caches know
/// and those that were just written. `has_pods` is whether there is any pod of it.
///
/// To be asked again after each call that went through, until the answer is [`Next::Plain`] or [`Next::Member`] (SCH-002 to SCH-012).
#[must_use]
pub fn next(job: &Job, has_pods: bool, workloads: &[&Value], groups: &[&Value]) -> Next {
    match managed(job) {
        Managed::None => Next::Plain,
        Managed::Both => of_a_root(job, has_pods, workloads, groups),
        Managed::GroupFrom(parent, template) => delegated(job, has_pods, parent, template, workloads, groups),
    }
}

impl Membership {
    /// Makes a pod that is about to be posted a member (SCH-003).
    ///
    /// The group does not become an owner of the pod: it waits for its pods to go, and they would wait for it.
    pub fn join(&self, pod: &mut Value) {
        pod["spec"]["schedulingGroup"] = json!({"podGroupName": self.name});
    }
}

/// Whether the Job's group depends on a Workload of its parent (SCH-007).
#[must_use]
pub fn is_delegated(job: &Job) -> bool {
    matches!(managed(job), Managed::GroupFrom(..))
}

/// (SCH-007, SCH-008)
fn managed(job: &Job) -> Managed<'_> {
    let template = job.spec.as_ref().and_then(|spec| spec.template.spec.as_ref());
    if template.is_some_and(|template| template.scheduling_group.is_some()) {
        return Managed::None;
    }
    let parent = job.metadata.owner_references.iter().flatten().find(|owner| owner.controller == Some(true));
    let Some(parent) = parent else { return Managed::Both };
    let template = job.metadata.annotations.as_ref().and_then(|all| all.get(GROUP_TEMPLATE));
    template.map_or(Managed::None, |template| Managed::GroupFrom(parent, template))
}

/// Only a Job that has never started gets new objects: one that runs since before the gate was on stays as it is (SCH-003).
fn is_new(job: &Job, has_pods: bool) -> bool {
    let Some(status) = &job.status else { return !has_pods };
    let counted = |count: Option<i32>| count.unwrap_or(0) != 0;
    let suspended = status.conditions.iter().flatten().any(|condition| condition.type_ == "Suspended");
    !has_pods && status.start_time.is_none() && !counted(status.succeeded) && !counted(status.failed) && !suspended
}

/// (SCH-002, SCH-003, SCH-006, SCH-009, SCH-011)
fn of_a_root(job: &Job, has_pods: bool, workloads: &[&Value], groups: &[&Value]) -> Next {
    let is_new = is_new(job, has_pods);
    let names_it = |workload: &&&Value| {
        let of = &workload["spec"]["controllerRef"];
        of["apiGroup"] == "batch"
            && of["kind"] == "Job"
            && of["name"] == name(job)
            && is_controlled(workload, &job.metadata)
    };
    let mut its = workloads.iter().filter(names_it);
    let workload = match (its.next(), its.next()) {
        (None, _) if is_new => return Next::CreateWorkload(workload(job)),
        // With two of them nobody can tell which is meant.
        (None, _) | (Some(_), Some(_)) => return Next::Plain,
        (Some(workload), None) => workload,
    };
    let templates = workload["spec"]["podGroupTemplates"].as_array().map_or(&[][..], Vec::as_slice);
    let [template] = templates else {
        return Next::Unfit(format!("its Workload has {} templates of PodGroups instead of one", templates.len()));
    };
    let mut its = groups.iter().filter(|group| is_made_from(group, workload) && is_controlled(group, &job.metadata));
    let group = match (its.next(), its.next()) {
        (None, _) if is_new => return Next::CreateGroup(group(job, workload, template, true)),
        (None, _) | (Some(_), Some(_)) => None,
        (Some(group), None) => Some(*group),
    };
    let Some(size) = policy(job).pointer("/gang/minCount").cloned() else { return member(group) };
    if differs(template.pointer(MIN_COUNT), &size) {
        // A list is replaced as a whole by a merge patch.
        let mut template = template.clone();
        template["schedulingPolicy"]["gang"]["minCount"] = size;
        let patch = json!({"spec": {"podGroupTemplates": [template]}});
        return Next::ResizeWorkload(text(&workload["metadata"]["name"]), patch);
    }
    resized(group, &size).unwrap_or_else(|| member(group))
}

/// (SCH-007)
fn delegated(
    job: &Job,
    has_pods: bool,
    parent: &OwnerReference,
    template: &str,
    workloads: &[&Value],
    groups: &[&Value],
) -> Next {
    let api_group = parent.api_version.split_once('/').map_or("", |(group, _)| group);
    let is_the_parents = |workload: &&&Value| {
        let of = &workload["spec"]["controllerRef"];
        of["apiGroup"].as_str().unwrap_or("") == api_group && of["kind"] == parent.kind && of["name"] == parent.name
    };
    let Some(workload) = workloads.iter().find(is_the_parents) else { return Next::Plain };
    let templates = workload["spec"]["podGroupTemplates"].as_array();
    let Some(template) = templates.into_iter().flatten().find(|known| known["name"] == template) else {
        return Next::Plain;
    };
    let known = groups.iter().find(|group| is_made_from(group, workload) && is_controlled(group, &job.metadata));
    let Some(known) = known else {
        let is_new = is_new(job, has_pods);
        return if is_new { Next::CreateGroup(group(job, workload, template, false)) } else { Next::Plain };
    };
    let size = template.pointer(MIN_COUNT).cloned();
    size.and_then(|size| resized(Some(known), &size)).unwrap_or_else(|| member(Some(known)))
}

fn member(group: Option<&Value>) -> Next {
    let Some(group) = group else { return Next::Plain };
    Next::Member(Membership { name: text(&group["metadata"]["name"]) })
}

fn resized(group: Option<&Value>, size: &Value) -> Option<Next> {
    let group = group.filter(|group| differs(group["spec"].pointer(MIN_COUNT), size))?;
    let patch = json!({"spec": {"schedulingPolicy": {"gang": {"minCount": size}}}});
    Some(Next::ResizeGroup(text(&group["metadata"]["name"]), patch))
}

/// Whether a gang has another size; what is no gang has none.
fn differs(known: Option<&Value>, size: &Value) -> bool {
    known.is_some_and(|known| known != size)
}

/// What the Job's settings come to: basic unless it says gang, and a gang as large as the parallelism unless it says a number,
/// at least one (SCH-002, SCH-004).
fn policy(job: &Job) -> Value {
    let spec = job.spec.as_ref();
    let policy = spec.and_then(|spec| spec.scheduling.as_ref()?.scheduling_policy.as_ref());
    let Some(gang) = policy.and_then(|policy| policy.gang.as_ref()) else { return json!({"basic": {}}) };
    let parallelism = spec.and_then(|spec| spec.parallelism).unwrap_or(1);
    json!({"gang": {"minCount": gang.min_count.unwrap_or(parallelism.max(1))}})
}

fn workload(job: &Job) -> Value {
    let spec = job.spec.as_ref();
    let settings = spec.and_then(|spec| serde_json::to_value(spec.scheduling.as_ref()?).ok()).unwrap_or_default();
    let mut template = Map::new();
    template.insert("name".to_owned(), format!("{}-pgt-0", name(job)).into());
    template.insert("schedulingPolicy".to_owned(), policy(job));
    let said = ["schedulingConstraints", "disruptionMode", "resourceClaims"].into_iter();
    template.extend(said.filter_map(|key| Some((key.to_owned(), settings.get(key)?.clone()))));
    let priority = spec.and_then(|spec| spec.template.spec.as_ref()?.priority_class_name.clone());
    template.extend(priority.map(|priority| ("priorityClassName".to_owned(), priority.into())));
    json!({
        "apiVersion": API_VERSION,
        "kind": "Workload",
        "metadata": {
            "name": workload_name(name(job), job.metadata.uid.as_deref().unwrap_or_default()),
            "namespace": job.metadata.namespace,
            "ownerReferences": [new_pod::owner(&job.metadata)],
        },
        "spec": {
            "controllerRef": {"apiGroup": "batch", "kind": "Job", "name": name(job)},
            "podGroupTemplates": [template],
        },
    })
}

/// (SCH-010, SCH-011)
fn group(job: &Job, workload: &Value, template: &Value, is_root: bool) -> Value {
    let (workload_name, template_name) = (text(&workload["metadata"]["name"]), text(&template["name"]));
    let mut owners = vec![new_pod::owner(&job.metadata)];
    if is_root {
        let uid = &workload["metadata"]["uid"];
        owners.push(json!({"apiVersion": API_VERSION, "kind": "Workload", "name": workload_name, "uid": uid}));
    }
    let mut spec = template.as_object().cloned().unwrap_or_default();
    spec.remove("name");
    spec.insert("workloadRef".to_owned(), json!({"workloadName": workload_name, "templateName": template_name}));
    json!({
        "apiVersion": API_VERSION,
        "kind": "PodGroup",
        "metadata": {
            "name": group_name(&workload_name, &template_name),
            "namespace": job.metadata.namespace,
            "ownerReferences": owners,
        },
        "spec": spec,
    })
}

/// Whether the Job with this metadata, and no namesake, is the controller of an object.
#[must_use]
pub fn is_controlled(object: &Value, job: &ObjectMeta) -> bool {
    let owners = object["metadata"]["ownerReferences"].as_array();
    owners.into_iter().flatten().any(|owner| owner["controller"] == true && owner["uid"] == json!(job.uid))
}

fn is_made_from(group: &Value, workload: &Value) -> bool {
    group["spec"]["workloadRef"]["workloadName"] == workload["metadata"]["name"]
}

fn name(job: &Job) -> &str {
    job.metadata.name.as_deref().unwrap_or_default()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// `<job>-<hash of the UID>`, the name that the built-in controller gives, too: whoever takes over finds nothing else in its
/// place (SCH-010).
fn workload_name(job: &str, uid: &str) -> String {
    let hash = hash(&["(types.UID)", uid]);
    let room = LONGEST_NAME.saturating_sub(hash.len()).saturating_sub(1);
    format!("{}-{hash}", cut(job, room))
}

/// `<workload>-<template>-<hash of both>`; of two names that are too long together each gets its half (SCH-010).
fn group_name(workload: &str, template: &str) -> String {
    let hash = hash(&[workload, template]);
    let room = LONGEST_NAME.saturating_sub(hash.len()).saturating_sub(2);
    let half = room / 2;
    let (workload, template) = if workload.len().saturating_add(template.len()) <= room {
        (workload, template)
    } else if workload.len() <= half {
        (workload, cut(template, room.saturating_sub(workload.len())))
    } else if template.len() <= half {
        (cut(workload, room.saturating_sub(template.len())), template)
    } else {
        (cut(workload, room.saturating_sub(half)), cut(template, half))
    };
    format!("{workload}-{template}-{hash}")
}

/// Names are ASCII.
fn cut(name: &str, room: usize) -> &str {
    name.get(..room).unwrap_or(name)
}

/// FNV-1a of 32 bits, its decimal digits in the letters of random suffixes.
fn hash(parts: &[&str]) -> String {
    let bytes = parts.iter().flat_map(|part| part.bytes());
    let sum = bytes.fold(0x811c_9dc5_u32, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let letter = |digit: u8| SUFFIX_ALPHABET.iter().cycle().nth(usize::from(digit)).copied().map_or('b', char::from);
    sum.to_string().bytes().map(letter).collect()
}

#[cfg(test)]
mod tests;
