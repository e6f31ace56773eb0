//! Counters, gauges and histograms under the names, labels and buckets of the built-in controllers (MET-001 to MET-017).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// So many values of `spec.managedBy` have a series of their own; whoever may create a Job can make up more.
const MANAGERS_AT_MOST: usize = 64;
/// The value for those beyond. No manager can be named like this: their names have a slash.
const OTHER_MANAGERS: &str = "other";

/// The families, in the order in which they are shown.
static FAMILIES: &[Family] = &[
    Family::counter(
        "job_controller_job_finished_indexes_total",
        "Finished indexes, by status and kind of back-off limit",
    ),
    Family::counter("job_controller_job_pods_creation_total", "Pods created, by reason and status"),
    Family::counter("job_controller_job_pods_finished_total", "Finished pods that are fully tracked"),
    Family::histogram("job_controller_job_sync_duration_seconds", "Time of a sync of a Job", SYNC_BUCKETS),
    Family::counter("job_controller_job_syncs_total", "Syncs of Jobs"),
    Family::counter("job_controller_jobs_by_external_controller_total", "Jobs managed by an external controller"),
    Family::counter("job_controller_jobs_finished_total", "Finished Jobs"),
    Family::counter("job_controller_pod_failures_handled_by_failure_policy_total", "Failed pods that a rule matched"),
    Family::counter("job_controller_stale_sync_skips_total", "Syncs put off because the cache was behind own writes"),
    Family::counter(
        "job_controller_terminated_pods_tracking_finalizer_total",
        "Ended pods that got or lost the finalizer",
    ),
    Family::counter("jobsworth_events_dropped_total", "Kubernetes Events that were not sent because too many waited"),
    Family::counter(
        "jobsworth_panics_survived_total",
        "Panics that concerned one object and stopped nothing else, by part",
    ),
    Family::counter("jobsworth_requests_total", "Requests to the API server, by verb, resource and outcome"),
    Family::counter(
        "jobsworth_unreadable_objects_total",
        "Versions of objects that could not be read as a whole, by resource",
    ),
    Family::gauge("leader_election_master_status", "Whether this instance holds the lease"),
    Family::gauge("process_start_time_seconds", "When the process started, in seconds since the epoch"),
    Family::histogram(
        "ttl_after_finished_controller_job_deletion_duration_seconds",
        "Time from the expiry of a Job to its deletion",
        TTL_BUCKETS,
    ),
    Family::counter("workqueue_adds_total", "Keys whose time came, each once until a worker takes it"),
    Family::gauge("workqueue_depth", "Keys whose time has come and that no worker has taken"),
    Family::gauge(
        "workqueue_longest_running_processor_seconds",
        "Time for which a worker has had its key, the longest",
    ),
    Family::histogram("workqueue_queue_duration_seconds", "Time that a due key waited for a worker", QUEUE_BUCKETS),
    Family::counter("workqueue_retries_total", "Keys added with a delay, after a failure or for another reason"),
    Family::gauge("workqueue_unfinished_work_seconds", "Time for which workers have had their keys, in sum"),
    Family::histogram("workqueue_work_duration_seconds", "Time that a worker had a key", QUEUE_BUCKETS),
];

const SYNC_BUCKETS: Buckets = Buckets { first: 0.004, factor: 2.0, count: 15 };
const TTL_BUCKETS: Buckets = Buckets { first: 0.1, factor: 2.0, count: 14 };
const QUEUE_BUCKETS: Buckets = Buckets { first: 1e-8, factor: 10.0, count: 10 };

#[derive(Clone, Copy, Debug)]
struct Buckets {
    first: f64,
    factor: f64,
    count: u8,
}

impl Buckets {
    fn bounds(self) -> impl Iterator<Item = f64> {
        (0..self.count).map(move |k| self.first * self.factor.powi(i32::from(k)))
    }
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Counter,
    Gauge,
    Histogram(Buckets),
}

#[derive(Debug)]
struct Family {
    name: &'static str,
    help: &'static str,
    kind: Kind,
}

impl Family {
    const fn counter(name: &'static str, help: &'static str) -> Self {
        Self { name, help, kind: Kind::Counter }
    }

    const fn gauge(name: &'static str, help: &'static str) -> Self {
        Self { name, help, kind: Kind::Gauge }
    }

    const fn histogram(name: &'static str, help: &'static str, buckets: Buckets) -> Self {
        Self { name, help, kind: Kind::Histogram(buckets) }
    }
}

/// Labels of one series, in the order in which they are shown.
pub type Labels<'a> = &'a [(&'static str, &'a str)];

/// All series of the process.
#[derive(Debug, Default)]
pub struct Metrics {
    series: Mutex<BTreeMap<(&'static str, String), Series>>,
    managers: Mutex<BTreeSet<String>>,
    looks: Mutex<Vec<Look>>,
}

/// What brings a gauge up to date before it is shown.
#[derive(Clone)]
struct Look(Arc<dyn Fn(&Metrics) + Send + Sync>);

impl fmt::Debug for Look {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Look")
    }
}

#[derive(Debug)]
enum Series {
    Value(f64),
    Histogram { counts: Vec<u64>, sum: f64, count: u64 },
}

impl Metrics {
    /// Raises a counter.
    pub fn count(&self, name: &'static str, labels: Labels<'_>, by: u64) {
        #[expect(clippy::cast_precision_loss, reason = "a counter beyond 2^53 loses units, as in every exporter")]
        let by = by as f64;
        self.with(name, labels, |series| {
            if let Series::Value(value) = series {
                *value += by;
            }
        });
    }

    /// Sets a gauge.
    pub fn set(&self, name: &'static str, labels: Labels<'_>, to: f64) {
        self.with(name, labels, |series| *series = Series::Value(to));
    }

    /// Adds a duration to a histogram.
    /// (MET-001, MET-016)
    pub fn observe(&self, name: &'static str, labels: Labels<'_>, took: Duration) {
        let seconds = took.as_secs_f64();
        let Some(Kind::Histogram(buckets)) = kind(name) else { return };
        self.with(name, labels, |series| {
            if let Series::Histogram { counts, sum, count } = series {
                for (held, bound) in counts.iter_mut().zip(buckets.bounds()) {
                    *held = held.saturating_add(u64::from(seconds <= bound));
                }
                *sum += seconds;
                *count = count.saturating_add(1);
            }
        });
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
        self.count("job_controller_jobs_by_external_controller_total", &[("controller_name", shown)], 1);
    }

    /// Keys whose time has come and that no worker has taken.
    /// (MET-017)
    pub fn queue_depth(&self, queue: &str, depth: usize) {
        #[expect(clippy::cast_precision_loss, reason = "a queue of 2^53 keys does not fit into memory")]
        self.set("workqueue_depth", &[("name", queue)], depth as f64);
    }

    /// The time of a key in a queue has come.
    /// (MET-017)
    pub fn queue_add(&self, queue: &str) {
        self.count("workqueue_adds_total", &[("name", queue)], 1);
    }

    /// A worker took a key that had been due for so long.
    pub fn queue_taken(&self, queue: &str, waited: Duration) {
        self.observe("workqueue_queue_duration_seconds", &[("name", queue)], waited);
    }

    /// A worker had a key for so long.
    pub fn queue_worked(&self, queue: &str, took: Duration) {
        self.observe("workqueue_work_duration_seconds", &[("name", queue)], took);
    }

    /// For how long workers have had the keys that they have now: in sum, and the longest.
    pub fn queue_under_way(&self, queue: &str, total: Duration, longest: Duration) {
        self.set("workqueue_unfinished_work_seconds", &[("name", queue)], total.as_secs_f64());
        self.set("workqueue_longest_running_processor_seconds", &[("name", queue)], longest.as_secs_f64());
    }

    /// A key was added with a delay. Upstream counts all of them, not only those after a failure.
    pub fn queue_retry(&self, queue: &str) {
        self.count("workqueue_retries_total", &[("name", queue)], 1);
    }

    /// Has `look` called before each [`text`](Self::text), for gauges that move by themselves.
    pub fn before_each_text(&self, look: impl Fn(&Self) + Send + Sync + 'static) {
        self.looks.lock().unwrap_or_else(PoisonError::into_inner).push(Look(Arc::new(look)));
    }

    /// Everything, in the text format of Prometheus.
    /// Only families of the table: what upstream retired is not there (MET-018).
    #[must_use]
    pub fn text(&self) -> String {
        let looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner).clone();
        looks.iter().for_each(|Look(look)| look(self));
        let all = self.series.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        for family in FAMILIES {
            let kind = match family.kind {
                Kind::Counter => "counter",
                Kind::Gauge => "gauge",
                Kind::Histogram(_) => "histogram",
            };
            let _ = writeln!(text, "# HELP {0} {1}\n# TYPE {0} {kind}", family.name, family.help);
            let from = (family.name, String::new());
            for ((_, labels), series) in all.range(from..).take_while(|((name, _), _)| *name == family.name) {
                write_series(&mut text, family, labels, series);
            }
        }
        text
    }

    fn with(&self, name: &'static str, labels: Labels<'_>, change: impl FnOnce(&mut Series)) {
        let Some(kind) = kind(name) else {
            debug_assert!(false, "{name} is not in the table");
            return;
        };
        let mut all = self.series.lock().unwrap_or_else(PoisonError::into_inner);
        change(all.entry((name, label_text(labels))).or_insert_with(|| match kind {
            Kind::Counter | Kind::Gauge => Series::Value(0.0),
            Kind::Histogram(buckets) => {
                Series::Histogram { counts: vec![0; usize::from(buckets.count)], sum: 0.0, count: 0 }
            }
        }));
    }
}

fn kind(name: &str) -> Option<Kind> {
    FAMILIES.iter().find(|family| family.name == name).map(|family| family.kind)
}

fn label_text(labels: Labels<'_>) -> String {
    let escaped = |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let pairs: Vec<String> = labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    pairs.join(",")
}

fn write_series(text: &mut String, family: &Family, labels: &str, series: &Series) {
    let name = family.name;
    let braces = if labels.is_empty() { String::new() } else { format!("{{{labels}}}") };
    let before = if labels.is_empty() { String::new() } else { format!("{labels},") };
    let _ = match (series, family.kind) {
        (Series::Value(value), _) => writeln!(text, "{name}{braces} {value}"),
        (Series::Histogram { counts, sum, count }, Kind::Histogram(buckets)) => {
            for (bound, count) in buckets.bounds().zip(counts) {
                let _ = writeln!(text, "{name}_bucket{{{before}le=\"{bound}\"}} {count}");
            }
            let _ = writeln!(text, "{name}_bucket{{{before}le=\"+Inf\"}} {count}");
            writeln!(text, "{name}_sum{braces} {sum}\n{name}_count{braces} {count}")
        }
        (Series::Histogram { .. }, _) => Ok(()),
    };
}

#[cfg(test)]
mod tests {
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
        metrics.observe(
            "job_controller_job_sync_duration_seconds",
            &[("result", "success")],
            Duration::from_millis(10),
        );
        let text = metrics.text();
        for line in [
            "job_controller_job_sync_duration_seconds_bucket{result=\"success\",le=\"0.008\"} 0",
            "job_controller_job_sync_duration_seconds_bucket{result=\"success\",le=\"0.016\"} 1",
            "job_controller_job_sync_duration_seconds_bucket{result=\"success\",le=\"+Inf\"} 1",
            "job_controller_job_sync_duration_seconds_count{result=\"success\"} 1",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }

    #[test]
    fn labels_are_escaped_and_series_are_in_order() {
        let metrics = Metrics::default();
        metrics.count("job_controller_jobs_finished_total", &[("reason", "b\"\n")], 2);
        metrics.count("job_controller_jobs_finished_total", &[("reason", "a")], 1);
        let text = metrics.text();
        let first = text.find("{reason=\"a\"} 1").unwrap();
        let second = text.find("{reason=\"b\\\"\\n\"} 2").unwrap();
        assert!(first < second);
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

    #[test]
    fn a_gauge_that_moves_by_itself_is_brought_up_to_date_before_it_is_shown() {
        let metrics = Metrics::default();
        metrics.before_each_text(|metrics| metrics.queue_depth("job", 3));
        assert!(metrics.text().contains("workqueue_depth{name=\"job\"} 3\n"));
    }

    #[test]
    fn the_table_is_in_order() {
        assert!(FAMILIES.is_sorted_by_key(|family| family.name));
    }
}
