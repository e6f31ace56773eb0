//! Figures of moments that are made up.

use super::*;
use crate::load::sample::workload;
use crate::load::workload::FailurePolicy;

fn ms(ms: u64) -> Option<Duration> {
    Some(Duration::from_millis(ms))
}

fn pod(job: &str, index: u32, seen: u64, ended: Option<u64>, stopped: Option<u64>) -> PodMoments {
    let ended = ended.map(Duration::from_millis);
    let stopped = stopped.map(Duration::from_millis);
    PodMoments { job: job.to_owned(), index: Some(index), seen: ms(seen), ended, stopped, ..PodMoments::default() }
}

#[test]
fn small_jobs_are_told_apart_from_the_large_one() {
    let mut seen = Sightings::default();
    for (uid, name, began, ended) in [("L", "large-0", 0, 900), ("a", "small-0", 10, 400), ("b", "small-1", 10, 500)] {
        let moments = JobMoments { name: name.to_owned(), seen: ms(began), ended: ms(ended), ..JobMoments::default() };
        seen.jobs.insert(uid.to_owned(), moments);
    }
    for (uid, job, began, ended) in
        [("1", "L", 5, 800), ("2", "a", 60, 350), ("3", "b", 110, 480), ("4", "b", 120, 490)]
    {
        seen.pods.insert(uid.to_owned(), pod(job, 0, began, Some(ended), None));
    }
    let submitted = [("large-0", 0), ("small-0", 10), ("small-1", 10)];
    let submitted = submitted.map(|(name, at)| (name.to_owned(), Duration::from_millis(at))).into();
    let figures = of(&workload("small-behind-large"), &seen, &Deeds { submitted, ..Deeds::default() });
    let near = |name: &str, value: f64| assert!((figures[name] - value).abs() < 1e-6, "{name}: {figures:?}");
    near("makespan", 900.0);
    near("first-pod.large.max", 5.0);
    near("first-pod.small.p50", 50.0);
    near("first-pod.small.p90", 100.0);
    near("last-pod-to-end.p50", 50.0);
    near("last-pod-to-end.max", 100.0);
}

#[test]
fn a_slice_has_the_waits_of_each_cohort_by_itself_too() {
    let mut seen = Sightings::default();
    for (uid, name) in [("a", "large-0"), ("b", "small-1")] {
        let moments = JobMoments { name: name.to_owned(), ended: ms(500), ..JobMoments::default() };
        seen.jobs.insert(uid.to_owned(), moments);
        seen.pods.insert(uid.to_owned(), pod(uid, 0, 60, Some(400), None));
    }
    let submitted = ["large-0", "small-1"].map(|name| (name.to_owned(), Duration::from_millis(10))).into();
    let deeds = Deeds { submitted, ..Deeds::default() };
    let whole = workload("small-behind-large");
    let slice = whole.clone().slice("slice:1/2".parse().expect("a partition"));
    let count = |workload: &Workload, name: &str| {
        latencies(workload, &seen, &deeds).get(name).map(|waits| (waits.count, waits.unfinished))
    };
    assert_eq!(count(&slice, "first-pod"), Some((2, 0)));
    assert_eq!(count(&slice, "first-pod.small"), Some((1, 0)));
    assert_eq!(count(&slice, "all-pods.small"), Some((0, 1)), "one of its five pods was seen");
    assert_eq!(count(&slice, "last-pod-to-end.large"), Some((1, 0)));
    assert_eq!((count(&whole, "first-pod"), count(&whole, "first-pod.small")), (Some((2, 0)), None));
}

#[test]
fn a_job_that_its_first_pod_fails_is_timed_from_that_failure() {
    let mut seen = Sightings::default();
    let job = JobMoments { name: "wide-0".to_owned(), criteria: ms(300), ended: ms(400), ..JobMoments::default() };
    seen.jobs.insert("j".to_owned(), job);
    seen.pods.insert("0".to_owned(), pod("j", 0, 1, Some(100), None));
    seen.pods.insert("1".to_owned(), pod("j", 1, 1, Some(350), Some(320)));
    let mut failed = workload("policy-499");
    failed.cohorts[0] =
        Cohort { policy: None, failure_policy: Some(FailurePolicy::FailJob), ..failed.cohorts[0].clone() };
    let figures = of(&failed, &seen, &Deeds::default());
    let told = ["policy-to-condition", "policy-to-end", "policy-to-last-stop", "makespan"];
    assert_eq!(told.map(|name| figures[name].round()), [200.0, 300.0, 220.0, 300.0]);
    assert!(told.iter().all(|told| names(&failed).iter().any(|name| name == told)));
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
        let name = format!("expired-{uid}");
        let moments = JobMoments { name, stopped: ms(stopped), gone: ms(gone), ..JobMoments::default() };
        seen.jobs.insert(uid.to_owned(), moments);
    }
    let due = ["a", "b"].map(|uid| (format!("expired-{uid}"), Duration::from_secs(1))).into();
    let figures = of(&workload("ttl-1000"), &seen, &Deeds { due, ..Deeds::default() });
    assert!((figures["makespan"] - 500.0).abs() < 1e-6 && (figures["due-to-gone.max"] - 700.0).abs() < 1e-6);
}

#[test]
fn what_never_happened_has_no_figure() {
    assert!(of(&workload("indexed-500"), &Sightings::default(), &Deeds::default()).is_empty());
}

#[test]
fn suspended_pods_are_timed_from_the_request_and_so_are_those_that_run_again() {
    let mut seen = Sightings::default();
    let job = JobMoments { name: "wide-0".to_owned(), suspended: ms(1400), ..JobMoments::default() };
    seen.jobs.insert("j".to_owned(), job);
    let old = PodMoments { running: ms(50), ..pod("j", 0, 10, None, Some(1200)) };
    let new = PodMoments { running: ms(2600), ..pod("j", 0, 2500, None, None) };
    seen.pods.extend([("old".to_owned(), old), ("new".to_owned(), new)]);
    let deeds = Deeds { suspended: ms(1000), resumed: ms(2000), ..Deeds::default() };
    let workload = Workload { scenario: Scenario::Suspension, ..workload("indexed-500") };
    let figures = of(&workload, &seen, &deeds);
    let near = |name: &str, value: f64| assert!((figures[name] - value).abs() < 1e-6, "{name}: {figures:?}");
    near("suspend-to-condition", 400.0);
    near("suspend-to-last-stop", 200.0);
    near("resume-to-last-run", 600.0);
    near("makespan", 1600.0);
}

#[test]
fn a_restart_is_timed_from_the_moment_in_which_the_controller_is_started() {
    let mut seen = Sightings::default();
    for (uid, name) in [("s", "sentinel-0"), ("r", "running-0")] {
        seen.jobs.insert(uid.to_owned(), JobMoments { name: name.to_owned(), ..JobMoments::default() });
    }
    seen.pods.insert("1".to_owned(), pod("s", 0, 5300, None, None));
    seen.pods.insert("2".to_owned(), pod("r", 0, 100, None, None));
    let submitted = [("sentinel-0".to_owned(), Duration::from_secs(5))].into();
    let deeds = Deeds { submitted, started: ms(5000), silent: ms(9000), at_rest: Some(3), ..Deeds::default() };
    let figures = of(&Workload { scenario: Scenario::Restart, ..workload("indexed-500") }, &seen, &deeds);
    assert!((figures["start-to-first-pod.max"] - 300.0).abs() < 1e-6, "{figures:?}");
    assert!((figures["start-to-silence"] - 4000.0).abs() < 1e-6, "{figures:?}");
    assert!((figures["requests-at-rest"] - 3.0).abs() < 1e-6, "{figures:?}");
}

#[test]
fn every_figure_of_a_trial_has_a_name_that_goals_may_use() {
    let mut seen = Sightings::default();
    let job = JobMoments {
        name: "wide-0".to_owned(),
        seen: ms(0),
        criteria: ms(300),
        ended: ms(400),
        ..JobMoments::default()
    };
    seen.jobs.insert("j".to_owned(), job);
    let ended = PodMoments { released: ms(350), ..pod("j", 0, 1, Some(100), None) };
    seen.pods.extend([("0".to_owned(), ended), ("1".to_owned(), pod("j", 1, 1, None, Some(320)))]);
    let submitted = [("wide-0".to_owned(), Duration::ZERO)].into();
    let deeds = Deeds { submitted, ..Deeds::default() };
    for name in ["indexed-500", "policy-499"] {
        let workload = workload(name);
        let (names, figures) = (names(&workload), of(&workload, &seen, &deeds));
        assert!(figures.len() > 3 && figures.keys().all(|figure| names.contains(figure)), "{figures:?}");
    }
}
