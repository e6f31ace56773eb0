//! Ends of Jobs, pods and indexes, each in its counter.

use crate::words::*;

/// Every end is counted once, under the right labels, and what is finished or another controller's is not counted again.
pub struct This;

const FINISHED: &str = "job_controller_jobs_finished_total";
const PODS: &str = "job_controller_job_pods_finished_total";
const INDEXES: &str = "job_controller_job_finished_indexes_total";
const SYNCS: &str = "job_controller_job_syncs_total";
const SYNC_TIME: &str = "job_controller_job_sync_duration_seconds";
const TRACKED: &str = "job_controller_terminated_pods_tracking_finalizer_total";
const HANDLED: &str = "job_controller_pod_failures_handled_by_failure_policy_total";
const EXTERNAL: &str = "job_controller_jobs_by_external_controller_total";
const TTL: &str = "ttl_after_finished_controller_job_deletion_duration_seconds";
const OTHER: &str = "example.com/metrics";

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "metrics",
                says: "each finished Job, pod and index is counted once, with mode, result and reason; a look at what is finished is not",
            },
            requirements: &[
                "MET-001", "MET-002", "MET-003", "MET-004", "MET-005", "MET-006", "MET-007", "MET-008", "MET-009",
                "MET-010", "MET-014", "MET-016", "MET-017", "MET-018", "MGB-006", "TTL-017", "TTL-018",
            ],
            needs: Needs {
                gates: &["JobSuccessPolicy", "JobManagedBy", "JobBackoffLimitPerIndex"],
                reads_metrics: true,
                stands_alone: true,
                ttl_of_subject: true,
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let before = scene.subject().counts().await?;
        scene.submit(counted(2, 2).named("plain").ttl(1)).await?;
        scene.submit(indexed(2).named("by-index").backoff_limit_per_index(0)).await?;
        scene.submit(indexed(1).named("by-policy").succeeds_when(indexes("0"))).await?;
        let ruled = counted(1, 1).named("ruled").when_a_pod(exits(&[3]).fail_job());
        scene.submit(ruled).await?;
        scene.submit(counted(1, 1).named("foreign").managed_by(OTHER)).await?;
        scene.wait(pods().running(6)).await?;
        scene.pod_of("plain").succeeds().await?;
        scene.pod_of("plain").succeeds().await?;
        scene.pod_of("ruled").fails(3).await?;
        ends(scene, "by-index", "0", End::Exited(0)).await?;
        ends(scene, "by-index", "1", End::Exited(1)).await?;
        ends(scene, "by-policy", "0", End::Exited(0)).await?;
        for name in ["by-index", "by-policy", "ruled"] {
            scene.wait(job_named(name).is_finished()).await?;
        }
        scene.wait(job_named("plain").is_gone()).await?;
        // Whatever was counted for those that have ended is counted by the time that another Job has its pod.
        scene.submit(counted(1, 1).named("last")).await?;
        scene.wait(pods().of("last").running(1).and(job_named("last").ready(1))).await?;
        scene.subject().tells_what_it_counted(&before, "all").await?;
        scene.linger(Duration::from_secs(2), "what is still under way for the last Job comes to its end").await?;
        let quiet = scene.subject().counts().await?;
        for name in ["by-index", "by-policy", "ruled", "foreign"] {
            scene.patch(name, json!({"metadata": {"annotations": {"touched": "yes"}}})).await?;
        }
        scene.linger(Duration::from_secs(2), "a sync that answers the touch comes a second later at most").await?;
        scene.subject().tells_what_it_counted(&quiet, "touched").await
    }

    fn expects(&self) -> Expectations {
        let all = [ends_of_jobs(), ends_of_pods(), syncs(), names()].concat();
        all.into_iter().fold(Expectations::new(), |all, (says, claimed)| all.and(says, eventually(claimed)))
    }
}

type Claims = Vec<(&'static str, Predicate)>;

fn ends_of_jobs() -> Claims {
    let (all, touched) = (counts("all"), counts("touched"));
    let ended = |labels| all.rose(FINISHED, labels, 1);
    vec![
        (
            "a complete Job is counted",
            ended(&[("completion_mode", "NonIndexed"), ("result", "succeeded"), ("reason", "CompletionsReached")]),
        ),
        (
            "one that met its policy",
            ended(&[("completion_mode", "Indexed"), ("result", "succeeded"), ("reason", "SuccessPolicy")]),
        ),
        (
            "one whose index failed",
            ended(&[("completion_mode", "Indexed"), ("result", "failed"), ("reason", "FailedIndexes")]),
        ),
        (
            "one that a rule failed",
            ended(&[("completion_mode", "NonIndexed"), ("result", "failed"), ("reason", "PodFailurePolicy")]),
        ),
        ("and no other", all.rose(FINISHED, &[], 4)),
        ("none of them once more", touched.rose(FINISHED, &[], 0)),
        ("the Job of another controller is counted as such", all.rose(EXTERNAL, &[("controller_name", OTHER)], 1)),
        ("once", touched.rose(EXTERNAL, &[("controller_name", OTHER)], 0)),
        ("the Job that was deleted in time is counted", all.rose(TTL, &[], 1)),
    ]
}

fn ends_of_pods() -> Claims {
    let all = counts("all");
    let pods = |labels, by| all.rose(PODS, labels, by);
    let indexes = |labels| all.rose(INDEXES, labels, 1);
    vec![
        ("two pods have succeeded", pods(&[("completion_mode", "NonIndexed"), ("result", "succeeded")], 2)),
        ("one has failed", pods(&[("completion_mode", "NonIndexed"), ("result", "failed")], 1)),
        ("two of Indexed Jobs have succeeded", pods(&[("completion_mode", "Indexed"), ("result", "succeeded")], 2)),
        ("one of them has failed", pods(&[("completion_mode", "Indexed"), ("result", "failed")], 1)),
        (
            "an index with a limit of its own has succeeded",
            indexes(&[("status", "succeeded"), ("backoffLimit", "perIndex")]),
        ),
        ("and one has failed", indexes(&[("status", "failed"), ("backoffLimit", "perIndex")])),
        ("an index without has succeeded", indexes(&[("status", "succeeded"), ("backoffLimit", "global")])),
        ("a rule has handled a failure", all.rose(HANDLED, &[("action", "FailJob")], 1)),
        ("and no other rule another one", all.rose(HANDLED, &[], 1)),
        ("six pods have ended and were held", all.rose(TRACKED, &[("event", "add")], 6)),
        ("and were let go of", all.rose(TRACKED, &[("event", "delete")], 6)),
    ]
}

fn syncs() -> Claims {
    let (all, touched) = (counts("all"), counts("touched"));
    let made = |labels, by| all.rose_by_at_least(SYNCS, labels, by);
    vec![
        ("syncs of three Jobs made pods", made(&[("completion_mode", "NonIndexed"), ("action", "pods_created")], 3)),
        ("and of two Indexed ones", made(&[("completion_mode", "Indexed"), ("action", "pods_created")], 2)),
        ("decided Jobs are looked at without scaling", made(&[("action", "reconciling")], 1)),
        ("and some looks find nothing to do", made(&[("action", "tracking")], 1)),
        ("none deleted pods", all.rose(SYNCS, &[("action", "pods_deleted")], 0)),
        ("every sync has its time", all.rose_alike(SYNCS, SYNC_TIME)),
        ("times are sorted by powers of two from 4 ms on", all.doubles(SYNC_TIME, 0.004, 15)),
        ("the lateness of deletions from a tenth of a second on", all.doubles(TTL, 0.1, 14)),
        ("finished and foreign Jobs have no syncs", touched.rose(SYNCS, &[], 0)),
    ]
}

fn names() -> Claims {
    let all = counts("all");
    vec![
        ("the queue of Jobs is shown", all.shows("workqueue_depth", &[("name", "job")])),
        ("the one of orphans", all.shows("workqueue_depth", &[("name", "job_orphan_pod")])),
        (
            "the one of Jobs to delete",
            all.rose_by_at_least("workqueue_adds_total", &[("name", "ttl_jobs_to_delete")], 1),
        ),
        ("what comes in is counted", all.rose_by_at_least("workqueue_adds_total", &[("name", "job")], 5)),
        ("how long it waits", all.rose_by_at_least("workqueue_queue_duration_seconds", &[("name", "job")], 5)),
        ("how long it takes", all.rose_by_at_least("workqueue_work_duration_seconds", &[("name", "job")], 5)),
        ("and how often it comes back", all.shows("workqueue_retries_total", &[("name", "job")])),
        ("a limiter that is no more is not shown", all.lacks("ttl_after_finished_controller_rate_limiter_use")),
    ]
}

/// The pod of this index of the Job of this name ends so.
async fn ends(scene: &mut Scene, job: &'static str, index: &'static str, end: End) -> Result<(), Stop> {
    let prefix = format!("{job}-{index}-");
    let name = scene.world().pods().filter_map(|pod| pod.metadata.name.clone()).find(|name| name.starts_with(&prefix));
    scene.pod_named(&name.unwrap_or(prefix)).ends(end).await
}
