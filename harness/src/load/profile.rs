//! Load profiles: YAML that says what a trial does, and what should be reached.
//!
//! [`parse`] is the only way in. It refuses hostile and unknown keys like plan files do, and numbers that cannot be, each with its
//! place, the cause and what would be right.

mod check;

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_yaml::Spanned;
use sha2::{Digest as _, Sha256};

use super::goal::Goal;
use super::workload::{Arrivals, FailurePolicy, InitialState, Mode, Workload};
use crate::cluster::Rate;
use crate::yaml::{self, FileError, Limits};

/// The schema that a profile names in its first key.
pub const SCHEMA: &str = "jobsworth/load-profile/v1";

const LIMITS: Limits = Limits { what: "load profile", largest: 256 * 1024, documents: 1, depth: 16, nodes: 5_000 };

/// A load profile, read and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// What a trial does.
    pub workload: Workload,
    /// Its short name, for example `W2a`.
    pub id: Option<String>,
    /// The name that it shares with others, by which all of them are called.
    pub group: Option<String>,
    /// Whether it is run when none is named.
    pub usual: bool,
    /// How many pairs, or trials of one controller alone, when nobody says how many.
    pub rounds: u32,
    /// The bucket that it is about, if it is about one.
    pub budget: Option<Rate>,
    /// What should be reached.
    pub goals: Vec<Goal>,
    /// How the largest pace is searched for that a controller holds with its Jobs, if it says how.
    pub rate_search: Option<RateSearch>,
    /// By how many MiB an hour a controller's memory may grow in a soak; without it the profile is of no soak.
    pub memory_growth: Option<f64>,
    /// SHA-256 of its text, in hexadecimal digits.
    pub digest: String,
}

/// How the largest pace is searched for that a controller holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateSearch {
    /// How long Jobs come in each probe.
    pub probe: Duration,
    /// How long 99 of 100 Jobs may take from the end of their last pod to theirs.
    pub end_within: Duration,
    /// What the largest pace of the head over that of the base should be at least.
    pub ratio_at_least: Option<f64>,
}

impl Profile {
    /// Whether this is its name, its id or its group; case matters for none.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        let others = [self.id.as_deref(), self.group.as_deref()];
        let mut names = others.into_iter().flatten().chain([self.workload.name.as_str()]);
        names.any(|own| own.eq_ignore_ascii_case(name))
    }
}

impl RateSearch {
    /// The same with shorter probes, none so short that it shows nothing.
    #[must_use]
    pub fn scaled(self, percent: u32) -> Self {
        let probe = self.probe.mul_f64(f64::from(percent) / 100.0);
        Self { probe: probe.max(check::SHORTEST_PROBE), ..self }
    }
}

/// Reads and checks the text of a profile; `name` is for messages.
///
/// # Errors
/// All mistakes that were found. What is not YAML, or has keys that are unknown or given twice, is refused at the first of them.
pub fn parse(text: &str, name: &str) -> Result<Profile, FileError> {
    let written: ProfileText = yaml::one(text, name, &LIMITS)?;
    let profile = check::checked(&written, text).map_err(|problems| FileError {
        what: LIMITS.what,
        name: name.to_owned(),
        text: text.to_owned(),
        problems,
    })?;
    let digest = Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(Profile { digest, ..profile })
}

/// The JSON schema of profiles.
#[must_use]
pub fn json_schema() -> schemars::Schema {
    schemars::schema_for!(ProfileText)
}

/// A load profile: what each trial of `jobsworth load` does, and what should be reached.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "LoadProfile")]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct ProfileText {
    /// Always `jobsworth/load-profile/v1`.
    #[schemars(with = "String", extend("const" = SCHEMA))]
    schema: Spanned<String>,
    /// Name of the profile: a-z, 0-9 and `-`.
    #[schemars(with = "String", regex(pattern = "^[a-z][a-z0-9-]{0,39}$"))]
    name: Spanned<String>,
    /// A short name by which it can be called too, for example `W2a`.
    #[serde(default)]
    id: Option<String>,
    /// A name that it shares with others, for example `scale`: by it all of them are called.
    #[serde(default)]
    group: Option<String>,
    /// What is done, in a line.
    says: String,
    /// Whether it is run when none is named.
    #[serde(default)]
    usual: bool,
    /// How many pairs of trials, or trials of one controller alone, when nobody says how many; 4 without it.
    #[serde(default)]
    #[schemars(with = "Option<u32>", range(min = 1, max = 100))]
    rounds: Option<Spanned<u32>>,
    /// What happens, and what ends it.
    #[serde(default)]
    scenario: ScenarioText,
    /// Which Jobs, as cohorts of equal shape.
    #[schemars(with = "Vec<CohortText>")]
    mix: Spanned<Vec<CohortText>>,
    /// How pods behave.
    #[serde(default)]
    pods: PodsText,
    /// Only with the scenario `expiry`: over how long a time Jobs expire; without it all do in the same second.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    expire_over: Option<Spanned<String>>,
    /// Over how many namespaces the Jobs are spread, in turns.
    #[serde(default)]
    #[schemars(with = "Option<u32>", range(min = 1, max = 100))]
    namespaces: Option<Spanned<u32>>,
    /// How long the work may take, 5m without it; a trial that takes longer is void.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    limit: Option<Spanned<String>>,
    /// Seed of everything random.
    #[serde(default = "first_seed")]
    seed: u64,
    /// The bucket that it is about; flags win over it. Without it 100 requests a second and 100 at once.
    #[serde(default)]
    budget: Option<BudgetText>,
    /// What should be reached, as the ratio of the compared controller to the one that it is compared with.
    #[serde(default)]
    goals: Vec<GoalText>,
    /// How `--find-rate` searches for the largest pace that a controller holds, with Jobs as the first of the mix.
    #[serde(default)]
    #[schemars(with = "Option<RateSearchText>")]
    find_rate: Option<Spanned<RateSearchText>>,
    /// What a soak is held against: `--for` lets the Jobs of the mix come at their paces for a long time.
    #[serde(default)]
    #[schemars(with = "Option<SoakText>")]
    soak: Option<Spanned<SoakText>>,
}

fn first_seed() -> u64 {
    1
}

/// What happens, and what ends it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(rename = "Scenario")]
#[serde(rename_all = "kebab-case")]
enum ScenarioText {
    /// Jobs are submitted; it ends when all have ended.
    #[default]
    Work,
    /// One Job whose success policy names index 0, or whose pod failure policy is `fail-job`. Once all pods run, that index succeeds or
    /// fails; it ends with the Job.
    Leader,
    /// Jobs that are born finished expire; it ends when all are gone.
    Expiry,
    /// Once all pods run, each Job is suspended; once they are gone, resumed; it ends when as many run again.
    Suspension,
    /// Jobs are there before the controller starts; others are submitted as it is started. It ends when each of those has a pod.
    Restart,
}

/// Jobs of equal shape.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Cohort")]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct CohortText {
    /// Prefix of the Jobs' names, and part of the names of figures: a-z and 0-9.
    #[schemars(with = "String", regex(pattern = "^[a-z][a-z0-9]{0,19}$"))]
    name: Spanned<String>,
    /// How many Jobs.
    #[schemars(with = "u32", range(min = 1, max = 100000))]
    jobs: Spanned<u32>,
    /// Completions of each.
    #[schemars(with = "u32", range(min = 1))]
    completions: Spanned<u32>,
    /// Parallelism of each; without it that of completions.
    #[serde(default)]
    #[schemars(with = "Option<u32>", range(min = 1))]
    parallelism: Option<Spanned<u32>>,
    /// How completions are counted.
    #[serde(default)]
    mode: Mode,
    /// How many Jobs come each second, at times that are fixed beforehand. Without it all come at once, eight requests at a time.
    #[serde(default)]
    #[schemars(with = "Option<f64>", range(min = 0.01, max = 1000))]
    per_second: Option<Spanned<f64>>,
    /// Only with `per-second`: when the first comes, for example `60s`.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    begin: Option<Spanned<String>>,
    /// Only with `per-second`: how regularly they come.
    #[serde(default)]
    #[schemars(with = "Option<Arrivals>")]
    arrivals: Option<Spanned<Arrivals>>,
    /// All come as soon as a Job of this cohort has a pod.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    after_first_pod_of: Option<Spanned<String>>,
    /// How they come to be; `running` only with the scenario `restart`, `finished` also with `expiry` and `work`.
    #[serde(default)]
    #[schemars(with = "Option<InitialState>")]
    born: Option<Spanned<InitialState>>,
    /// `ttlSecondsAfterFinished`, for example `60s`.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    ttl: Option<Spanned<String>>,
    /// The success policy, of one rule.
    #[serde(default)]
    #[schemars(with = "Option<PolicyText>")]
    success_policy: Option<Spanned<PolicyText>>,
    /// `backoffLimitPerIndex` of each.
    #[serde(default)]
    #[schemars(with = "Option<u32>")]
    backoff_limit_per_index: Option<Spanned<u32>>,
    /// The pod failure policy of each.
    #[serde(default)]
    pod_failure_policy: Option<FailurePolicy>,
}

/// A success policy of one rule over indexes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(rename = "SuccessPolicy")]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct PolicyText {
    /// Which indexes the rule names.
    indexes: IndexesText,
    /// Only with `every-second`: how many bytes `succeededIndexes` has at most.
    #[serde(default)]
    bytes: Option<usize>,
    /// How many of them must succeed; all without it.
    #[serde(default)]
    count: Option<u32>,
}

/// Which indexes a rule names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(rename = "Indexes")]
#[serde(rename_all = "kebab-case")]
enum IndexesText {
    /// Index 0.
    Leader,
    /// Every index: the policy is met when the Job would be complete anyway.
    All,
    /// 0, 2, 4 and so on, each by itself.
    EverySecond,
}

/// How pods behave. They are played: nothing runs.
#[derive(Default, Deserialize, JsonSchema)]
#[schemars(rename = "Pods")]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct PodsText {
    /// How long a pod runs before it succeeds, for example `500ms`; without it it succeeds as soon as it is seen.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    run_time: Option<Spanned<String>>,
    /// How many at most succeed each second.
    #[serde(default)]
    #[schemars(with = "Option<u32>", range(min = 1, max = 10000))]
    per_second: Option<Spanned<u32>>,
    /// Only pods with an index below this succeed; the others run until they are told to stop.
    #[serde(default)]
    #[schemars(with = "Option<u32>", range(min = 1))]
    below_index: Option<Spanned<u32>>,
    /// How many bytes the pod template has at least, as JSON.
    #[serde(default)]
    #[schemars(with = "Option<usize>", range(max = 500000))]
    template_bytes: Option<Spanned<usize>>,
}

/// Requests per second, and at once after a quiet time.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Budget")]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct BudgetText {
    /// Requests per second.
    #[schemars(with = "u32", range(min = 1, max = 1000))]
    qps: Spanned<u32>,
    /// Requests at once after a quiet time.
    #[schemars(with = "u32", range(min = 1, max = 2000))]
    burst: Spanned<u32>,
}

/// How the largest pace is searched for that a controller holds.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "RateSearch")]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct RateSearchText {
    /// How long Jobs come in each probe, for example `60s`.
    #[schemars(with = "String")]
    probe: Spanned<String>,
    /// How long 99 of 100 Jobs may take from the end of their last pod to theirs, for example `5s`.
    #[schemars(with = "String")]
    end_within: Spanned<String>,
    /// What the largest pace of the compared controller over that of the one that it is compared with should be at least.
    #[serde(default)]
    #[schemars(with = "Option<f64>")]
    ratio_at_least: Option<Spanned<f64>>,
}

/// What a soak is held against.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Soak")]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct SoakText {
    /// By how many MiB an hour the resident memory of a controller may grow.
    #[schemars(with = "f64")]
    memory_mib_per_hour: Spanned<f64>,
}

/// What a figure should reach.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Goal")]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct GoalText {
    /// The name of the goal that it is a part of, for example `G1`; several figures may have the same.
    #[serde(default)]
    #[schemars(with = "Option<String>", regex(pattern = "^[A-Za-z0-9-]{1,20}$"))]
    goal: Option<Spanned<String>>,
    /// The figure, for example `makespan`.
    #[schemars(with = "String")]
    figure: Spanned<String>,
    /// The most that the ratio may be: the median of the pairs, and the upper end of its 95 % interval.
    #[schemars(with = "f64")]
    at_most: Spanned<f64>,
    /// How far the upper end of the interval may reach, where that is further than the median may.
    #[serde(default)]
    #[schemars(with = "Option<f64>")]
    interval_at_most: Option<Spanned<f64>>,
}

#[cfg(test)]
mod tests;
