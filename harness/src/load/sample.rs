//! Workloads on which tests are made: the four that `load` runs when none is named.

use std::collections::BTreeMap;
use std::time::Duration;

use super::arm::{Arm, LineUp, Side};
use super::backlog::Cause;
use super::baseline::Baseline;
use super::bench::{Aim, Plan};
use super::capacity::Capacity;
use super::comparison::Comparison;
use super::largest_rate::{Found, LargestRates, Probe};
use super::latency::Distribution;
use super::lateness::LagLimits;
use super::noise::OnNoise;
use super::profile;
use super::ratio::Ratio;
use super::record::Trial;
use super::soak::{Sample, Soak};
use super::tenant_figures::{Loop, TenantFigures, TenantJobs, TenantRequests, name_beside};
use super::trial::Judging;
use super::workload::{Cohort, InitialState, Mode, Pods, PodsBy, Policy, Scenario, Start, Success, Workload};
use crate::cluster::{ClusterSpec, Rate};
use crate::slo::answer::Answer;

/// All of them.
pub fn workloads() -> Vec<Workload> {
    ["indexed-500", "policy-499", "ttl-1000", "small-behind-large"].map(workload).into()
}

/// The one of this name.
pub fn workload(name: &str) -> Workload {
    let one = |cohorts, scenario| Workload {
        name: name.to_owned(),
        says: "a sample".to_owned(),
        cohorts,
        pods: Pods::Succeed(Success::default()),
        pods_by: PodsBy::default(),
        scenario,
        image: None,
        namespaces: 1,
        template_bytes: 0,
        limit: Duration::from_secs(300),
        seed: 1,
    };
    match name {
        "indexed-500" => one(vec![cohort("wide", 1, 500)], Scenario::Work),
        "policy-499" => {
            let wide = Cohort { policy: Some(Policy::leader()), ..cohort("wide", 1, 500) };
            Workload { pods: Pods::Linger, ..one(vec![wide], Scenario::Leader) }
        }
        "ttl-1000" => {
            let expired = Cohort {
                mode: Mode::NonIndexed,
                initial: InitialState::Finished,
                ttl_s: Some(60),
                ..cohort("expired", 1000, 1)
            };
            one(vec![expired], Scenario::Expiry(Duration::ZERO))
        }
        "small-behind-large" => {
            let small = Cohort { start: Start::AfterFirstPodOf("large".to_owned()), ..cohort("small", 40, 5) };
            one(vec![cohort("large", 1, 400), small], Scenario::Work)
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
        initial: InitialState::Submitted,
        ttl_s: None,
        policy: None,
        index_retries: None,
        failure_policy: None,
        share: None,
    }
}

/// A record of one controller alone: one Job of 500 pods, so often, each with its makespan in milliseconds and 1,003 requests.
pub fn record_alone(controller: &str, profile: &str, makespans: &[f64]) -> Comparison {
    let text = format!(
        "schema: jobsworth/load-profile/v1\nname: {profile}\nsays: x\nmix: [{{name: wide, jobs: 1, completions: 500}}]\n"
    );
    let plan = Plan {
        profiles: vec![profile::parse(&text, profile).expect("a profile")],
        line_up: LineUp::Alone(Arm::named(controller).expect("it is known")),
        rounds: None,
        seed: 1,
        spec: Plan::spec(ClusterSpec::of("1.37.1".parse().expect("a version")), Rate::default()),
        objectives: Vec::new(),
        lag_limits: LagLimits::default(),
        on_noise: OnNoise::default(),
        scale_percent: 100,
        judging: Judging::default(),
        aim: Aim::default(),
        installed: None,
        tenants: None,
        slice: None,
    };
    let trial = |&makespan: &f64| Trial {
        workload: profile.to_owned(),
        side: Side::Head,
        figures: BTreeMap::from([("makespan".to_owned(), makespan), ("requests".to_owned(), 1003.0)]),
        ..Trial::default()
    };
    Comparison { trials: makespans.iter().map(trial).collect(), ..plan.record() }
}

/// Two rounds of one controller, each without tenants and with three; in the second round the trial with them is void.
pub fn record_beside_tenants() -> Comparison {
    let mut record = record_alone("builtin", "indexed-500", &[1000.0, 3000.0]);
    let requests = TenantRequests {
        errors: BTreeMap::from([(500, 1)]),
        throttled: 2,
        times: Distribution::counted([(1.0, 98), (400.0, 2)]),
        ..TenantRequests::default()
    };
    let tenants = TenantFigures {
        kind_of_loop: Loop::Closed,
        users: 3,
        lasted_s: 9.0,
        reports: String::new(),
        requests: BTreeMap::from([("GET job: poll".to_owned(), requests)]),
        jobs: BTreeMap::from([(
            "batch-user".to_owned(),
            TenantJobs { ended: 4, given_up: 1, open: 2, longest_without_end_s: 60.5 },
        )]),
    };
    let wait = |ms: f64| BTreeMap::from([("last-pod-to-end".to_owned(), Distribution::counted([(ms, 10)]))]);
    let mut beside = record.trials.clone();
    for (round, trial) in (0_u32..).zip(&mut record.trials) {
        trial.pair = round;
        trial.latencies = wait(if round == 0 { 100.0 } else { 9000.0 });
    }
    for (round, trial) in (0_u32..).zip(&mut beside) {
        trial.pair = round;
        trial.latencies = wait(200.0);
        trial.workload = name_beside(&trial.workload);
        trial.figures.insert("makespan".to_owned(), 1500.0);
        trial.tenants = Some(tenants.clone());
        trial.void = (round == 1).then(|| "late".to_owned());
    }
    record.trials.extend(beside);
    record.tenants = Some(3);
    let with = record.profiles.iter().map(|done| done.beside_tenants(3)).collect::<Vec<_>>();
    record.profiles.extend(with);
    record
}

/// An API server that does so many writes a second.
pub fn capacity(writes_per_second: f64) -> Capacity {
    Capacity { writes_per_second, connections: 8 }
}

/// A direct driver that played 500 pods in two seconds.
pub fn baseline() -> Baseline {
    Baseline {
        driver: PodsBy::Direct,
        pods: 500,
        ended: 500,
        seconds: 2.0,
        pods_per_second: 250.0,
        qps: 100,
        times_of_budget: 5.0,
    }
}

/// A search of which these paces were probed, for the head.
pub fn largest_rates(paces: &[(f64, Option<Cause>)]) -> LargestRates {
    let mut found = Found::default();
    for &(per_second, cause) in paces {
        found.take(Ok(Probe { per_second, backlog_growth: Some(0.5), p99_ms: Some(100.0), cause }));
    }
    let found = BTreeMap::from([(Side::Head, found)]);
    LargestRates { profile: "churn".to_owned(), probe_s: 60.0, limit_ms: 5000.0, first: 8.0, ratio_goal: None, found }
}

/// The makespan of one pair, half as long with the head as with the base; with an answer there is a goal.
pub fn ratio(answer: Option<Answer>) -> Ratio {
    Ratio {
        workload: "indexed-500".to_owned(),
        figure: "makespan".to_owned(),
        median: 0.5,
        base: 2.0,
        head: 1.0,
        pairs: BTreeMap::from([(0, 0.5)]),
        sureness: None,
        goal_id: None,
        goal: answer.map(|_| 1.0),
        interval_goal: None,
        answer,
    }
}

/// An hour of the head whose memory grows by so many MiB; 8 are allowed.
pub fn soak(mib: f64) -> Soak {
    let at = |number: u32| f64::from(number) * 60.0;
    let sample = |at_s: f64| Sample { at_s, memory_mib: Some(50.0 + at_s * mib / 3600.0), ..Sample::default() };
    let mut soak = Soak {
        side: Side::Head,
        profile: "soak".to_owned(),
        asked_s: 3600.0,
        partial: false,
        step_s: 60.0,
        warm_up_s: 600.0,
        at_most: Some(8.0),
        answer: None,
        growth: BTreeMap::new(),
        samples: (0..=60).map(at).map(sample).collect(),
    };
    soak.conclude();
    soak
}
