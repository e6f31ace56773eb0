//! How busy the machine was with something else while a trial ran, and whether its clock was set: times of a trial that shared its
//! processors say little about a controller.

use std::collections::BTreeSet;
use std::time::Instant;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::procfs::{self, Processors};
use super::record::Circumstances;

/// The most of all processor time that a hypervisor may give to others, in percent.
const STEAL: f64 = 2.0;
/// The most of it that processes may use that belong to nobody of the trial, in percent.
const OTHERS: f64 = 10.0;
/// How far the wall clock may run away from the monotonic one, in seconds: what is read of the audit log and of expiries is by the former.
const STEP: f64 = 0.5;

/// What becomes of a trial during which the machine was busy with something else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum OnNoise {
    /// It does not count.
    #[default]
    Void,
    /// It counts, and how busy the machine was is in the record only: for machines that are always busy.
    Tell,
}

/// Clocks and counters of the machine at one moment.
#[derive(Clone, Debug)]
pub struct Look {
    wall: Timestamp,
    steady: Instant,
    used: Option<(Processors, u64)>,
}

impl Look {
    /// Now; `ours` are processes of the trial beside this one and those that it started. Without any only the clocks are looked at, for
    /// who does the work then is elsewhere.
    #[must_use]
    pub fn now(ours: Option<&BTreeSet<u32>>) -> Self {
        let used = || Some((procfs::processors()?, procfs::family_ticks(std::process::id(), ours?)));
        Self { wall: Timestamp::now(), steady: Instant::now(), used: used() }
    }

    /// Enters what happened since it was taken.
    pub fn account(&self, now: &Self, into: &mut Circumstances) {
        let shares = self.used.zip(now.used).and_then(|(before, after)| shares(before, after));
        into.steal_percent = shares.map(|(steal, _)| steal);
        into.other_cpu_percent = shares.map(|(_, others)| others);
        let passed = now.steady.saturating_duration_since(self.steady).as_secs_f64();
        into.clock_step_s = Some(now.wall.duration_since(self.wall).as_secs_f64() - passed);
    }
}

/// The shares of all processor time that a hypervisor gave to others, and that processes used which are not ours, in percent.
#[expect(clippy::cast_precision_loss, reason = "ticks of a trial")]
fn shares(before: (Processors, u64), after: (Processors, u64)) -> Option<(f64, f64)> {
    let since = |of: fn(&Processors) -> u64| of(&after.0).saturating_sub(of(&before.0)) as f64;
    let all = since(|it| it.all);
    let others = since(|it| it.processes) - after.1.saturating_sub(before.1) as f64;
    (all > 0.0).then(|| (since(|it| it.steal) / all * 100.0, others.max(0.0) / all * 100.0))
}

/// Why a trial in such circumstances does not count, if so.
#[must_use]
pub fn complaint(circumstances: &Circumstances, on_noise: OnNoise) -> Option<String> {
    if let Some(step) = circumstances.clock_step_s.filter(|step| step.abs() > STEP) {
        return Some(format!("the wall clock stepped by {step:.1} s"));
    }
    if on_noise == OnNoise::Tell {
        return None;
    }
    let (steal, others) = (circumstances.steal_percent, circumstances.other_cpu_percent);
    let stolen = steal.filter(|steal| *steal > STEAL);
    let stolen = stolen
        .map(|steal| format!("a hypervisor gave {steal:.1} % of the processor time to others; {STEAL} % are allowed"));
    let shared = others.filter(|others| *others > OTHERS);
    stolen.or_else(|| {
        shared.map(|others| {
            format!("the machine was busy: others used {others:.1} % of its processor time; {OTHERS} % are allowed")
        })
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn at(all: u64, steal: u64, processes: u64, ours: u64) -> (Processors, u64) {
        (Processors { all, steal, processes }, ours)
    }

    #[rstest]
    #[case::nobody_else((1000, 0, 500, 500), Some((0.0, 0.0)))]
    #[case::somebody_else((1000, 0, 700, 500), Some((0.0, 20.0)))]
    #[case::a_hypervisor((1000, 30, 500, 500), Some((3.0, 0.0)))]
    // The two are not counted at the same ticks.
    #[case::we_seem_to_have_used_more_than_all((1000, 0, 500, 510), Some((0.0, 0.0)))]
    #[case::no_time_passed((0, 0, 0, 0), None)]
    fn what_is_not_ours_is_somebody_elses(#[case] passed: (u64, u64, u64, u64), #[case] wanted: Option<(f64, f64)>) {
        let (all, steal, processes, ours) = passed;
        let after = at(7000 + all, 70 + steal, 3000 + processes, 2000 + ours);
        assert_eq!(shares(at(7000, 70, 3000, 2000), after), wanted);
    }

    #[rstest]
    #[case::a_quiet_machine(2.0, 10.0, 0.5, None)]
    #[case::a_hypervisor(2.1, 0.0, 0.0, Some("a hypervisor gave 2.1 %"))]
    #[case::somebody_else(0.0, 10.1, 0.0, Some("others used 10.1 %"))]
    #[case::a_clock_that_was_set(0.0, 0.0, 1.5, Some("the wall clock stepped by 1.5 s"))]
    #[case::a_clock_that_was_set_back(0.0, 0.0, -0.6, Some("the wall clock stepped by -0.6 s"))]
    fn a_trial_on_a_busy_machine_or_with_a_clock_that_was_set_does_not_count(
        #[case] steal: f64,
        #[case] others: f64,
        #[case] step: f64,
        #[case] says: Option<&str>,
    ) {
        let circumstances = Circumstances {
            steal_percent: Some(steal),
            other_cpu_percent: Some(others),
            clock_step_s: Some(step),
            ..Circumstances::default()
        };
        let told = complaint(&circumstances, OnNoise::Void);
        match says {
            Some(says) => {
                assert!(told.as_deref().is_some_and(|told| told.starts_with(says) || told.contains(says)), "{told:?}")
            }
            None => assert_eq!(told, None),
        }
        // Who accepts a busy machine has accepted no clock that was set.
        assert_eq!(complaint(&circumstances, OnNoise::Tell).is_some(), step.abs() > STEP);
    }

    #[test]
    fn what_was_not_measured_spoils_nothing() {
        assert_eq!(complaint(&Circumstances::default(), OnNoise::Void), None);
        let mut circumstances = Circumstances::default();
        Look::now(None).account(&Look::now(None), &mut circumstances);
        assert_eq!((circumstances.steal_percent, circumstances.other_cpu_percent), (None, None));
        assert!(circumstances.clock_step_s.is_some_and(|step| step.abs() < STEP));
    }
}
