//! What is counted beside what the runtime counts (VJ-194).

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use jobsworth_controller_runtime::key::Key;
use jobsworth_controller_runtime::metrics::{self, Buckets, Exposition};
use jobsworth_volcano_core::Phase;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;

const SYNC_BUCKETS: Buckets = Buckets { first: 0.004, factor: 2.0, count: 15 };

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct JobLabels {
    job_name: String,
    queue_name: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct SyncLabels {
    result: &'static str,
}

/// All metrics of the program.
#[derive(Debug)]
pub struct Metrics {
    exposition: Arc<Exposition>,
    families: Families,
}

#[derive(Debug)]
struct Families {
    // Counters in all but name: OpenMetrics puts `_total` behind that of a counter, and Volcano's have none.
    completed: Family<JobLabels, Gauge>,
    failed: Family<JobLabels, Gauge>,
    syncs: Family<SyncLabels, Histogram, Buckets>,
    gathering: Gauge<f64, AtomicU64>,
}

impl Default for Metrics {
    fn default() -> Self {
        let (exposition, families) = Exposition::with(|registry| {
            let (completed, failed) = (Family::default(), Family::default());
            let syncs: Family<SyncLabels, Histogram, Buckets> = Family::new_with_constructor(SYNC_BUCKETS);
            registry.register("volcano_job_completed_phase_count", "Jobs that completed", completed.clone());
            registry.register("volcano_job_failed_phase_count", "Jobs that failed", failed.clone());
            registry.register("volcano_job_sync_duration_seconds", "Time of a sync of a job", syncs.clone());
            let gathering: Gauge<f64, AtomicU64> = Gauge::default();
            let help = "Time for which changes around a job are gathered before it is synced";
            registry.register("volcano_job_gathering_seconds", help, gathering.clone());
            Families { completed, failed, syncs, gathering }
        });
        Self { exposition: Arc::new(exposition), families }
    }
}

impl Metrics {
    /// What is served.
    #[must_use]
    pub fn exposition(&self) -> &Arc<Exposition> {
        &self.exposition
    }

    /// The families of the runtime.
    #[must_use]
    pub fn runtime(&self) -> &Arc<metrics::Metrics> {
        self.exposition.runtime()
    }

    /// A job reached its end (VJ-194).
    pub fn ended(&self, job: &Key, queue: &str, phase: Phase) {
        let labels = labels(job, queue);
        match phase {
            Phase::Completed => self.families.completed.get_or_create(&labels).inc(),
            Phase::Failed => self.families.failed.get_or_create(&labels).inc(),
            _ => return,
        };
    }

    /// A job is gone, and its series with it (VJ-194).
    pub fn forget(&self, job: &Key, queue: &str) {
        let labels = labels(job, queue);
        self.families.completed.remove(&labels);
        self.families.failed.remove(&labels);
    }

    /// Changes around a job are gathered for so long before it is synced.
    pub fn gathers_for(&self, time: Duration) {
        self.families.gathering.set(time.as_secs_f64());
    }

    /// A sync took this time.
    pub fn synced(&self, failed: bool, took: Duration) {
        let labels = SyncLabels { result: if failed { "error" } else { "success" } };
        self.families.syncs.get_or_create(&labels).observe(took.as_secs_f64());
    }
}

fn labels(job: &Key, queue: &str) -> JobLabels {
    JobLabels { job_name: job.to_string(), queue_name: queue.to_owned() }
}
