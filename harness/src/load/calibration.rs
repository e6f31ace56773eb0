//! What a machine takes, measured on it: only against this are absolute numbers judged.
//!
//! Seconds are facts about a machine. A calibration keeps them together with what the machine is; a record of another machine, of
//! another bucket, or of this machine in a busy hour is refused, with the reason.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::alone::Absolute;
use super::arm::Side;
use super::comparison::Comparison;
use super::quantile::median;
use super::{Trouble, alone};
use crate::cluster::Rate;
use crate::report::schema::Host;
use crate::slo::answer::{Answer, Finding};

/// The schema of a calibration.
pub const SCHEMA: &str = "jobsworth/calibration/v1";
/// Fewer trials of a profile say nothing about its spread.
const TRIALS: usize = 3;
/// A figure that spread further on the machine itself can hold nobody to anything.
const SPREAD: f64 = 1.5;
/// How far above the most that was calibrated a median may be.
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
        let server =
            record.server.ok_or_else(|| Trouble::new("the record does not say what the API server could do"))?;
        if record.scale_percent != 100 {
            let percent = record.scale_percent;
            return Err(Trouble::new(format!("the record was made at {percent} % of the workloads' size")));
        }
        let arms = record.arms.iter();
        let known: Vec<Known> = arms.flat_map(|(&side, controller)| steady(record, side, controller)).collect();
        if known.is_empty() {
            return Err(Trouble::new(format!("no profile has {TRIALS} whole trials with a steady figure")));
        }
        Ok(Self {
            schema: SCHEMA.to_owned(),
            program: record.program.clone(),
            taken: record.started.clone(),
            kubernetes: record.kubernetes.clone(),
            host: record.host.clone(),
            rate: record.rate,
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
            ("bucket", words(self.rate), words(record.rate)),
        ];
        let differ = facts.into_iter().filter(|(_, mine, theirs)| mine != theirs);
        let mut reasons: Vec<String> =
            differ.map(|(what, mine, theirs)| format!("{what} {theirs} instead of {mine}")).collect();
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

    /// Each figure of the record that is known, held against what was calibrated.
    #[must_use]
    pub fn findings(&self, record: &Comparison) -> Vec<Finding> {
        let mut digests = BTreeMap::new();
        digests.extend(record.profiles.iter().map(|done| (done.name.as_str(), done.digest.as_str())));
        let same =
            self.known.iter().filter(|known| digests.get(known.profile.as_str()) == Some(&known.digest.as_str()));
        same.filter_map(|known| known.held_against(record)).collect()
    }
}

impl Known {
    fn held_against(&self, record: &Comparison) -> Option<Finding> {
        let side = *record.arms.iter().find(|(_, controller)| **controller == self.controller)?.0;
        let mine = record.trials.iter().filter(|trial| trial.side == side && trial.void.is_none());
        let mine = mine.filter(|trial| trial.workload == self.profile);
        let values: Vec<f64> = mine.filter_map(|trial| trial.figures.get(&self.figure).copied()).collect();
        let value = median(&values)?;
        let limit = self.most * SLACK;
        let answer = if value <= limit { Answer::Met } else { Answer::Missed };
        Some(Finding {
            id: format!("calibrated {}", self.figure),
            says: format!("in {} at most {limit:.2}, a quarter above the most of {} trials", self.profile, self.trials),
            source: "calibration of this machine".to_owned(),
            controller: self.controller.clone(),
            answer,
            measured: format!("{value:.2}"),
        })
    }
}

fn steady(record: &Comparison, side: Side, controller: &str) -> Vec<Known> {
    let trials = record.trials.iter().filter(|trial| trial.side == side).cloned().collect();
    let arms = [(Side::Head, controller.to_owned())].into();
    let alone = Comparison { trials, arms, ..record.clone() };
    let is_steady = |one: &Absolute| one.trials >= TRIALS && one.least > 0.0 && one.most <= SPREAD * one.least;
    let known = alone::all(&alone).into_iter().filter(is_steady).filter_map(|one| {
        let digest = record.profiles.iter().find(|done| done.name == one.workload)?.digest.clone();
        Some(Known {
            profile: one.workload,
            digest,
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

fn words(rate: Rate) -> String {
    format!("{}/{}", rate.qps, rate.burst)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::load::sample;

    fn record(makespans: &[f64]) -> Comparison {
        let mut record = sample::record_alone("reference", "indexed-500", makespans);
        record.server = Some(sample::capacity(1000.0));
        record
    }

    #[test]
    fn a_record_of_the_machine_itself_is_held_against_the_most_that_it_took() {
        let calibration = Calibration::of(&record(&[10_000.0, 10_400.0, 11_000.0])).expect("three trials");
        let makespan = calibration.known.iter().find(|known| known.figure == "makespan").expect("it is steady");
        assert_eq!((makespan.least, makespan.most, makespan.trials), (10_000.0, 11_000.0, 3));
        let answer = |makespan| {
            let record = record(&[makespan]);
            calibration.fits(&record).expect("it is the same machine");
            calibration.findings(&record).iter().find(|it| it.id == "calibrated makespan").map(|it| it.answer)
        };
        assert_eq!((answer(13_700.0), answer(13_800.0)), (Some(Answer::Met), Some(Answer::Missed)));
    }

    #[test]
    fn what_spreads_too_far_or_was_seen_too_seldom_is_not_known() {
        let unsteady = Calibration::of(&record(&[10_000.0, 10_400.0, 16_000.0])).expect("requests are steady");
        assert!(unsteady.known.iter().all(|known| known.figure != "makespan"), "{unsteady:?}");
        let error = Calibration::of(&record(&[10_000.0, 10_400.0])).expect_err("two trials");
        assert!(error.to_string().contains("3 whole trials"), "{error}");
    }

    #[rstest]
    #[case::more_cores(|record: &mut Comparison| record.host.cores += 1, "cores")]
    #[case::another_processor(|record: &mut Comparison| record.host.cpu += " II", "processor")]
    #[case::another_kernel(|record: &mut Comparison| record.host.kernel += "-1", "kernel")]
    #[case::half_the_memory(|record: &mut Comparison| record.host.memory_bytes /= 2, "memory")]
    #[case::another_bucket(|record: &mut Comparison| record.rate.qps = 50, "bucket 50/100 instead of 100/100")]
    #[case::a_busy_hour(|record: &mut Comparison| record.server = Some(sample::capacity(700.0)), "the machine is busy")]
    fn what_is_not_like_the_calibrated_machine_is_refused(#[case] change: fn(&mut Comparison), #[case] says: &str) {
        let calibration = Calibration::of(&record(&[10_000.0; 3])).expect("three trials");
        let mut other = record(&[10_000.0]);
        change(&mut other);
        let reason = calibration.fits(&other).expect_err("it differs");
        assert!(reason.contains(says), "{reason}");
    }
}
