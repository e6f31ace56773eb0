//! What was seen of a trial's Jobs and pods, and when: lean objects folded into moments.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use serde::Deserialize;

/// A Job, as far as it is watched.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Job {
    /// Name and so on.
    pub metadata: Meta,
    /// Conditions.
    #[serde(default)]
    pub status: JobStatus,
}

/// A pod, as far as it is watched.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Pod {
    /// Name and so on.
    pub metadata: Meta,
    /// Phase.
    #[serde(default)]
    pub status: PodStatus,
}

/// The metadata that matter.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    /// Its name.
    pub name: String,
    /// Its namespace.
    #[serde(default)]
    pub namespace: String,
    /// Its UID.
    pub uid: String,
    /// Its version.
    #[serde(default)]
    pub resource_version: String,
    /// Whether it was told to go.
    #[serde(default)]
    pub deletion_timestamp: Option<serde::de::IgnoredAny>,
    /// Who it belongs to.
    #[serde(default)]
    pub owner_references: Vec<Owner>,
    /// What keeps it.
    #[serde(default)]
    pub finalizers: Vec<String>,
    /// The index, where there is one.
    #[serde(default)]
    pub annotations: Annotations,
}

/// An owner.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Owner {
    /// Its UID.
    pub uid: String,
}

/// The annotation that matters.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Annotations {
    #[serde(default, rename = "batch.kubernetes.io/job-completion-index")]
    index: Option<String>,
}

/// Status of a Job.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct JobStatus {
    /// How many pods, or indexes, it counts as succeeded.
    #[serde(default)]
    pub succeeded: u32,
    /// Its conditions.
    #[serde(default)]
    pub conditions: Vec<Condition>,
}

/// A condition.
#[derive(Clone, Debug, Deserialize)]
pub struct Condition {
    /// Which.
    #[serde(rename = "type")]
    pub kind: String,
    /// `True`, `False` or `Unknown`.
    pub status: String,
}

/// Status of a pod.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct PodStatus {
    /// Its phase.
    #[serde(default)]
    pub phase: String,
}

impl Pod {
    /// Whether the phase is Succeeded or Failed.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        matches!(self.status.phase.as_str(), "Succeeded" | "Failed")
    }

    /// Its completion index.
    #[must_use]
    pub fn index(&self) -> Option<u32> {
        self.metadata.annotations.index.as_deref()?.parse().ok()
    }
}

/// When something was first seen of a Job; counted from the beginning of the trial.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobMoments {
    /// Its name.
    pub name: String,
    /// It was there.
    pub seen: Option<Duration>,
    /// `SuccessCriteriaMet` or `FailureTarget`: a policy has decided.
    pub criteria: Option<Duration>,
    /// `Suspended` was true.
    pub suspended: Option<Duration>,
    /// `Complete` or `Failed`.
    pub ended: Option<Duration>,
    /// Whether it was `Failed`.
    pub failed: bool,
    /// It was told to go, or was gone.
    pub stopped: Option<Duration>,
    /// It was gone.
    pub gone: Option<Duration>,
    /// How its status followed its pods.
    pub counting: Counting,
}

/// How `status.succeeded` followed the pods that were seen to succeed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counting {
    /// When pods succeeded, in order, of which the status does not know yet.
    open: VecDeque<Duration>,
    /// How many were seen to succeed.
    seen: usize,
    /// How many the status counts.
    counted: usize,
    /// How long each waited until it was counted.
    waits: Vec<Duration>,
}

impl Counting {
    fn pod_succeeded(&mut self, at: Duration) {
        self.seen += 1;
        if self.seen > self.counted {
            self.open.push_back(at);
        } else {
            // Two watches: the status came first.
            self.waits.push(Duration::ZERO);
        }
    }

    fn status_says(&mut self, succeeded: usize, at: Duration) {
        self.counted = self.counted.max(succeeded);
        while self.seen.saturating_sub(self.open.len()) < self.counted {
            let Some(since) = self.open.pop_front() else { return };
            self.waits.push(at.saturating_sub(since));
        }
    }

    /// How long each pod that succeeded waited until the status counted it; nothing for those that it never did.
    pub fn waits(&self) -> impl Iterator<Item = Option<Duration>> {
        self.waits.iter().copied().map(Some).chain(self.open.iter().map(|_| None))
    }

    /// How many pods the status was behind, on average over this time: pods that waited, each for as long as it did.
    #[must_use]
    pub fn behind(&self, over: Duration) -> Option<f64> {
        let sum: Duration = self.waits.iter().sum();
        (!over.is_zero() && !self.waits.is_empty()).then(|| sum.as_secs_f64() / over.as_secs_f64())
    }
}

/// When something was first seen of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodMoments {
    /// UID of its Job.
    pub job: String,
    /// Its completion index.
    pub index: Option<u32>,
    /// It was there.
    pub seen: Option<Duration>,
    /// It ran.
    pub running: Option<Duration>,
    /// It had ended.
    pub ended: Option<Duration>,
    /// It was told to go, or was gone.
    pub stopped: Option<Duration>,
    /// No finalizer kept it any more.
    pub released: Option<Duration>,
}

/// Everything that was seen.
#[derive(Clone, Debug, Default)]
pub struct Sightings {
    /// Jobs by UID.
    pub jobs: HashMap<String, JobMoments>,
    /// Pods by UID.
    pub pods: HashMap<String, PodMoments>,
    /// Why it may be incomplete.
    pub broken: Option<String>,
    counts: Counts,
}

/// How often something was seen for the first time. Waiting asks with every event, and there are many objects.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    ended: usize,
    jobs_stopped: usize,
    gone: usize,
    running: usize,
    pods_stopped: usize,
}

/// Notes the first time; 1 if this is it.
fn first(moment: &mut Option<Duration>, at: Duration) -> usize {
    let new = moment.is_none();
    moment.get_or_insert(at);
    usize::from(new)
}

/// Whether an object is still there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It is.
    There,
    /// It was deleted.
    Gone,
}

impl Sightings {
    /// Takes over what was seen of a Job.
    pub fn job(&mut self, at: Duration, job: &Job, presence: Presence) {
        let moments = self.jobs.entry(job.metadata.uid.clone()).or_default();
        moments.name.clone_from(&job.metadata.name);
        moments.seen.get_or_insert(at);
        moments.counting.status_says(job.status.succeeded as usize, at);
        for condition in job.status.conditions.iter().filter(|condition| condition.status == "True") {
            match condition.kind.as_str() {
                "SuccessCriteriaMet" | "FailureTarget" => drop(moments.criteria.get_or_insert(at)),
                "Suspended" => drop(moments.suspended.get_or_insert(at)),
                "Complete" => self.counts.ended += first(&mut moments.ended, at),
                "Failed" => {
                    moments.failed = true;
                    self.counts.ended += first(&mut moments.ended, at);
                }
                _ => {}
            }
        }
        if presence == Presence::Gone || job.metadata.deletion_timestamp.is_some() {
            self.counts.jobs_stopped += first(&mut moments.stopped, at);
        }
        if presence == Presence::Gone {
            self.counts.gone += first(&mut moments.gone, at);
        }
    }

    /// Takes over what was seen of a pod.
    pub fn pod(&mut self, at: Duration, pod: &Pod, presence: Presence) {
        let moments = self.pods.entry(pod.metadata.uid.clone()).or_default();
        if moments.seen.is_none() {
            moments.job = pod.metadata.owner_references.first().map(|owner| owner.uid.clone()).unwrap_or_default();
            moments.index = pod.index();
            moments.seen = Some(at);
        }
        if pod.status.phase == "Running" {
            self.counts.running += first(&mut moments.running, at);
        }
        if pod.is_terminal() && first(&mut moments.ended, at) == 1 && pod.status.phase == "Succeeded" {
            self.jobs.entry(moments.job.clone()).or_default().counting.pod_succeeded(at);
        }
        if presence == Presence::Gone || pod.metadata.deletion_timestamp.is_some() {
            self.counts.pods_stopped += first(&mut moments.stopped, at);
        }
        if presence == Presence::Gone || pod.metadata.finalizers.is_empty() {
            moments.released.get_or_insert(at);
        }
    }

    /// How many Jobs have ended.
    #[must_use]
    pub fn jobs_ended(&self) -> usize {
        self.counts.ended
    }

    /// How many Jobs were told to go.
    #[must_use]
    pub fn jobs_stopped(&self) -> usize {
        self.counts.jobs_stopped
    }

    /// How many Jobs are gone.
    #[must_use]
    pub fn jobs_gone(&self) -> usize {
        self.counts.gone
    }

    /// How many pods have run.
    #[must_use]
    pub fn pods_running(&self) -> usize {
        self.counts.running
    }

    /// How many pods were told to stop.
    #[must_use]
    pub fn pods_stopped(&self) -> usize {
        self.counts.pods_stopped
    }

    /// Which Jobs, by UID, have a pod.
    #[must_use]
    pub fn jobs_with_pods(&self) -> HashSet<&str> {
        self.pods.values().map(|pod| pod.job.as_str()).collect()
    }

    /// Whether a Job of this name prefix has a pod.
    #[must_use]
    pub fn has_pod_of(&self, cohort: &str) -> bool {
        self.pods
            .values()
            .any(|pod| self.jobs.get(&pod.job).is_some_and(|job| super::workload::cohort_of(&job.name) == cohort))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn job(value: serde_json::Value) -> Job {
        serde_json::from_value(value).expect("a Job")
    }

    fn at(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn a_policy_has_decided_for_failure_too() {
        let mut seen = Sightings::default();
        let decided = json!([{"type": "FailureTarget", "status": "True"}]);
        seen.job(
            at(2),
            &job(json!({"metadata": {"name": "wide-0", "uid": "j"}, "status": {"conditions": decided}})),
            Presence::There,
        );
        assert_eq!((seen.jobs["j"].criteria, seen.jobs["j"].ended), (Some(at(2)), None));
    }

    #[test]
    fn the_first_sight_of_each_thing_counts() {
        let mut seen = Sightings::default();
        let meta = json!({"name": "wide-0", "uid": "j", "managedFields": [{"x": 1}]});
        seen.job(at(1), &job(json!({"metadata": meta})), Presence::There);
        let done = json!([{"type": "SuccessCriteriaMet", "status": "True"}, {"type": "Complete", "status": "False"}]);
        seen.job(at(2), &job(json!({"metadata": meta, "status": {"conditions": done}})), Presence::There);
        let done = json!([{"type": "SuccessCriteriaMet", "status": "True"}, {"type": "Complete", "status": "True"}]);
        for ms in [3, 4] {
            seen.job(at(ms), &job(json!({"metadata": meta, "status": {"conditions": done}})), Presence::There);
        }
        seen.job(at(5), &job(json!({"metadata": meta})), Presence::Gone);
        let moments = &seen.jobs["j"];
        assert_eq!((moments.seen, moments.criteria, moments.ended), (Some(at(1)), Some(at(2)), Some(at(3))));
        assert_eq!((moments.stopped, moments.gone, moments.failed), (Some(at(5)), Some(at(5)), false));
    }

    #[test]
    fn each_success_waits_until_the_status_counts_so_many() {
        let mut counting = Counting::default();
        counting.pod_succeeded(at(10));
        counting.pod_succeeded(at(20));
        counting.status_says(1, at(50));
        // The other watch is ahead of this one.
        counting.status_says(3, at(60));
        counting.pod_succeeded(at(70));
        counting.pod_succeeded(at(80));
        let waits: Vec<Option<Duration>> = counting.waits().collect();
        assert_eq!(waits, [Some(at(40)), Some(at(40)), Some(at(0)), None]);
        assert_eq!(counting.behind(at(160)), Some(0.5));
        assert_eq!(Counting::default().behind(at(160)), None);
    }

    #[test]
    fn a_pod_is_told_to_stop_ends_and_is_released_in_any_order() {
        let mut seen = Sightings::default();
        let pod = |more: serde_json::Value, phase: &str| -> Pod {
            let mut meta = json!({"name": "p", "uid": "p", "ownerReferences": [{"uid": "j", "name": "wide-0"}],
                "finalizers": ["f"], "annotations": {"batch.kubernetes.io/job-completion-index": "7", "other": "x"}});
            for (key, value) in more.as_object().expect("an object") {
                meta[key] = value.clone();
            }
            serde_json::from_value(json!({"metadata": meta, "status": {"phase": phase}})).expect("a pod")
        };
        seen.pod(at(1), &pod(json!({}), "Pending"), Presence::There);
        seen.pod(at(2), &pod(json!({"deletionTimestamp": "2026-01-01T00:00:00Z"}), "Running"), Presence::There);
        seen.pod(at(3), &pod(json!({"finalizers": []}), "Failed"), Presence::There);
        let moments = &seen.pods["p"];
        assert_eq!((moments.job.as_str(), moments.index, moments.seen), ("j", Some(7), Some(at(1))));
        assert_eq!((moments.running, moments.stopped), (Some(at(2)), Some(at(2))));
        assert_eq!((moments.ended, moments.released), (Some(at(3)), Some(at(3))));
    }
}
