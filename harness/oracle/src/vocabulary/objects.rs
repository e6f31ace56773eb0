//! Words about what a Job controller keeps beside its pods: for the scheduler Workloads and `PodGroup`s (KEP-5547), and
//! whatever else is recorded.

use crate::{
    predicate::Predicate,
    recorded::{PodGroup, Recorded, Sighting, Workload},
    vocabulary::pods,
    world::{Change, World},
};
use jobsworth_api::Resource;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use serde_json::Value;
use std::sync::Arc;

type Ask = dyn Fn(&Sighting) -> bool + Send + Sync;

/// Some of the namespace's objects of one kind.
#[derive(Clone)]
pub struct ObjectWords {
    words: String,
    all: fn(&World) -> Vec<Sighting>,
    pick: Arc<Ask>,
}

/// All Workloads of the case's namespace.
#[must_use]
pub fn workloads() -> ObjectWords {
    ObjectWords::all_of::<Workload>("Workloads")
}

/// All `PodGroup`s of the case's namespace.
#[must_use]
pub fn pod_groups() -> ObjectWords {
    ObjectWords::all_of::<PodGroup>("PodGroups")
}

impl ObjectWords {
    /// All of a kind, under this name.
    pub(super) fn all_of<K: Recorded>(words: &str) -> Self {
        Self { words: words.to_owned(), all: all::<K>, pick: Arc::new(|_| true) }
    }

    /// Only those whose controller is a Job of this name.
    #[must_use]
    pub fn of(&self, job: &'static str) -> Self {
        self.controlled_by(&Resource::JOBS, job)
    }

    /// Only those whose controller is an object of this kind and this name.
    #[must_use]
    pub fn controlled_by(&self, kind: &Resource, name: &'static str) -> Self {
        let kind = kind.clone();
        self.only(format!("of {name}"), move |object| is_controlled_by(object, &kind, name))
    }

    /// Only the one of this name.
    #[must_use]
    pub fn named(&self, name: impl Into<String>) -> Self {
        let name = name.into();
        self.only(format!("named {name}"), move |object| object.name() == name)
    }

    /// Only those that have an owner of this kind that is no controller.
    #[must_use]
    pub fn owned_by(&self, kind: &Resource) -> Self {
        let kind = kind.clone();
        self.only(format!("with a plain owner of kind {}", kind.kind), move |object| {
            let is_one = |owner: &OwnerReference| kind.is_kind_of(&owner.api_version, &owner.kind);
            owners(object).iter().any(|owner| is_one(owner) && owner.controller != Some(true))
        })
    }

    /// Only those that have this value at this JSON pointer; `null` is absence too.
    #[must_use]
    pub fn with(&self, pointer: &'static str, value: impl Into<Value>) -> Self {
        let value = value.into();
        self.only(format!("with {pointer} = {value}"), move |object| {
            *object.raw().pointer(pointer).unwrap_or(&Value::Null) == value
        })
    }

    /// Only those whose name contains `part`.
    #[must_use]
    pub fn with_name_like(&self, part: &'static str) -> Self {
        self.only(format!("with {part} in the name"), move |object| object.name().contains(part))
    }

    /// There are exactly `n`.
    #[must_use]
    pub fn count(&self, n: usize) -> Predicate {
        let this = self.clone();
        Predicate::new(format!("{n} {}", self.words), move |world| this.picked(world).count() == n)
    }

    /// There are at least `n`.
    #[must_use]
    pub fn at_least(&self, n: usize) -> Predicate {
        let this = self.clone();
        Predicate::new(format!("at least {n} {}", self.words), move |world| this.picked(world).count() >= n)
    }

    /// Every pod of this Job is a member of one of these.
    #[must_use]
    pub fn hold_all_pods_of(&self, job: &'static str) -> Predicate {
        let this = self.clone();
        Predicate::new(format!("every pod of {job} is a member of one of the {}", self.words), move |world| {
            let pods = world.pods().filter(|pod| pods::job_name(pod) == Some(job));
            pods.into_iter().all(|pod| {
                let group = pod.raw.pointer("/spec/schedulingGroup/podGroupName").and_then(Value::as_str);
                group.is_some_and(|group| this.picked(world).any(|held| held.name() == group))
            })
        })
    }

    /// Those of which this is true, in the case's own words.
    pub fn only(&self, words: String, ask: impl Fn(&Sighting) -> bool + Send + Sync + 'static) -> Self {
        let pick = self.pick.clone();
        Self {
            words: format!("{} {words}", self.words),
            all: self.all,
            pick: Arc::new(move |object| pick(object) && ask(object)),
        }
    }

    /// One was made just now.
    #[must_use]
    pub fn created(&self) -> Predicate {
        let this = self.clone();
        Predicate::new(format!("one of the {} is created", self.words), move |world| match &world.change {
            Change::Added(sighting) => this.picked(world).any(|object| object.uid() == sighting.uid()),
            _ => false,
        })
    }

    fn picked(&self, world: &World) -> impl Iterator<Item = Sighting> {
        (self.all)(world).into_iter().filter(|object| (self.pick)(object))
    }
}

fn all<K: Recorded>(world: &World) -> Vec<Sighting> {
    world.all::<K>().cloned().map(Sighting::from).collect()
}

fn owners(object: &Sighting) -> &[OwnerReference] {
    object.metadata().owner_references.as_deref().unwrap_or_default()
}

fn is_controlled_by(object: &Sighting, kind: &Resource, name: &str) -> bool {
    let is_its = |owner: &OwnerReference| kind.is_kind_of(&owner.api_version, &owner.kind) && owner.name == name;
    owners(object).iter().any(|owner| owner.controller == Some(true) && is_its(owner))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Seen, fact::Fact};
    use k8s_openapi::api::core::v1::Pod;
    use serde_json::json;
    use std::time::Duration;

    fn world(facts: impl IntoIterator<Item = Fact>) -> World {
        let mut world = World::default();
        facts.into_iter().for_each(|fact| world.apply(1, Duration::ZERO, &fact));
        world
    }

    fn group(controller: bool) -> Seen<PodGroup> {
        let owner =
            json!({"apiVersion": "batch/v1", "kind": "Job", "name": "job", "uid": "j", "controller": controller});
        let metadata = json!({"name": "group", "uid": "g", "ownerReferences": [owner]});
        Seen::new(json!({"kind": "PodGroup", "metadata": metadata, "spec": {"minCount": 3}})).unwrap()
    }

    fn pod(group: &Value) -> Fact {
        let owner = json!({"apiVersion": "batch/v1", "kind": "Job", "name": "job", "uid": "j", "controller": true});
        let metadata = json!({"name": "pod", "uid": "p", "ownerReferences": [owner]});
        Fact::there::<Pod>(
            Seen::new(json!({"metadata": metadata, "spec": {"schedulingGroup": group, "containers": []}})).unwrap(),
        )
    }

    #[test]
    fn an_object_is_of_the_job_that_controls_it() {
        assert!(pod_groups().of("job").count(1).holds(&world([Fact::there(group(true))])));
        assert!(pod_groups().of("job").count(0).holds(&world([Fact::there(group(false))])));
        assert!(pod_groups().owned_by(&Resource::JOBS).count(1).holds(&world([Fact::there(group(false))])));
        assert!(workloads().count(0).holds(&world([Fact::there(group(true))])));
        assert!(pod_groups().count(0).holds(&world([Fact::there(group(true)), Fact::gone(group(true))])));
    }

    #[test]
    fn an_object_is_told_by_any_of_its_fields() {
        let world = world([Fact::there(group(true))]);
        assert!(pod_groups().with("/spec/minCount", 3).count(1).holds(&world));
        assert!(pod_groups().with("/spec/minCount", 4).count(0).holds(&world));
        assert!(pod_groups().with("/spec/other", ()).at_least(1).holds(&world));
    }

    #[test]
    fn a_pod_is_a_member_of_the_group_that_it_names() {
        let held = pod_groups().of("job").hold_all_pods_of("job");
        assert!(held.holds(&world([Fact::there(group(true)), pod(&json!({"podGroupName": "group"}))])));
        assert!(!held.holds(&world([Fact::there(group(true)), pod(&json!({"podGroupName": "other"}))])));
        assert!(!held.holds(&world([Fact::there(group(true)), pod(&Value::Null)])));
        assert!(!held.holds(&world([pod(&json!({"podGroupName": "group"}))])));
    }
}
