//! Whether a controller keeps up with a pace: what is left to do does not grow, and nobody waits long.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::quantile::{quantile, sorted};
use super::workload::{Cohort, Start};

/// How long 99 of 100 Jobs may take from the end of their last pod to theirs, in milliseconds.
const LATE_MS: f64 = 5000.0;
/// How much of a pace may be left undone each second.
const GROWTH: f64 = 0.05;
/// So many Jobs more than at first are no backlog that grows: ends come in batches, and somebody is always on the way.
const FEW: f64 = 3.0;

/// Why a pace was not held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// Jobs came faster than they ended.
    Backlog,
    /// Jobs had not ended long after the last of them had come.
    Undrained,
    /// One in a hundred took longer than allowed from the end of its last pod to its own.
    Late,
}

impl Cause {
    /// For people.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Backlog => "the backlog grows",
            Self::Undrained => "the backlog did not drain in time",
            Self::Late => "p99 of the end is above the limit",
        }
    }
}

/// Why a pace that lasted so many seconds was not held by whoever let the backlog grow like this and needed so long in the end;
/// nothing when it was.
#[must_use]
pub fn cause(per_second: f64, lasted_s: f64, growth: f64, p99_ms: f64, limit_ms: f64) -> Option<Cause> {
    // A backlog that grows makes everybody late in the end, so it comes first.
    if growth > GROWTH * per_second && growth * lasted_s > FEW {
        return Some(Cause::Backlog);
    }
    (p99_ms > limit_ms).then_some(Cause::Late)
}

/// Whether so many Jobs that had not ended long after the last of so many had come are lost, and no backlog: they are a few, and
/// less of all than may be left undone of a pace.
#[must_use]
pub fn are_lost(left: usize, of: f64) -> bool {
    let left = u32::try_from(left).map_or(f64::INFINITY, f64::from);
    left <= FEW && left <= GROWTH * of
}

/// The pace of a cohort.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace<'w> {
    /// Whose.
    pub cohort: &'w str,
    /// How many come each second.
    pub per_second: f64,
    /// When the first comes, counted from the beginning of the work.
    begin: f64,
    /// When the last has come.
    end: f64,
}

impl<'w> Pace<'w> {
    /// That of a cohort, if it has one.
    #[must_use]
    pub fn of(cohort: &'w Cohort) -> Option<Self> {
        let Start::Paced { begin, per_second, .. } = &cohort.start else { return None };
        let begin = begin.as_secs_f64();
        let end = begin + f64::from(cohort.jobs) / per_second;
        Some(Self { cohort: &cohort.name, per_second: *per_second, begin, end })
    }
}

/// Whether each pace begins after the one before has ended, so that each can be judged by itself.
#[must_use]
pub fn follow_each_other(paces: &[Pace<'_>]) -> bool {
    // Seconds are written in steps that binary fractions do not have.
    paces.windows(2).all(|pair| matches!(pair, [before, after] if before.end <= after.begin + 1e-6))
}

/// Whether a pace was held: `arrivals` are the times at which its Jobs came and ended, `late` what its Jobs waited in the end.
#[must_use]
pub fn is_held(pace: &Pace<'_>, arrivals: Vec<(Duration, Option<Duration>)>, late: &[f64]) -> bool {
    let all_ended = !arrivals.is_empty() && arrivals.iter().all(|(_, ended)| ended.is_some());
    let seen = growth(arrivals).zip(quantile(&sorted(late), 0.99));
    let cause_of = |(growth, p99): (f64, f64)| cause(pace.per_second, pace.end - pace.begin, growth, p99, LATE_MS);
    all_ended && seen.is_some_and(|seen| cause_of(seen).is_none())
}

/// By how many Jobs the backlog grew each second while they came: the slope of the line of least squares through its size after
/// each arrival. It is counted from the first end on: until then every Job that comes is on its way, however fast the controller is.
/// Nothing where no two Jobs came after it: whoever ends none meanwhile may be fast or stand still.
#[must_use]
pub fn growth(mut arrivals: Vec<(Duration, Option<Duration>)>) -> Option<f64> {
    arrivals.sort_unstable();
    let mut ends: Vec<Duration> = arrivals.iter().filter_map(|(_, ended)| *ended).collect();
    ends.sort_unstable();
    #[expect(clippy::cast_precision_loss, reason = "thousands of Jobs")]
    let points = arrivals.iter().zip(1_usize..).map(|(&(at, _), come)| {
        let ended = ends.partition_point(|end| *end <= at);
        (at.as_secs_f64(), come as f64 - ended as f64)
    });
    let on_their_way = ends.first()?.as_secs_f64();
    let points = points.filter(|(at, _)| *at >= on_their_way);
    slope(&points.collect::<Vec<_>>())
}

/// Nothing where there are not two places.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "thousands of points")]
    let number = points.len().max(1) as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / number, y + point.1 / number));
    let (over, under) = points
        .iter()
        .fold((0.0, 0.0), |(over, under), point| (over + (point.0 - x) * (point.1 - y), under + (point.0 - x).powi(2)));
    (under > 0.0).then(|| over / under)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;
    use crate::load::sample;
    use crate::load::workload::Arrivals;

    fn cohort(begin: u64, per_second: f64, jobs: u32) -> Cohort {
        let begin = Duration::from_secs(begin);
        Cohort {
            start: Start::Paced { begin, per_second, arrivals: Arrivals::Steady },
            ..sample::cohort("at", jobs, 1)
        }
    }

    /// Jobs that come every 100 ms and are done one every so many ms.
    fn served(each_ms: u64) -> Vec<(Duration, Option<Duration>)> {
        let mut free = 0;
        (0..600_u64)
            .map(|number| {
                let come = number * 100;
                free = free.max(come) + each_ms;
                (Duration::from_millis(come), Some(Duration::from_millis(free)))
            })
            .collect()
    }

    #[rstest]
    #[case::faster_than_they_come(50, true)]
    #[case::just_as_fast(100, true)]
    #[case::too_slow(120, false)]
    fn a_pace_is_held_by_whoever_is_fast_enough(#[case] each_ms: u64, #[case] held: bool) {
        let cohort = cohort(0, 10.0, 600);
        assert_eq!(is_held(&Pace::of(&cohort).expect("it is paced"), served(each_ms), &[10.0]), held);
    }

    #[test]
    fn a_pace_is_not_held_when_jobs_wait_long_or_never_end() {
        let cohort = cohort(0, 10.0, 600);
        let pace = Pace::of(&cohort).expect("it is paced");
        assert!(!is_held(&pace, served(50), &[5001.0]));
        let mut lost = served(50);
        lost[17].1 = None;
        assert!(!is_held(&pace, lost, &[10.0]));
    }

    #[test]
    fn jobs_that_all_take_the_same_time_are_no_backlog_that_grows_however_short_it_is_looked_at() {
        for seconds in [4, 6, 60] {
            let came = (0..seconds * 10).map(|number| Duration::from_millis(number * 100));
            let growth = growth(came.map(|at| (at, Some(at + Duration::from_millis(1500)))).collect());
            assert!(growth.is_some_and(|growth| growth.abs() < 1e-6), "{growth:?} in {seconds} s");
        }
    }

    #[test]
    fn whoever_ends_no_job_before_the_last_has_come_is_not_seen_to_keep_up() {
        let too_late = Some(Duration::from_secs(61));
        let arrivals: Vec<(Duration, Option<Duration>)> = served(50).iter().map(|(at, _)| (*at, too_late)).collect();
        assert_eq!(growth(arrivals.clone()), None);
        let cohort = cohort(0, 10.0, 600);
        assert!(!is_held(&Pace::of(&cohort).expect("it is paced"), arrivals, &[10.0]));
    }

    #[rstest]
    #[case::nothing_is_left_and_nobody_waits(60.0, 0.5, 5000.0, None)]
    #[case::too_much_is_left(60.0, 0.51, 10.0, Some(Cause::Backlog))]
    #[case::a_few_are_too_much_of_a_pace_and_no_backlog(5.0, 0.6, 10.0, None)]
    #[case::somebody_waits_too_long(60.0, -0.1, 5000.1, Some(Cause::Late))]
    #[case::both_come_from_the_backlog(60.0, 3.0, 60_000.0, Some(Cause::Backlog))]
    fn a_pace_of_ten_a_second_is_not_held_for_a_cause(
        #[case] lasted_s: f64,
        #[case] growth: f64,
        #[case] p99_ms: f64,
        #[case] wanted: Option<Cause>,
    ) {
        assert_eq!(cause(10.0, lasted_s, growth, p99_ms, 5000.0), wanted);
    }

    #[test]
    fn steps_follow_each_other_and_classes_side_by_side_do_not() {
        let steps = [cohort(0, 1.0, 60), cohort(60, 2.0, 120)];
        let paces: Vec<Pace<'_>> = steps.iter().filter_map(Pace::of).collect();
        assert!(follow_each_other(&paces));
        let classes = [cohort(0, 5.0, 80), cohort(0, 5.0, 20)];
        let paces: Vec<Pace<'_>> = classes.iter().filter_map(Pace::of).collect();
        assert!(!follow_each_other(&paces));
    }

    proptest! {
        #[test]
        fn points_on_a_line_give_its_slope(slope_of in -50.0_f64..50.0, number in 2_u32..100) {
            let points: Vec<(f64, f64)> = (0..number).map(f64::from).map(|x| (x, 3.0 + slope_of * x)).collect();
            prop_assert!((slope(&points).expect("there are two places") - slope_of).abs() < 1e-6);
        }
    }
}
