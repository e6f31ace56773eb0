//! Plays the kubelet for a trial: fast, lean, and it knows how late it was.
//!
//! It hears of pods from the observer's watch, so it costs the API server no watch of its own, and decides by itself
//! what becomes of each; [`decide`] is the pure part.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use k8s_openapi::api::core::v1::{Container, Pod as FullPod, PodSpec};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use super::Trouble;
use super::observer::PodReport;
use super::quantile::{quantile, sorted};
use super::record::Circumstances;
use super::sightings::Presence;
use super::stop_times::StopTimes;
use super::workload::{CONTAINER, Pods, Success};
use crate::pod_driver::{End, status};

/// How many requests may be under way, each on a connection of its own: more than a burst of a controller makes pods at once, so that
/// none waits for another.
const MAX_IN_FLIGHT: usize = 128;

/// Drives the pods of one trial until it is dropped.
#[derive(Debug)]
pub struct Driver {
    shared: Arc<Shared>,
    _tasks: JoinSet<()>,
}

struct Shared {
    client: kube::Client,
    hands: Semaphore,
    notes: Mutex<Notes>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

#[derive(Debug, Default)]
struct Notes {
    /// The pod with index 0.
    first: Option<Target>,
    /// UIDs of pods that were told to stop while they ran, which therefore do not succeed any more.
    stopped: HashSet<String>,
    lags: Vec<f64>,
    answers: Vec<f64>,
    recent: VecDeque<Instant>,
    busiest: usize,
    trouble: Option<String>,
}

/// Which pod.
#[derive(Clone, Debug)]
struct Target {
    namespace: String,
    name: String,
    uid: String,
}

impl Target {
    fn of(report: &PodReport) -> Self {
        let meta = &report.pod.metadata;
        Self { namespace: meta.namespace.clone(), name: meta.name.clone(), uid: meta.uid.clone() }
    }

    fn path(&self) -> String {
        format!("/api/v1/namespaces/{}/pods/{}", self.namespace, self.name)
    }
}

/// What is done with a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Its container ends like this.
    End(End),
    /// Its container runs for so long, and then exits with 0.
    RunFor(Duration),
    /// Its container runs and is ready.
    Run,
    /// Its container takes its time of the grace that it has, exits with 143, and the pod goes.
    Stop,
    /// It goes.
    Remove,
}

/// How far a pod has been taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PodProgress {
    /// Something was done with it.
    Begun,
    /// It was stopped or removed.
    Over,
}

/// What to do with a pod that looks like this, given how far it was taken before.
#[must_use]
pub fn decide(report: &PodReport, behaviour: Pods, before: Option<PodProgress>) -> Option<(Deed, PodProgress)> {
    let ended = report.pod.is_terminal();
    if report.presence == Presence::Gone || before == Some(PodProgress::Over) {
        return None;
    }
    match (report.pod.metadata.deletion_timestamp.is_some(), ended, before) {
        (true, true, _) => Some((Deed::Remove, PodProgress::Over)),
        (true, false, _) => Some((Deed::Stop, PodProgress::Over)),
        (false, false, None) => match behaviour {
            Pods::Succeed(success) if succeeds(report, success) => match success.run_time {
                Duration::ZERO => Some((Deed::End(End::Exited(0)), PodProgress::Begun)),
                run_time => Some((Deed::RunFor(run_time), PodProgress::Begun)),
            },
            Pods::Succeed(_) | Pods::Linger => Some((Deed::Run, PodProgress::Begun)),
        },
        _ => None,
    }
}

fn succeeds(report: &PodReport, success: Success) -> bool {
    success.below_index.is_none_or(|below| report.pod.index().is_some_and(|index| index < below))
}

/// Spreads successes over time where only so many a second are allowed.
#[derive(Debug)]
struct Turnstile {
    each: Duration,
    next: Option<Instant>,
}

impl Turnstile {
    fn of(behaviour: Pods) -> Self {
        let per_second = match behaviour {
            Pods::Succeed(success) => success.per_second,
            Pods::Linger => None,
        };
        let each = per_second.map_or(Duration::ZERO, |per_second| Duration::from_secs(1) / per_second);
        Self { each, next: None }
    }

    /// When somebody who comes at `at` may go through.
    fn pass(&mut self, at: Instant) -> Instant {
        let due = self.next.map_or(at, |next| next.max(at));
        self.next = Some(due + self.each);
        due
    }
}

impl Driver {
    /// Drives every pod that is reported.
    #[must_use]
    pub fn start(client: kube::Client, behaviour: Pods, mut reports: mpsc::UnboundedReceiver<PodReport>) -> Self {
        let shared = Arc::new(Shared { client, hands: Semaphore::new(MAX_IN_FLIGHT), notes: Mutex::default() });
        let mut tasks = JoinSet::new();
        let own = Arc::clone(&shared);
        tasks.spawn(async move {
            let mut progress_by_uid: HashMap<String, PodProgress> = HashMap::new();
            let mut turnstile = Turnstile::of(behaviour);
            let mut stop_times = StopTimes::default();
            let mut work = JoinSet::new();
            while let Some(report) = reports.recv().await {
                while work.try_join_next().is_some() {}
                let target = Target::of(&report);
                if report.pod.index() == Some(0) && report.presence == Presence::There {
                    own.notes().first = Some(target.clone());
                }
                if let Some((deed, progress)) = decide(&report, behaviour, progress_by_uid.get(&target.uid).copied()) {
                    progress_by_uid.insert(target.uid.clone(), progress);
                    let due = match deed {
                        Deed::End(_) => turnstile.pass(report.at),
                        Deed::Stop => report.at + stop_times.draw(),
                        _ => report.at,
                    };
                    let shared = Arc::clone(&own);
                    work.spawn(async move { shared.carry_out(deed, due, &target).await });
                }
            }
        });
        Self { shared, _tasks: tasks }
    }

    /// Lets the pod with index 0 end like this.
    ///
    /// # Errors
    /// When there is none.
    pub async fn finish_first(&self, end: End) -> Result<(), Trouble> {
        let first = self.shared.notes().first.clone();
        let first = first.ok_or_else(|| Trouble::new("there is no pod with index 0"))?;
        self.shared.carry_out(Deed::End(end), Instant::now(), &first).await;
        Ok(())
    }

    /// The first thing that went wrong.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        self.shared.notes().trouble.clone()
    }

    /// How late it was, and how much it did.
    pub fn account(&self, into: &mut Circumstances) {
        let notes = self.shared.notes();
        let lags = sorted(&notes.lags);
        into.driver_lag_p50_ms = quantile(&lags, 0.5);
        into.driver_lag_p99_ms = quantile(&lags, 0.99);
        into.driver_lag_max_ms = quantile(&lags, 1.0);
        into.driver_answer_p99_ms = quantile(&sorted(&notes.answers), 0.99);
        into.driver_requests = Some(notes.answers.len() as u64);
        into.driver_busiest_second = Some(notes.busiest as u64);
    }
}

impl Shared {
    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn carry_out(&self, deed: Deed, due: Instant, target: &Target) {
        if let Err(error) = self.act(deed, due, target).await {
            let says = format!("the pod driver failed with {}: {}", target.name, crate::error_text::in_full(&error));
            self.notes().trouble.get_or_insert(says);
        }
    }

    async fn act(&self, deed: Deed, due: Instant, target: &Target) -> Result<(), kube::Error> {
        let succeeded = status::ended(&pod(), End::Exited(0));
        let running = status::running(&pod(), 0, status::Readiness::Ready);
        match deed {
            Deed::End(end) => {
                sleep_until(due).await;
                self.write(target, due, &status::ended(&pod(), end)).await
            }
            Deed::Run => self.write(target, due, &running).await,
            Deed::RunFor(time) => {
                self.write(target, due, &running).await?;
                sleep_until(due + time).await;
                // Who was told to stop meanwhile ends another way.
                if self.notes().stopped.contains(&target.uid) {
                    return Ok(());
                }
                self.write(target, due + time, &succeeded).await
            }
            Deed::Stop => {
                self.notes().stopped.insert(target.uid.clone());
                sleep_until(due).await;
                self.write(target, due, &status::ended(&pod(), End::Exited(143))).await?;
                self.remove(target).await
            }
            Deed::Remove => self.remove(target).await,
        }
    }

    async fn write(&self, target: &Target, due: Instant, status: &Value) -> Result<(), kube::Error> {
        let patch = json!({"metadata": {"uid": target.uid}, "status": status});
        let request = http::Request::patch(format!("{}/status?fieldManager=jobsworth-pod-driver", target.path()))
            .header(http::header::CONTENT_TYPE, "application/merge-patch+json");
        let _hand = self.hands.acquire().await;
        self.notes().lags.push(due.elapsed().as_secs_f64() * 1000.0);
        self.call(request, patch).await
    }

    async fn remove(&self, target: &Target) -> Result<(), kube::Error> {
        let options = json!({"gracePeriodSeconds": 0, "preconditions": {"uid": target.uid}});
        let request = http::Request::delete(target.path()).header(http::header::CONTENT_TYPE, "application/json");
        let _hand = self.hands.acquire().await;
        self.call(request, options).await
    }

    async fn call(&self, request: http::request::Builder, body: Value) -> Result<(), kube::Error> {
        let request = request.body(body.to_string().into_bytes()).expect("names of pods make paths");
        let sent = Instant::now();
        let answer = self.client.request_text(request).await;
        let mut notes = self.notes();
        notes.answers.push(sent.elapsed().as_secs_f64() * 1000.0);
        let now = Instant::now();
        notes.recent.push_back(now);
        while notes.recent.front().is_some_and(|&at| now - at >= Duration::from_secs(1)) {
            notes.recent.pop_front();
        }
        notes.busiest = notes.busiest.max(notes.recent.len());
        match answer {
            // A pod may be gone while the driver is at work on it.
            Err(kube::Error::Api(status)) if matches!(status.code, 404 | 409) => Ok(()),
            answer => answer.map(drop),
        }
    }
}

/// A pod as the workloads have them, as far as its status depends on it.
fn pod() -> FullPod {
    let container = Container { name: CONTAINER.to_owned(), ..Container::default() };
    FullPod { spec: Some(PodSpec { containers: vec![container], ..PodSpec::default() }), ..FullPod::default() }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const AT_ONCE: Pods = Pods::Succeed(Success { run_time: Duration::ZERO, per_second: None, below_index: None });
    const AFTER_A_SECOND: Pods =
        Pods::Succeed(Success { run_time: Duration::from_secs(1), per_second: None, below_index: None });
    const THE_FIRST: Pods = Pods::Succeed(Success { run_time: Duration::ZERO, per_second: None, below_index: Some(7) });

    fn report(phase: &str, stopping: bool, presence: Presence) -> PodReport {
        let index = json!({"batch.kubernetes.io/job-completion-index": "6"});
        let mut meta = json!({"name": "p", "uid": "u", "annotations": index});
        if stopping {
            meta["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        }
        let pod = serde_json::from_value(json!({"metadata": meta, "status": {"phase": phase}})).expect("a pod");
        PodReport { at: Instant::now(), pod, presence }
    }

    #[rstest]
    #[case::a_new_pod_succeeds("Pending", false, Presence::There, AT_ONCE, None, Some(Deed::End(End::Exited(0))))]
    #[case::a_new_pod_runs_first(
        "Pending",
        false,
        Presence::There,
        AFTER_A_SECOND,
        None,
        Some(Deed::RunFor(Duration::from_secs(1)))
    )]
    #[case::a_low_index_succeeds("Pending", false, Presence::There, THE_FIRST, None, Some(Deed::End(End::Exited(0))))]
    #[case::a_new_pod_lingers("Pending", false, Presence::There, Pods::Linger, None, Some(Deed::Run))]
    #[case::once_is_enough("Pending", false, Presence::There, AT_ONCE, Some(PodProgress::Begun), None)]
    #[case::what_ended_stays("Succeeded", false, Presence::There, AT_ONCE, Some(PodProgress::Begun), None)]
    #[case::told_to_stop("Running", true, Presence::There, Pods::Linger, Some(PodProgress::Begun), Some(Deed::Stop))]
    #[case::told_to_go("Succeeded", true, Presence::There, AT_ONCE, Some(PodProgress::Begun), Some(Deed::Remove))]
    #[case::told_twice("Running", true, Presence::There, Pods::Linger, Some(PodProgress::Over), None)]
    #[case::gone("Running", true, Presence::Gone, Pods::Linger, Some(PodProgress::Begun), None)]
    fn a_pod_is_driven_on_once(
        #[case] phase: &str,
        #[case] stopping: bool,
        #[case] presence: Presence,
        #[case] behaviour: Pods,
        #[case] before: Option<PodProgress>,
        #[case] deed: Option<Deed>,
    ) {
        assert_eq!(decide(&report(phase, stopping, presence), behaviour, before).map(|it| it.0), deed);
    }

    #[test]
    fn a_high_index_runs_until_it_is_stopped() {
        let only_five = Pods::Succeed(Success { below_index: Some(5), ..Success::default() });
        let new = report("Pending", false, Presence::There);
        assert_eq!(decide(&new, only_five, None), Some((Deed::Run, PodProgress::Begun)));
    }

    #[test]
    fn successes_are_spread_over_time_and_nobody_waits_at_an_empty_turnstile() {
        let mut turnstile = Turnstile::of(Pods::Succeed(Success { per_second: Some(10), ..Success::default() }));
        let begin = Instant::now();
        let passed: Vec<Duration> = (0..3).map(|_| turnstile.pass(begin) - begin).collect();
        assert_eq!(passed, [0, 100, 200].map(Duration::from_millis));
        let late = begin + Duration::from_secs(9);
        assert_eq!(turnstile.pass(late), late);
        let mut open = Turnstile::of(Pods::Succeed(Success::default()));
        assert_eq!([open.pass(begin), open.pass(begin)], [begin, begin]);
    }
}
