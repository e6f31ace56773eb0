//! Figures of a trial, computed from what was seen: names to numbers, times in milliseconds.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use super::quantile::{quantile, sorted};
use super::sightings::{JobMoments, PodMoments, Sightings};
use super::workload::{Creation, Pods, Workload, cohort_of};

/// Figures by name, for example `last-pod-to-end.p50`.
pub type Figures = BTreeMap<String, f64>;

/// What the harness did and when, beside what was seen.
#[derive(Clone, Debug, Default)]
pub struct Deeds {
    /// When each Job was submitted, by name.
    pub submitted: HashMap<String, Duration>,
    /// When Jobs that were born finished expire.
    pub due: Option<Duration>,
}

/// All figures that what was seen gives.
#[must_use]
pub fn of(workload: &Workload, seen: &Sightings, deeds: &Deeds) -> Figures {
    let mut figures = Figures::new();
    match (workload.birth, workload.pods) {
        (Creation::Finished, _) => expiry(seen, deeds, &mut figures),
        (Creation::Submitted, Pods::SucceedAtOnce) => {
            let begun = seen.jobs.values().filter_map(|job| job.seen).min();
            put(&mut figures, "makespan", between(begun, seen.jobs.values().map(|job| job.ended).max().flatten()));
            let late = seen.jobs.iter().filter_map(|(uid, job)| between(last_end(seen, uid), job.ended));
            spread(&mut figures, "last-pod-to-end", late.collect());
            first_pods(seen, deeds, &mut figures);
        }
        (Creation::Submitted, Pods::LingerAfterTheFirst) => {
            first_pods(seen, deeds, &mut figures);
            policy(seen, &mut figures);
        }
    }
    let released = seen.pods.values().filter_map(|pod| between(pod.ended, pod.released));
    spread(&mut figures, "pod-end-to-release", released.collect());
    figures
}

/// The end of the last pod of a Job.
fn last_end(seen: &Sightings, job: &str) -> Option<Duration> {
    pods_of(seen, job).filter_map(|pod| pod.ended).max()
}

fn pods_of<'s>(seen: &'s Sightings, job: &'s str) -> impl Iterator<Item = &'s PodMoments> {
    seen.pods.values().filter(move |pod| pod.job == job)
}

fn first_pods(seen: &Sightings, deeds: &Deeds, figures: &mut Figures) {
    let mut waits: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let mut first: HashMap<&str, Duration> = HashMap::new();
    for pod in seen.pods.values() {
        if let Some(at) = pod.seen {
            let earliest = first.entry(&pod.job).or_insert(at);
            *earliest = at.min(*earliest);
        }
    }
    for (uid, job) in &seen.jobs {
        let wait = between(deeds.submitted.get(&job.name).copied(), first.get(uid.as_str()).copied());
        waits.entry(cohort_of(&job.name)).or_default().extend(wait);
    }
    for (cohort, waits) in waits {
        spread(figures, &format!("first-pod.{cohort}"), waits);
    }
}

/// The Job with the success policy: there is one, and index 0 meets it.
fn policy(seen: &Sightings, figures: &mut Figures) {
    let Some((uid, job)) = seen.jobs.iter().next() else { return };
    let met = pods_of(seen, uid).filter(|pod| pod.index == Some(0)).find_map(|pod| pod.ended);
    let last_stop = pods_of(seen, uid).filter(|pod| pod.index != Some(0)).filter_map(|pod| pod.stopped).max();
    put(figures, "policy-to-condition", between(met, job.criteria));
    put(figures, "condition-to-last-stop", between(job.criteria, last_stop));
    put(figures, "policy-to-last-stop", between(met, last_stop));
    put(figures, "makespan", between(met, job.ended));
}

fn expiry(seen: &Sightings, deeds: &Deeds, figures: &mut Figures) {
    let after = |moment: fn(&JobMoments) -> Option<Duration>| {
        seen.jobs.values().filter_map(|job| between(deeds.due, moment(job))).collect::<Vec<f64>>()
    };
    let stopped = after(|job| job.stopped);
    put(figures, "makespan", stopped.iter().copied().reduce(f64::max));
    spread(figures, "due-to-deletion", stopped);
    spread(figures, "due-to-gone", after(|job| job.gone));
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
    for (of, share) in [("p50", 0.5), ("p90", 0.9), ("max", 1.0)] {
        put(figures, &format!("{name}.{of}"), quantile(&sorted, share));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::workload::all;

    fn ms(ms: u64) -> Option<Duration> {
        Some(Duration::from_millis(ms))
    }

    fn workload(name: &str) -> Workload {
        all().into_iter().find(|workload| workload.name == name).expect("it is listed")
    }

    fn pod(job: &str, index: u32, seen: u64, ended: Option<u64>, stopped: Option<u64>) -> PodMoments {
        let ended = ended.map(Duration::from_millis);
        let stopped = stopped.map(Duration::from_millis);
        PodMoments { job: job.to_owned(), index: Some(index), seen: ms(seen), ended, stopped, ..PodMoments::default() }
    }

    #[test]
    fn small_jobs_are_told_apart_from_the_large_one() {
        let mut seen = Sightings::default();
        for (uid, name, began, ended) in
            [("L", "large-0", 0, 900), ("a", "small-0", 10, 400), ("b", "small-1", 10, 500)]
        {
            let moments =
                JobMoments { name: name.to_owned(), seen: ms(began), ended: ms(ended), ..JobMoments::default() };
            seen.jobs.insert(uid.to_owned(), moments);
        }
        for (uid, job, began, ended) in
            [("1", "L", 5, 800), ("2", "a", 60, 350), ("3", "b", 110, 480), ("4", "b", 120, 490)]
        {
            seen.pods.insert(uid.to_owned(), pod(job, 0, began, Some(ended), None));
        }
        let submitted = [("large-0", 0), ("small-0", 10), ("small-1", 10)];
        let submitted = submitted.map(|(name, at)| (name.to_owned(), Duration::from_millis(at))).into();
        let figures = of(&workload("small-behind-large"), &seen, &Deeds { submitted, due: None });
        let near = |name: &str, value: f64| assert!((figures[name] - value).abs() < 1e-6, "{name}: {figures:?}");
        near("makespan", 900.0);
        near("first-pod.large.max", 5.0);
        near("first-pod.small.p50", 50.0);
        near("first-pod.small.p90", 100.0);
        near("last-pod-to-end.p50", 50.0);
        near("last-pod-to-end.max", 100.0);
    }

    #[test]
    fn pods_that_were_told_to_stop_before_the_condition_give_a_time_below_zero() {
        let mut seen = Sightings::default();
        let job = JobMoments { name: "wide-0".to_owned(), criteria: ms(300), ended: ms(400), ..JobMoments::default() };
        seen.jobs.insert("j".to_owned(), job);
        seen.pods.insert("0".to_owned(), pod("j", 0, 1, Some(100), None));
        seen.pods.insert("1".to_owned(), pod("j", 1, 1, None, Some(250)));
        let figures = of(&workload("policy-499"), &seen, &Deeds::default());
        let near = |name: &str, value: f64| assert!((figures[name] - value).abs() < 1e-6, "{name}: {figures:?}");
        near("policy-to-condition", 200.0);
        near("condition-to-last-stop", -50.0);
        near("policy-to-last-stop", 150.0);
        near("makespan", 300.0);
    }

    #[test]
    fn expired_jobs_are_timed_from_the_second_in_which_they_are_due() {
        let mut seen = Sightings::default();
        for (uid, stopped, gone) in [("a", 1100, 1200), ("b", 1500, 1700)] {
            let moments = JobMoments { stopped: ms(stopped), gone: ms(gone), ..JobMoments::default() };
            seen.jobs.insert(uid.to_owned(), moments);
        }
        let figures = of(&workload("ttl-1000"), &seen, &Deeds { due: ms(1000), ..Deeds::default() });
        assert!((figures["makespan"] - 500.0).abs() < 1e-6 && (figures["due-to-gone.max"] - 700.0).abs() < 1e-6);
    }

    #[test]
    fn what_never_happened_has_no_figure() {
        assert!(of(&workload("indexed-500"), &Sightings::default(), &Deeds::default()).is_empty());
    }
}
