//! Figures of a trial, computed from what was seen: names to numbers, times in milliseconds.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use super::backlog::{self, Pace};
use super::latency::{Distribution, Latencies};
use super::quantile::{quantile, sorted};
use super::sightings::{JobMoments, PodMoments, Sightings};
use super::workload::{Cohort, InitialState, Policy, Scenario, Workload, cohort_of};

/// Figures by name, for example `last-pod-to-end.p50`.
pub type Figures = BTreeMap<String, f64>;

/// What the harness did and when, beside what was seen.
#[derive(Clone, Debug, Default)]
pub struct Deeds {
    /// When each Job was to be submitted, by name: with a pace when it was due, however late the request was.
    pub submitted: HashMap<String, Duration>,
    /// How late each request was against its pace, in milliseconds.
    pub lags: Vec<f64>,
    /// When Jobs that were born finished expire, by name.
    pub due: HashMap<String, Duration>,
    /// When the Jobs were suspended.
    pub suspended: Option<Duration>,
    /// When they were resumed.
    pub resumed: Option<Duration>,
    /// When the controller was started, where it is started in the middle.
    pub started: Option<Duration>,
    /// When it fell silent after that.
    pub silent: Option<Duration>,
    /// How many requests it made in a while after that, in which nothing happened.
    pub at_rest: Option<u64>,
}

impl Deeds {
    /// When the first Job expires.
    #[must_use]
    pub fn first_due(&self) -> Option<Duration> {
        self.due.values().min().copied()
    }
}

/// The parts of a spread, and which share of samples is at or below each.
const PARTS: [(&str, f64); 3] = [("p50", 0.5), ("p90", 0.9), ("max", 1.0)];
/// What a trial costs, whatever it does.
const COSTS: [&str; 7] =
    ["requests", "events", "status-writes", "status-writes-of-a-job", "cpu-s", "server-cpu-s", "memory-mib"];

/// What a pace has of which the whole workload consists.
const LONE: [&str; 2] = [BACKLOG_GROWTH, END_P99];
/// By how many Jobs the backlog grew each second while they came.
pub const BACKLOG_GROWTH: &str = "backlog-growth";
/// What 99 of 100 Jobs took at most from the end of their last pod to theirs.
pub const END_P99: &str = "last-pod-to-end.p99";

/// The largest pace of steps that was held, in Jobs a second.
const RATE_HELD: &str = "rate-held";

/// The names of all figures that a trial of this workload can give.
#[must_use]
pub fn names(workload: &Workload) -> Vec<String> {
    let spread = |name: &str| PARTS.map(|(part, _)| format!("{name}.{part}"));
    let of_cohorts = |what: &str| -> Vec<String> {
        workload.cohorts.iter().flat_map(|cohort| spread(&format!("{what}.{}", cohort.name))).collect()
    };
    let mut names: Vec<String> = COSTS.map(str::to_owned).into();
    names.extend(["pod-end-to-release", "pod-end-to-count", "pods-behind"].into_iter().flat_map(spread));
    let (single, spreads, by_cohort): (&[&str], &[&str], &[&str]) = match workload.scenario {
        Scenario::Work => (&["makespan"], &["last-pod-to-end"], &["first-pod", "all-pods"]),
        Scenario::Leader => (&["makespan"], &[], &["first-pod", "all-pods"]),
        Scenario::Expiry(_) => (&["makespan"], &["due-to-deletion", "due-to-gone"], &[]),
        Scenario::Suspension => (
            &["makespan", "suspend-to-condition", "suspend-to-last-stop", "resume-to-last-run"],
            &["suspend-to-stop", "resume-to-run"],
            &["first-pod", "all-pods"],
        ),
        Scenario::Restart => (&["start-to-silence", "requests-at-rest"], &["start-to-first-pod"], &[]),
    };
    names.extend(single.iter().map(|&name| name.to_owned()));
    names.extend(spreads.iter().flat_map(|name| spread(name)));
    names.extend(by_cohort.iter().flat_map(|name| of_cohorts(name)));
    let steps = stepped(workload);
    names.extend(steps.iter().flat_map(|pace| spread(&format!("last-pod-to-end.{}", pace.cohort))));
    if !steps.is_empty() {
        names.push(RATE_HELD.to_owned());
    }
    if lone_pace(workload).is_some() {
        names.extend(LONE.map(str::to_owned));
    }
    if workload.cohorts.iter().any(|cohort| cohort.policy.is_some() || cohort.is_to_fail()) {
        let single = ["policy-to-condition", "policy-to-end", "condition-to-last-stop", "policy-to-last-stop"];
        names.extend(single.map(str::to_owned));
        names.extend(spread("policy-to-stop"));
    }
    names
}

/// Whether more of a figure is better: of all others less is.
#[must_use]
pub fn is_more_better(figure: &str) -> bool {
    figure == RATE_HELD
}

/// Whether a figure is counted or used up, and so varies less than times do.
#[must_use]
pub fn is_cost(figure: &str) -> bool {
    COSTS.contains(&figure)
}

/// All figures that what was seen gives.
#[must_use]
pub fn of(workload: &Workload, seen: &Sightings, deeds: &Deeds) -> Figures {
    let mut figures = Figures::new();
    let by_job = ByJob::of(seen);
    match workload.scenario {
        Scenario::Work => {
            let begun = seen.jobs.values().filter(|job| is_new(workload, job)).filter_map(|job| job.seen).min();
            put(&mut figures, "makespan", between(begun, seen.jobs.values().map(|job| job.ended).max().flatten()));
            let late = seen.jobs.iter().filter_map(|(uid, job)| between(by_job.last_end(uid), job.ended));
            let late: Vec<f64> = late.collect();
            if lone_pace(workload).is_some() {
                let arrivals = seen.jobs.values();
                let arrivals = arrivals.filter_map(|job| Some((*deeds.submitted.get(&job.name)?, job.ended)));
                put(&mut figures, BACKLOG_GROWTH, backlog::growth(arrivals.collect()));
                put(&mut figures, END_P99, quantile(&sorted(&late), 0.99));
            }
            spread(&mut figures, "last-pod-to-end", late);
            first_pods(workload, seen, &by_job, deeds, &mut figures);
            steps(workload, seen, &by_job, deeds, &mut figures);
            policy(workload, seen, &by_job, &mut figures);
        }
        Scenario::Leader => {
            first_pods(workload, seen, &by_job, deeds, &mut figures);
            let met = policy(workload, seen, &by_job, &mut figures);
            put(&mut figures, "makespan", between(met, seen.jobs.values().find_map(|job| job.ended)));
        }
        Scenario::Expiry(_) => expiry(seen, deeds, &mut figures),
        Scenario::Suspension => {
            first_pods(workload, seen, &by_job, deeds, &mut figures);
            suspension(seen, deeds, &mut figures);
        }
        Scenario::Restart => restart(seen, &by_job, deeds, &mut figures),
    }
    let released = seen.pods.values().filter_map(|pod| between(pod.ended, pod.released));
    spread(&mut figures, "pod-end-to-release", released.collect());
    let counted = seen.jobs.values().flat_map(|job| job.counting.waits()).flatten();
    spread(&mut figures, "pod-end-to-count", counted.map(|wait| wait.as_secs_f64() * 1000.0).collect());
    let lives = seen.jobs.values().filter_map(|job| job.counting.behind(job.ended?.checked_sub(job.seen?)?));
    spread(&mut figures, "pods-behind", lives.collect());
    figures
}

/// Whether a Job was submitted while the controller ran.
fn is_new(workload: &Workload, job: &JobMoments) -> bool {
    let cohort = workload.cohorts.iter().find(|cohort| cohort.name == cohort_of(&job.name));
    cohort.is_none_or(|cohort| cohort.initial == InitialState::Submitted)
}

/// How long each thing took, by the names that the figures of it have; what did not end by the end of the trial is part of it.
#[must_use]
pub fn latencies(workload: &Workload, seen: &Sightings, deeds: &Deeds) -> Latencies {
    let by_job = ByJob::of(seen);
    let mut all: BTreeMap<&str, Vec<Option<f64>>> = BTreeMap::new();
    let mut put = |name, from: Option<Duration>, to| {
        if from.is_some() {
            all.entry(name).or_default().push(between(from, to));
        }
    };
    for (uid, job) in &seen.jobs {
        let due = deeds.due.get(&job.name).copied();
        put("due-to-deletion", due, job.stopped);
        put("due-to-gone", due, job.gone);
        let submitted = deeds.submitted.get(&job.name).copied().filter(|_| due.is_none());
        let from = if workload.scenario == Scenario::Restart { submitted.and(deeds.started) } else { submitted };
        put("first-pod", from, by_job.first(uid));
        if workload.scenario != Scenario::Restart {
            put("all-pods", from, by_job.nth(uid, at_once(workload, job)));
        }
        if workload.scenario == Scenario::Work {
            put("last-pod-to-end", by_job.last_end(uid), job.ended);
        }
    }
    for pod in seen.pods.values() {
        put("pod-end-to-release", pod.ended, pod.released);
        put("suspend-to-stop", deeds.suspended.filter(|at| pod.seen < Some(*at)), pod.stopped);
    }
    if let Some(met) = Met::of(workload, seen, &by_job) {
        all.insert("policy-to-condition", vec![between(Some(met.at), met.job.criteria)]);
        all.insert("policy-to-end", vec![between(Some(met.at), met.job.ended)]);
        all.insert("policy-to-stop", met.lingering.iter().map(|pod| between(Some(met.at), pod.stopped)).collect());
    }
    let counted = seen.jobs.values().flat_map(|job| job.counting.waits());
    let counted: Vec<Option<f64>> = counted.map(|wait| wait.map(|wait| wait.as_secs_f64() * 1000.0)).collect();
    if !counted.is_empty() {
        all.insert("pod-end-to-count", counted);
    }
    let mut latencies: Latencies =
        all.into_iter().map(|(name, waits)| (name.to_owned(), Distribution::of(waits))).collect();
    if workload.is_slice() {
        latencies.extend(of_cohorts(workload, seen, &by_job, deeds));
    }
    latencies
}

/// Waits of each cohort by itself, by the names that its figures have: those of several slices are added, and figures made of the sum.
fn of_cohorts(workload: &Workload, seen: &Sightings, by_job: &ByJob<'_>, deeds: &Deeds) -> Latencies {
    let mut all: BTreeMap<String, Vec<Option<f64>>> = BTreeMap::new();
    for (uid, job) in &seen.jobs {
        let submitted = deeds.submitted.get(&job.name).copied();
        let waits = [
            ("first-pod", submitted, by_job.first(uid)),
            ("all-pods", submitted, by_job.nth(uid, at_once(workload, job))),
            ("last-pod-to-end", by_job.last_end(uid), job.ended),
        ];
        for (name, from, to) in waits.into_iter().filter(|(_, from, _)| from.is_some()) {
            all.entry(format!("{name}.{}", cohort_of(&job.name))).or_default().push(between(from, to));
        }
    }
    all.into_iter().map(|(name, waits)| (name, Distribution::of(waits))).collect()
}

/// The pods of each Job, by its UID.
struct ByJob<'s>(HashMap<&'s str, Vec<&'s PodMoments>>);

impl<'s> ByJob<'s> {
    fn of(seen: &'s Sightings) -> Self {
        let mut pods: HashMap<&str, Vec<&PodMoments>> = HashMap::new();
        for pod in seen.pods.values() {
            pods.entry(&pod.job).or_default().push(pod);
        }
        Self(pods)
    }

    fn pods(&self, job: &str) -> impl Iterator<Item = &'s PodMoments> {
        self.0.get(job).into_iter().flatten().copied()
    }

    /// When the last of its pods ended.
    fn last_end(&self, job: &str) -> Option<Duration> {
        self.pods(job).filter_map(|pod| pod.ended).max()
    }

    /// When its first pod was there.
    fn first(&self, job: &str) -> Option<Duration> {
        self.pods(job).filter_map(|pod| pod.seen).min()
    }

    /// When so many of its pods had been there.
    fn nth(&self, job: &str, number: u32) -> Option<Duration> {
        let mut seen: Vec<Duration> = self.pods(job).filter_map(|pod| pod.seen).collect();
        seen.sort_unstable();
        seen.get((number as usize).checked_sub(1)?).copied()
    }
}

/// How many pods a Job may have at the same time.
fn at_once(workload: &Workload, job: &JobMoments) -> u32 {
    let cohort = workload.cohorts.iter().find(|cohort| cohort.name == cohort_of(&job.name));
    cohort.map_or(1, Cohort::at_once)
}

/// How long Jobs waited for their first pod, and until all had been there that may be there at the same time.
fn first_pods(workload: &Workload, seen: &Sightings, by_job: &ByJob<'_>, deeds: &Deeds, figures: &mut Figures) {
    let mut waits: BTreeMap<&str, [Vec<f64>; 2]> = BTreeMap::new();
    for (uid, job) in &seen.jobs {
        let submitted = deeds.submitted.get(&job.name).copied();
        let [first, all] = waits.entry(cohort_of(&job.name)).or_default();
        first.extend(between(submitted, by_job.first(uid)));
        all.extend(between(submitted, by_job.nth(uid, at_once(workload, job))));
    }
    for (cohort, [first, all]) in waits {
        spread(figures, &format!("first-pod.{cohort}"), first);
        spread(figures, &format!("all-pods.{cohort}"), all);
    }
}

/// The pace of a workload that consists of one.
fn lone_pace(workload: &Workload) -> Option<Pace<'_>> {
    match (workload.scenario, workload.cohorts.as_slice()) {
        (Scenario::Work, [cohort]) => Pace::of(cohort),
        _ => None,
    }
}

/// The paces of cohorts that follow each other, so that each can be judged by itself; none where they do not.
fn stepped(workload: &Workload) -> Vec<Pace<'_>> {
    let paces: Vec<Pace<'_>> = workload.cohorts.iter().filter_map(Pace::of).collect();
    let are_steps = workload.scenario == Scenario::Work && paces.len() >= 2 && backlog::follow_each_other(&paces);
    if are_steps { paces } else { Vec::new() }
}

/// Where cohorts of one pace follow each other: how late each one's Jobs end, and the largest pace that was held.
fn steps(workload: &Workload, seen: &Sightings, by_job: &ByJob<'_>, deeds: &Deeds, figures: &mut Figures) {
    let paces = stepped(workload);
    if paces.is_empty() {
        return;
    }
    let mut held: Option<f64> = None;
    for pace in &paces {
        let jobs = seen.jobs.iter().filter(|(_, job)| cohort_of(&job.name) == pace.cohort);
        let late: Vec<f64> = jobs.clone().filter_map(|(uid, job)| between(by_job.last_end(uid), job.ended)).collect();
        let arrivals = jobs.filter_map(|(_, job)| Some((*deeds.submitted.get(&job.name)?, job.ended))).collect();
        if backlog::is_held(pace, arrivals, &late) {
            held = Some(held.map_or(pace.per_second, |most| most.max(pace.per_second)));
        }
        spread(figures, &format!("last-pod-to-end.{}", pace.cohort), late);
    }
    // A slice has some Jobs of each pace, and nobody held a pace of which others have the rest.
    put(figures, RATE_HELD, held.filter(|_| !workload.is_slice()));
}

/// A policy that was met, for success or failure, as whoever sees every pod can tell without asking the controller.
struct Met<'s> {
    at: Duration,
    job: &'s JobMoments,
    /// Pods that had not succeeded by then, and so are there to be stopped.
    lingering: Vec<&'s PodMoments>,
}

impl<'s> Met<'s> {
    /// That of the first Job that has one.
    fn of(workload: &Workload, seen: &'s Sightings, by_job: &ByJob<'s>) -> Option<Self> {
        let cohort = workload.cohorts.iter().find(|cohort| cohort.policy.is_some() || cohort.is_to_fail())?;
        // Only the first pod of one that is to fail ends before its policy is met.
        let rule = cohort.policy.unwrap_or_else(Policy::leader);
        let (uid, job) = seen.jobs.iter().find(|(_, job)| cohort_of(&job.name) == cohort.name)?;
        let named = |pod: &&PodMoments| pod.index.is_some_and(|index| rule.names(index));
        let mut ends: Vec<Duration> = by_job.pods(uid).filter(named).filter_map(|pod| pod.ended).collect();
        ends.sort_unstable();
        let at = ends.get((rule.needed() as usize).checked_sub(1)?).copied()?;
        let lingering = by_job.pods(uid).filter(|pod| pod.ended.is_none_or(|ended| ended > at)).collect();
        Some(Self { at, job, lingering })
    }
}

/// What follows when a policy is met; when it was.
fn policy(workload: &Workload, seen: &Sightings, by_job: &ByJob<'_>, figures: &mut Figures) -> Option<Duration> {
    let met = Met::of(workload, seen, by_job)?;
    let (at, job) = (Some(met.at), met.job);
    let last_stop = met.lingering.iter().filter_map(|pod| pod.stopped).max();
    put(figures, "policy-to-condition", between(at, job.criteria));
    put(figures, "policy-to-end", between(at, job.ended));
    put(figures, "condition-to-last-stop", between(job.criteria, last_stop));
    put(figures, "policy-to-last-stop", between(at, last_stop));
    spread(figures, "policy-to-stop", met.lingering.iter().filter_map(|pod| between(at, pod.stopped)).collect());
    at
}

fn expiry(seen: &Sightings, deeds: &Deeds, figures: &mut Figures) {
    let after = |moment: fn(&JobMoments) -> Option<Duration>| {
        let due = |job: &JobMoments| deeds.due.get(&job.name).copied();
        seen.jobs.values().filter_map(|job| between(due(job), moment(job))).collect::<Vec<f64>>()
    };
    let last = seen.jobs.values().filter_map(|job| job.stopped).max();
    put(figures, "makespan", between(deeds.first_due(), last));
    spread(figures, "due-to-deletion", after(|job| job.stopped));
    spread(figures, "due-to-gone", after(|job| job.gone));
}

fn suspension(seen: &Sightings, deeds: &Deeds, figures: &mut Figures) {
    let condition = seen.jobs.values().filter_map(|job| job.suspended).max();
    put(figures, "suspend-to-condition", between(deeds.suspended, condition));
    let stops: Vec<f64> = seen.pods.values().filter_map(|pod| between(deeds.suspended, pod.stopped)).collect();
    let again = seen.pods.values().filter(|pod| pod.seen > deeds.resumed);
    let runs: Vec<f64> = again.filter_map(|pod| between(deeds.resumed, pod.running)).collect();
    put(figures, "suspend-to-last-stop", stops.iter().copied().reduce(f64::max));
    put(figures, "resume-to-last-run", runs.iter().copied().reduce(f64::max));
    put(figures, "makespan", between(deeds.suspended, seen.pods.values().filter_map(|pod| pod.running).max()));
    spread(figures, "suspend-to-stop", stops);
    spread(figures, "resume-to-run", runs);
}

fn restart(seen: &Sightings, by_job: &ByJob<'_>, deeds: &Deeds, figures: &mut Figures) {
    let new = seen.jobs.iter().filter(|(_, job)| deeds.submitted.contains_key(&job.name));
    let waits = new.filter_map(|(uid, _)| between(deeds.started, by_job.first(uid)));
    spread(figures, "start-to-first-pod", waits.collect());
    put(figures, "start-to-silence", between(deeds.started, deeds.silent));
    #[expect(clippy::cast_precision_loss, reason = "thousands of requests")]
    put(figures, "requests-at-rest", deeds.at_rest.map(|requests| requests as f64));
}

/// Milliseconds, below zero when `to` came first.
fn between(from: Option<Duration>, to: Option<Duration>) -> Option<f64> {
    Some((to?.as_secs_f64() - from?.as_secs_f64()) * 1000.0)
}

fn put(figures: &mut Figures, name: &str, value: Option<f64>) {
    figures.extend(value.map(|value| (name.to_owned(), value)));
}

fn spread(figures: &mut Figures, name: &str, samples: Vec<f64>) {
    let sorted = sorted(&samples);
    for (of, share) in PARTS {
        put(figures, &format!("{name}.{of}"), quantile(&sorted, share));
    }
}

#[cfg(test)]
mod tests;
