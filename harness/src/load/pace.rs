//! When Jobs are due: fixed beforehand, so that a slow answer never moves what comes after it.

use std::time::Duration;

use rand::{Rng as _, SeedableRng as _, rngs::StdRng};

use super::workload::{Arrivals, Cohort, Scenario, Start, Workload};

/// When each Job of a cohort is due, counted from the beginning of the work; nothing for one that has no pace.
#[must_use]
pub fn due(cohort: &Cohort, seed: u64) -> Option<Vec<Duration>> {
    let Start::Paced { begin, per_second, arrivals } = &cohort.start else { return None };
    let mut random = StdRng::seed_from_u64(seed ^ name_number(&cohort.name));
    let mut at = begin.as_secs_f64();
    let times = (0..cohort.jobs).map(|_| {
        let due = at;
        at += match arrivals {
            Arrivals::Steady => per_second.recip(),
            // Never 0, whose logarithm is none.
            Arrivals::Random => -(1.0 - random.random::<f64>()).ln() / per_second,
        };
        Duration::from_secs_f64(due)
    });
    Some(times.collect())
}

/// How long the work may take at most: until the last Job is due, and then as often as its scenario waits.
#[must_use]
pub fn longest(workload: &Workload) -> Duration {
    let last = workload.cohorts.iter().filter_map(|cohort| due(cohort, workload.seed)?.into_iter().max()).max();
    workload.limit.saturating_mul(waits(workload.scenario)).saturating_add(last.unwrap_or_default())
}

/// How many times a scenario waits, each time for as long as the limit of the workload says at most.
const fn waits(scenario: Scenario) -> u32 {
    match scenario {
        Scenario::Work => 1,
        Scenario::Leader | Scenario::Expiry(_) => 2,
        Scenario::Restart => 3,
        Scenario::Suspension => 4,
    }
}

/// A number for a name, so that cohorts of one seed do not arrive in step.
fn name_number(name: &str) -> u64 {
    // FNV-1a: the same on every machine and in every version.
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;
    use crate::load::sample;

    fn paced(jobs: u32, per_second: f64, arrivals: Arrivals) -> Cohort {
        Cohort {
            start: Start::Paced { begin: Duration::from_secs(2), per_second, arrivals },
            ..sample::cohort("small", jobs, 5)
        }
    }

    #[test]
    fn steady_arrivals_have_equal_distances_from_their_beginning() {
        let due = due(&paced(4, 5.0, Arrivals::Steady), 1).expect("it is paced");
        let ms: Vec<u128> = due.iter().map(Duration::as_millis).collect();
        assert_eq!(ms, [2000, 2200, 2400, 2600]);
    }

    #[test]
    fn a_cohort_without_a_pace_is_due_at_no_time() {
        assert_eq!(due(&sample::cohort("wide", 1, 5), 1), None);
    }

    #[test]
    fn the_seed_and_the_name_decide_about_random_arrivals() {
        let random = paced(50, 5.0, Arrivals::Random);
        assert_eq!(due(&random, 7), due(&random, 7));
        assert_ne!(due(&random, 7), due(&random, 8));
        let other = Cohort { name: "medium".to_owned(), ..random.clone() };
        assert_ne!(due(&random, 7), due(&other, 7));
    }

    #[rstest]
    #[case::at_once("indexed-500", 300)]
    #[case::a_job_ends_once_its_pods_run("policy-499", 600)]
    #[case::jobs_are_deleted_and_then_gone("ttl-1000", 600)]
    fn each_wait_may_be_as_long_as_the_limit(#[case] name: &str, #[case] seconds: u64) {
        assert_eq!(longest(&sample::workload(name)), Duration::from_secs(seconds));
    }

    #[test]
    fn the_limit_begins_with_the_last_job() {
        let cohorts = vec![paced(4, 0.01, Arrivals::Steady), sample::cohort("wide", 1, 5)];
        let workload = Workload { cohorts, ..sample::workload("indexed-500") };
        assert_eq!(longest(&workload), Duration::from_secs(2 + 300 + 300));
    }

    proptest! {
        #[test]
        fn arrivals_are_in_order_and_as_many_as_there_are_jobs(
            jobs in 1_u32..300, per_second in 0.1_f64..500.0, seed: u64, random: bool,
        ) {
            let arrivals = if random { Arrivals::Random } else { Arrivals::Steady };
            let due = due(&paced(jobs, per_second, arrivals), seed).expect("it is paced");
            prop_assert_eq!(due.len(), jobs as usize);
            prop_assert!(due.is_sorted());
            prop_assert_eq!(due[0], Duration::from_secs(2));
        }

        #[test]
        fn random_arrivals_come_at_about_their_rate(seed: u64) {
            let due = due(&paced(4000, 10.0, Arrivals::Random), seed).expect("it is paced");
            let mean = (due[3999] - due[0]).as_secs_f64() / 3999.0;
            prop_assert!((mean * 10.0 - 1.0).abs() < 0.1, "{mean}");
        }
    }
}
