//! What a machine takes, measured on it: only against this are absolute numbers judged.
//!
//! Seconds are facts about a machine. A calibration keeps them together with what the machine is; a record of another machine, of
//! another bucket, of workloads in small, or of this machine in a busy hour is refused, with the reason. A figure that the record cannot
//! be held to is told as well: a limit of which nothing is said would be kept by everybody.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::alone::Absolute;
use super::arm::Side;
use super::comparison::Comparison;
use super::quantile::median;
use super::record::Trial;
use super::workload::PodsBy;
use super::{Trouble, alone, figures};
use crate::cluster::Rate;
use crate::report::schema::Host;
use crate::slo::answer::{Answer, CALIBRATION, Finding};

/// The schema of a calibration.
pub const SCHEMA: &str = "jobsworth/calibration/v1";
/// Fewer trials of a profile say nothing about its spread.
const TRIALS: usize = 3;
/// A figure that spread further on the machine itself can hold nobody to anything.
const SPREAD: f64 = 1.5;
/// How many times the most that was calibrated a median may be; where more is better, how many times the median the least may be.
const SLACK: f64 = 1.25;
/// The share of the calibrated writes a second that the API server must do: below it the machine is busy with something else.
const AWAKE: f64 = 0.75;

/// What a machine takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Calibration {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// The version of the program.
    pub program: String,
    /// Wall clock at the beginning of the record that it was made of.
    pub taken: String,
    /// Version of Kubernetes.
    pub kubernetes: String,
    /// The machine.
    pub host: Host,
    /// The bucket.
    pub rate: Rate,
    /// How many Jobs the built-in controller worked on at the same time, if it was told.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub workers: Option<u32>,
    /// Who played pods.
    #[serde(default)]
    pub pods: PodsBy,
    /// Writes that the API server did each second.
    pub writes_per_second: f64,
    /// What each controller took for each profile.
    pub known: Vec<Known>,
}

/// A figure of one controller in one profile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Known {
    /// The profile.
    pub profile: String,
    /// SHA-256 of its text.
    pub digest: String,
    /// Seed of everything random in it, which says when Jobs come; calibrations of before it was kept have none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seed: Option<u64>,
    /// The controller.
    pub controller: String,
    /// The figure.
    pub figure: String,
    /// The median of the trials.
    pub median: f64,
    /// The smallest.
    pub least: f64,
    /// The largest.
    pub most: f64,
    /// How many trials there were.
    pub trials: usize,
}

/// The JSON schema of a calibration.
#[must_use]
pub fn json_schema() -> schemars::Schema {
    schemars::schema_for!(Calibration)
}

impl Calibration {
    /// What a record says of the machine that it was made on.
    ///
    /// # Errors
    /// When it was cut short or made in small, or no profile has enough whole trials.
    pub fn of(record: &Comparison) -> Result<Self, Trouble> {
        if let Some(why) = &record.stopped {
            return Err(Trouble::new(format!("not all was done: {why}")));
        }
        if let Some(why) = in_small(record) {
            return Err(Trouble::new(why));
        }
        let server =
            record.server.ok_or_else(|| Trouble::new("the record does not say what the API server could do"))?;
        let rate =
            record.rate.ok_or_else(|| Trouble::new("the record does not say what budget the controllers had"))?;
        let controllers: BTreeSet<&str> = record.arms.values().map(String::as_str).collect();
        let known: Vec<Known> = controllers.into_iter().flat_map(|controller| steady(record, controller)).collect();
        if known.is_empty() {
            return Err(Trouble::new(format!("no profile has {TRIALS} whole trials with a steady figure")));
        }
        Ok(Self {
            schema: SCHEMA.to_owned(),
            program: record.program.clone(),
            taken: record.started.clone(),
            kubernetes: record.kubernetes.clone(),
            host: record.host.clone(),
            rate,
            workers: record.workers,
            pods: record.pods,
            writes_per_second: server.writes_per_second,
            known,
        })
    }

    /// Whether a record may be held against it.
    ///
    /// # Errors
    /// With everything that is different.
    pub fn fits(&self, record: &Comparison) -> Result<(), String> {
        let (mine, theirs) = (&self.host, &record.host);
        let gib = |host: &Host| host.memory_bytes.div_ceil(1 << 30);
        let facts = [
            ("cores", mine.cores.to_string(), theirs.cores.to_string()),
            ("processor", mine.cpu.clone(), theirs.cpu.clone()),
            ("memory", format!("{} GiB", gib(mine)), format!("{} GiB", gib(theirs))),
            ("kernel", mine.kernel.clone(), theirs.kernel.clone()),
            ("Kubernetes", self.kubernetes.clone(), record.kubernetes.clone()),
            ("bucket", words(self.rate), record.rate.map_or_else(|| "unknown".to_owned(), words)),
            ("workers of the built-in controller", workers(self.workers), workers(record.workers)),
            ("pod driver", self.pods.to_string(), record.pods.to_string()),
        ];
        let differ = facts.into_iter().filter(|(_, mine, theirs)| mine != theirs);
        let mut reasons: Vec<String> =
            differ.map(|(what, mine, theirs)| format!("{what} {theirs} instead of {mine}")).collect();
        reasons.extend(in_small(record));
        match record.server.map(|server| server.writes_per_second) {
            Some(writes) if writes < AWAKE * self.writes_per_second => reasons.push(format!(
                "the API server did {writes:.0} writes a second instead of {:.0}: the machine is busy",
                self.writes_per_second
            )),
            Some(_) => {}
            None => reasons.push("the record does not say what the API server could do".to_owned()),
        }
        if reasons.is_empty() { Ok(()) } else { Err(reasons.join("; ")) }
    }

    /// What is known of the controllers of the record, held against what each side did. A side is told for itself: where one
    /// controller is on both, both are held. What cannot be held is not measured, with the reason.
    #[must_use]
    pub fn findings(&self, record: &Comparison) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (&side, controller) in &record.arms {
            let known = self.known.iter().filter(|known| known.controller == *controller);
            findings.extend(known.map(|known| known.held_against(record, side)));
        }
        findings
    }
}

impl Known {
    fn held_against(&self, record: &Comparison, side: Side) -> Finding {
        let Self { profile, trials, .. } = self;
        let more_is_better = figures::is_more_better(&self.figure);
        let (limit, says) = if more_is_better {
            let limit = self.least / SLACK;
            (limit, format!("in {profile} at least {limit:.2}, a fifth below the least of {trials} trials"))
        } else {
            let limit = self.most * SLACK;
            (limit, format!("in {profile} at most {limit:.2}, a quarter above the most of {trials} trials"))
        };
        let (answer, measured) = match self.measured(record, side) {
            Ok(value) => {
                let is_kept = if more_is_better { value >= limit } else { value <= limit };
                (if is_kept { Answer::Met } else { Answer::Missed }, format!("{value:.2}"))
            }
            Err(why) => (Answer::NotMeasured, why),
        };
        Finding {
            id: format!("calibrated {}", self.figure),
            says,
            source: CALIBRATION.to_owned(),
            controller: self.controller.clone(),
            answer,
            measured,
        }
    }

    /// The median of the side's whole trials; or why there is none that was made as the calibrated one was.
    fn measured(&self, record: &Comparison, side: Side) -> Result<f64, String> {
        let Self { profile, figure, .. } = self;
        let Some(done) = record.profiles.iter().find(|done| done.name == *profile) else {
            return Err(format!("the record has no profile {profile}"));
        };
        if done.digest != self.digest {
            return Err("the profile is another one".to_owned());
        }
        match self.seed {
            None => return Err("the calibration does not say with which seed it was made".to_owned()),
            Some(seed) if seed != done.seed => return Err(format!("seed {} instead of {seed}", done.seed)),
            Some(_) => {}
        }
        let is_mine = |trial: &&Trial| trial.side == side && trial.workload == *profile && trial.void.is_none();
        let whole: Vec<&Trial> = record.trials.iter().filter(is_mine).collect();
        if whole.is_empty() {
            return Err(format!("no whole trial of {profile}"));
        }
        let values: Vec<f64> = whole.into_iter().filter_map(|trial| trial.figures.get(figure).copied()).collect();
        median(&values).ok_or_else(|| format!("there is no figure {figure}"))
    }
}

/// A profile has one digest in every size, and in small takes a part of what it takes.
fn in_small(record: &Comparison) -> Option<String> {
    let percent = record.scale_percent;
    (percent != 100).then(|| format!("the record was made at {percent} % of the workloads' size"))
}

/// What a controller takes every time, by itself and not beside tenants. On whichever side it did a trial, that is one of its
/// trials.
fn steady(record: &Comparison, controller: &str) -> Vec<Known> {
    let is_mine =
        |trial: &&Trial| trial.tenants.is_none() && record.arms.get(&trial.side).is_some_and(|name| name == controller);
    let trials = record.trials.iter().filter(is_mine).cloned().collect();
    let mine = Comparison { trials, ..record.clone() };
    let is_steady = |one: &Absolute| one.trials >= TRIALS && one.least > 0.0 && one.most <= SPREAD * one.least;
    let known = alone::all(&mine).into_iter().filter(is_steady).filter_map(|one| {
        let done = record.profiles.iter().find(|done| done.name == one.workload)?;
        Some(Known {
            profile: one.workload,
            digest: done.digest.clone(),
            seed: Some(done.seed),
            controller: controller.to_owned(),
            figure: one.figure,
            median: one.median,
            least: one.least,
            most: one.most,
            trials: one.trials,
        })
    });
    known.collect()
}

fn workers(told: Option<u32>) -> String {
    told.map_or_else(|| "its own".to_owned(), |number| number.to_string())
}

fn words(rate: Rate) -> String {
    format!("{}/{}", rate.qps, rate.burst)
}

#[cfg(test)]
mod tests;
