//! What a load profile must mean, beyond its form; all mistakes at once.

mod scenario;

use std::time::Duration;

use jiff::SignedDuration;
use serde_yaml::{Location, Spanned};

use super::{CohortText, IndexesText, PolicyText, Profile, ProfileText, RateSearch, SCHEMA, ScenarioText};
use crate::cluster::Rate;
use crate::load::figures;
use crate::load::goal::Goal;
use crate::load::workload::{Cohort, Mode, Pods, PodsBy, Policy, Scenario, Start, Success, Workload};
use crate::nearest::nearest;
use crate::yaml::{Place, Problem};

/// More Jobs than any API server here could hold.
const MOST_JOBS: u32 = 100_000;
/// What the API allows an Indexed Job to have at the same time once it has more completions than this.
const MANY_COMPLETIONS: u32 = 100_000;
const FEW_AT_ONCE: u32 = 10_000;
/// The longest time that a key may say.
const LONGEST: Duration = Duration::from_secs(24 * 3600);
/// How many pairs when nothing else is said.
const ROUNDS: u32 = 4;
/// A backlog that grows in less time than this may be the burst of a bucket.
pub(super) const SHORTEST_PROBE: Duration = Duration::from_secs(5);
/// How long the work may take when nothing else is said.
const LIMIT: Duration = Duration::from_secs(300);

pub(super) fn checked(written: &ProfileText, text: &str) -> Result<Profile, Vec<Problem>> {
    let mut checker = Checker { text, problems: Vec::new() };
    if written.schema.value != SCHEMA {
        let says = format!("the schema `{}` is not known", written.schema.value);
        checker.add(&written.schema.referenced, says, format!("this program reads `{SCHEMA}`"));
    }
    checker.name(&written.name, "a load profile", 40, "-");
    let workload = checker.workload(written);
    checker.scenario(written, &workload);
    checker.failing(written, &workload);
    let goals = checker.goals(written, &workload);
    let budget = written.budget.as_ref().map(|budget| Rate {
        qps: checker.number(&budget.qps, "qps", 1, 1000),
        burst: checker.number(&budget.burst, "burst", 1, 2000),
    });
    let rounds = written.rounds.as_ref().map_or(ROUNDS, |rounds| checker.number(rounds, "rounds", 1, 100));
    let rate_search = checker.rate_search(written);
    let memory_growth = checker.memory_growth(written);
    if checker.problems.is_empty() {
        let (id, group, usual, digest) = (written.id.clone(), written.group.clone(), written.usual, String::new());
        return Ok(Profile { workload, id, group, usual, rounds, budget, goals, rate_search, memory_growth, digest });
    }
    checker.problems.sort_by_key(|problem| (problem.line, problem.column));
    Err(checker.problems)
}

struct Checker<'a> {
    text: &'a str,
    problems: Vec<Problem>,
}

impl Checker<'_> {
    fn add(&mut self, at: &Location, says: impl Into<String>, help: impl Into<String>) {
        self.problems.push(Place::of(self.text, at).problem(says, Some(help.into())));
    }

    fn name(&mut self, written: &Spanned<String>, of: &str, longest: usize, more: &str) {
        let name = &written.value;
        let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || more.contains(c);
        let starts = name.starts_with(|c: char| c.is_ascii_lowercase());
        if !starts || name.len() > longest || !name.chars().all(good) {
            let help = format!("a name has 1 to {longest} of a-z, 0-9 {more}, and starts with a letter");
            self.add(&written.referenced, format!("`{name}` cannot be the name of {of}"), help);
        }
    }

    fn number<T: Copy + PartialOrd + std::fmt::Display>(
        &mut self,
        written: &Spanned<T>,
        key: &str,
        least: T,
        most: T,
    ) -> T {
        let fits = written.value >= least && written.value <= most;
        if !fits {
            let says = format!("`{key}` is {}", written.value);
            self.add(&written.referenced, says, format!("it goes from {least} to {most}"));
        }
        written.value
    }

    fn time(&mut self, written: Option<&Spanned<String>>, key: &str) -> Option<Duration> {
        let written = written?;
        let read = written.value.parse::<SignedDuration>().ok().and_then(|time| Duration::try_from(time).ok());
        let time = read.filter(|time| *time <= LONGEST);
        if time.is_none() {
            let says = format!("`{key}` is `{}`, which is no time from 0s to 24h", written.value);
            self.add(&written.referenced, says, "write for example `500ms`, `30s` or `5m`");
        }
        time
    }

    fn workload(&mut self, written: &ProfileText) -> Workload {
        let mix = &written.mix.value;
        if mix.is_empty() {
            self.add(&written.mix.referenced, "there are no Jobs in the mix", "name at least one cohort");
        }
        let cohorts: Vec<Cohort> = mix.iter().map(|cohort| self.cohort(cohort, mix)).collect();
        for (at, cohort) in mix.iter().enumerate() {
            let name = &cohort.name;
            if mix.iter().take(at).any(|other| other.name.value == name.value) {
                self.add(&name.referenced, format!("there are two cohorts `{}`", name.value), "rename one of them");
            }
        }
        let pods = &written.pods;
        let success = Success {
            run_time: self.time(pods.run_time.as_ref(), "run-time").unwrap_or_default(),
            per_second: pods.per_second.as_ref().map(|number| self.number(number, "per-second", 1, 10_000)),
            below_index: pods.below_index.as_ref().map(|number| self.number(number, "below-index", 1, u32::MAX)),
        };
        let expire_over = self.time(written.expire_over.as_ref(), "expire-over");
        let (scenario, lingering) = match written.scenario {
            ScenarioText::Work => (Scenario::Work, false),
            ScenarioText::Leader => (Scenario::Leader, true),
            ScenarioText::Expiry => (Scenario::Expiry(expire_over.unwrap_or_default()), false),
            ScenarioText::Suspension => (Scenario::Suspension, true),
            ScenarioText::Restart => (Scenario::Restart, true),
        };
        if let Some(over) = written.expire_over.as_ref().filter(|_| written.scenario != ScenarioText::Expiry) {
            self.add(&over.referenced, "nothing expires in this scenario", "say `scenario: expiry`, or remove the key");
        }
        Workload {
            name: written.name.value.clone(),
            says: written.says.clone(),
            cohorts,
            pods: if lingering { Pods::Linger } else { Pods::Succeed(success) },
            pods_by: PodsBy::default(),
            scenario,
            image: None,
            namespaces: written.namespaces.as_ref().map_or(1, |number| self.number(number, "namespaces", 1, 100)),
            template_bytes: pods
                .template_bytes
                .as_ref()
                .map_or(0, |size| self.number(size, "template-bytes", 0, 500_000)),
            limit: self.time(written.limit.as_ref(), "limit").unwrap_or(LIMIT),
            seed: written.seed,
        }
    }

    fn cohort(&mut self, written: &CohortText, mix: &[CohortText]) -> Cohort {
        // Names of figures and Jobs are taken apart at hyphens and dots.
        self.name(&written.name, "a cohort", 20, "");
        let completions = self.number(&written.completions, "completions", 1, i32::MAX.unsigned_abs());
        let parallelism = written.parallelism.as_ref().unwrap_or(&written.completions);
        if parallelism.value > completions {
            let says = format!("`parallelism` is {}, but there are {completions} completions", parallelism.value);
            self.add(&parallelism.referenced, says, "no more pods can run than are left to do; lower it");
        }
        if written.mode == Mode::Indexed && completions > MANY_COMPLETIONS && parallelism.value > FEW_AT_ONCE {
            let says =
                format!("an Indexed Job of {completions} completions cannot have parallelism {}", parallelism.value);
            let help =
                format!("the API allows {FEW_AT_ONCE} above {MANY_COMPLETIONS} completions; lower `parallelism`");
            self.add(&parallelism.referenced, says, help);
        }
        let ttl = self.time(written.ttl.as_ref(), "ttl");
        let policy = written.success_policy.as_ref().and_then(|policy| self.policy(policy, written, completions));
        Cohort {
            name: written.name.value.clone(),
            jobs: self.number(&written.jobs, "jobs", 1, MOST_JOBS),
            completions,
            parallelism: self.number(parallelism, "parallelism", 1, i32::MAX.unsigned_abs()),
            mode: written.mode,
            start: self.start(written, mix),
            initial: written.born.as_ref().map(|born| born.value).unwrap_or_default(),
            ttl_s: ttl.map(|ttl| u32::try_from(ttl.as_secs()).unwrap_or(u32::MAX)),
            policy,
            index_retries: written.backoff_limit_per_index.as_ref().map(|retries| self.retries(retries, written.mode)),
            failure_policy: written.pod_failure_policy,
            share: None,
        }
    }

    fn retries(&mut self, written: &Spanned<u32>, mode: Mode) -> u32 {
        if mode == Mode::NonIndexed {
            let says = "a NonIndexed Job cannot have a limit per index";
            self.add(&written.referenced, says, "say `mode: Indexed`, or remove the key");
        }
        self.number(written, "backoff-limit-per-index", 0, i32::MAX.unsigned_abs())
    }

    fn start(&mut self, written: &CohortText, mix: &[CohortText]) -> Start {
        let begin = self.time(written.begin.as_ref(), "begin");
        let Some(per_second) = &written.per_second else {
            let begin = written.begin.as_ref().map(|it| &it.referenced);
            for at in begin.into_iter().chain(written.arrivals.as_ref().map(|it| &it.referenced)) {
                self.add(at, "these Jobs have no pace", "say `per-second` too, or remove the key");
            }
            let Some(before) = &written.after_first_pod_of else { return Start::AtOnce };
            let others =
                || mix.iter().map(|other| other.name.value.as_str()).filter(|name| *name != written.name.value);
            if !others().any(|name| name == before.value) {
                let near = nearest(&before.value, others());
                let help = near
                    .first()
                    .map_or("name another one of the mix".to_owned(), |near| format!("did you mean `{near}`?"));
                self.add(&before.referenced, format!("there is no other cohort `{}`", before.value), help);
            }
            return Start::AfterFirstPodOf(before.value.clone());
        };
        if let Some(before) = &written.after_first_pod_of {
            let help = "remove `per-second` or `after-first-pod-of`";
            self.add(&before.referenced, "Jobs come at fixed times or after a pod, not both", help);
        }
        Start::Paced {
            begin: begin.unwrap_or_default(),
            per_second: self.number(per_second, "per-second", 0.01, 1000.0),
            arrivals: written.arrivals.as_ref().map(|arrivals| arrivals.value).unwrap_or_default(),
        }
    }

    fn policy(&mut self, written: &Spanned<PolicyText>, cohort: &CohortText, completions: u32) -> Option<Policy> {
        let (at, text) = (&written.referenced, &written.value);
        if cohort.mode == Mode::NonIndexed {
            self.add(at, "a NonIndexed Job cannot have a success policy", "say `mode: Indexed`");
        }
        let policy = match (text.indexes, text.bytes) {
            (IndexesText::Leader, None) => Policy::leader(),
            (IndexesText::All, None) => Policy::all(completions),
            (IndexesText::Leader | IndexesText::All, Some(_)) => {
                self.add(at, "`bytes` goes with `indexes: every-second` only", "say that, or remove `bytes`");
                return None;
            }
            (IndexesText::EverySecond, bytes) => {
                let bytes = bytes.unwrap_or(Policy::LARGEST);
                if bytes == 0 || bytes > Policy::LARGEST {
                    let help = format!("the API takes 1 to {} bytes", Policy::LARGEST);
                    self.add(at, format!("`bytes` is {bytes}"), help);
                    return None;
                }
                Policy::every_second(completions, bytes, text.count)
            }
        };
        if policy.needed() == 0 || policy.needed() > policy.named() {
            let says = format!("`count` is {}, but the rule names {} indexes", policy.needed(), policy.named());
            self.add(at, says, "lower it, or raise `bytes` or `completions`");
        }
        Some(policy)
    }

    fn rate_search(&mut self, written: &ProfileText) -> Option<RateSearch> {
        let found = written.find_rate.as_ref()?;
        let is_paced = written.mix.value.first().is_some_and(|cohort| cohort.per_second.is_some());
        if written.scenario != ScenarioText::Work || !is_paced {
            let says = "a rate is searched for with `scenario: work` and Jobs that come at a pace";
            self.add(&found.referenced, says, "give the first of the mix `per-second`, or remove the key");
        }
        let probe = self.time(Some(&found.value.probe), "probe")?;
        let end_within = self.time(Some(&found.value.end_within), "end-within")?;
        if probe < SHORTEST_PROBE {
            let says = format!("`probe` is {} s", probe.as_secs_f64());
            let help = format!("no backlog can be seen to grow in less than {} s", SHORTEST_PROBE.as_secs());
            self.add(&found.value.probe.referenced, says, help);
        }
        let at_least = found.value.ratio_at_least.as_ref();
        let ratio_at_least = at_least.map(|least| self.number(least, "ratio-at-least", 0.001, 1000.0));
        Some(RateSearch { probe, end_within, ratio_at_least })
    }

    fn memory_growth(&mut self, written: &ProfileText) -> Option<f64> {
        let found = written.soak.as_ref()?;
        let are_paced = written.mix.value.iter().all(|cohort| cohort.per_second.is_some());
        if written.scenario != ScenarioText::Work || !are_paced {
            let says = "in a soak Jobs come for a long time, each cohort at a pace";
            self.add(&found.referenced, says, "say `scenario: work` and give each cohort `per-second`");
        }
        Some(self.number(&found.value.memory_mib_per_hour, "memory-mib-per-hour", 0.1, 10_000.0))
    }

    fn goal_name(&mut self, id: &Spanned<String>) -> String {
        let is_short = (1..=20).contains(&id.value.len());
        if !is_short || !id.value.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-') {
            let says = format!("a goal cannot be called `{}`", id.value);
            self.add(&id.referenced, says, "take up to 20 letters, digits and `-`, for example `G1`");
        }
        id.value.clone()
    }

    fn goals(&mut self, written: &ProfileText, workload: &Workload) -> Vec<Goal> {
        let mut known = figures::names(workload);
        known.retain(|name| !figures::is_more_better(name));
        let goals = written.goals.iter().map(|goal| {
            let figure = &goal.figure;
            if figures::is_more_better(&figure.value) {
                let says = format!("of `{}` more is better, and a goal is what a figure may be at most", figure.value);
                self.add(&figure.referenced, says, "say `find-rate` with `ratio-at-least` instead");
            } else if !known.contains(&figure.value) {
                let near = nearest(&figure.value, known.iter().map(String::as_str));
                let all = format!("figures of this profile are {}", known.join(", "));
                let help = near.first().map_or_else(|| all.clone(), |near| format!("did you mean `{near}`? {all}"));
                self.add(&figure.referenced, format!("there is no figure `{}`", figure.value), help);
            }
            let at_most = self.number(&goal.at_most, "at-most", 0.001, 1000.0);
            let further = goal.interval_at_most.as_ref();
            let interval_at_most = further.map(|most| self.number(most, "interval-at-most", at_most, 1000.0));
            let id = goal.goal.as_ref().map(|id| self.goal_name(id));
            Goal { id, figure: figure.value.clone(), at_most, interval_at_most }
        });
        goals.collect()
    }
}
