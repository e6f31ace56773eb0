//! Plays the kubelet for a trial: fast, lean, and it knows how late it was.
//!
//! It hears of pods from the observer's watch, so it costs the API server no watch of its own, and decides by itself
//! what becomes of each; [`decide`] is the pure part.

use std::collections::{HashMap, VecDeque};
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
use super::workload::{CONTAINER, GRACE_S, Pods};
use crate::pod_driver::{End, status};

/// How many requests may be under way; each takes a connection.
const MAX_IN_FLIGHT: usize = 32;

/// Drives the pods of one namespace until it is dropped.
#[derive(Debug)]
pub struct Driver {
    shared: Arc<Shared>,
    _tasks: JoinSet<()>,
}

struct Shared {
    client: kube::Client,
    namespace: String,
    hands: Semaphore,
    notes: Mutex<Notes>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("namespace", &self.namespace).finish_non_exhaustive()
    }
}

#[derive(Debug, Default)]
struct Notes {
    /// Name and UID of the pod with index 0.
    first: Option<(String, String)>,
    lags: Vec<f64>,
    answers: Vec<f64>,
    recent: VecDeque<Instant>,
    busiest: usize,
    trouble: Option<String>,
}

/// What is done with a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Its container exits with 0.
    Succeed,
    /// Its container runs and is ready.
    Run,
    /// Its container takes its time, exits with 143, and the pod goes.
    Stop,
    /// It goes.
    Remove,
}

/// How far a pod has been taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// Something was done with it.
    Begun,
    /// It was stopped or removed.
    Over,
}

/// What to do with a pod that looks like this, given how far it was taken before.
#[must_use]
pub fn decide(report: &PodReport, behaviour: Pods, before: Option<Course>) -> Option<(Deed, Course)> {
    let ended = report.pod.is_terminal();
    if report.presence == Presence::Gone || before == Some(Course::Over) {
        return None;
    }
    match (report.pod.metadata.deletion_timestamp.is_some(), ended, before) {
        (true, true, _) => Some((Deed::Remove, Course::Over)),
        (true, false, _) => Some((Deed::Stop, Course::Over)),
        (false, false, None) => match behaviour {
            Pods::SucceedAtOnce => Some((Deed::Succeed, Course::Begun)),
            Pods::LingerAfterTheFirst => Some((Deed::Run, Course::Begun)),
        },
        _ => None,
    }
}

impl Driver {
    /// Drives every pod that is reported.
    #[must_use]
    pub fn start(
        client: kube::Client,
        namespace: &str,
        behaviour: Pods,
        mut reports: mpsc::UnboundedReceiver<PodReport>,
    ) -> Self {
        let shared = Arc::new(Shared {
            client,
            namespace: namespace.to_owned(),
            hands: Semaphore::new(MAX_IN_FLIGHT),
            notes: Mutex::default(),
        });
        let mut tasks = JoinSet::new();
        let own = Arc::clone(&shared);
        tasks.spawn(async move {
            let mut courses: HashMap<String, Course> = HashMap::new();
            let mut work = JoinSet::new();
            while let Some(report) = reports.recv().await {
                while work.try_join_next().is_some() {}
                let uid = report.pod.metadata.uid.clone();
                if report.pod.index() == Some(0) && report.presence == Presence::There {
                    own.notes().first = Some((report.pod.metadata.name.clone(), uid.clone()));
                }
                if let Some((deed, course)) = decide(&report, behaviour, courses.get(&uid).copied()) {
                    courses.insert(uid.clone(), course);
                    let shared = Arc::clone(&own);
                    work.spawn(async move { shared.carry_out(deed, report.at, &report.pod.metadata.name, &uid).await });
                }
            }
        });
        Self { shared, _tasks: tasks }
    }

    /// Lets the pod with index 0 succeed.
    ///
    /// # Errors
    /// When there is none.
    pub async fn finish_first(&self) -> Result<(), Trouble> {
        let first = self.shared.notes().first.clone();
        let (name, uid) = first.ok_or_else(|| Trouble::new("there is no pod with index 0"))?;
        self.shared.carry_out(Deed::Succeed, Instant::now(), &name, &uid).await;
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
        into.driver_requests = notes.answers.len() as u64;
        into.driver_busiest_second = notes.busiest as u64;
    }
}

impl Shared {
    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn carry_out(&self, deed: Deed, seen: Instant, name: &str, uid: &str) {
        let path = format!("/api/v1/namespaces/{}/pods/{name}", self.namespace);
        let grace = Duration::from_secs(GRACE_S);
        let done = match deed {
            Deed::Succeed => self.write(&path, uid, seen, &status::ended(&pod(), End::Exited(0))).await,
            Deed::Run => self.write(&path, uid, seen, &status::running(&pod(), 0, status::Readiness::Ready)).await,
            Deed::Stop => {
                sleep_until(seen + grace).await;
                match self.write(&path, uid, seen + grace, &status::ended(&pod(), End::Exited(143))).await {
                    Ok(()) => self.remove(&path, uid).await,
                    failed => failed,
                }
            }
            Deed::Remove => self.remove(&path, uid).await,
        };
        if let Err(error) = done {
            let says = format!("the pod driver failed with {name}: {}", crate::error_text::in_full(&error));
            self.notes().trouble.get_or_insert(says);
        }
    }

    async fn write(&self, path: &str, uid: &str, due: Instant, status: &Value) -> Result<(), kube::Error> {
        let patch = json!({"metadata": {"uid": uid}, "status": status});
        let request = http::Request::patch(format!("{path}/status?fieldManager=jobsworth-pod-driver"))
            .header(http::header::CONTENT_TYPE, "application/merge-patch+json");
        let _hand = self.hands.acquire().await;
        self.notes().lags.push(due.elapsed().as_secs_f64() * 1000.0);
        self.call(request, patch).await
    }

    async fn remove(&self, path: &str, uid: &str) -> Result<(), kube::Error> {
        let options = json!({"gracePeriodSeconds": 0, "preconditions": {"uid": uid}});
        let request = http::Request::delete(path).header(http::header::CONTENT_TYPE, "application/json");
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

    fn report(phase: &str, stopping: bool, presence: Presence) -> PodReport {
        let mut meta = json!({"name": "p", "uid": "u"});
        if stopping {
            meta["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        }
        let pod = serde_json::from_value(json!({"metadata": meta, "status": {"phase": phase}})).expect("a pod");
        PodReport { at: Instant::now(), pod, presence }
    }

    #[rstest]
    #[case::a_new_pod_succeeds("Pending", false, Presence::There, Pods::SucceedAtOnce, None, Some(Deed::Succeed))]
    #[case::a_new_pod_lingers("Pending", false, Presence::There, Pods::LingerAfterTheFirst, None, Some(Deed::Run))]
    #[case::once_is_enough("Pending", false, Presence::There, Pods::SucceedAtOnce, Some(Course::Begun), None)]
    #[case::what_ended_stays("Succeeded", false, Presence::There, Pods::SucceedAtOnce, Some(Course::Begun), None)]
    #[case::told_to_stop(
        "Running",
        true,
        Presence::There,
        Pods::LingerAfterTheFirst,
        Some(Course::Begun),
        Some(Deed::Stop)
    )]
    #[case::told_to_go(
        "Succeeded",
        true,
        Presence::There,
        Pods::SucceedAtOnce,
        Some(Course::Begun),
        Some(Deed::Remove)
    )]
    #[case::told_twice("Running", true, Presence::There, Pods::LingerAfterTheFirst, Some(Course::Over), None)]
    #[case::gone("Running", true, Presence::Gone, Pods::LingerAfterTheFirst, Some(Course::Begun), None)]
    fn a_pod_is_driven_on_once(
        #[case] phase: &str,
        #[case] stopping: bool,
        #[case] presence: Presence,
        #[case] behaviour: Pods,
        #[case] before: Option<Course>,
        #[case] deed: Option<Deed>,
    ) {
        assert_eq!(decide(&report(phase, stopping, presence), behaviour, before).map(|it| it.0), deed);
    }
}
