//! Single numbers of a component's `/metrics`.

use prometheus_parse::{Labels, Scrape, Value};

/// The sum of the series of this name whose labels are `wanted`; nothing where there is none.
#[must_use]
pub fn sum(text: &str, name: &str, wanted: impl Fn(&Labels) -> bool) -> Option<f64> {
    // A component shows thousands of series, and their types stand in comments that are not needed.
    let is_of = |line: &&str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(['{', ' ']));
    let scrape = Scrape::parse(text.lines().filter(is_of).map(|line| Ok(line.to_owned()))).ok()?;
    let values =
        scrape.samples.iter().filter(|sample| wanted(&sample.labels)).filter_map(|sample| match sample.value {
            Value::Counter(value) | Value::Gauge(value) | Value::Untyped(value) => Some(value),
            Value::Histogram(_) | Value::Summary(_) => None,
        });
    values.reduce(|one, other| one + other)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# TYPE objects gauge\nobjects{resource=\"pods\"} 5\nobjects{resource=\"jobs\"} 7\n\
        objects_more{resource=\"pods\"} 100\ngo_goroutines 42\nsize{id=\"etcd-0\"} 1.5e+06\n";

    #[test]
    fn series_of_a_name_are_summed_by_their_labels() {
        assert_eq!(sum(TEXT, "objects", |_| true), Some(12.0));
        assert_eq!(sum(TEXT, "objects", |labels| labels.get("resource") == Some("pods")), Some(5.0));
        assert_eq!((sum(TEXT, "go_goroutines", |_| true), sum(TEXT, "size", |_| true)), (Some(42.0), Some(1.5e6)));
    }

    #[test]
    fn what_is_not_there_is_nothing_and_not_zero() {
        assert_eq!(sum(TEXT, "object", |_| true), None);
        assert_eq!((sum(TEXT, "objects", |_| false), sum("", "size", |_| true)), (None, None));
    }
}
