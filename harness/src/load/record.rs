//! What is kept of one trial, as `load.json` has it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::arm::Side;
use super::audit::Requests;
use super::budget::Overdraft;
use super::judge::Judged;
use super::latency::Latencies;
use super::series::Series;
use super::tenant_figures::TenantFigures;
use super::witness::Witnesses;
use crate::slo::scrape::MeasuredByObjective;

/// One workload, done once by one arm.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Trial {
    /// The workload.
    pub workload: String,
    /// Number of the pair, from 0.
    pub pair: u32,
    /// Which side.
    pub side: Side,
    /// Whether it only warmed up what the ones after it find; of a search and of pairs it has number 0, too.
    #[serde(default)]
    pub warm_up: bool,
    /// The controller.
    pub arm: String,
    /// Wall clock at its beginning.
    pub started: String,
    /// Wall clock when its first Jobs might come, where the controller ran before them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub work_began: Option<String>,
    /// How long all of it took, with start and clean-up, in seconds; of several slices the one that took longest.
    pub took_s: f64,
    /// What each slice did, where it was joined of several.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub slices: Vec<SliceTrial>,
    /// Why it does not count, if so.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub void: Option<String>,
    /// How many Jobs had not ended when the time for it was over, where that alone made it void: nothing broke, and nobody of the
    /// harness was late.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub undrained: Option<usize>,
    /// Times in milliseconds, counts, CPU seconds, MiB.
    pub figures: BTreeMap<String, f64>,
    /// How long things took, by name.
    #[serde(default)]
    pub latencies: Latencies,
    /// What components said of themselves, by objective.
    #[serde(default)]
    pub measured: MeasuredByObjective,
    /// What happened over time.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub series: Option<Series>,
    /// What came of judging every history by all invariants, where that was done.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub judged: Option<Judged>,
    /// Requests of the controller under test, where they can be counted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub requests: Option<Requests>,
    /// The stretch of time in which it was furthest above its budget, where it was above it at all: a little is what the way to the
    /// API server makes of a budget that was kept.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub overdraft: Option<Overdraft>,
    /// How often anybody who has no place in a trial changed Jobs or pods, by user and kind of request.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub strangers: BTreeMap<String, u64>,
    /// How many requests each witness saw; nothing where the controller was started in the middle.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub witnesses: Option<Witnesses>,
    /// What tenants got who came beside it; where there were some, the figures are of their Jobs too, and say nothing about the
    /// workload by itself.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tenants: Option<TenantFigures>,
    /// What the harness and the machine were like meanwhile.
    pub circumstances: Circumstances,
}

/// The part of a joined trial that one slice did.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SliceTrial {
    /// The slice, for example `slice:1/3`.
    pub slice: String,
    /// Wall clock of its machine when its first Jobs might come; nothing where it did not get that far.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub work_began: Option<String>,
    /// How long all of it took, in seconds.
    pub took_s: f64,
    /// From its first Job seen to its last terminal condition, in milliseconds, by its own clock.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub makespan_ms: Option<f64>,
    /// Why it does not count, if so.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub void: Option<String>,
    /// What the harness and the machine were like meanwhile.
    pub circumstances: Circumstances,
}

impl Trial {
    /// How many seconds the work of the last slice began after that of the first, by the clocks of their machines; nothing where
    /// there are no slices, or one did not begin.
    #[must_use]
    pub fn slices_apart_s(&self) -> Option<f64> {
        let begun = self.slices.iter().map(|slice| slice.work_began.as_deref()?.parse::<jiff::Timestamp>().ok());
        let begun: Vec<jiff::Timestamp> = begun.collect::<Option<_>>()?;
        let (first, last) = begun.iter().min().zip(begun.iter().max())?;
        Some(last.duration_since(*first).as_secs_f64())
    }
}

/// What can spoil a trial.
#[derive(Clone, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Circumstances {
    /// From the sight of a pod to the request of the pod driver, in milliseconds.
    pub driver_lag_p50_ms: Option<f64>,
    /// The same, of which one in a hundred is slower.
    pub driver_lag_p99_ms: Option<f64>,
    /// The slowest.
    pub driver_lag_max_ms: Option<f64>,
    /// From the pod driver's request to its answer.
    pub driver_answer_p99_ms: Option<f64>,
    /// How many requests the pod driver made, where one plays pods.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub driver_requests: Option<u64>,
    /// How many it made in its busiest second.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub driver_busiest_second: Option<u64>,
    /// How late Jobs with a deadline were submitted, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub submit_lag_p50_ms: Option<f64>,
    /// The same, of which one in a hundred is later.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub submit_lag_p99_ms: Option<f64>,
    /// The latest.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub submit_lag_max_ms: Option<f64>,
    /// From the answer to a write of our own to the sight of its event, in milliseconds: as late may be what the observer stamps.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub probe_p50_ms: Option<f64>,
    /// The same, of which one in a hundred is later.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub probe_p99_ms: Option<f64>,
    /// The latest.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub probe_max_ms: Option<f64>,
    /// How many such writes there were during the work.
    #[serde(default)]
    pub probes: u64,
    /// Share of time in which something waited for a processor, in percent: before the trial and after it.
    pub cpu_pressure: [Option<f64>; 2],
    /// Share of all processor time that a hypervisor gave to others during the trial, in percent.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub steal_percent: Option<f64>,
    /// The same of processes that are neither the harness nor the cluster's.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub other_cpu_percent: Option<f64>,
    /// By how many seconds the wall clock moved away from the monotonic one during the trial.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub clock_step_s: Option<f64>,
    /// CPU seconds of etcd and the API server.
    pub server_cpu_s: Option<f64>,
    /// CPU seconds of the harness itself.
    pub harness_cpu_s: Option<f64>,
}

impl Default for Trial {
    fn default() -> Self {
        Self {
            workload: String::new(),
            pair: 0,
            side: Side::Base,
            warm_up: false,
            arm: String::new(),
            started: String::new(),
            work_began: None,
            took_s: 0.0,
            slices: Vec::new(),
            void: None,
            undrained: None,
            figures: BTreeMap::new(),
            latencies: Latencies::new(),
            measured: MeasuredByObjective::new(),
            series: None,
            judged: None,
            requests: None,
            overdraft: None,
            strangers: BTreeMap::new(),
            witnesses: None,
            tenants: None,
            circumstances: Circumstances::default(),
        }
    }
}
