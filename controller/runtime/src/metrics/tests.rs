//! The text against what Prometheus and people expect of it.

use std::time::Duration;

use super::*;

fn assert_lines(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.lines().any(|shown| shown == *line), "{line}\n{text}");
    }
}

/// (MET-017)
#[test]
fn a_queue_is_shown_from_the_beginning_with_types_and_help() {
    let exposition = Exposition::default();
    let _queue = exposition.runtime().queue("things");
    assert_lines(
        &exposition.text(),
        &[
            "# HELP workqueue_adds Keys whose time came, each once until a worker takes it.",
            "# TYPE workqueue_adds counter",
            "workqueue_adds_total{name=\"things\"} 0",
            "# TYPE workqueue_depth gauge",
            "workqueue_depth{name=\"things\"} 0",
            "# TYPE workqueue_queue_duration_seconds histogram",
            "workqueue_queue_duration_seconds_count{name=\"things\"} 0",
        ],
    );
}

#[test]
fn a_histogram_counts_into_every_bucket_from_its_value_on() {
    let exposition = Exposition::default();
    exposition.runtime().queue("things").worked(Duration::from_millis(10));
    assert_lines(
        &exposition.text(),
        &[
            "workqueue_work_duration_seconds_bucket{le=\"0.001\",name=\"things\"} 0",
            "workqueue_work_duration_seconds_bucket{le=\"0.01\",name=\"things\"} 1",
            "workqueue_work_duration_seconds_bucket{le=\"+Inf\",name=\"things\"} 1",
            "workqueue_work_duration_seconds_sum{name=\"things\"} 0.01",
            "workqueue_work_duration_seconds_count{name=\"things\"} 1",
        ],
    );
}

#[test]
fn labels_are_escaped_and_the_end_is_said() {
    let exposition = Exposition::default();
    let labels = LeaseLabels { name: "b\"\n".to_owned() };
    exposition.runtime().leader_election_master_status.get_or_create(&labels).set(1);
    let text = exposition.text();
    assert_lines(&text, &["leader_election_master_status{name=\"b\\\"\\n\"} 1"]);
    assert!(text.ends_with("# EOF\n"), "{text}");
}

#[test]
fn a_gauge_that_moves_by_itself_is_brought_up_to_date_before_it_is_shown() {
    let exposition = Exposition::default();
    let queue = exposition.runtime().queue("things");
    exposition.runtime().before_each_scrape(move || queue.set_depth(3));
    assert_lines(&exposition.text(), &["workqueue_depth{name=\"things\"} 3"]);
}

#[test]
fn the_bounds_of_a_queue_are_exact_to_the_last_digit() {
    let exposition = Exposition::default();
    exposition.runtime().queue("things").taken(Duration::ZERO);
    let text = exposition.text();
    let start = "workqueue_queue_duration_seconds_bucket{le=\"";
    let bounds = text.lines().filter_map(|line| line.strip_prefix(start)?.split_once('"'));
    let bounds: Vec<&str> = bounds.map(|(bound, _)| bound).collect();
    assert_eq!(
        bounds,
        ["1e-8", "1e-7", "0.000001", "0.00001", "0.0001", "0.001", "0.01", "0.1", "1.0", "10.0", "+Inf"]
    );
}
