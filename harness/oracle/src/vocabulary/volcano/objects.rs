//! Words about what Volcano keeps beside the pods of a Job.

use crate::{
    predicate::Predicate,
    recorded::{
        Recorded, Secret,
        volcano::{Command, PodGroup, Queue},
    },
    vocabulary::objects::ObjectWords,
    world::World,
};
use jobsworth_api::Resource;
use k8s_openapi::{
    api::{
        core::v1::{ConfigMap, PersistentVolumeClaim, Service},
        networking::v1::NetworkPolicy,
    },
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};

/// Volcano's `PodGroup`s of the case's namespace.
#[must_use]
pub fn pod_groups() -> ObjectWords {
    ObjectWords::all_of::<PodGroup>("PodGroups of Volcano")
}

/// Commands that nobody has taken yet.
#[must_use]
pub fn commands() -> ObjectWords {
    ObjectWords::all_of::<Command>("Commands")
}

/// Services.
#[must_use]
pub fn services() -> ObjectWords {
    ObjectWords::all_of::<Service>("Services")
}

/// `ConfigMap`s; the cluster puts one of its own into each namespace.
#[must_use]
pub fn config_maps() -> ObjectWords {
    ObjectWords::all_of::<ConfigMap>("ConfigMaps")
}

/// Secrets, without what is secret in them.
#[must_use]
pub fn secrets() -> ObjectWords {
    ObjectWords::all_of::<Secret>("Secrets")
}

/// Claims of volumes.
#[must_use]
pub fn claims() -> ObjectWords {
    ObjectWords::all_of::<PersistentVolumeClaim>("PersistentVolumeClaims")
}

/// Network policies.
#[must_use]
pub fn network_policies() -> ObjectWords {
    ObjectWords::all_of::<NetworkPolicy>("NetworkPolicies")
}

/// The queue of this name is in this state.
#[must_use]
pub fn queue_is(name: &str, state: &'static str) -> Predicate {
    let words = format!("queue {name} is {state}");
    let name = name.to_owned();
    Predicate::new(words, move |world| {
        world.named::<Queue>(&name).is_some_and(|queue| queue.status.state.as_deref() == Some(state))
    })
}

/// The gang of one Job.
#[derive(Clone, Debug)]
pub struct GroupWord {
    job: &'static str,
}

/// The gang of the Job of the case.
#[must_use]
pub const fn group() -> GroupWord {
    group_of("job")
}

/// The gang of a Volcano Job.
#[must_use]
pub const fn group_of(job: &'static str) -> GroupWord {
    GroupWord { job }
}

impl GroupWord {
    /// There is one.
    #[must_use]
    pub fn exists(&self) -> Predicate {
        self.group("is there".to_owned(), |_| true)
    }

    /// There is none.
    #[must_use]
    pub fn is_absent(&self) -> Predicate {
        self.exists().negated().named(format!("{} has no group", self.job))
    }

    /// It is in this phase; one without a phase is Pending (VJ-335).
    #[must_use]
    pub fn is(&self, phase: &'static str) -> Predicate {
        self.group(format!("is {phase}"), move |group| group.phase() == phase)
    }

    /// `spec.minMember` is `n` (VJ-256).
    #[must_use]
    pub fn min_member(&self, n: i32) -> Predicate {
        self.group(format!("has minMember {n}"), move |group| group.spec.min_member == n)
    }

    /// `spec.minTaskMember` of this task is `n` (VJ-257).
    #[must_use]
    pub fn min_task_member(&self, task: &'static str, n: i32) -> Predicate {
        self.group(format!("has minTaskMember {n} of {task}"), move |group| {
            group.spec.min_task_member.get(task) == Some(&n)
        })
    }

    /// Any other question about it, in the case's own words.
    pub fn group(&self, words: String, ask: impl Fn(&PodGroup) -> bool + Send + Sync + 'static) -> Predicate {
        let job = self.job;
        Predicate::new(format!("the group of {job} {words}"), move |world: &World| {
            world.all::<PodGroup>().any(|group| is_of(group.metadata(), job) && ask(group))
        })
    }
}

fn is_of(metadata: &ObjectMeta, job: &str) -> bool {
    metadata.owner_references.iter().flatten().any(|owner| {
        owner.controller == Some(true)
            && owner.name == job
            && Resource::VOLCANO_JOBS.is_kind_of(&owner.api_version, &owner.kind)
    })
}

#[cfg(test)]
mod tests {
    use super::{commands, config_maps, group, pod_groups, queue_is, secrets};
    use crate::{
        Seen,
        fact::Fact,
        recorded::{
            Secret,
            volcano::{Command, PodGroup, Queue},
        },
        world::World,
    };
    use jobsworth_api::Resource;
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::{Value, json};
    use std::time::Duration;

    fn owned(api: &str) -> Value {
        let owner = json!({"apiVersion": api, "kind": "Job", "name": "job", "uid": "j", "controller": true});
        json!({"name": "one", "uid": "o", "ownerReferences": [owner]})
    }

    fn world(facts: impl IntoIterator<Item = Fact>) -> World {
        let mut world = World::default();
        facts.into_iter().for_each(|fact| world.apply(1, Duration::ZERO, &fact));
        world
    }

    fn gang(api: &str, status: &Value) -> Fact {
        let spec = json!({"minMember": 3, "minTaskMember": {"worker": 2}});
        Fact::there::<PodGroup>(Seen::new(json!({"metadata": owned(api), "spec": spec, "status": status})).unwrap())
    }

    #[test]
    fn a_group_is_that_of_the_job_that_controls_it() {
        let theirs = world([gang("batch.volcano.sh/v1alpha1", &json!({"phase": "Inqueue"}))]);
        assert!(
            group().is("Inqueue").and(group().min_member(3)).and(group().min_task_member("worker", 2)).holds(&theirs)
        );
        assert!(!group().is("Pending").or(group().min_member(2)).or(group().is_absent()).holds(&theirs));
        assert!(pod_groups().controlled_by(&Resource::VOLCANO_JOBS, "job").count(1).holds(&theirs));
        let others = world([gang("batch/v1", &json!({}))]);
        assert!(group().is_absent().holds(&others));
        assert!(pod_groups().controlled_by(&Resource::VOLCANO_JOBS, "job").count(0).holds(&others));
    }

    #[test]
    fn a_group_without_a_phase_is_pending() {
        assert!(group().is("Pending").holds(&world([gang("batch.volcano.sh/v1alpha1", &json!({}))])));
    }

    #[test]
    fn a_queue_has_a_state_once_somebody_has_seen_it() {
        let queue = |status: Value| {
            let queue = json!({"metadata": {"name": "mine", "uid": "q"}, "status": status});
            world([Fact::there::<Queue>(Seen::new(queue).unwrap())])
        };
        assert!(queue_is("mine", "Open").holds(&queue(json!({"state": "Open"}))));
        assert!(!queue_is("mine", "Open").holds(&queue(json!({}))));
        assert!(!queue_is("other", "Open").holds(&queue(json!({"state": "Open"}))));
    }

    #[test]
    fn other_objects_are_counted_by_kind_and_name() {
        let object = |name: &str| json!({"metadata": {"name": name, "uid": name}});
        let world = world([
            Fact::there::<ConfigMap>(Seen::new(object("job-svc")).unwrap()),
            Fact::there::<Secret>(Seen::new(object("job-ssh")).unwrap()),
            Fact::there::<Command>(Seen::new(object("stop")).unwrap()),
        ]);
        assert!(config_maps().named("job-svc").count(1).and(config_maps().named("job-ssh").count(0)).holds(&world));
        assert!(secrets().count(1).and(commands().count(1)).holds(&world));
        assert!(commands().created().holds(&world) && !secrets().created().holds(&world));
    }
}
