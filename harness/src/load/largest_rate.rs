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
mod tests;
