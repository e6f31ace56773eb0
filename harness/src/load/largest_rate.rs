//! The largest pace that a controller holds, closed in from both sides: what to probe next, and what was found.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::arm::Side;
use super::backlog::{self, Cause};
use super::figures::{BACKLOG_GROWTH, END_P99};
use super::profile::RateSearch;
use super::record::Trial;
use crate::slo::answer::Answer;

/// The most probes of one controller.
pub const MOST_PROBES: usize = 12;
/// So narrow the bracket becomes, as a part of its lower end.
const NARROW: f64 = 0.06;
/// Paces that are probed, in Jobs a second: beyond them a load profile may not go either.
pub const PACES: std::ops::RangeInclusive<f64> = 0.05..=1000.0;

/// The largest pace that each controller holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LargestRates {
    /// The profile whose Jobs came.
    pub profile: String,
    /// How long they came in each probe, in seconds.
    pub probe_s: f64,
    /// What 99 of 100 Jobs may take from the end of their last pod to theirs, in milliseconds.
    pub limit_ms: f64,
    /// The first pace that is probed, in Jobs a second: half of what the bucket would allow if no request were made too many.
    pub first: f64,
    /// What the largest pace of the head over that of the base should be at least, if the profile says so.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ratio_goal: Option<f64>,
    /// What was found, by side.
    pub found: BTreeMap<Side, Found>,
}

/// Between which paces the largest one lies that a controller holds, in Jobs a second.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    /// The largest that it held.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub held: Option<f64>,
    /// The smallest that it did not hold.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub not_held: Option<f64>,
    /// Why it did not hold that one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cause: Option<Cause>,
    /// Every probe in its order; its trial is the one of this side without `warmUp` whose `pair` is its number, from 0.
    pub probes: Vec<Probe>,
    /// Why the search ended before the bracket was narrow, if it did.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stopped: Option<String>,
}

/// A pace, and what became of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Probe {
    /// Jobs a second.
    pub per_second: f64,
    /// By how many Jobs the backlog grew each second; nothing where it did not drain in time.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub backlog_growth: Option<f64>,
    /// What 99 of 100 Jobs took at most from the end of their last pod to theirs, in milliseconds; nothing where some never ended.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub p99_ms: Option<f64>,
    /// Why the pace was not held; nothing when it was.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cause: Option<Cause>,
}

impl Probe {
    /// Of a trial at this pace. A trial that does not count says nothing about the pace, and why it does not is the error; but Jobs
    /// that had not ended in time, and nothing else, say that it was not held. A few of many that never end are lost, at whatever pace.
    ///
    /// # Errors
    /// When the trial is void, or has not what the pace is judged by.
    pub fn of(trial: &Trial, per_second: f64, how: RateSearch) -> Result<Self, String> {
        if let Some(left) = trial.undrained {
            if backlog::are_lost(left, per_second * how.probe.as_secs_f64()) {
                return Err(format!(
                    "in the probe of {per_second} Jobs a second {left} Jobs never ended, and all others did"
                ));
            }
            return Ok(Self { per_second, backlog_growth: None, p99_ms: None, cause: Some(Cause::Undrained) });
        }
        if let Some(void) = &trial.void {
            return Err(format!("the probe of {per_second} Jobs a second is void: {void}"));
        }
        let too_few = |name: &str| {
            format!(
                "the probe of {per_second} Jobs a second has no {name}: too few of them came or ended while it lasted"
            )
        };
        let figure = |name: &str| trial.figures.get(name).copied().ok_or_else(|| too_few(name));
        let (backlog_growth, p99_ms) = (figure(BACKLOG_GROWTH)?, figure(END_P99)?);
        let (lasted_s, limit_ms) = (how.probe.as_secs_f64(), how.end_within.as_secs_f64() * 1000.0);
        let cause = backlog::cause(per_second, lasted_s, backlog_growth, p99_ms, limit_ms);
        Ok(Self { per_second, backlog_growth: Some(backlog_growth), p99_ms: Some(p99_ms), cause })
    }
}

impl Found {
    /// The pace to probe next; nothing once the bracket is narrow, or nothing more can be asked.
    #[must_use]
    pub fn next_pace(&self, first: f64) -> Option<f64> {
        if self.stopped.is_some() || self.probes.len() >= MOST_PROBES || self.is_narrow() {
            return None;
        }
        self.following(first)
    }

    /// The pace that would tell more; nothing where the first or the last that may be probed was.
    fn following(&self, first: f64) -> Option<f64> {
        let pace = match (self.held, self.not_held) {
            (None, None) => first,
            (Some(held), None) => held * 2.0,
            (None, Some(not_held)) => not_held / 2.0,
            (Some(held), Some(not_held)) => f64::midpoint(held, not_held),
        };
        // As it is told; the bracket is never as narrow as a thousandth of a Job.
        let pace = ((pace * 1000.0).round() / 1000.0).clamp(*PACES.start(), *PACES.end());
        (self.held != Some(pace) && self.not_held != Some(pace)).then_some(pace)
    }

    /// Why nothing more is asked though the bracket is not narrow; nothing where there is more to ask.
    fn why_open(&self) -> Option<String> {
        if let Some(why) = &self.stopped {
            return Some(why.clone());
        }
        if self.probes.len() >= MOST_PROBES {
            return Some(format!("{MOST_PROBES} probes are the most that are made"));
        }
        // The first pace is one that may be probed.
        let is_at_the_end = self.following(*PACES.start()).is_none();
        is_at_the_end.then(|| format!("no pace is probed but from {} to {} Jobs a second", PACES.start(), PACES.end()))
    }

    /// Takes the next probe, or why there is none, into account.
    pub fn take(&mut self, probe: Result<Probe, String>) {
        let probe = match probe {
            Ok(probe) => probe,
            Err(why) => {
                self.stopped = Some(why);
                return;
            }
        };
        self.probes.push(probe);
        match probe.cause {
            None => self.held = Some(probe.per_second),
            Some(_) => (self.not_held, self.cause) = (Some(probe.per_second), probe.cause),
        }
    }

    /// Whether the largest pace is known well enough.
    #[must_use]
    pub fn is_narrow(&self) -> bool {
        self.held.zip(self.not_held).is_some_and(|(held, not_held)| not_held - held <= NARROW * held)
    }

    /// For people, for example `12.5 to 13.02 Jobs a second (the backlog grows), 6 probes`.
    #[must_use]
    pub fn says(&self) -> String {
        let bracket = match (self.held, self.not_held) {
            (Some(held), Some(not_held)) => format!("{held} to {not_held} Jobs a second"),
            (Some(held), None) => format!("{held} Jobs a second or more"),
            (None, Some(not_held)) => format!("less than {not_held} Jobs a second"),
            (None, None) => "not found".to_owned(),
        };
        let cause = self.cause.map(|cause| format!(" ({})", cause.word())).unwrap_or_default();
        let number = self.probes.len();
        let probes = if number == 1 { "probe" } else { "probes" };
        let open = if self.is_narrow() {
            String::new()
        } else {
            let why = self.why_open().map(|why| format!(": {why}")).unwrap_or_default();
            format!("; the bracket is not narrow{why}")
        };
        format!("{bracket}{cause}, {number} {probes}{open}")
    }
}

impl LargestRates {
    /// Between what the largest pace of the head over that of the base lies; the second is missing where nothing bounds it.
    #[must_use]
    pub fn ratio(&self) -> Option<(f64, Option<f64>)> {
        let (base, head) = (self.found.get(&Side::Base)?, self.found.get(&Side::Head)?);
        let high = head.not_held.zip(base.held).map(|(head, base)| head / base);
        Some((head.held? / base.not_held?, high))
    }

    /// Whether that ratio reaches its goal, where there are two and a goal: met if all of the interval does, missed if none of it.
    #[must_use]
    pub fn answer(&self) -> Option<Answer> {
        let at_least = self.ratio_goal.filter(|_| self.found.contains_key(&Side::Base))?;
        Some(match self.ratio() {
            Some((low, _)) if low >= at_least => Answer::Met,
            Some((_, Some(high))) if high < at_least => Answer::Missed,
            _ => Answer::CannotTell,
        })
    }

    /// The same for people, with the goal.
    #[must_use]
    pub fn ratio_says(&self) -> Option<String> {
        let (low, high) = self.ratio()?;
        let interval = high.map_or_else(|| format!("{low:.2} or more"), |high| format!("{low:.2}–{high:.2}"));
        let goal = self.ratio_goal.zip(self.answer());
        let goal = goal.map(|(goal, answer)| format!("; the goal is {goal:.2} at least: {}", answer.word()));
        Some(interval + &goal.unwrap_or_default())
    }

    /// Whether every bracket is narrow.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.found.values().all(Found::is_narrow)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    const HOW: RateSearch =
        RateSearch { probe: Duration::from_secs(60), end_within: Duration::from_secs(5), ratio_at_least: None };

    fn probe(per_second: f64, is_held: bool) -> Probe {
        let cause = (!is_held).then_some(Cause::Backlog);
        Probe { per_second, backlog_growth: Some(0.0), p99_ms: Some(10.0), cause }
    }

    /// A search for a controller that holds everything up to `largest`.
    fn search(first: f64, largest: f64) -> Found {
        let mut found = Found::default();
        while let Some(pace) = found.next_pace(first) {
            found.take(Ok(probe(pace, pace <= largest)));
        }
        found
    }

    #[test]
    fn paces_double_until_one_is_not_held_and_then_halve_the_bracket() {
        let paces: Vec<f64> = search(8.0, 13.1).probes.iter().map(|probe| probe.per_second).collect();
        assert_eq!(paces, [8.0, 16.0, 12.0, 14.0, 13.0, 13.5]);
        let paces: Vec<f64> = search(8.0, 3.0).probes.iter().map(|probe| probe.per_second).collect();
        assert_eq!(paces, [8.0, 4.0, 2.0, 3.0, 3.5, 3.25, 3.125]);
    }

    #[rstest]
    #[case::held(100.0, 0.1, 900.0, Ok(None))]
    #[case::growing(100.0, 9.0, 900.0, Ok(Some(Cause::Backlog)))]
    #[case::late(100.0, 0.1, 5001.0, Ok(Some(Cause::Late)))]
    fn a_probe_is_judged_by_its_trial(
        #[case] pace: f64,
        #[case] growth: f64,
        #[case] p99: f64,
        #[case] wanted: Result<Option<Cause>, String>,
    ) {
        let figures = BTreeMap::from([(BACKLOG_GROWTH.to_owned(), growth), (END_P99.to_owned(), p99)]);
        let trial = Trial { figures, ..Trial::default() };
        assert_eq!(Probe::of(&trial, pace, HOW).map(|probe| probe.cause), wanted);
        let void = Trial { void: Some("late".to_owned()), ..trial };
        assert!(Probe::of(&void, pace, HOW).is_err_and(|why| why.ends_with("is void: late")));
        assert!(Probe::of(&Trial::default(), pace, HOW).is_err_and(|why| why.contains(BACKLOG_GROWTH)));
    }

    #[test]
    fn jobs_that_had_not_ended_in_time_are_a_pace_that_was_not_held_and_the_next_is_half_of_it() {
        let void = Some("120 Jobs had not ended within 300 s".to_owned());
        let probed = Probe::of(&Trial { void, undrained: Some(120), ..Trial::default() }, 8.0, HOW);
        let wanted = Probe { per_second: 8.0, backlog_growth: None, p99_ms: None, cause: Some(Cause::Undrained) };
        assert_eq!(probed, Ok(wanted));
        let mut found = Found::default();
        found.take(probed);
        assert_eq!((found.next_pace(8.0), found.not_held, &found.stopped), (Some(4.0), Some(8.0), &None));
        assert!(found.says().starts_with("less than 8 Jobs a second (the backlog did not drain in time)"));
    }

    #[rstest]
    #[case::one_of_480(8.0, 1, true)]
    #[case::three_of_480(8.0, 3, true)]
    #[case::four_of_480(8.0, 4, false)]
    #[case::three_of_thirty(0.5, 3, false)]
    fn a_few_of_many_jobs_that_never_end_are_lost_and_end_the_search(
        #[case] pace: f64,
        #[case] left: usize,
        #[case] are_lost: bool,
    ) {
        let void = Some("some Jobs had not ended within 300 s".to_owned());
        let probed = Probe::of(&Trial { void, undrained: Some(left), ..Trial::default() }, pace, HOW);
        assert_eq!(probed.is_err_and(|why| why.contains(&format!("{left} Jobs never ended"))), are_lost);
    }

    #[test]
    fn a_void_probe_ends_the_search_and_is_no_pace_that_was_not_held() {
        let mut found = Found::default();
        found.take(Ok(probe(8.0, true)));
        found.take(Err("noise".to_owned()));
        assert_eq!((found.next_pace(8.0), found.held, found.not_held), (None, Some(8.0), None));
        assert_eq!(found.says(), "8 Jobs a second or more, 1 probe; the bracket is not narrow: noise");
    }

    #[rstest]
    #[case::once_it_is_known(8.0, 13.1, "13 to 13.5 Jobs a second (the backlog grows), 6 probes")]
    #[case::where_no_faster_pace_is_probed(
        600.0,
        5000.0,
        "1000 Jobs a second or more, 2 probes; the bracket is not narrow: no pace is probed but from 0.05 to 1000 Jobs a second"
    )]
    #[case::nor_any_slower(
        0.08,
        0.001,
        "less than 0.05 Jobs a second (the backlog grows), 2 probes; the bracket is not narrow: no pace is probed but from 0.05 to \
         1000 Jobs a second"
    )]
    fn what_was_found_is_told_with_the_reason_for_its_end(
        #[case] first: f64,
        #[case] largest: f64,
        #[case] says: &str,
    ) {
        assert_eq!(search(first, largest).says(), says);
    }

    #[test]
    fn a_search_that_has_used_up_its_probes_says_so_and_one_that_goes_on_says_nothing_of_an_end() {
        let used_up = search(0.25, 900.0);
        assert_eq!(used_up.probes.len(), MOST_PROBES);
        assert!(used_up.says().ends_with("not narrow: 12 probes are the most that are made"), "{}", used_up.says());
        let mut goes_on = Found::default();
        goes_on.take(Ok(probe(8.0, true)));
        assert_eq!(goes_on.says(), "8 Jobs a second or more, 1 probe; the bracket is not narrow");
    }

    #[test]
    fn the_ratio_of_two_is_an_interval() {
        let of = |held, not_held| Found { held, not_held, ..Found::default() };
        let rates = |base, head| LargestRates {
            found: BTreeMap::from([(Side::Base, base), (Side::Head, head)]),
            ..LargestRates::default()
        };
        let both = rates(of(Some(10.0), Some(12.5)), of(Some(20.0), Some(25.0)));
        assert_eq!(both.ratio(), Some((1.6, Some(2.5))));
        assert_eq!(both.ratio_says().as_deref(), Some("1.60–2.50"));
        assert_eq!(rates(of(Some(10.0), Some(12.5)), of(Some(20.0), None)).ratio(), Some((1.6, None)));
        assert_eq!(rates(of(Some(10.0), None), of(Some(20.0), Some(21.0))).ratio(), None);
    }

    #[rstest]
    #[case::all_of_the_interval_reaches_it(10.5, Some(11.0), Some(10.0), Answer::Met)]
    #[case::part_of_it_does(10.2, Some(10.8), Some(10.0), Answer::CannotTell)]
    #[case::none_of_it_does(9.0, Some(9.5), Some(9.5), Answer::Missed)]
    #[case::nothing_bounds_it(10.2, None, Some(10.0), Answer::CannotTell)]
    #[case::the_base_is_not_bounded(10.5, Some(11.0), None, Answer::CannotTell)]
    fn the_ratio_is_held_against_its_goal_as_an_interval(
        #[case] held: f64,
        #[case] not_held: Option<f64>,
        #[case] base: Option<f64>,
        #[case] answer: Answer,
    ) {
        let base = Found { held: Some(9.5), not_held: base, ..Found::default() };
        let head = Found { held: Some(held), not_held, ..Found::default() };
        let found = BTreeMap::from([(Side::Base, base), (Side::Head, head)]);
        let rates = LargestRates { ratio_goal: Some(1.05), found, ..LargestRates::default() };
        assert_eq!(rates.answer(), Some(answer));
        let wanted = format!("; the goal is 1.05 at least: {}", answer.word());
        assert!(rates.ratio_says().is_none_or(|says| says.ends_with(&wanted)), "{:?}", rates.ratio_says());
    }

    #[test]
    fn one_alone_and_a_search_without_a_goal_have_no_answer() {
        let head = Found { held: Some(10.5), not_held: Some(11.0), ..Found::default() };
        let alone = BTreeMap::from([(Side::Head, head.clone())]);
        assert_eq!(LargestRates { ratio_goal: Some(1.05), found: alone, ..LargestRates::default() }.answer(), None);
        let both = BTreeMap::from([(Side::Base, head.clone()), (Side::Head, head)]);
        assert_eq!(LargestRates { found: both, ..LargestRates::default() }.answer(), None);
    }

    proptest! {
        #[test]
        fn the_bracket_holds_the_largest_pace_and_ends_narrow_or_at_the_last_probe(
            first in 0.5_f64..100.0, times in 0.1_f64..10.0,
        ) {
            let largest = first * times;
            let found = search(first, largest);
            prop_assert!(found.probes.len() <= MOST_PROBES);
            prop_assert!(found.held.is_none_or(|held| held <= largest));
            prop_assert!(found.not_held.is_none_or(|not_held| not_held > largest));
            // Within a factor of ten of the first pace twelve probes are enough, where paces may be probed at all.
            if largest > 0.2 && largest < 500.0 {
                prop_assert!(found.is_narrow(), "{found:?}");
            }
        }
    }
}
