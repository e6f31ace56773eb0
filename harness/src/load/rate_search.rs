//! Searches for the largest pace that each controller holds: one probe of each in turn, so that what changes slowly on the machine
//! hits both alike.

use std::collections::BTreeMap;
use std::time::Duration;

use super::Trouble;
use super::course::{Course, Purpose};
use super::floor;
use super::largest_rate::{Found, LargestRates, MOST_PROBES, PACES, Probe};
use super::profile::{Profile, RateSearch};
use super::workload::{Arrivals, Cohort, Start, Workload};
use crate::cluster::Rate;

/// What start, silence and clean-up of a probe take about, beside the time in which Jobs come.
const BESIDE: Duration = Duration::from_secs(30);
/// How many probes most searches take.
const USUAL_PROBES: u32 = 7;

/// Searches with the Jobs of the first profile that says how; what was found is entered into the record after each probe.
///
/// # Errors
/// When no profile says how to search, or a component of the cluster ended.
pub async fn search(course: &mut Course<'_>, profiles: &[Profile]) -> Result<(), Trouble> {
    let how = profiles.iter().find_map(|profile| Some((&profile.workload, profile.rate_search?)));
    let (workload, how) = how.ok_or_else(|| Trouble::new("no profile says how to search for a rate"))?;
    let first = first(workload, course.ground.rate);
    let first = first.ok_or_else(|| Trouble::new("nobody can tell how many requests a Job of this profile takes"))?;
    let order = course.line_up.order(0, course.seed);
    course.record.largest_rates = Some(LargestRates {
        profile: workload.name.clone(),
        probe_s: how.probe.as_secs_f64(),
        limit_ms: how.end_within.as_secs_f64() * 1000.0,
        first,
        ratio_goal: how.ratio_at_least.filter(|_| !course.line_up.is_control()),
        found: order.iter().map(|side| (*side, Found::default())).collect::<BTreeMap<_, _>>(),
    });
    for side in order {
        course.run(&probe(workload, first, how).scaled(10), 0, side, Purpose::WarmUp).await?;
    }
    for round in 0..u32::try_from(MOST_PROBES).unwrap_or(u32::MAX) {
        for side in course.line_up.order(round, course.seed) {
            let next = course.record.largest_rates.as_ref().and_then(|all| all.found.get(&side)?.next_pace(first));
            let Some(pace) = next else { continue };
            let trial = course.run(&probe(workload, pace, how), round, side, Purpose::Measuring).await?;
            let probed = Probe::of(&trial, pace, how);
            let says_something = probed.is_ok();
            let all = course.record.largest_rates.as_mut();
            if let Some(found) = all.and_then(|all| all.found.get_mut(&side)) {
                found.take(probed);
            }
            if says_something {
                (course.told)(course.record);
            }
        }
    }
    Ok(())
}

/// How long a search takes, in words, before anything is started.
#[must_use]
pub fn outlook(profile: &Profile, controllers: usize) -> Option<String> {
    let one = profile.rate_search?.probe + BESIDE;
    let minutes = |probes: u32| (one * probes * u32::try_from(controllers).unwrap_or(2)).as_secs().div_ceil(60);
    let most = u32::try_from(MOST_PROBES).unwrap_or(u32::MAX);
    Some(format!(
        "searching for the largest rate of {}: at most {MOST_PROBES} probes of {} s a controller, about {} minutes, {} at most",
        profile.workload.name,
        one.saturating_sub(BESIDE).as_secs(),
        minutes(USUAL_PROBES),
        minutes(most),
    ))
}

/// The first pace: half of what the bucket allows a controller that makes no request which it could do without, as far as that may be
/// probed. Of Jobs that are large for their bucket it would come to none at all.
fn first(workload: &Workload, rate: Rate) -> Option<f64> {
    let one = workload.cohorts.first().map(|cohort| Cohort { jobs: 1, ..cohort.clone() })?;
    let each = floor::requests(&Workload { cohorts: vec![one], ..workload.clone() })?;
    let each = f64::from(u32::try_from(each).ok().filter(|each| *each > 0)?);
    let half = (f64::from(rate.qps) / each / 2.0 * 1000.0).round() / 1000.0;
    Some(half.clamp(*PACES.start(), *PACES.end()))
}

/// What is done in a probe: Jobs as the first ones of the profile, at this pace. Its name is not the profile's: figures of different
/// paces are no figures of one workload.
#[must_use]
pub fn probe(of: &Workload, pace: f64, how: RateSearch) -> Workload {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a pace of 1,000 for a day at most")]
    let jobs = (pace * how.probe.as_secs_f64()).ceil() as u32;
    let start = Start::Paced { begin: Duration::ZERO, per_second: pace, arrivals: Arrivals::Steady };
    let cohorts = of.cohorts.iter().take(1).map(|cohort| Cohort {
        name: "probe".to_owned(),
        jobs: jobs.max(2),
        start: start.clone(),
        ..cohort.clone()
    });
    Workload {
        name: format!("{}-probe", of.name),
        cohorts: cohorts.collect(),
        // Twice as many as can be held take twice as long; what takes longer still was not held.
        limit: how.probe * 4 + Duration::from_secs(60),
        ..of.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::profile;

    fn churn(more: &str) -> Profile {
        let text = format!(
            "schema: jobsworth/load-profile/v1\nname: churn\nsays: x\n{more}\
             mix: [{{name: a, jobs: 60, completions: 1, per-second: 1, ttl: 10s}}]\npods: {{run-time: 500ms}}\n"
        );
        profile::parse(&text, "test").expect("it is good")
    }

    #[test]
    fn the_first_pace_is_half_of_what_the_bucket_allows_for_six_requests_a_job() {
        let workload = churn("").workload;
        assert_eq!(first(&workload, Rate { qps: 100, burst: 100 }), Some(8.333));
        assert_eq!(first(&workload, Rate { qps: 12, burst: 1 }), Some(1.0));
    }

    #[test]
    fn jobs_that_are_large_for_their_bucket_come_at_the_smallest_pace_and_not_at_none() {
        let mut workload = churn("").workload;
        workload.cohorts[0].completions = 1000;
        assert_eq!(first(&workload, Rate { qps: 1, burst: 1 }), Some(0.05));
    }

    #[test]
    fn a_probe_has_jobs_of_the_same_shape_for_its_time() {
        let profile = churn("find-rate: {probe: 30s, end-within: 5s}\n");
        let how = profile.rate_search.expect("it says how");
        let probe = probe(&profile.workload, 12.5, how);
        assert_eq!((probe.name.as_str(), probe.jobs(), probe.limit.as_secs()), ("churn-probe", 375, 180));
        let [cohort] = probe.cohorts.as_slice() else { panic!("{:?}", probe.cohorts) };
        assert_eq!((cohort.completions, cohort.ttl_s), (1, Some(10)));
        assert!(matches!(cohort.start, Start::Paced { per_second, .. } if (per_second - 12.5).abs() < 1e-9));
        assert_eq!(probe.pods, profile.workload.pods);
    }

    #[test]
    fn how_long_a_search_takes_is_told_before() {
        let told = outlook(&churn("find-rate: {probe: 60s, end-within: 5s}\n"), 2).expect("it says how");
        assert!(told.ends_with("12 probes of 60 s a controller, about 21 minutes, 36 at most"), "{told}");
        assert_eq!(outlook(&churn(""), 2), None);
    }
}
