//! Names, labels and bounds as the built-in controllers have them.

use super::*;

/// (MET-001, MET-016)
#[test]
fn the_buckets_of_a_sync_are_those_of_the_built_in_controller() {
    let bounds: Vec<f64> = SYNC_BUCKETS.bounds().collect();
    assert_eq!((bounds.len(), bounds[0], bounds[14]), (15, 0.004, 65.536));
    let last = TTL_BUCKETS.bounds().last().unwrap();
    assert!((last - 819.2).abs() < 1e-9);
}

#[test]
fn a_histogram_counts_into_every_bucket_from_its_value_on() {
    let metrics = Metrics::default();
    let labels = SyncLabels { completion_mode: "Indexed", result: "success", action: "reconciling" };
    metrics.synced(&labels, Duration::from_millis(10));
    let text = metrics.text();
    let labels = "completion_mode=\"Indexed\",result=\"success\",action=\"reconciling\"";
    for line in [
        "# TYPE job_controller_job_sync_duration_seconds histogram".to_owned(),
        format!("job_controller_job_sync_duration_seconds_bucket{{le=\"0.008\",{labels}}} 0"),
        format!("job_controller_job_sync_duration_seconds_bucket{{le=\"0.016\",{labels}}} 1"),
        format!("job_controller_job_sync_duration_seconds_bucket{{le=\"+Inf\",{labels}}} 1"),
        format!("job_controller_job_sync_duration_seconds_count{{{labels}}} 1"),
        "# TYPE job_controller_job_syncs counter".to_owned(),
        format!("job_controller_job_syncs_total{{{labels}}} 1"),
    ] {
        assert!(text.lines().any(|shown| shown == line), "{line}\n{text}");
    }
}

/// Every family with labels is there once, under the name and labels of upstream (MET-005, MET-007 to MET-011, MET-015).
#[test]
fn what_is_counted_has_the_names_and_labels_of_upstream() {
    let metrics = Metrics::default();
    let samples = [
        Sample::JobFinished { succeeded: false, reason: "Backoff\"\n".to_owned() },
        Sample::PodsFinished { succeeded: 2, failed: 0 },
        Sample::IndexesFinished { succeeded: 0, failed: 3, per_index: true },
        Sample::FailureHandled { action: "Ignore", count: 4 },
        Sample::PodCreation { reason: "new", succeeded: true },
        Sample::StaleSyncSkipped,
    ];
    samples.iter().for_each(|sample| metrics.record("Indexed", sample));
    metrics.tracked(Tracking::Deleted);
    let text = metrics.text();
    let job = "completion_mode=\"Indexed\",result=\"failed\",reason=\"Backoff\\\"\\n\"";
    for line in [
        &format!("job_controller_jobs_finished_total{{{job}}} 1"),
        "job_controller_job_pods_finished_total{completion_mode=\"Indexed\",result=\"succeeded\"} 2",
        "job_controller_job_finished_indexes_total{status=\"failed\",backoffLimit=\"perIndex\"} 3",
        "job_controller_pod_failures_handled_by_failure_policy_total{action=\"Ignore\"} 4",
        "job_controller_job_pods_creation_total{reason=\"new\",status=\"succeeded\"} 1",
        "job_controller_stale_sync_skips_total 1",
        "job_controller_terminated_pods_tracking_finalizer_total{event=\"delete\"} 1",
        "ttl_after_finished_controller_job_deletion_duration_seconds_count 0",
        "workqueue_depth{name=\"job\"} 0",
    ] {
        assert!(text.lines().any(|shown| shown == line), "{line}\n{text}");
    }
    assert!(!text.contains("result=\"failed\"} 0"), "what is not counted has no series: {text}");
}

/// (MET-014)
#[test]
fn names_that_users_make_up_share_a_series_beyond_sixty_four() {
    let metrics = Metrics::default();
    for number in 0..1000 {
        metrics.managed_by(&format!("example.com/{number:04}"));
    }
    metrics.managed_by("example.com/0000");
    let text = metrics.text();
    let of = |name: &str| format!("job_controller_jobs_by_external_controller_total{{controller_name=\"{name}\"}}");
    let lines: Vec<_> = text.lines().filter(|line| line.starts_with("job_controller_jobs_by_external")).collect();
    assert_eq!(lines.len(), 65);
    for line in [
        format!("{} 2", of("example.com/0000")),
        format!("{} 1", of("example.com/0063")),
        format!("{} 936", of("other")),
    ] {
        assert!(lines.contains(&line.as_str()), "{line}\n{text}");
    }
}
