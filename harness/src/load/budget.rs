//! Whether a controller kept to its bucket: within every stretch of time it may make `burst` requests and `qps` more for each second of it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::cluster::Rate;

/// A second in microseconds, and a request in millionths.
const MILLION: i64 = 1_000_000;
/// From the moment in which the bucket gives a request out to that in which the API server receives it, some take longer than others. So
/// late the observer's echo may be in a trial that counts, and so late a request may have been that was the first of a stretch.
const JITTER: [Duration; 2] = [Duration::from_millis(100), Duration::from_millis(500)];

/// The stretch of time in which an identity was furthest above what its bucket gives out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Overdraft {
    /// Whose requests: each identity has a bucket of its own.
    pub identity: String,
    /// By how many requests.
    pub excess: f64,
    /// How many requests there were in it.
    pub requests: u64,
    /// How long it was, in milliseconds, from its first request to its last.
    pub within_ms: f64,
}

impl Overdraft {
    /// Of an identity whose requests came then, in microseconds and in any order; nothing where no stretch has more than it may.
    #[must_use]
    pub fn of(identity: &str, moments: &[i64], rate: Rate) -> Option<Self> {
        let mut sorted = moments.to_vec();
        sorted.sort_unstable();
        let origin = *sorted.first()?;
        let (qps, burst) = (i64::from(rate.qps), i64::from(rate.burst) * MILLION);
        // A stretch of requests i to j is above its bucket by (j + 1 - qps * t(j)) - (i - qps * t(i)) - burst. So of all that end with j
        // the one that begins with the least of the second is furthest above, and one pass over the requests finds it.
        let mut least = (i64::MAX, 0, origin);
        let mut most: Option<(i64, i64, i64)> = None;
        for (number, &at) in (0_i64..).zip(&sorted) {
            let ahead = number * MILLION - qps * (at - origin);
            if ahead < least.0 {
                least = (ahead, number, at);
            }
            let excess = ahead + MILLION - least.0 - burst;
            if excess > most.map_or(0, |(excess, ..)| excess) {
                most = Some((excess, number + 1 - least.1, at - least.2));
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "hours in microseconds are far below 2^53")]
        most.map(|(excess, requests, within)| Self {
            identity: identity.to_owned(),
            excess: excess as f64 / MILLION as f64,
            requests: requests.unsigned_abs(),
            within_ms: within as f64 / 1000.0,
        })
    }

    /// Why that spoils a trial, unless requests that were received up to so much later than others explain it; between 100 ms and 500 ms
    /// are believed.
    #[must_use]
    pub fn complaint(&self, rate: Rate, late: Duration) -> Option<String> {
        let jitter = late.clamp(JITTER[0], JITTER[1]).as_secs_f64() * f64::from(rate.qps);
        (self.excess > jitter).then(|| {
            let Self { identity, excess, requests, within_ms } = self;
            let Rate { qps, burst } = rate;
            let within = within_ms / 1000.0;
            format!(
                "{identity} made {requests} requests within {within:.2} s, {excess:.0} more than its bucket of {burst} with {qps} a second \
                 gives out"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    const RATE: Rate = Rate { qps: 10, burst: 5 };
    const ME: &str = "system:serviceaccount:kube-system:job-controller";

    /// So many requests, this far apart, from then on; in milliseconds.
    fn every(number: i64, apart: i64, from: i64) -> Vec<i64> {
        (0..number).map(|at| (from + at * apart) * 1000).collect()
    }

    fn above(parts: &[Vec<i64>]) -> Option<(f64, u64, f64)> {
        let found = Overdraft::of(ME, &parts.concat(), RATE)?;
        Some((found.excess, found.requests, found.within_ms))
    }

    #[rstest]
    #[case::nothing(&[], None)]
    #[case::the_whole_bucket_at_once(&[every(5, 0, 0)], None)]
    #[case::one_more(&[every(6, 0, 0)], Some((1.0, 6, 0.0)))]
    #[case::a_bucket_and_then_its_pace(&[every(5, 0, 0), every(50, 100, 100)], None)]
    #[case::two_full_buckets_with_a_pause_in_which_it_fills(&[every(5, 0, 0), every(5, 0, 500)], None)]
    #[case::two_full_buckets_with_half_of_that_pause(&[every(5, 0, 0), every(5, 0, 250)], Some((2.5, 10, 250.0)))]
    // No second has more than 5 + 10, and yet 20 s of 12 a second are more than the bucket gives out.
    #[case::a_little_too_fast_for_long(&[every(241, 83, 0)], Some((36.8, 241, 19_920.0)))]
    #[case::the_worst_stretch_is_told(&[every(6, 0, 0), every(8, 0, 60_000)], Some((3.0, 8, 0.0)))]
    #[case::whatever_the_order(&[every(8, 0, 60_000), every(6, 0, 0)], Some((3.0, 8, 0.0)))]
    fn no_stretch_of_time_has_more_than_its_bucket_gives(
        #[case] parts: &[Vec<i64>],
        #[case] wanted: Option<(f64, u64, f64)>,
    ) {
        assert_eq!(above(parts), wanted);
    }

    #[rstest]
    #[case::an_echo_that_must_be_prompt(50, 10.0, None)]
    #[case::above_what_such_jitter_explains(
        50,
        10.6,
        Some("11 more than its bucket of 100 with 100 a second gives out")
    )]
    #[case::an_echo_that_may_be_late(300, 30.0, None)]
    #[case::no_jitter_explains_more_than_half_a_second(60_000, 50.6, Some("made 500 requests within 4.00 s, 51 more"))]
    fn what_the_way_to_the_server_explains_spoils_nothing(
        #[case] late_ms: u64,
        #[case] excess: f64,
        #[case] says: Option<&str>,
    ) {
        let found = Overdraft { identity: ME.to_owned(), excess, requests: 500, within_ms: 4000.0 };
        let told = found.complaint(Rate { qps: 100, burst: 100 }, Duration::from_millis(late_ms));
        match says {
            Some(says) => {
                assert!(told.as_deref().is_some_and(|told| told.contains(says) && told.contains(ME)), "{told:?}")
            }
            None => assert_eq!(told, None),
        }
    }

    proptest! {
        #[test]
        fn one_pass_finds_what_a_search_of_all_stretches_finds(moments in prop::collection::vec(0_i64..5_000_000, 0..40)) {
            let mut sorted = moments.clone();
            sorted.sort_unstable();
            let mut naive = 0.0_f64;
            for first in 0..sorted.len() {
                for last in first..sorted.len() {
                    let within = (sorted[last] - sorted[first]) as f64 / 1e6;
                    naive = naive.max((last - first + 1) as f64 - 5.0 - 10.0 * within);
                }
            }
            let found = Overdraft::of(ME, &moments, RATE).map_or(0.0, |found| found.excess);
            prop_assert!((found - naive).abs() < 1e-6, "{found} and {naive}");
        }

        #[test]
        fn a_bucket_that_was_kept_to_is_never_said_to_be_overdrawn(asks in prop::collection::vec(0_i64..300_000, 1..80)) {
            // When a bucket gives out what is asked for then.
            let (mut now, mut tokens, mut counted, mut given) = (0_i64, 5.0_f64, 0_i64, Vec::new());
            for pause in asks {
                now += pause;
                tokens = (tokens + (now - counted) as f64 * 10.0 / 1e6).min(5.0);
                counted = now;
                if tokens >= 1.0 {
                    tokens -= 1.0;
                    given.push(now);
                }
            }
            let found = Overdraft::of(ME, &given, RATE).map_or(0.0, |found| found.excess);
            prop_assert!(found < 1e-3, "{found}");
        }
    }
}
