//! Counters and histograms of the Job and TTL controllers, under the names, labels and buckets of the built-in ones
//! (MET-001 to MET-016).

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jobsworth_controller_runtime::metrics::{self, Buckets, Exposition};
use jobsworth_core::Sample;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// So many values of `spec.managedBy` have a series of their own; whoever may create a Job can make up more.
const MANAGERS_AT_MOST: usize = 64;
/// The value for those beyond. No manager can be named like this: their names have a slash.
const OTHER_MANAGERS: &str = "other";

const SYNC_BUCKETS: Buckets = Buckets { first: 0.004, factor: 2.0, count: 15 };
const TTL_BUCKETS: Buckets = Buckets { first: 0.1, factor: 2.0, count: 14 };

/// The queues of both controllers, named as the built-in controllers' (MET-017).
pub(crate) mod queue {
    pub const SYNC: &str = "job";
    pub const ORPHANS: &str = "job_orphan_pod";
    pub const TTL: &str = "ttl_jobs_to_delete";
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
#[expect(non_snake_case, reason = "a label is named as its field, and upstream's is named so")]
struct IndexLabels {
    status: &'static str,
    backoffLimit: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CreationLabels {
    reason: &'static str,
    status: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PodLabels {
    completion_mode: &'static str,
    result: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct JobLabels {
    completion_mode: &'static str,
    result: &'static str,
    reason: String,
}

/// What a sync is counted by.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct SyncLabels {
    /// `Indexed` or `NonIndexed`.
    pub completion_mode: &'static str,
    /// `success` or `error`.
    pub result: &'static str,
    /// What the sync did, see [`Effort`](jobsworth_core::Effort).
    pub action: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ManagerLabels {
    controller_name: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PolicyLabels {
    action: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct TrackingLabels {
    event: &'static str,
}

/// What became of the tracking finalizer of a pod that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tracking {
    /// It has it now.
    Added,
    /// It has it no more.
    Deleted,
}

/// All metrics of the program.
#[derive(Debug)]
pub struct Metrics {
    exposition: Arc<Exposition>,
    families: Families,
    managers: Mutex<BTreeSet<String>>,
}

/// What the runtime does not have.
#[derive(Debug)]
struct Families {
    finished_indexes: Family<IndexLabels, Counter>,
    pods_creation: Family<CreationLabels, Counter>,
    pods_finished: Family<PodLabels, Counter>,
    sync_duration: Family<SyncLabels, Histogram, Buckets>,
    syncs: Family<SyncLabels, Counter>,
    jobs_by_external_controller: Family<ManagerLabels, Counter>,
    jobs_finished: Family<JobLabels, Counter>,
    failures_handled: Family<PolicyLabels, Counter>,
    stale_sync_skips: Counter,
    terminated_tracked: Family<TrackingLabels, Counter>,
    ttl_deletion: Histogram,
}

impl Families {
    fn register(registry: &mut Registry) -> Self {
        let families = Self {
            finished_indexes: Family::default(),
            pods_creation: Family::default(),
            pods_finished: Family::default(),
            sync_duration: Family::new_with_constructor(SYNC_BUCKETS),
            syncs: Family::default(),
            jobs_by_external_controller: Family::default(),
            jobs_finished: Family::default(),
            failures_handled: Family::default(),
            stale_sync_skips: Counter::default(),
            terminated_tracked: Family::default(),
            ttl_deletion: Histogram::new(TTL_BUCKETS.bounds()),
        };
        families.show_counters(registry);
        let help = "Time of a sync of a Job";
        registry.register("job_controller_job_sync_duration_seconds", help, families.sync_duration.clone());
        let help = "Time from the expiry of a Job to its deletion";
        let name = "ttl_after_finished_controller_job_deletion_duration_seconds";
        registry.register(name, help, families.ttl_deletion.clone());
        families
    }

    /// The suffix `_total` comes by itself.
    fn show_counters(&self, registry: &mut Registry) {
        let help = "Finished indexes, by status and kind of back-off limit";
        registry.register("job_controller_job_finished_indexes", help, self.finished_indexes.clone());
        let help = "Pods created, by reason and status";
        registry.register("job_controller_job_pods_creation", help, self.pods_creation.clone());
        let help = "Finished pods that are fully tracked";
        registry.register("job_controller_job_pods_finished", help, self.pods_finished.clone());
        registry.register("job_controller_job_syncs", "Syncs of Jobs", self.syncs.clone());
        let (name, help) = ("job_controller_jobs_by_external_controller", "Jobs managed by an external controller");
        registry.register(name, help, self.jobs_by_external_controller.clone());
        registry.register("job_controller_jobs_finished", "Finished Jobs", self.jobs_finished.clone());
        let (name, help) = ("job_controller_pod_failures_handled_by_failure_policy", "Failed pods that a rule matched");
        registry.register(name, help, self.failures_handled.clone());
        let help = "Syncs put off because the cache was behind own writes";
        registry.register("job_controller_stale_sync_skips", help, self.stale_sync_skips.clone());
        let (name, help) =
            ("job_controller_terminated_pods_tracking_finalizer", "Ended pods that got or lost the finalizer");
        registry.register(name, help, self.terminated_tracked.clone());
    }
}

/// All at zero. The queues are shown although a standby has none yet.
impl Default for Metrics {
    fn default() -> Self {
        let (exposition, families) = Exposition::with(Families::register);
        for name in [queue::SYNC, queue::ORPHANS, queue::TTL] {
            let _shown = exposition.runtime().queue(name);
        }
        Self { exposition: Arc::new(exposition), families, managers: Mutex::default() }
    }
}

impl Metrics {
    /// What is scraped.
    #[must_use]
    pub fn exposition(&self) -> &Arc<Exposition> {
        &self.exposition
    }

    /// The metrics of the runtime.
    #[must_use]
    pub fn runtime(&self) -> &Arc<metrics::Metrics> {
        self.exposition.runtime()
    }

    /// Everything as text, see [`Exposition::text`].
    #[must_use]
    pub fn text(&self) -> String {
        self.exposition.text()
    }

    /// A sync came to its end.
    /// (MET-001 to MET-004)
    pub fn synced(&self, labels: &SyncLabels, took: Duration) {
        self.families.sync_duration.get_or_create(labels).observe(took.as_secs_f64());
        self.families.syncs.get_or_create(labels).inc();
    }

    /// Counts what a decision or a call left to be counted, for a Job of this completion mode.
    /// (MET-005, MET-007, MET-008, MET-010, MET-011, MET-013, MET-015)
    pub fn record(&self, completion_mode: &'static str, sample: &Sample) {
        let Families { finished_indexes, pods_creation, pods_finished, .. } = &self.families;
        let result = |succeeded| if succeeded { "succeeded" } else { "failed" };
        match sample {
            Sample::JobFinished { succeeded, reason } => {
                let labels = JobLabels { completion_mode, result: result(*succeeded), reason: reason.clone() };
                self.families.jobs_finished.get_or_create(&labels).inc();
            }
            Sample::PodsFinished { succeeded, failed } => {
                for (result, by) in [("succeeded", *succeeded), ("failed", *failed)] {
                    add(pods_finished, &PodLabels { completion_mode, result }, by);
                }
            }
            Sample::IndexesFinished { succeeded, failed, per_index } => {
                let limit = if *per_index { "perIndex" } else { "global" };
                for (status, by) in [("succeeded", *succeeded), ("failed", *failed)] {
                    add(finished_indexes, &IndexLabels { status, backoffLimit: limit }, by);
                }
            }
            Sample::FailureHandled { action, count } => {
                add(&self.families.failures_handled, &PolicyLabels { action }, *count);
            }
            Sample::PodCreation { reason, succeeded } => {
                add(pods_creation, &CreationLabels { reason, status: result(*succeeded) }, 1);
            }
            Sample::StaleSyncSkipped => {
                self.families.stale_sync_skips.inc();
            }
        }
    }

    /// A Job that another controller manages was seen for the first time. As upstream, the label is the name that the user
    /// chose; other than upstream, there is an end to it.
    /// (MET-014)
    pub fn managed_by(&self, manager: &str) {
        let mut known = self.managers.lock().unwrap_or_else(PoisonError::into_inner);
        let shown = if known.contains(manager) {
            manager
        } else if known.len() < MANAGERS_AT_MOST {
            known.insert(manager.to_owned());
            manager
        } else {
            OTHER_MANAGERS
        };
        let labels = ManagerLabels { controller_name: shown.to_owned() };
        self.families.jobs_by_external_controller.get_or_create(&labels).inc();
    }

    /// A pod that has ended got or lost the tracking finalizer.
    /// (MET-009)
    pub fn tracked(&self, tracking: Tracking) {
        let event = match tracking {
            Tracking::Added => "add",
            Tracking::Deleted => "delete",
        };
        self.families.terminated_tracked.get_or_create(&TrackingLabels { event }).inc();
    }

    /// An expired Job was deleted so long after its expiry.
    /// (MET-016)
    pub fn deleted_after(&self, overdue: Duration) {
        self.families.ttl_deletion.observe(overdue.as_secs_f64());
    }
}

/// A series appears when there is something to count.
fn add<L>(family: &Family<L, Counter>, labels: &L, by: u64)
where
    L: Clone + std::hash::Hash + Eq,
{
    if by > 0 {
        family.get_or_create(labels).inc_by(by);
    }
}

#[cfg(test)]
mod tests;
