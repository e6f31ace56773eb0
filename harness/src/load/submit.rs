//! How Jobs come to be: submitted one cohort behind the other, or born finished.

use std::time::Duration;

use futures::{StreamExt as _, TryStreamExt as _, stream};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::Trouble;
use super::figures::Deeds;
use super::observer::Observer;
use super::workload::{Cohort, TTL_S, Workload, job_name};

/// Requests under way at the same time.
const AT_ONCE: usize = 8;
/// How long the first pod of a cohort may take.
const FIRST_POD: Duration = Duration::from_secs(60);
/// Between the last status and the second in which everything expires: time for the controller to start.
const LEAD: Duration = Duration::from_secs(15);

/// Creates Jobs in one namespace.
#[derive(Clone, Copy)]
pub struct Submitter<'a> {
    /// With which client.
    pub client: &'a kube::Client,
    /// Where.
    pub namespace: &'a str,
    /// Whose clock counts.
    pub observer: &'a Observer,
}

impl Submitter<'_> {
    /// Submits all Jobs; the next cohort follows as soon as the one before has a pod.
    ///
    /// # Errors
    /// When the API server refuses one, or no pod comes.
    pub async fn submit(&self, workload: &Workload) -> Result<Deeds, Trouble> {
        let mut deeds = Deeds::default();
        for (at, cohort) in workload.cohorts.iter().enumerate() {
            if let Some(before) = at.checked_sub(1).and_then(|before| workload.cohorts.get(before)) {
                let what = format!("the first pod of {}", before.name);
                self.observer.until(&what, FIRST_POD, |seen| seen.has_pod_of(before.name)).await?;
            }
            deeds.submitted.extend(self.create(workload, cohort).await?);
        }
        Ok(deeds)
    }

    /// Creates all Jobs and writes into their status that they are complete, so that all expire in the same second.
    ///
    /// # Errors
    /// When the API server refuses one.
    pub async fn finished(&self, workload: &Workload) -> Result<Deeds, Trouble> {
        let begun = self.observer.now();
        let mut deeds = Deeds::default();
        for cohort in &workload.cohorts {
            deeds.submitted.extend(self.create(workload, cohort).await?);
        }
        // Statuses take about as long as creations.
        let ahead = (self.observer.now() - begun).mul_f64(1.5) + LEAD;
        let now = Timestamp::now();
        let due =
            Timestamp::from_second((now + ahead).as_second() + 1).map_err(|error| Trouble::of("reckon", &error))?;
        deeds.due = Some(self.observer.now() + Duration::try_from(due.duration_since(now)).unwrap_or_default());
        let status = complete(due - SignedDuration::from_secs(TTL_S));
        for cohort in &workload.cohorts {
            let writes = (0..cohort.jobs).map(|number| self.write(job_name(cohort.name, number), &status));
            stream::iter(writes).buffer_unordered(AT_ONCE).try_collect::<Vec<()>>().await?;
        }
        Ok(deeds)
    }

    async fn create(&self, workload: &Workload, cohort: &Cohort) -> Result<Vec<(String, Duration)>, Trouble> {
        let creations = (0..cohort.jobs).map(|number| async move {
            let body = workload.job(cohort, number).to_string().into_bytes();
            let request = http::Request::post(self.path("")).header(http::header::CONTENT_TYPE, "application/json");
            let at = self.observer.now();
            self.call(request, body).await?;
            Ok::<_, Trouble>((job_name(cohort.name, number), at))
        });
        stream::iter(creations).buffered(AT_ONCE).try_collect().await
    }

    async fn write(&self, name: String, status: &Value) -> Result<(), Trouble> {
        let request = http::Request::patch(self.path(&format!("/{name}/status")))
            .header(http::header::CONTENT_TYPE, "application/merge-patch+json");
        self.call(request, json!({"status": status}).to_string().into_bytes()).await
    }

    async fn call(&self, request: http::request::Builder, body: Vec<u8>) -> Result<(), Trouble> {
        let request = request.body(body).map_err(|error| Trouble::of("make a request", &error))?;
        self.client.request_text(request).await.map(drop).map_err(|error| Trouble::of("create a Job", &error))
    }

    fn path(&self, rest: &str) -> String {
        format!("/apis/batch/v1/namespaces/{}/jobs{rest}", self.namespace)
    }
}

/// The status of a Job that is complete since `at`.
fn complete(at: Timestamp) -> Value {
    let at = at.to_string();
    let condition = |kind: &str| {
        json!({"type": kind, "status": "True", "reason": "CompletionsReached", "message": "born finished",
            "lastProbeTime": at, "lastTransitionTime": at})
    };
    json!({
        "startTime": at, "completionTime": at, "succeeded": 1, "ready": 0, "terminating": 0, "uncountedTerminatedPods": {},
        "conditions": [condition("SuccessCriteriaMet"), condition("Complete")],
    })
}
