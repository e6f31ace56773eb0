//! Workloads on which tests are made: the four that `load` runs when none is named.

use std::time::Duration;

use super::workload::{Birth, Cohort, Course, Mode, Pods, Policy, Start, Success, Workload};

/// All of them.
pub fn workloads() -> Vec<Workload> {
    ["indexed-500", "policy-499", "ttl-1000", "small-behind-large"].map(workload).into()
}

/// The one of this name.
pub fn workload(name: &str) -> Workload {
    let one = |cohorts, course| Workload {
        name: name.to_owned(),
        says: "a sample".to_owned(),
        cohorts,
        pods: Pods::Succeed(Success::default()),
        course,
        namespaces: 1,
        template_bytes: 0,
        limit: Duration::from_secs(300),
        seed: 1,
    };
    match name {
        "indexed-500" => one(vec![cohort("wide", 1, 500)], Course::Work),
        "policy-499" => {
            let wide = Cohort { policy: Some(Policy::leader()), ..cohort("wide", 1, 500) };
            Workload { pods: Pods::Linger, ..one(vec![wide], Course::Leader) }
        }
        "ttl-1000" => {
            let expired = Cohort {
                mode: Mode::NonIndexed,
                birth: Birth::Finished,
                ttl_s: Some(60),
                ..cohort("expired", 1000, 1)
            };
            one(vec![expired], Course::Expiry(Duration::ZERO))
        }
        "small-behind-large" => {
            let small = Cohort { start: Start::AfterFirstPodOf("large".to_owned()), ..cohort("small", 40, 5) };
            one(vec![cohort("large", 1, 400), small], Course::Work)
        }
        other => panic!("there is no sample {other}"),
    }
}

/// So many Jobs of so many pods, all at once.
pub fn cohort(name: &str, jobs: u32, pods: u32) -> Cohort {
    Cohort {
        name: name.to_owned(),
        jobs,
        completions: pods,
        parallelism: pods,
        mode: Mode::Indexed,
        start: Start::AtOnce,
        birth: Birth::Submitted,
        ttl_s: None,
        policy: None,
    }
}
