//! Words about pods.

use crate::{predicate::Predicate, world::World};
use jobsworth_api::{Resource, well_known};
use k8s_openapi::api::core::v1::Pod;
use std::sync::Arc;

/// Some of the namespace's pods.
#[derive(Clone)]
pub struct PodWords {
    words: String,
    pick: Arc<dyn Fn(&Pod) -> bool + Send + Sync>,
}

/// A question about one pod.
#[derive(Clone)]
pub struct PodWord {
    words: String,
    ask: Arc<dyn Fn(&Pod) -> bool + Send + Sync>,
}

/// All pods of the case's namespace.
#[must_use]
pub fn pods() -> PodWords {
    PodWords { words: "pods".to_owned(), pick: Arc::new(|_| true) }
}

/// The pods with this completion index.
#[must_use]
pub fn index(index: u32) -> PodWords {
    PodWords {
        words: format!("pods of index {index}"),
        pick: Arc::new(move |pod| completion_index(pod) == Some(index)),
    }
}

/// The pod with this name.
#[must_use]
pub fn pod_named(name: &'static str) -> PodWords {
    PodWords { words: format!("the pod {name}"), pick: Arc::new(move |pod| pod.metadata.name.as_deref() == Some(name)) }
}

impl PodWord {
    /// Whether it is true of `pod`.
    #[must_use]
    pub fn holds(&self, pod: &Pod) -> bool {
        (self.ask)(pod)
    }

    /// True where both are.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        word(format!("{} and {}", self.words, other.words), move |pod| (self.ask)(pod) && (other.ask)(pod))
    }

    /// True where either is.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        word(format!("{} or {}", self.words, other.words), move |pod| (self.ask)(pod) || (other.ask)(pod))
    }
}

impl PodWords {
    /// Only those whose controller is a Job of this name.
    #[must_use]
    pub fn of(&self, job: &'static str) -> Self {
        self.that_are(word(format!("of {job}"), move |pod| job_name(pod) == Some(job)))
    }

    /// Only those for which `word` is true.
    #[must_use]
    pub fn that_are(&self, word: PodWord) -> Self {
        let pick = self.pick.clone();
        let ask = word.ask;
        Self {
            words: format!("{} that are {}", self.words, word.words),
            pick: Arc::new(move |pod| pick(pod) && ask(pod)),
        }
    }

    /// There are exactly `n`.
    #[must_use]
    pub fn count(&self, n: usize) -> Predicate {
        self.tally(format!("{n} {}", self.words), move |count| count == n)
    }

    /// There are at least `n`.
    #[must_use]
    pub fn at_least(&self, n: usize) -> Predicate {
        self.tally(format!("at least {n} {}", self.words), move |count| count >= n)
    }

    /// Exactly `n` run: phase Running, not told to stop.
    #[must_use]
    pub fn running(&self, n: usize) -> Predicate {
        self.that_are(running()).count(n).named(format!("{n} {} running", self.words))
    }

    /// `word` is true of each, also when there is none.
    #[must_use]
    pub fn all(&self, word: PodWord) -> Predicate {
        let pick = self.pick.clone();
        Predicate::new(format!("all {} {}", self.words, word.words), move |world| {
            world.pods().filter(|pod| pick(pod)).all(|pod| (word.ask)(pod))
        })
    }

    /// `word` is true of one at least.
    #[must_use]
    pub fn any(&self, word: PodWord) -> Predicate {
        let pick = self.pick.clone();
        Predicate::new(format!("some {} {}", self.words, word.words), move |world| {
            world.pods().filter(|pod| pick(pod)).any(|pod| (word.ask)(pod))
        })
    }

    /// One was created just now.
    #[must_use]
    pub fn created(&self) -> Predicate {
        let pick = self.pick.clone();
        Predicate::new(format!("one of the {} is created", self.words), move |world| {
            world.added::<Pod>().is_some_and(|pod| pick(pod))
        })
    }

    pub(super) fn picks(&self, pod: &Pod) -> bool {
        (self.pick)(pod)
    }

    fn tally(&self, words: String, holds: impl Fn(usize) -> bool + Send + Sync + 'static) -> Predicate {
        let pick = self.pick.clone();
        Predicate::new(words, move |world: &World| holds(world.pods().filter(|pod| pick(pod)).count()))
    }
}

/// A question of the case's own about one pod.
pub fn word(words: impl Into<String>, ask: impl Fn(&Pod) -> bool + Send + Sync + 'static) -> PodWord {
    PodWord { words: words.into(), ask: Arc::new(ask) }
}

impl PodWord {
    /// True of the pods of which this is not.
    #[must_use]
    pub fn negated(self) -> Self {
        word(format!("not {}", self.words), move |pod| !(self.ask)(pod))
    }
}

/// Phase Running and not told to stop.
#[must_use]
pub fn running() -> PodWord {
    word("running", |pod| phase(pod) == "Running" && !is_stopping(pod))
}

/// Told to stop, or already at its end.
#[must_use]
pub fn stopping() -> PodWord {
    word("stopping or stopped", |pod| is_stopping(pod) || is_terminal(pod))
}

/// At its end: phase Succeeded or Failed.
#[must_use]
pub fn stopped() -> PodWord {
    word("stopped", is_terminal)
}

/// Told to stop and not yet at its end.
#[must_use]
pub fn terminating() -> PodWord {
    word("terminating", |pod| is_stopping(pod) && !is_terminal(pod))
}

/// Phase Succeeded.
#[must_use]
pub fn succeeded() -> PodWord {
    word("succeeded", |pod| phase(pod) == "Succeeded")
}

/// Phase Failed.
#[must_use]
pub fn failed() -> PodWord {
    word("failed", |pod| phase(pod) == "Failed")
}

/// Neither told to stop nor at its end.
#[must_use]
pub fn live() -> PodWord {
    word("live", |pod| !is_stopping(pod) && !is_terminal(pod))
}

/// Holding the tracking finalizer.
#[must_use]
pub fn tracked() -> PodWord {
    word("holding the tracking finalizer", is_tracked)
}

/// Not holding the tracking finalizer.
#[must_use]
pub fn untracked() -> PodWord {
    word("without the tracking finalizer", |pod| !is_tracked(pod))
}

/// Marked as about to be disrupted.
#[must_use]
pub fn disrupted() -> PodWord {
    word("marked as disrupted", |pod| {
        let conditions = pod.status.iter().flat_map(|status| status.conditions.iter().flatten());
        conditions.into_iter().any(|condition| condition.type_ == "DisruptionTarget" && condition.status == "True")
    })
}

/// With a container that was restarted in place so often or more often.
#[must_use]
pub fn restarted_times(n: i32) -> PodWord {
    word(format!("restarted {n} times or more"), move |pod| {
        let containers = pod.status.iter().flat_map(|status| status.container_statuses.iter().flatten());
        containers.into_iter().any(|container| container.restart_count >= n)
    })
}

/// Carrying this annotation with this value.
#[must_use]
pub fn annotated(key: &'static str, value: &'static str) -> PodWord {
    word(format!("annotated {key}={value}"), move |pod| {
        pod.metadata.annotations.as_ref().and_then(|all| all.get(key)).is_some_and(|found| found == value)
    })
}

/// The phase, `Pending` when there is none yet.
#[must_use]
pub fn phase(pod: &Pod) -> &str {
    pod.status.as_ref().and_then(|status| status.phase.as_deref()).unwrap_or("Pending")
}

/// Whether the phase is Succeeded or Failed.
#[must_use]
pub fn is_terminal(pod: &Pod) -> bool {
    matches!(phase(pod), "Succeeded" | "Failed")
}

/// Whether the pod has a deletion timestamp.
#[must_use]
pub fn is_stopping(pod: &Pod) -> bool {
    pod.metadata.deletion_timestamp.is_some()
}

/// Whether the pod holds the tracking finalizer.
#[must_use]
pub fn is_tracked(pod: &Pod) -> bool {
    pod.metadata.finalizers.iter().flatten().any(|finalizer| finalizer == well_known::TRACKING_FINALIZER)
}

/// The completion index in the pod's annotation.
#[must_use]
pub fn completion_index(pod: &Pod) -> Option<u32> {
    pod.metadata.annotations.as_ref()?.get(well_known::COMPLETION_INDEX)?.parse().ok()
}

/// The name of the Job that is the pod's controller.
#[must_use]
pub fn job_name(pod: &Pod) -> Option<&str> {
    let controller = pod.metadata.owner_references.iter().flatten().find(|owner| owner.controller == Some(true))?;
    Resource::JOBS.is_kind_of(&controller.api_version, &controller.kind).then_some(controller.name.as_str())
}

#[cfg(test)]
mod tests {
    use super::{job_name, pods, running};
    use crate::{Seen, fact::Fact, world::World};
    use k8s_openapi::api::core::v1::Pod;
    use rstest::rstest;
    use serde_json::{Value, json};
    use std::time::Duration;

    fn owned(kind: &str, controller: bool) -> Value {
        owned_in("batch/v1", kind, controller)
    }

    fn owned_in(api_version: &str, kind: &str, controller: bool) -> Value {
        let owner =
            json!({"apiVersion": api_version, "kind": kind, "name": "job", "uid": "o", "controller": controller});
        json!({"metadata": {"name": "pod", "uid": "p", "ownerReferences": [owner]}, "status": {"phase": "Running"}})
    }

    #[rstest]
    #[case::its_controller_is_a_job("Job", true, Some("job"))]
    #[case::its_controller_is_no_job("ConfigMap", true, None)]
    #[case::its_owner_is_no_controller("Job", false, None)]
    fn the_job_of_a_pod(#[case] kind: &str, #[case] controller: bool, #[case] job: Option<&str>) {
        let pod: Seen<Pod> = Seen::new(owned(kind, controller)).unwrap();
        assert_eq!(job_name(&pod), job);
    }

    #[test]
    fn a_job_of_another_group_is_another() {
        let pod: Seen<Pod> = Seen::new(owned_in("batch.volcano.sh/v1alpha1", "Job", true)).unwrap();
        assert_eq!(job_name(&pod), None);
    }

    #[test]
    fn a_negated_word_is_true_of_the_others() {
        let mut world = World::default();
        world.apply(1, Duration::ZERO, &Fact::there::<Pod>(Seen::new(owned("Job", true)).unwrap()));
        assert!(pods().of("job").all(running()).holds(&world));
        assert!(!pods().of("job").any(running().negated()).holds(&world));
        assert!(pods().of("other").count(0).holds(&world));
    }
}
