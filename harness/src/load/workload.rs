//! What is to be done in a trial, as data: which Jobs, how their pods behave, and what ends it.

use serde::Serialize;
use serde_json::{Value, json};

use crate::cluster::nodes;

/// Where a trial's Jobs are created, and in which order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Workload {
    /// The name that the command line and the report use.
    pub name: &'static str,
    /// One line for people.
    pub says: &'static str,
    /// Jobs of equal shape, created in this order. The next cohort follows when the first pod of the one before is there.
    pub cohorts: Vec<Cohort>,
    /// How pods behave.
    pub pods: Pods,
    /// How Jobs come to be.
    pub birth: Creation,
}

/// Jobs of the same shape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cohort {
    /// Prefix of the Jobs' names, and part of the names of figures.
    pub name: &'static str,
    /// How many Jobs.
    pub jobs: u32,
    /// Completions and parallelism of each; all are Indexed.
    pub pods: u32,
}

/// How pods behave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pods {
    /// Each succeeds as soon as it is seen.
    SucceedAtOnce,
    /// All run. Once they do, index 0 succeeds, which meets the success policy; the others run until they are told to stop,
    /// and then take a second for it.
    LingerAfterTheFirst,
}

/// How Jobs come to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Creation {
    /// Submitted while the controller runs.
    Submitted,
    /// Finished through their status before the controller starts; all expire in the same second.
    Finished,
}

/// How long pods take to stop, in seconds; the `terminationGracePeriodSeconds` of the template.
pub const GRACE_S: u64 = 1;
/// `ttlSecondsAfterFinished` of Jobs that are born finished.
pub const TTL_S: i64 = 60;

/// All workloads, in the order in which they are run.
#[must_use]
pub fn all() -> Vec<Workload> {
    vec![
        Workload {
            name: "indexed-500",
            says: "one Indexed Job of 500 at parallelism 500, pods succeed at once",
            cohorts: vec![Cohort { name: "wide", jobs: 1, pods: 500 }],
            pods: Pods::SucceedAtOnce,
            birth: Creation::Submitted,
        },
        Workload {
            name: "policy-499",
            says: "success policy met by index 0 while 499 pods linger",
            cohorts: vec![Cohort { name: "wide", jobs: 1, pods: 500 }],
            pods: Pods::LingerAfterTheFirst,
            birth: Creation::Submitted,
        },
        Workload {
            name: "ttl-1000",
            says: "1,000 finished Jobs expire in one second",
            cohorts: vec![Cohort { name: "expired", jobs: 1000, pods: 1 }],
            pods: Pods::SucceedAtOnce,
            birth: Creation::Finished,
        },
        Workload {
            name: "small-behind-large",
            says: "40 Jobs of 5 pods submitted behind one of 400, pods succeed at once",
            cohorts: vec![Cohort { name: "large", jobs: 1, pods: 400 }, Cohort { name: "small", jobs: 40, pods: 5 }],
            pods: Pods::SucceedAtOnce,
            birth: Creation::Submitted,
        },
    ]
}

impl Workload {
    /// The same work in small: every number of Jobs and pods at so many percent, at least 2.
    #[must_use]
    pub fn scaled(mut self, percent: u32) -> Self {
        let scale = |number: u32| if number == 1 { 1 } else { (number * percent).div_ceil(100).max(2) };
        for cohort in &mut self.cohorts {
            cohort.jobs = scale(cohort.jobs);
            cohort.pods = scale(cohort.pods);
        }
        self
    }

    /// How many Jobs there are.
    #[must_use]
    pub fn jobs(&self) -> usize {
        self.cohorts.iter().map(|cohort| cohort.jobs as usize).sum()
    }

    /// How many pods they need.
    #[must_use]
    pub fn pods(&self) -> usize {
        match self.birth {
            Creation::Submitted => self.cohorts.iter().map(|cohort| (cohort.jobs * cohort.pods) as usize).sum(),
            Creation::Finished => 0,
        }
    }

    /// The manifest of Job number `number` of a cohort.
    #[must_use]
    pub fn job(&self, cohort: &Cohort, number: u32) -> Value {
        let mut spec = json!({
            "completions": cohort.pods,
            "parallelism": cohort.pods,
            "completionMode": "Indexed",
            "template": {"spec": {
                "restartPolicy": "Never",
                "automountServiceAccountToken": false,
                "terminationGracePeriodSeconds": GRACE_S,
                // Bound from the start: no scheduler, and no request for it.
                "nodeName": nodes::name(0),
                "containers": [{"name": CONTAINER, "image": "nobody-runs-it"}],
            }},
        });
        if self.pods == Pods::LingerAfterTheFirst {
            spec["successPolicy"] = json!({"rules": [{"succeededIndexes": "0"}]});
        }
        if self.birth == Creation::Finished {
            spec["ttlSecondsAfterFinished"] = json!(TTL_S);
            spec["completionMode"] = json!("NonIndexed");
        }
        let name = job_name(cohort.name, number);
        json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": spec})
    }
}

/// The only container of every pod.
pub const CONTAINER: &str = "main";

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workloads_are_those_that_performance_figures_are_about() {
        let of = |name: &str| all().into_iter().find(|workload| workload.name == name).expect("it is listed");
        assert_eq!((of("indexed-500").jobs(), of("indexed-500").pods()), (1, 500));
        assert_eq!((of("policy-499").jobs(), of("policy-499").pods()), (1, 500));
        assert_eq!((of("ttl-1000").jobs(), of("ttl-1000").pods()), (1000, 0));
        assert_eq!((of("small-behind-large").jobs(), of("small-behind-large").pods()), (41, 600));
    }

    #[test]
    fn a_small_version_keeps_the_shape() {
        for workload in all() {
            let small = workload.clone().scaled(2);
            assert_eq!(small.cohorts.len(), workload.cohorts.len());
            assert!(small.jobs() <= 20 && small.pods() <= 20, "{small:?}");
            assert!(small.cohorts.iter().all(|cohort| cohort.jobs > 0 && cohort.pods > 0));
        }
    }

    #[test]
    fn names_lead_back_to_cohorts() {
        assert_eq!(cohort_of(&job_name("small", 17)), "small");
    }
}
