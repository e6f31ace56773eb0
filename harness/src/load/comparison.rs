//! The wire form of a comparison: `load.json`, schema `jobsworth/load/v1`.

use super::{
    arm::Side, baseline::Baseline, capacity::Capacity, control::Control, floor, installed::Unmeasured,
    largest_rate::LargestRates, noise::OnNoise, profile::Profile, ratio::Ratio, record::Trial, soak::Soak,
    tenant_figures, workload::PodsBy,
};
use crate::{cluster::Rate, report::schema::Host};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Why the first trial of everybody does not count.
pub const WARM_UP: &str = "warm-up";
/// The schema of `load.json`.
pub const SCHEMA: &str = "jobsworth/load/v1";

/// A comparison: what was done, every trial, and what came of it.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// The version of the program.
    pub program: String,
    /// The command line.
    pub argv: Vec<String>,
    /// Wall clock at the beginning.
    pub started: String,
    /// Version of Kubernetes.
    pub kubernetes: String,
    /// File name and SHA-256 of each program of the cluster.
    pub binaries: Vec<(String, String)>,
    /// The machine; of joined slices that of the first.
    pub host: Host,
    /// The controllers by side; one that was alone is the head.
    pub arms: BTreeMap<Side, String>,
    /// Requests per second and at once, the same for both; nothing where nobody here gave the controller its bucket.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rate: Option<Rate>,
    /// How many Jobs the built-in controller worked on at the same time, if it was told.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub workers: Option<u32>,
    /// Where the controller was that was there already, if it was, and what could not be measured there.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub installed: Option<Unmeasured>,
    /// Which part of a load this is, where each slice is a load of its own; figures are of its Jobs alone.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub slice: Option<SliceOf>,
    /// Of how many slices it was joined, if it was.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub slices: Option<u32>,
    /// Size of the workloads in percent.
    pub scale_percent: u32,
    /// Who played pods.
    #[serde(default)]
    pub pods: PodsBy,
    /// How late the submitter might be (p99, in milliseconds) before a trial was void, and who has no limit of its own below.
    pub lag_limit_ms: u32,
    /// The same of the pod driver.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub driver_lag_limit_ms: Option<u32>,
    /// The same of the observer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub observer_lag_limit_ms: Option<u32>,
    /// What became of trials during which the machine was busy with something else; nothing in records from before that was looked at.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub on_noise: Option<OnNoise>,
    /// What decided which of two began in which block of trials, A B B A or B A A B; nothing where one was alone, and in records from
    /// before there was a choice, of which each block is A B B A.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seed: Option<u64>,
    /// How many tenants came beside every second trial, if some did; those trials are of the workload `PROFILE-tenants`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tenants: Option<u32>,
    /// What was to be done.
    #[serde(default)]
    pub profiles: Vec<Done>,
    /// What the API server could do.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub server: Option<Capacity>,
    /// How fast pods came and ended without a controller.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub baseline: Option<Baseline>,
    /// Every trial in the order in which they ran, void ones too.
    pub trials: Vec<Trial>,
    /// Head over base.
    pub ratios: Vec<Ratio>,
    /// How quiet the machine was, where one controller was on both sides; no goal is held against it then.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub control: Option<Control>,
    /// The largest pace that each holds, where that was searched for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub largest_rates: Option<LargestRates>,
    /// What was seen of each controller for a long time, where that was done.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub soaks: Vec<Soak>,
    /// Why not all was done, if so.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stopped: Option<String>,
}

/// A part of a load that several loads do together on one cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SliceOf {
    /// Which, as `--partition` has it: `slice:1/3`.
    pub partition: String,
    /// The uid of the cluster, which the user confirmed.
    pub cluster: String,
    /// How many trials it was to do: a record that was cut off has fewer, and does not say why.
    pub trials: u32,
}

/// A profile, as far as a reader needs it to repeat a trial; in a slice it is the whole of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Done {
    /// Its name; trials name it as their workload.
    pub name: String,
    /// Its short name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub id: Option<String>,
    /// One line for people.
    pub says: String,
    /// SHA-256 of its text.
    pub digest: String,
    /// Seed of everything random.
    pub seed: u64,
    /// How many Jobs there are in a trial.
    pub jobs: usize,
    /// How many pods there are in a trial in the end, at most.
    pub pods: usize,
    /// Bytes of the pod template as JSON.
    pub template_bytes: usize,
    /// How long no controller could be faster than, with this bucket, in milliseconds; where that can be told.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub floor_ms: Option<f64>,
}

/// The JSON schema of `load.json`.
#[must_use]
pub fn json_schema() -> schemars::Schema {
    schemars::schema_for!(Comparison)
}

impl Done {
    /// Of a profile in its size, with this bucket if it is known.
    #[must_use]
    pub fn of(profile: &Profile, rate: Option<Rate>) -> Self {
        let workload = &profile.workload.whole();
        Self {
            name: workload.name.clone(),
            id: profile.id.clone(),
            says: workload.says.clone(),
            digest: profile.digest.clone(),
            seed: workload.seed,
            jobs: workload.jobs(),
            pods: *workload.pods().end(),
            template_bytes: workload.template().to_string().len(),
            floor_ms: rate.and_then(|rate| floor::makespan_ms(workload, rate)),
        }
    }

    /// The same beside so many tenants. It has no short name, and no goal: both are about the workload by itself.
    #[must_use]
    pub fn beside_tenants(&self, users: u32) -> Self {
        Self {
            name: tenant_figures::name_beside(&self.name),
            id: None,
            says: format!("{}; beside {users} tenants", self.says),
            ..self.clone()
        }
    }
}

impl Comparison {
    /// Trials that are void for another reason than that they were the warm-up. A probe that was too much for its controller is
    /// void, too, and says what was asked.
    pub fn spoiled(&self) -> impl Iterator<Item = &Trial> {
        let is_search = self.largest_rates.is_some();
        // A warm-up that went wrong is void by its own reason, and does not count either.
        let is_void = |trial: &Trial| !trial.warm_up && trial.void.as_deref().is_some_and(|void| void != WARM_UP);
        self.trials.iter().filter(move |trial| is_void(trial) && !(is_search && trial.undrained.is_some()))
    }

    /// Whether it is a slice or of slices, and how far apart these began, in a line.
    #[must_use]
    pub fn says_of_slices(&self) -> Option<String> {
        if let Some(slice) = &self.slice {
            let partition = &slice.partition;
            return Some(format!("figures of the Jobs of {partition} alone; `jobsworth merge` joins all slices"));
        }
        let slices = self.slices?;
        let apart = self.trials.iter().filter_map(Trial::slices_apart_s).reduce(f64::max);
        let apart = apart.map(|s| format!("; their work began up to {s:.1} s apart, by the clocks of their machines"));
        Some(format!("joined of {slices} slices, whose distributions are added{}", apart.unwrap_or_default()))
    }

    /// In which order two took turns, in words; nothing where one was alone.
    #[must_use]
    pub fn says_of_order(&self) -> Option<String> {
        self.seed.map(|seed| format!("in blocks of A B B A or B A A B by the seed {seed}"))
    }

    /// The controller that was alone, if one was.
    #[must_use]
    pub fn alone(&self) -> Option<&str> {
        match self.arms.len() {
            1 => self.arms.values().next().map(String::as_str),
            _ => None,
        }
    }
}
