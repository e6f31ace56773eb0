//! What is to be done in a trial, as data: which Jobs come when, how their pods behave, and what ends it.
//!
//! A [`profile`](super::profile) is where it is written down.

mod manifest;
mod pods_by;
mod policy;
mod share;

use std::ops::RangeInclusive;
use std::time::Duration;

pub use manifest::{CONTAINER, FATAL, GRACE_S};
pub use pods_by::PodsBy;
pub use policy::Policy;
pub use share::Share;

/// What a trial does.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// The name that the command line and the report use.
    pub name: String,
    /// One line for people.
    pub says: String,
    /// Jobs of equal shape.
    pub cohorts: Vec<Cohort>,
    /// How pods behave.
    pub pods: Pods,
    /// Who plays them.
    pub pods_by: PodsBy,
    /// What happens, and what ends it.
    pub scenario: Scenario,
    /// The image from which kubelets run every pod; without it nothing runs, and a driver plays them.
    pub image: Option<String>,
    /// Over how many namespaces the Jobs are spread, in turns.
    pub namespaces: u32,
    /// How many bytes the pod template has at least, as JSON; it is filled up by an annotation.
    pub template_bytes: usize,
    /// How long the work may take; a trial that takes longer is void.
    pub limit: Duration,
    /// Seed of everything random.
    pub seed: u64,
}

/// Jobs of the same shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Cohort {
    /// Prefix of the Jobs' names, and part of the names of figures.
    pub name: String,
    /// How many Jobs.
    pub jobs: u32,
    /// Completions of each.
    pub completions: u32,
    /// Parallelism of each.
    pub parallelism: u32,
    /// How completions are counted.
    pub mode: Mode,
    /// When they come.
    pub start: Start,
    /// How they come to be.
    pub initial: InitialState,
    /// `ttlSecondsAfterFinished` of each.
    pub ttl_s: Option<u32>,
    /// The success policy of each.
    pub policy: Option<Policy>,
    /// `backoffLimitPerIndex` of each.
    pub index_retries: Option<u32>,
    /// The pod failure policy of each.
    pub failure_policy: Option<FailurePolicy>,
    /// Which of its Jobs this load submits; all of them without it.
    pub share: Option<Share>,
}

/// A pod failure policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FailurePolicy {
    /// A pod that was disrupted does not count as failed.
    IgnoreDisruptions,
    /// A pod whose container exits with 42 fails its Job.
    FailJob,
}

/// How completions are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[schemars(rename = "CompletionMode")]
pub enum Mode {
    /// Each index once.
    #[default]
    Indexed,
    /// As many pods as there are completions.
    NonIndexed,
}

/// When the Jobs of a cohort come.
#[derive(Clone, Debug, PartialEq)]
pub enum Start {
    /// At the beginning, eight requests at a time.
    AtOnce,
    /// As soon as a Job of that cohort has a pod, eight requests at a time.
    AfterFirstPodOf(String),
    /// At times that are fixed beforehand, however long answers take.
    Paced {
        /// When the first comes.
        begin: Duration,
        /// How many come each second.
        per_second: f64,
        /// How regularly.
        arrivals: Arrivals,
    },
}

/// How regularly Jobs arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Arrivals {
    /// One after the other at equal distances.
    #[default]
    Steady,
    /// As if each came by itself (a Poisson process); the seed says when.
    Random,
}

/// How Jobs come to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InitialState {
    /// Submitted while the controller runs.
    #[default]
    Submitted,
    /// Finished through their status before the controller starts.
    Finished,
    /// Running with all their pods before the controller starts.
    Running,
}

/// How pods behave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pods {
    /// Each succeeds some time after it was seen.
    Succeed(Success),
    /// All run until they are told to stop, and then take a second for it.
    Linger,
}

/// When pods succeed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Success {
    /// How long they run.
    pub run_time: Duration,
    /// How many at most succeed each second.
    pub per_second: Option<u32>,
    /// Only those with an index below this; the others run until they are told to stop.
    pub below_index: Option<u32>,
}

/// What happens, and what ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scenario {
    /// Jobs are submitted; it ends when all have ended.
    Work,
    /// One Job; once all its pods run, that with index 0 ends, which decides the Job by a policy: it succeeds, or fails it. It ends with
    /// the Job.
    Leader,
    /// Jobs are finished before the controller starts, and expire over this time. It ends when all are gone.
    Expiry(Duration),
    /// Once all pods run, each Job is suspended; once they are gone, resumed. It ends when as many run again.
    Suspension,
    /// Jobs are there before the controller starts; others are submitted in the moment in which it is started. It ends when each
    /// of those has a pod.
    Restart,
}

/// The name of a cohort's Job.
#[must_use]
pub fn job_name(cohort: &str, number: u32) -> String {
    format!("{cohort}-{number}")
}

/// The cohort of a Job, by its name.
#[must_use]
pub fn cohort_of(job: &str) -> &str {
    job.rsplit_once('-').map_or(job, |(cohort, _)| cohort)
}

impl Cohort {
    /// Whether the end of its first pod is a failure that fails the Job.
    #[must_use]
    pub fn is_to_fail(&self) -> bool {
        self.failure_policy == Some(FailurePolicy::FailJob)
    }

    /// How many pods of each Job there can be at the same time.
    #[must_use]
    pub fn at_once(&self) -> u32 {
        self.parallelism.min(self.completions)
    }
}

impl Workload {
    /// The same work in small: every number of Jobs and pods at so many percent, at least 2, and the time over which they come.
    #[must_use]
    pub fn scaled(mut self, percent: u32) -> Self {
        let scale = |number: u32| match number {
            1 => 1,
            number => u32::try_from((u64::from(number) * u64::from(percent)).div_ceil(100)).unwrap_or(number).max(2),
        };
        for cohort in &mut self.cohorts {
            cohort.jobs = scale(cohort.jobs);
            cohort.completions = scale(cohort.completions);
            cohort.parallelism = scale(cohort.parallelism);
            if let Some(policy) = &mut cohort.policy {
                policy.shrink(cohort.completions, scale);
            }
            if let Start::Paced { begin, .. } = &mut cohort.start {
                *begin = begin.mul_f64(f64::from(percent) / 100.0);
            }
        }
        if let Pods::Succeed(Success { below_index: Some(below), .. }) = &mut self.pods {
            *below = scale(*below);
        }
        self
    }

    /// How many Jobs there are; of a slice, in it.
    #[must_use]
    pub fn jobs(&self) -> usize {
        self.cohorts.iter().map(|cohort| cohort.own_jobs() as usize).sum()
    }

    /// How many Jobs come to be like this.
    #[must_use]
    pub fn born(&self, initial: InitialState) -> usize {
        self.cohorts.iter().filter(|cohort| cohort.initial == initial).map(|cohort| cohort.own_jobs() as usize).sum()
    }

    /// How many pods run at the same time at most, those of Jobs that are born finished left out.
    #[must_use]
    pub fn pods_at_once(&self) -> usize {
        self.sum_of_pods(Cohort::at_once)
    }

    /// How many pods there can have been in the end.
    #[must_use]
    pub fn pods(&self) -> RangeInclusive<usize> {
        let all = self.sum_of_pods(|cohort| cohort.completions);
        match (self.scenario, self.pods) {
            // Every pod is stopped once and replaced once.
            (Scenario::Suspension, _) => 2 * self.pods_at_once()..=2 * self.pods_at_once(),
            // The new ones may have had their first pod, or all.
            (Scenario::Restart, _) => {
                let old = self.cohorts.iter().filter(|cohort| cohort.initial == InitialState::Running);
                old.map(|cohort| cohort.own_jobs() as usize * cohort.at_once() as usize).sum::<usize>()
                    ..=self.pods_at_once()
            }
            // A policy may be met before all of them have succeeded; beyond them as many run as may at the same time.
            (_, Pods::Succeed(Success { below_index: Some(below), .. })) => {
                let least = |cohort: &Cohort| cohort.policy.map_or(below.min(cohort.completions), |it| it.needed());
                let most = |cohort: &Cohort| cohort.completions.min(below.saturating_add(cohort.at_once()));
                self.sum_of_pods(least)..=self.sum_of_pods(most)
            }
            _ => all..=all,
        }
    }

    fn sum_of_pods(&self, of: impl Fn(&Cohort) -> u32) -> usize {
        let cohorts = self.cohorts.iter().filter(|cohort| cohort.initial != InitialState::Finished);
        cohorts.map(|cohort| cohort.own_jobs() as usize * of(cohort) as usize).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::sample;

    #[test]
    fn jobs_and_pods_are_counted_by_how_they_come_to_be() {
        let wide = sample::workload("indexed-500");
        assert_eq!((wide.jobs(), wide.pods(), wide.pods_at_once()), (1, 500..=500, 500));
        let expired = sample::workload("ttl-1000");
        assert_eq!((expired.jobs(), expired.pods(), expired.born(InitialState::Finished)), (1000, 0..=0, 1000));
        let mixed = sample::workload("small-behind-large");
        assert_eq!((mixed.jobs(), mixed.pods()), (41, 600..=600));
    }

    #[test]
    fn a_job_that_is_suspended_and_resumed_has_every_pod_twice() {
        let workload = Workload { scenario: Scenario::Suspension, ..sample::workload("indexed-500") };
        assert_eq!(workload.pods(), 1000..=1000);
    }

    #[test]
    fn a_small_version_keeps_the_shape() {
        for workload in sample::workloads() {
            let small = workload.clone().scaled(2);
            assert_eq!(small.cohorts.len(), workload.cohorts.len());
            assert!(small.jobs() <= 20 && small.pods_at_once() <= 20, "{small:?}");
            assert!(small.cohorts.iter().all(|cohort| cohort.jobs > 0 && cohort.completions > 0));
        }
    }

    #[test]
    fn a_small_version_of_all_of_it_is_all_of_it() {
        for workload in sample::workloads() {
            assert_eq!(workload.clone().scaled(100), workload);
        }
    }

    #[test]
    fn names_lead_back_to_cohorts() {
        assert_eq!(cohort_of(&job_name("small", 17)), "small");
    }
}
