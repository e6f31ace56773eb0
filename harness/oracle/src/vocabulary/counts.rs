//! Words about what the controller counts in its metrics between two points of the script.

use crate::{fact::Answer, predicate::Predicate, vocabulary::answer};
use serde_json::Value;

/// What the controller told that it had counted, under this name.
#[must_use]
pub fn counts(to: &str) -> CountsWord {
    CountsWord { to: to.to_owned() }
}

/// What was counted, by the name under which the script wrote it down.
#[derive(Clone, Debug)]
pub struct CountsWord {
    to: String,
}

/// Names of labels and their values.
pub type Labels = &'static [(&'static str, &'static str)];

impl CountsWord {
    /// All series of the metric with these labels rose by this together; one that is not there has not risen.
    #[must_use]
    pub fn rose(&self, metric: &'static str, labels: Labels, by: u32) -> Predicate {
        let words = format!("{metric}{} rose by {by}", shown(labels));
        answer(&self.to).asks(words, move |answer| (sum(answer, metric, labels) - f64::from(by)).abs() < 0.5)
    }

    /// They rose by this or more.
    #[must_use]
    pub fn rose_by_at_least(&self, metric: &'static str, labels: Labels, by: u32) -> Predicate {
        let words = format!("{metric}{} rose by {by} at least", shown(labels));
        answer(&self.to).asks(words, move |answer| sum(answer, metric, labels) > f64::from(by) - 0.5)
    }

    /// Both metrics rose by the same.
    #[must_use]
    pub fn rose_alike(&self, metric: &'static str, other: &'static str) -> Predicate {
        let words = format!("{metric} and {other} rose by the same");
        answer(&self.to).asks(words, move |answer| (sum(answer, metric, &[]) - sum(answer, other, &[])).abs() < 0.5)
    }

    /// There is a series of this metric with these labels.
    #[must_use]
    pub fn shows(&self, metric: &'static str, labels: Labels) -> Predicate {
        let words = format!("{metric}{} is shown", shown(labels));
        answer(&self.to).asks(words, move |answer| series(answer, metric, labels).next().is_some())
    }

    /// There is no such metric among others that are there.
    #[must_use]
    pub fn lacks(&self, metric: &'static str) -> Predicate {
        answer(&self.to).asks(format!("{metric} is not shown"), move |answer| {
            all(answer).next().is_some() && series(answer, metric, &[]).next().is_none()
        })
    }

    /// The bounds of the histogram begin with this one, double, and are so many.
    #[must_use]
    pub fn doubles(&self, metric: &'static str, first: f64, count: usize) -> Predicate {
        answer(&self.to).asks(format!("{metric} has {count} bounds that double from {first}"), move |answer| {
            let bounds = answer.body["bounds"][metric].as_array().map(Vec::as_slice).unwrap_or_default();
            let mut wanted = first;
            bounds.len() == count
                && bounds.iter().all(|bound| {
                    let is_it = bound.as_f64().is_some_and(|bound| (bound - wanted).abs() < wanted / 1000.0);
                    wanted *= 2.0;
                    is_it
                })
        })
    }
}

fn all(answer: &Answer) -> impl Iterator<Item = &Value> {
    answer.body["series"].as_array().into_iter().flatten()
}

fn series<'a>(answer: &'a Answer, metric: &'static str, labels: Labels) -> impl Iterator<Item = &'a Value> {
    let has = |one: &Value| labels.iter().all(|(name, value)| one["labels"][name] == *value);
    all(answer).filter(move |one| one["metric"] == metric && has(one))
}

fn sum(answer: &Answer, metric: &'static str, labels: Labels) -> f64 {
    series(answer, metric, labels).filter_map(|one| one["rose"].as_f64()).sum()
}

fn shown(labels: Labels) -> String {
    let pairs: Vec<String> = labels.iter().map(|(name, value)| format!("{name}={value}")).collect();
    if pairs.is_empty() { String::new() } else { format!("{{{}}}", pairs.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::counts;
    use crate::{
        fact::{Answer, Fact},
        world::World,
    };
    use serde_json::json;
    use std::{sync::Arc, time::Duration};

    fn told() -> World {
        let one = |result: &str, rose: f64| json!({"metric": "ended", "labels": {"result": result}, "rose": rose});
        let body = json!({"series": [one("failed", 1.0), one("succeeded", 2.0)], "bounds": {"took": [0.1, 0.2, 0.4]}});
        let answer = Answer {
            to: "it".to_owned(),
            code: 200,
            reason: String::new(),
            message: String::new(),
            causes: Vec::new(),
            warnings: Vec::new(),
            body: Arc::new(body),
        };
        let mut world = World::default();
        world.apply(1, Duration::ZERO, &Fact::Answer(answer));
        world
    }

    #[test]
    fn series_are_summed_by_the_labels_that_are_named() {
        assert!(counts("it").rose("ended", &[("result", "succeeded")], 2).holds(&told()));
        assert!(counts("it").rose("ended", &[], 3).holds(&told()));
        assert!(counts("it").rose("never", &[], 0).holds(&told()));
        assert!(!counts("it").rose("ended", &[], 2).holds(&told()));
        assert!(counts("it").rose_by_at_least("ended", &[], 2).holds(&told()));
        assert!(!counts("it").rose_by_at_least("ended", &[], 4).holds(&told()));
        assert!(!counts("it").rose_alike("ended", "never").holds(&told()));
    }

    #[test]
    fn nothing_is_lacking_where_nothing_was_told() {
        assert!(counts("it").lacks("never").holds(&told()));
        assert!(!counts("it").lacks("ended").holds(&told()));
        assert!(!counts("it").lacks("never").holds(&World::default()));
        assert!(counts("it").shows("ended", &[("result", "failed")]).holds(&told()));
        assert!(!counts("it").shows("ended", &[("result", "lost")]).holds(&told()));
    }

    #[test]
    fn bounds_double_from_the_first_to_the_last() {
        assert!(counts("it").doubles("took", 0.1, 3).holds(&told()));
        assert!(!counts("it").doubles("took", 0.1, 2).holds(&told()));
        assert!(!counts("it").doubles("took", 0.2, 3).holds(&told()));
    }
}
