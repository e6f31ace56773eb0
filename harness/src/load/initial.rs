//! Jobs that are there before the controller is: finished ones, and running ones with all their pods.

use std::time::Duration;

use futures::{StreamExt as _, TryStreamExt as _, stream};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Trouble;
use super::figures::Deeds;
use super::submit::{AT_ONCE, Submitter};
use super::workload::{Cohort, InitialState, Mode, Scenario, Workload, job_name};

/// Between the last status and the second in which the first Job expires: time for the controller to start.
const LEAD: Duration = Duration::from_secs(15);
/// What keeps a pod until its end is counted.
const TRACKING: &str = "batch.kubernetes.io/job-tracking";

#[derive(Deserialize)]
struct Created {
    metadata: CreatedMeta,
}

#[derive(Deserialize)]
struct CreatedMeta {
    uid: String,
}

impl Submitter<'_> {
    /// Makes every Job that is born finished or running, as if a controller had been there before.
    ///
    /// # Errors
    /// When the API server refuses something.
    pub async fn bring_forth(&self, workload: &Workload) -> Result<Deeds, Trouble> {
        let mut deeds = Deeds::default();
        if let Scenario::Expiry(over) = workload.scenario {
            self.expiring(workload, over, &mut deeds).await?;
            return Ok(deeds);
        }
        for cohort in &workload.cohorts {
            match cohort.initial {
                InitialState::Submitted => {}
                InitialState::Finished => {
                    self.create(workload, cohort).await?;
                    let status = complete(Timestamp::now(), cohort);
                    let writes = (0..cohort.jobs).map(|number| self.write_status(cohort, number, &status));
                    stream::iter(writes).buffer_unordered(AT_ONCE).try_collect::<Vec<()>>().await?;
                }
                InitialState::Running => {
                    let jobs = (0..cohort.jobs).map(|number| self.running(workload, cohort, number));
                    stream::iter(jobs).buffer_unordered(AT_ONCE).try_collect::<Vec<()>>().await?;
                }
            }
        }
        Ok(deeds)
    }

    /// Creates all Jobs and writes into their status that they are complete, so that they expire in the same second or, one after
    /// the other, over `over`.
    async fn expiring(&self, workload: &Workload, over: Duration, deeds: &mut Deeds) -> Result<(), Trouble> {
        let begun = self.observer.now();
        for cohort in &workload.cohorts {
            deeds.submitted.extend(self.create(workload, cohort).await?);
        }
        // Statuses take about as long as creations.
        let ahead = (self.observer.now() - begun).mul_f64(1.5) + LEAD;
        let (now, here) = (Timestamp::now(), self.observer.now());
        let first =
            Timestamp::from_second((now + ahead).as_second() + 1).map_err(|error| Trouble::of("reckon", &error))?;
        for cohort in &workload.cohorts {
            for number in 0..cohort.jobs {
                let due = nth_due(first, over, number, cohort.jobs);
                let since = Duration::try_from(due.duration_since(now)).unwrap_or_default();
                deeds.due.insert(job_name(&cohort.name, number), here + since);
            }
            let ttl = SignedDuration::from_secs(i64::from(cohort.ttl_s.unwrap_or_default()));
            let writes = (0..cohort.jobs).map(|number| async move {
                let status = complete(nth_due(first, over, number, cohort.jobs) - ttl, cohort);
                self.write_status(cohort, number, &status).await
            });
            stream::iter(writes).buffer_unordered(AT_ONCE).try_collect::<Vec<()>>().await?;
        }
        Ok(())
    }

    /// A Job, its status, and its pods; the pod driver lets them run.
    async fn running(&self, workload: &Workload, cohort: &Cohort, number: u32) -> Result<(), Trouble> {
        let json = "application/json";
        let namespace = self.namespace(number);
        let job = workload.job(cohort, number, self.manager);
        let request = http::Request::post(format!("/apis/batch/v1/namespaces/{namespace}/jobs"));
        let request = request.header(http::header::CONTENT_TYPE, json);
        let answer = self.call("create a Job", request, job.to_string().into_bytes()).await?;
        let created: Created = serde_json::from_str(&answer).map_err(|error| Trouble::of("read a Job", &error))?;
        for index in 0..cohort.at_once() {
            let pod = pod(workload, cohort, number, &created.metadata.uid, index);
            let path = format!("/api/v1/namespaces/{namespace}/pods?fieldManager=jobsworth-script");
            let request = http::Request::post(path);
            let request = request.header(http::header::CONTENT_TYPE, json);
            self.call("create a pod", request, pod.to_string().into_bytes()).await?;
        }
        let active = cohort.at_once();
        let status = json!({"startTime": Timestamp::now().to_string(), "active": active, "ready": active, "terminating": 0,
            "uncountedTerminatedPods": {}});
        self.write_status(cohort, number, &status).await
    }
}

/// When Job `number` of `jobs` expires; TTLs have whole seconds.
fn nth_due(first: Timestamp, over: Duration, number: u32, jobs: u32) -> Timestamp {
    let after = over.mul_f64(f64::from(number) / f64::from(jobs.max(1))).as_secs();
    first + SignedDuration::from_secs(i64::try_from(after).unwrap_or(i64::MAX))
}

/// A pod as the Job controller makes it.
fn pod(workload: &Workload, cohort: &Cohort, number: u32, uid: &str, index: u32) -> Value {
    let name = job_name(&cohort.name, number);
    let mut labels = json!({
        "batch.kubernetes.io/controller-uid": uid, "controller-uid": uid,
        "batch.kubernetes.io/job-name": name, "job-name": name,
    });
    let mut template = workload.template();
    let mut annotations = template["metadata"]["annotations"].take();
    if cohort.mode == Mode::Indexed {
        labels["batch.kubernetes.io/job-completion-index"] = json!(index.to_string());
        annotations["batch.kubernetes.io/job-completion-index"] = json!(index.to_string());
    }
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": format!("{name}-{index}"), "labels": labels, "annotations": annotations, "finalizers": [TRACKING],
            "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": uid, "controller": true,
                "blockOwnerDeletion": true}],
        },
        "spec": template["spec"].take(),
    })
}

/// The status of a Job that is complete since `at`.
fn complete(at: Timestamp, cohort: &Cohort) -> Value {
    let at = at.to_string();
    let condition = |kind: &str| {
        json!({"type": kind, "status": "True", "reason": "CompletionsReached", "message": "born finished",
            "lastProbeTime": at, "lastTransitionTime": at})
    };
    let mut status = json!({
        "startTime": at, "completionTime": at, "succeeded": cohort.completions, "ready": 0, "terminating": 0,
        "uncountedTerminatedPods": {}, "conditions": [condition("SuccessCriteriaMet"), condition("Complete")],
    });
    if cohort.mode == Mode::Indexed {
        status["completedIndexes"] = match cohort.completions {
            1 => json!("0"),
            more => json!(format!("0-{}", more - 1)),
        };
    }
    status
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::sample;

    #[test]
    fn jobs_expire_in_one_second_or_evenly_over_a_time() {
        let first: Timestamp = "2026-01-01T00:00:00Z".parse().expect("a time");
        let at = |over, number| nth_due(first, Duration::from_secs(over), number, 10).duration_since(first).as_secs();
        assert_eq!([at(0, 0), at(0, 9)], [0, 0]);
        assert_eq!([at(100, 0), at(100, 5), at(100, 9)], [0, 50, 90]);
    }

    #[test]
    fn a_pod_that_was_there_before_is_one_that_the_controller_would_know_as_its_own() {
        let cohort = sample::cohort("running", 1, 5);
        let pod = pod(&sample::workload("indexed-500"), &cohort, 3, "u", 4);
        let meta = &pod["metadata"];
        assert_eq!((&meta["name"], &meta["finalizers"]), (&json!("running-3-4"), &json!([TRACKING])));
        assert_eq!(meta["annotations"]["batch.kubernetes.io/job-completion-index"], "4");
        assert_eq!(meta["labels"]["batch.kubernetes.io/controller-uid"], "u");
        assert_eq!(
            (&meta["ownerReferences"][0]["controller"], &meta["ownerReferences"][0]["uid"]),
            (&json!(true), &json!("u"))
        );
        assert_eq!(pod["spec"]["restartPolicy"], "Never");
    }

    #[test]
    fn a_finished_indexed_job_says_which_indexes_it_completed() {
        let now = Timestamp::UNIX_EPOCH;
        assert_eq!(complete(now, &sample::cohort("a", 1, 5))["completedIndexes"], "0-4");
        assert_eq!(complete(now, &sample::cohort("a", 1, 1))["completedIndexes"], "0");
        let plain = Cohort { mode: Mode::NonIndexed, ..sample::cohort("a", 1, 5) };
        assert!(complete(now, &plain).get("completedIndexes").is_none());
    }
}
