//! What the controller under test counts of itself: its metrics at one point of the script, and what they rose by until another.

use prometheus_parse::{Scrape, Value as Sampled};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Families that are about Jobs; a controller shows many more.
const FAMILIES: [&str; 3] = ["job_controller_", "ttl_after_finished_", "workqueue_"];
/// The queues that are about Jobs.
const QUEUES: [&str; 3] = ["job", "job_orphan_pod", "ttl_jobs_to_delete"];

/// A metric and its labels.
type Series = (String, BTreeMap<String, String>);

/// Every series about Jobs, as it stood at one moment. Of a histogram it is the number of values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    values: BTreeMap<Series, f64>,
    bounds: BTreeMap<String, Vec<f64>>,
}

impl Counts {
    /// Reads Prometheus' text.
    pub(super) fn read(text: &str) -> Self {
        let mut counts = Self::default();
        let lines = text.lines().filter(|line| is_about_jobs(line)).map(|line| Ok(line.to_owned()));
        let Ok(scrape) = Scrape::parse(lines) else { return counts };
        for sample in scrape.samples {
            let labels: BTreeMap<String, String> =
                sample.labels.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
            let value = match sample.value {
                Sampled::Counter(value) | Sampled::Gauge(value) | Sampled::Untyped(value) => value,
                Sampled::Histogram(buckets) => {
                    let bounds = buckets.iter().map(|bucket| bucket.less_than).filter(|bound| bound.is_finite());
                    counts.bounds.insert(sample.metric.clone(), bounds.collect());
                    buckets.iter().map(|bucket| bucket.count).fold(0.0, f64::max)
                }
                Sampled::Summary(_) => continue,
            };
            counts.values.insert((sample.metric, labels), value);
        }
        counts
    }

    /// What came since then, as claims read it: each series with what it rose by, and the bounds of histograms.
    pub(super) fn since(&self, earlier: &Self) -> Value {
        let series: Vec<Value> = self
            .values
            .iter()
            .map(|(series, now)| {
                let rose = now - earlier.values.get(series).copied().unwrap_or(0.0);
                json!({"metric": series.0, "labels": series.1, "rose": rose})
            })
            .collect();
        json!({"series": series, "bounds": self.bounds})
    }
}

fn is_about_jobs(line: &str) -> bool {
    // Types stand in comments; without them no line is a histogram's.
    let name = line.strip_prefix("# TYPE ").unwrap_or(line);
    let is_family = FAMILIES.iter().any(|family| name.starts_with(family));
    let is_other_queue =
        line.starts_with("workqueue_") && !QUEUES.iter().any(|queue| line.contains(&format!("name=\"{queue}\"")));
    is_family && !is_other_queue
}

#[cfg(test)]
mod tests {
    use super::*;

    const EARLIER: &str = "\
# TYPE job_controller_jobs_finished_total counter
job_controller_jobs_finished_total{result=\"failed\"} 2
";
    const LATER: &str = "\
# HELP job_controller_jobs_finished_total Finished Jobs.
# TYPE job_controller_jobs_finished_total counter
job_controller_jobs_finished_total{result=\"failed\"} 3
job_controller_jobs_finished_total{result=\"succeeded\"} 4
# TYPE ttl_after_finished_controller_job_deletion_duration_seconds histogram
ttl_after_finished_controller_job_deletion_duration_seconds_bucket{le=\"0.1\"} 1
ttl_after_finished_controller_job_deletion_duration_seconds_bucket{le=\"+Inf\"} 5
ttl_after_finished_controller_job_deletion_duration_seconds_sum 1
ttl_after_finished_controller_job_deletion_duration_seconds_count 5
workqueue_depth{name=\"job\"} 0
workqueue_depth{name=\"deployment\"} 7
process_cpu_seconds_total 9
";

    #[test]
    fn what_rose_is_told_by_series_and_what_is_new_counts_from_nothing() {
        let told = Counts::read(LATER).since(&Counts::read(EARLIER));
        let rose = |metric: &str, label: Option<(&str, &str)>| -> Vec<f64> {
            let of = |one: &&Value| {
                one["metric"] == metric && label.is_none_or(|(name, value)| one["labels"][name] == value)
            };
            told["series"].as_array().unwrap().iter().filter(of).map(|one| one["rose"].as_f64().unwrap()).collect()
        };
        assert_eq!(rose("job_controller_jobs_finished_total", Some(("result", "failed"))), [1.0]);
        assert_eq!(rose("job_controller_jobs_finished_total", Some(("result", "succeeded"))), [4.0]);
        let ttl = "ttl_after_finished_controller_job_deletion_duration_seconds";
        assert_eq!(rose(ttl, None), [5.0]);
        assert_eq!(told["bounds"][ttl], json!([0.1]));
    }

    #[test]
    fn what_is_not_about_jobs_is_left_out() {
        let told = Counts::read(LATER).since(&Counts::default()).to_string();
        assert!(told.contains("workqueue_depth"), "{told}");
        assert!(!told.contains("deployment") && !told.contains("process_cpu"), "{told}");
    }
}
