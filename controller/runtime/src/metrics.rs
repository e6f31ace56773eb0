//! The families of metrics that every controller on this runtime has, and the text in which all of them are scraped.
//!
//! A metric is a field, and its labels are a type: what is not defined cannot be counted. The names are those of Kubernetes' own
//! components where they have such a metric, else they begin with `jobsworth_`.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

mod buckets;
mod queue;

pub use buckets::Buckets;
use queue::QueueFamilies;
pub use queue::QueueMetrics;

/// The content type of [`Exposition::text`]: OpenMetrics 1.0, which Prometheus reads since 2.5.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Labels of [`Metrics::requests`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct RequestLabels {
    /// `create`, `delete`, `patch` or `update`.
    pub verb: &'static str,
    /// What came of it, in one word.
    pub outcome: &'static str,
}

/// Labels of [`Metrics::client_requests`], as those of `client-go`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ClientRequestLabels {
    /// The HTTP status of the answer, or `<error>` where none came.
    pub code: String,
    /// The HTTP method.
    pub method: String,
}

/// Labels of [`Metrics::panics_survived`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct PartLabels {
    /// The part of the program.
    pub part: &'static str,
}

/// Labels of [`Metrics::unreadable_objects`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ResourceLabels {
    /// [`Resource::NAME`](crate::feed::Resource::NAME).
    pub resource: &'static str,
}

/// Labels of [`Metrics::leader_election_master_status`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct LeaseLabels {
    /// The name of the Lease.
    pub name: String,
}

/// The families that every controller on this runtime has.
#[derive(Debug)]
pub struct Metrics {
    /// `jobsworth_events_dropped_total`.
    pub events_dropped: Counter,
    /// `jobsworth_panics_survived_total`.
    pub panics_survived: Family<PartLabels, Counter>,
    /// `rest_client_requests_total`: every request that was sent, whatever it was for, watches too. As `client-go`'s.
    pub client_requests: Family<ClientRequestLabels, Counter>,
    /// `jobsworth_requests_total`: what was decided to be done, by what came of it.
    pub requests: Family<RequestLabels, Counter>,
    /// `jobsworth_unreadable_objects_total`.
    pub unreadable_objects: Family<ResourceLabels, Counter>,
    /// `leader_election_master_status`: 1 while this instance holds the lease, else 0. As `client-go`'s.
    pub leader_election_master_status: Family<LeaseLabels, Gauge>,
    /// `process_start_time_seconds`, in whole seconds since the epoch.
    pub process_start_time_seconds: Gauge,
    queues: QueueFamilies,
    refreshers: Mutex<Vec<Refresh>>,
}

/// What brings a gauge up to date before it is shown.
#[derive(Clone)]
struct Refresh(Arc<dyn Fn() + Send + Sync>);

impl fmt::Debug for Refresh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Refresh")
    }
}

impl Metrics {
    /// New families, registered under their names.
    fn register(registry: &mut Registry) -> Self {
        let metrics = Self {
            events_dropped: Counter::default(),
            panics_survived: Family::default(),
            client_requests: Family::default(),
            requests: Family::default(),
            unreadable_objects: Family::default(),
            leader_election_master_status: Family::default(),
            process_start_time_seconds: Gauge::default(),
            queues: QueueFamilies::register(registry),
            refreshers: Mutex::default(),
        };
        // Counters get the suffix `_total` when they are shown, and each help a full stop.
        let help = "Kubernetes Events that were not sent because too many waited";
        registry.register("jobsworth_events_dropped", help, metrics.events_dropped.clone());
        let help = "Panics that concerned one object and stopped nothing else, by part";
        registry.register("jobsworth_panics_survived", help, metrics.panics_survived.clone());
        let help = "Requests that were sent to the API server, by status code and method";
        registry.register("rest_client_requests", help, metrics.client_requests.clone());
        let help = "Requests to the API server, by verb and outcome";
        registry.register("jobsworth_requests", help, metrics.requests.clone());
        let help = "Versions of objects that could not be read as a whole, by resource";
        registry.register("jobsworth_unreadable_objects", help, metrics.unreadable_objects.clone());
        let help = "Whether this instance holds the lease";
        registry.register("leader_election_master_status", help, metrics.leader_election_master_status.clone());
        let help = "When the process started, in seconds since the epoch";
        registry.register("process_start_time_seconds", help, metrics.process_start_time_seconds.clone());
        metrics
    }

    /// The series of the queue of this name; asked for twice, they are the same.
    /// (MET-017)
    #[must_use]
    pub fn queue(&self, name: &'static str) -> QueueMetrics {
        self.queues.of(name)
    }

    /// Has `refresh` called before each scrape, for gauges that move by themselves.
    pub fn before_each_scrape(&self, refresh: impl Fn() + Send + Sync + 'static) {
        self.refreshers.lock().unwrap_or_else(PoisonError::into_inner).push(Refresh(Arc::new(refresh)));
    }

    fn refresh(&self) {
        let all = self.refreshers.lock().unwrap_or_else(PoisonError::into_inner).clone();
        all.iter().for_each(|Refresh(refresh)| refresh());
    }
}

/// Everything that is scraped.
#[derive(Debug)]
pub struct Exposition {
    registry: Registry,
    runtime: Arc<Metrics>,
}

impl Exposition {
    /// The families of the runtime, and those that `register` adds.
    #[must_use]
    pub fn with<T>(register: impl FnOnce(&mut Registry) -> T) -> (Self, T) {
        let mut registry = Registry::default();
        let runtime = Arc::new(Metrics::register(&mut registry));
        let added = register(&mut registry);
        (Self { registry, runtime }, added)
    }

    /// The families of the runtime.
    #[must_use]
    pub fn runtime(&self) -> &Arc<Metrics> {
        &self.runtime
    }

    /// Everything, as [`CONTENT_TYPE`] says. Families with labels are there once they have a series. The series of a family are
    /// in no order.
    /// Only families that are registered: what upstream retired is not there (MET-018).
    #[must_use]
    pub fn text(&self) -> String {
        self.runtime.refresh();
        let mut shown = String::new();
        if text::encode(&mut shown, &self.registry).is_err() {
            // Without its last line the text is refused as incomplete by whoever reads it.
            tracing::error!("the metrics cannot be written");
        }
        shown
    }
}

/// The families of the runtime only.
impl Default for Exposition {
    fn default() -> Self {
        Self::with(|_| ()).0
    }
}

#[cfg(test)]
mod tests;
