//! Words about a Volcano Job.

use crate::{
    predicate::Predicate,
    recorded::volcano::{Job, JobStatus},
    world::World,
};
use std::collections::BTreeSet;

/// A Volcano Job of the case, by name.
#[derive(Clone, Debug)]
pub struct JobWord {
    name: String,
}

/// The Volcano Job of the case: the one that drafts are named after unless they say otherwise.
#[must_use]
pub fn job() -> JobWord {
    job_named("job")
}

/// A Volcano Job by name, for cases with more than one.
#[must_use]
pub fn job_named(name: &str) -> JobWord {
    JobWord { name: name.to_owned() }
}

/// Counters of the status (VJ-105, VJ-108, VJ-109).
macro_rules! counters {
    ($($field:ident = $wire:literal),+ $(,)?) => {
        $(
            #[doc = concat!("`status.", $wire, "` is `n`; absent is 0.")]
            #[must_use]
            pub fn $field(&self, n: i32) -> Predicate {
                self.status(format!(concat!("has ", $wire, " {}"), n), move |status| status.$field == n)
            }
        )+
    };
}

impl JobWord {
    counters! {
        pending = "pending",
        running = "running",
        succeeded = "succeeded",
        failed = "failed",
        terminating = "terminating",
        unknown = "unknown",
        min_available = "minAvailable",
        version = "version",
        retry_count = "retryCount",
    }

    /// It is in this phase. A Job that no controller has looked at is in none (VJ-161).
    #[must_use]
    pub fn is(&self, phase: &'static str) -> Predicate {
        self.status(format!("is {phase}"), move |status| status.state.phase.as_deref() == Some(phase))
    }

    /// It is in one of these phases.
    #[must_use]
    pub fn is_one_of(&self, phases: &'static [&'static str]) -> Predicate {
        self.status(format!("is {}", phases.join(" or ")), move |status| {
            status.state.phase.as_deref().is_some_and(|phase| phases.contains(&phase))
        })
    }

    /// It is Completed, Failed or Terminated (VJ-182).
    #[must_use]
    pub fn is_finished(&self) -> Predicate {
        self.is_one_of(&["Completed", "Failed", "Terminated"])
    }

    /// It is or was in this phase, as its conditions have it (VJ-112).
    #[must_use]
    pub fn has_been(&self, phase: &'static str) -> Predicate {
        self.status(format!("has been {phase}"), move |status| status.conditions.iter().any(|one| one.status == phase))
    }

    /// It has so many conditions.
    #[must_use]
    pub fn conditions(&self, n: usize) -> Predicate {
        self.status(format!("has {n} conditions"), move |status| status.conditions.len() == n)
    }

    /// No phase stands in two conditions (VJ-112).
    #[must_use]
    pub fn has_one_condition_for_a_phase(&self) -> Predicate {
        self.status("has one condition for a phase at most".to_owned(), |status| {
            let phases: BTreeSet<&str> = status.conditions.iter().map(|one| one.status.as_str()).collect();
            phases.len() == status.conditions.len()
        })
    }

    /// The task has so many pods in this phase (VJ-110).
    #[must_use]
    pub fn counts(&self, task: &'static str, phase: &'static str, n: i32) -> Predicate {
        self.status(format!("counts {n} {phase} of task {task}"), move |status| {
            status.task_status_count.get(task).and_then(|phases| phases.phase.get(phase)).copied().unwrap_or(0) == n
        })
    }

    /// `status.version` is `n` or more.
    #[must_use]
    pub fn version_at_least(&self, n: i32) -> Predicate {
        self.status(format!("has version {n} or more"), move |status| status.version >= n)
    }

    /// `status.retryCount` is `n` or more.
    #[must_use]
    pub fn retry_count_at_least(&self, n: i32) -> Predicate {
        self.status(format!("has retryCount {n} or more"), move |status| status.retry_count >= n)
    }

    /// Its `controlledResources` have this key (VJ-111).
    #[must_use]
    pub fn controls(&self, key: &'static str) -> Predicate {
        self.status(format!("controls {key}"), move |status| status.controlled_resources.contains_key(key))
    }

    /// There is such a Job.
    #[must_use]
    pub fn exists(&self) -> Predicate {
        self.object("is there".to_owned(), |_| true)
    }

    /// There is no Job of this name (any more).
    #[must_use]
    pub fn is_gone(&self) -> Predicate {
        let name = self.name.clone();
        Predicate::new(format!("{name} is gone"), move |world| world.named::<Job>(&name).is_none())
    }

    /// It has a deletion timestamp.
    #[must_use]
    pub fn is_deleting(&self) -> Predicate {
        self.object("is being deleted".to_owned(), |job| job.metadata.deletion_timestamp.is_some())
    }

    /// Any other question about the status, in the case's own words.
    pub fn status(&self, words: String, ask: impl Fn(&JobStatus) -> bool + Send + Sync + 'static) -> Predicate {
        self.object(words, move |job| ask(&job.status))
    }

    /// Any other question about the Job, in the case's own words.
    pub fn object(&self, words: String, ask: impl Fn(&Job) -> bool + Send + Sync + 'static) -> Predicate {
        let name = self.name.clone();
        Predicate::new(format!("{} {words}", self.name), move |world: &World| {
            world.named::<Job>(&name).is_some_and(|job| ask(job))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::job;
    use crate::{Predicate, Seen, fact::Fact, recorded::volcano::Job, world::World};
    use rstest::rstest;
    use serde_json::{Value, json};
    use std::time::Duration;

    fn seen(status: Value) -> Seen<Job> {
        Seen::new(json!({"metadata": {"name": "job", "uid": "u"}, "status": status})).unwrap()
    }

    fn world(status: Value) -> World {
        let mut world = World::default();
        world.apply(1, Duration::ZERO, &Fact::there(seen(status)));
        world
    }

    fn running() -> Value {
        let conditions = json!([{"status": "Pending"}, {"status": "Running"}]);
        let tasks = json!({"worker": {"phase": {"Running": 2}}});
        json!({
            "state": {"phase": "Running"}, "running": 2, "version": 3, "retryCount": 1, "conditions": conditions,
            "taskStatusCount": tasks, "controlledResources": {"plugin-svc": "svc"},
        })
    }

    #[rstest]
    #[case::its_phase(job().is("Running"), job().is("Pending"))]
    #[case::one_of_several(job().is_one_of(&["Pending", "Running"]), job().is_finished())]
    #[case::what_it_was(job().has_been("Pending"), job().has_been("Restarting"))]
    #[case::its_counters(job().running(2), job().running(1))]
    #[case::what_is_absent(job().failed(0), job().failed(1))]
    #[case::its_version(job().version_at_least(3), job().version_at_least(4))]
    #[case::its_retries(job().retry_count(1), job().retry_count_at_least(2))]
    #[case::its_tasks(job().counts("worker", "Running", 2), job().counts("worker", "Pending", 1))]
    #[case::a_task_that_is_absent(job().counts("other", "Running", 0), job().counts("other", "Running", 2))]
    #[case::what_it_controls(job().controls("plugin-svc"), job().controls("plugin-ssh"))]
    #[case::how_many_conditions(job().conditions(2).and(job().has_one_condition_for_a_phase()), job().conditions(3))]
    #[case::whether_it_is_there(job().exists(), job().is_gone().or(job().is_deleting()))]
    fn a_word_is_true_of_one_world_and_not_of_another(#[case] is_true: Predicate, #[case] is_not: Predicate) {
        let world = world(running());
        assert!(is_true.holds(&world), "{is_true}");
        assert!(!is_not.holds(&world), "{is_not}");
    }

    #[test]
    fn a_job_without_a_phase_is_in_none() {
        assert!(!job().is("Pending").holds(&world(json!({}))));
        assert!(!job().is("Pending").holds(&World::default()));
    }

    #[test]
    fn a_job_that_went_is_gone() {
        let mut world = world(json!({}));
        world.apply(2, Duration::ZERO, &Fact::gone(seen(json!({}))));
        assert!(job().is_gone().holds(&world));
        assert!(!job().exists().holds(&world));
    }
}
