//! What no controller can be faster than: every pod takes a creation and the release of its finalizer, every Job three writes of
//! its status, and a bucket lets only so many requests through.

use std::time::Duration;

use super::pace;
use super::workload::{Cohort, InitialState, Pods, Scenario, Workload};
use crate::cluster::Rate;

/// Writes of a Job's status that none can do without: started, recorded, ended.
const STATUS_WRITES: u64 = 3;

/// How many requests, without events, a controller cannot do without; nothing where that depends on more than the Jobs.
#[must_use]
pub fn requests(workload: &Workload) -> Option<u64> {
    let of = |cohort: &Cohort| u64::from(cohort.jobs) * (2 * u64::from(cohort.completions) + STATUS_WRITES);
    match (workload.scenario, workload.pods) {
        (Scenario::Work, Pods::Succeed(success)) if success.below_index.is_none() => {
            let submitted = || workload.cohorts.iter().filter(|cohort| cohort.initial == InitialState::Submitted);
            let ttls = submitted().filter(|cohort| cohort.ttl_s.is_some());
            Some(submitted().map(of).sum::<u64>() + ttls.map(|cohort| u64::from(cohort.jobs)).sum::<u64>())
        }
        // One deletion each; one finalizer and one deletion for each pod that lingers, and two statuses.
        (Scenario::Expiry(_), _) => Some(workload.born(InitialState::Finished) as u64),
        (Scenario::Leader, _) => Some(2 * (workload.pods_at_once() as u64 - 1) + 2),
        _ => None,
    }
}

/// How long no controller could be faster than, in milliseconds, where that can be told.
#[must_use]
pub fn makespan_ms(workload: &Workload, rate: Rate) -> Option<f64> {
    let last_due = workload.cohorts.iter().filter_map(|cohort| pace::due(cohort, workload.seed)?.last().copied()).max();
    let run_time = match workload.pods {
        Pods::Succeed(success) => success.run_time,
        Pods::Linger => Duration::ZERO,
    };
    let over = match workload.scenario {
        Scenario::Expiry(over) => over,
        _ => Duration::ZERO,
    };
    let waiting = last_due.unwrap_or_default() + run_time + over;
    #[expect(clippy::cast_precision_loss, reason = "millions of requests")]
    let beyond = requests(workload)?.saturating_sub(u64::from(rate.burst)) as f64;
    (!rate.is_off() || waiting > Duration::ZERO)
        .then_some((beyond / f64::from(rate.qps)).max(waiting.as_secs_f64()) * 1000.0)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::load::sample;
    use crate::load::workload::Success;

    #[rstest]
    #[case::a_wide_job("indexed-500", Some(1003), Some(9_030.0))]
    #[case::pods_that_linger("policy-499", Some(1000), Some(9_000.0))]
    #[case::expired_jobs("ttl-1000", Some(1000), Some(9_000.0))]
    #[case::small_ones_behind_a_large_one("small-behind-large", Some(1323), Some(12_230.0))]
    fn the_floor_is_that_of_performance_figures(
        #[case] name: &str,
        #[case] writes: Option<u64>,
        #[case] ms: Option<f64>,
    ) {
        let workload = sample::workload(name);
        assert_eq!(requests(&workload), writes);
        assert_eq!(makespan_ms(&workload, Rate { qps: 100, burst: 100 }), ms);
    }

    #[test]
    fn a_bucket_that_holds_everything_takes_no_time() {
        assert_eq!(makespan_ms(&sample::workload("indexed-500"), Rate { qps: 100, burst: 2000 }), Some(0.0));
    }

    #[test]
    fn without_a_budget_only_what_is_waited_for_takes_time() {
        assert_eq!(makespan_ms(&sample::workload("indexed-500"), Rate::OFF), None);
        let pods = Pods::Succeed(Success { run_time: Duration::from_secs(2), ..Success::default() });
        let slow = Workload { pods, ..sample::workload("indexed-500") };
        assert_eq!(makespan_ms(&slow, Rate::OFF), Some(2_000.0));
    }

    #[test]
    fn a_suspension_has_no_floor_that_is_known() {
        let workload = Workload { scenario: Scenario::Suspension, ..sample::workload("indexed-500") };
        assert_eq!(requests(&workload), None);
    }
}
