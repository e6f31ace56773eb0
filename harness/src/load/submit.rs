//! How Jobs are submitted: all at once, behind a pod of others, or at times that are fixed beforehand.
//!
//! With a pace the loop is open: every Job has an absolute deadline, requests wait for nobody's answer, and times count from the
//! deadline. A slow API server makes them longer instead of making them fewer (no coordinated omission).

use std::time::Duration;

use futures::stream::FuturesUnordered;
use futures::{StreamExt as _, TryStreamExt as _, future, stream};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until};

use super::Trouble;
use super::figures::Deeds;
use super::observer::Observer;
use super::pace;
use super::workload::{Cohort, InitialState, Start, Workload, cohort_of, job_name};

/// Requests under way at the same time, where there is no pace.
pub const AT_ONCE: usize = 8;
/// How long the first pod of a cohort may take.
const FIRST_POD: Duration = Duration::from_secs(60);

/// Creates and changes Jobs in the namespaces of a trial.
#[derive(Clone, Copy)]
pub struct Submitter<'a> {
    /// With which client.
    pub client: &'a kube::Client,
    /// Where, in turns.
    pub namespaces: &'a [String],
    /// Whose clock counts.
    pub observer: &'a Observer,
    /// To whom the Jobs are given, if not to the built-in controller or the one in its place.
    pub manager: Option<&'a str>,
    /// How far Jobs without a pace are apart, where not so many requests a second may be made as come.
    pub gap: Option<Duration>,
}

/// When a Job was to be submitted, and how many milliseconds late it was, where it had a deadline.
struct Submitted {
    job: String,
    at: Duration,
    lag: Option<f64>,
}

impl Submitter<'_> {
    /// Submits all Jobs that are not born another way, each cohort in its own time.
    ///
    /// # Errors
    /// When the API server refuses one, or no pod comes that a cohort waits for.
    pub async fn submit(&self, workload: &Workload) -> Result<Deeds, Trouble> {
        let begin = Instant::now();
        let cohorts = workload.cohorts.iter().filter(|cohort| cohort.initial == InitialState::Submitted);
        let all = future::try_join_all(cohorts.map(|cohort| self.cohort(workload, cohort, begin))).await?;
        let mut deeds = Deeds::default();
        for one in all.into_iter().flatten() {
            deeds.lags.extend(one.lag);
            deeds.submitted.insert(one.job, one.at);
        }
        Ok(deeds)
    }

    async fn cohort(&self, workload: &Workload, cohort: &Cohort, begin: Instant) -> Result<Vec<Submitted>, Trouble> {
        if let Some(due) = pace::due(cohort, workload.seed) {
            return self.paced(workload, cohort, begin, &due).await;
        }
        if let Start::AfterFirstPodOf(before) = &cohort.start {
            let of = |seen: &super::sightings::Sightings| {
                let with_pods = seen.jobs_with_pods();
                seen.jobs.iter().any(|(uid, job)| cohort_of(&job.name) == before && with_pods.contains(uid.as_str()))
            };
            self.observer.until(&format!("the first pod of {before}"), FIRST_POD, of).await?;
        }
        let all = self.create(workload, cohort).await?;
        Ok(all.into_iter().map(|(job, at)| Submitted { job, at, lag: None }).collect())
    }

    /// Creates all Jobs of a cohort that are this load's, at once; when each request was made.
    ///
    /// # Errors
    /// When the API server refuses one.
    pub async fn create(&self, workload: &Workload, cohort: &Cohort) -> Result<Vec<(String, Duration)>, Trouble> {
        let begin = Instant::now();
        let creations = (0_u32..).zip(cohort.numbers()).map(|(turn, number)| async move {
            if let Some(gap) = self.gap {
                sleep_until(begin + gap * turn).await;
            }
            let at = self.observer.now();
            self.post(workload, cohort, number).await?;
            Ok::<_, Trouble>((job_name(&cohort.name, number), at))
        });
        stream::iter(creations).buffered(AT_ONCE).try_collect().await
    }

    async fn paced(
        &self,
        workload: &Workload,
        cohort: &Cohort,
        begin: Instant,
        due: &[Duration],
    ) -> Result<Vec<Submitted>, Trouble> {
        let offset = self.observer.at(begin);
        // Of a slice, the times of its own Jobs: those of the whole, in which others are between them.
        let own = cohort.numbers().filter_map(|number| Some((number, *due.get(number as usize)?)));
        let jobs = own.map(|(number, after)| async move {
            let deadline = begin + after;
            sleep_until(deadline).await;
            let lag = Some(deadline.elapsed().as_secs_f64() * 1000.0);
            self.post(workload, cohort, number).await?;
            Ok::<_, Trouble>(Submitted { job: job_name(&cohort.name, number), at: offset + after, lag })
        });
        jobs.collect::<FuturesUnordered<_>>().try_collect().await
    }

    async fn post(&self, workload: &Workload, cohort: &Cohort, number: u32) -> Result<(), Trouble> {
        let body = workload.job(cohort, number, self.manager).to_string().into_bytes();
        let request = http::Request::post(self.path(number, "")).header(http::header::CONTENT_TYPE, "application/json");
        self.call("create a Job", request, body).await.map(drop)
    }

    /// Suspends or resumes every Job.
    ///
    /// # Errors
    /// When the API server refuses to.
    pub async fn suspend(&self, workload: &Workload, suspend: Suspend) -> Result<(), Trouble> {
        let jobs = workload.cohorts.iter().flat_map(|cohort| cohort.numbers().map(move |number| (cohort, number)));
        let body = json!({"spec": {"suspend": suspend == Suspend::Pause}});
        let patches = jobs.map(|(cohort, number)| self.patch(cohort, number, "", &body));
        stream::iter(patches).buffer_unordered(AT_ONCE).try_collect::<Vec<()>>().await.map(drop)
    }

    /// Writes the status of a Job.
    ///
    /// # Errors
    /// When the API server refuses it.
    pub async fn write_status(&self, cohort: &Cohort, number: u32, status: &Value) -> Result<(), Trouble> {
        // The judge knows what was written under this name: nothing follows from it about the controller.
        self.patch(cohort, number, "/status?fieldManager=jobsworth-script", &json!({"status": status})).await
    }

    async fn patch(&self, cohort: &Cohort, number: u32, of: &str, patch: &Value) -> Result<(), Trouble> {
        let path = self.path(number, &format!("/{}{of}", job_name(&cohort.name, number)));
        let request = http::Request::patch(path).header(http::header::CONTENT_TYPE, "application/merge-patch+json");
        self.call("change a Job", request, patch.to_string().into_bytes()).await.map(drop)
    }

    /// Makes a request; the text of the answer.
    ///
    /// # Errors
    /// When the API server refuses it, with what it was for.
    pub async fn call(&self, what: &str, request: http::request::Builder, body: Vec<u8>) -> Result<String, Trouble> {
        let request = request.body(body).map_err(|error| Trouble::of("make a request", &error))?;
        self.client.request_text(request).await.map_err(|error| Trouble::of(what, &error))
    }

    /// The namespace of a Job.
    #[must_use]
    pub fn namespace(&self, number: u32) -> &str {
        let turn = number as usize % self.namespaces.len().max(1);
        self.namespaces.get(turn).map_or("", String::as_str)
    }

    fn path(&self, number: u32, rest: &str) -> String {
        format!("/apis/batch/v1/namespaces/{}/jobs{rest}", self.namespace(number))
    }
}

/// What becomes of Jobs that run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suspend {
    /// They are suspended.
    Pause,
    /// They go on.
    Resume,
}
