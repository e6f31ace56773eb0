//! The families of work queues, under the names of `client-go`'s (`k8s.io/component-base/metrics/prometheus/workqueue`).

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use super::buckets::Buckets;

/// As upstream: ten buckets from 10 ns to 10 s.
const BUCKETS: Buckets = Buckets { first: 1e-8, factor: 10.0, count: 10 };

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct QueueLabels {
    name: &'static str,
}

type Seconds = Gauge<f64, AtomicU64>;

/// The families of all queues.
#[derive(Debug)]
pub(super) struct QueueFamilies {
    adds: Family<QueueLabels, Counter>,
    depth: Family<QueueLabels, Gauge>,
    longest_running: Family<QueueLabels, Seconds>,
    waited: Family<QueueLabels, Histogram, Buckets>,
    retries: Family<QueueLabels, Counter>,
    unfinished: Family<QueueLabels, Seconds>,
    worked: Family<QueueLabels, Histogram, Buckets>,
}

impl QueueFamilies {
    pub(super) fn register(registry: &mut Registry) -> Self {
        let families = Self {
            adds: Family::default(),
            depth: Family::default(),
            longest_running: Family::default(),
            waited: Family::new_with_constructor(BUCKETS),
            retries: Family::default(),
            unfinished: Family::default(),
            worked: Family::new_with_constructor(BUCKETS),
        };
        let Self { adds, depth, longest_running, waited, retries, unfinished, worked } = &families;
        let help = "Keys whose time came, each once until a worker takes it";
        registry.register("workqueue_adds", help, adds.clone());
        let help = "Keys whose time has come and that no worker has taken";
        registry.register("workqueue_depth", help, depth.clone());
        let help = "Time for which a worker has had its key, the longest";
        registry.register("workqueue_longest_running_processor_seconds", help, longest_running.clone());
        let help = "Time that a due key waited for a worker";
        registry.register("workqueue_queue_duration_seconds", help, waited.clone());
        let help = "Keys added with a delay, after a failure or for another reason";
        registry.register("workqueue_retries", help, retries.clone());
        let help = "Time for which workers have had their keys, in sum";
        registry.register("workqueue_unfinished_work_seconds", help, unfinished.clone());
        registry.register("workqueue_work_duration_seconds", "Time that a worker had a key", worked.clone());
        families
    }

    pub(super) fn of(&self, name: &'static str) -> QueueMetrics {
        let labels = QueueLabels { name };
        QueueMetrics {
            adds: self.adds.get_or_create_owned(&labels),
            depth: self.depth.get_or_create_owned(&labels),
            longest_running: self.longest_running.get_or_create_owned(&labels),
            waited: self.waited.get_or_create_owned(&labels),
            retries: self.retries.get_or_create_owned(&labels),
            unfinished: self.unfinished.get_or_create_owned(&labels),
            worked: self.worked.get_or_create_owned(&labels),
        }
    }
}

/// The series of one queue (MET-017). They are there, at 0, from the time on at which the queue is.
#[derive(Clone, Debug)]
pub struct QueueMetrics {
    adds: Counter,
    depth: Gauge,
    longest_running: Seconds,
    waited: Histogram,
    retries: Counter,
    unfinished: Seconds,
    worked: Histogram,
}

impl QueueMetrics {
    /// The time of a key has come.
    /// (MET-017)
    pub fn added(&self) {
        self.adds.inc();
    }

    /// A key was added with a delay. Upstream counts all of them, not only those after a failure.
    /// (MET-017)
    pub fn retried(&self) {
        self.retries.inc();
    }

    /// A worker took a key that had been due for so long.
    pub fn taken(&self, waited: Duration) {
        self.waited.observe(waited.as_secs_f64());
    }

    /// A worker had a key for so long.
    pub fn worked(&self, took: Duration) {
        self.worked.observe(took.as_secs_f64());
    }

    /// So many keys are due and in no worker's hands.
    /// (MET-017)
    pub fn set_depth(&self, keys: usize) {
        self.depth.set(i64::try_from(keys).unwrap_or(i64::MAX));
    }

    /// For how long workers have had the keys that they have now: in sum, and the longest.
    pub fn set_under_way(&self, total: Duration, longest: Duration) {
        self.unfinished.set(total.as_secs_f64());
        self.longest_running.set(longest.as_secs_f64());
    }
}
