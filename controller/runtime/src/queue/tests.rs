//! The queue on paused time.

use super::*;
use crate::metrics::Exposition;

/// What comes before a slash is the tenant.
impl Tenancy for &'static str {
    type Tenant = &'static str;

    fn tenant(&self) -> &'static str {
        let text: &'static str = self;
        text.split_once('/').map_or("", |(tenant, _)| tenant)
    }
}

fn queue(workers: usize) -> WorkQueue<&'static str> {
    WorkQueue::new("things", workers, Exposition::default().runtime())
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[tokio::test(start_paused = true)]
async fn keys_come_by_due_time_and_then_by_arrival() {
    let queue = queue(5);
    queue.add("late", seconds(2));
    queue.add("b", Duration::ZERO);
    queue.add("a", Duration::ZERO);
    let mut order = Vec::new();
    for _ in 0..3 {
        order.push(queue.take().await.unwrap());
    }
    assert_eq!(order, ["b", "a", "late"]);
}

/// (SYN-003)
#[tokio::test(start_paused = true)]
async fn a_burst_of_events_is_one_round() {
    let queue = queue(5);
    let start = Instant::now();
    for _ in 0..100 {
        queue.add("a", seconds(1));
    }
    assert_eq!(queue.take().await, Some("a"));
    assert_eq!(start.elapsed().as_secs(), 1);
    queue.finish("a", Outcome::Done(None));
    assert!(tokio::time::timeout(seconds(100), queue.take()).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_shorter_delay_moves_a_key_forward_and_a_longer_one_does_not_move_it_back() {
    let queue = queue(5);
    let start = Instant::now();
    queue.add("a", seconds(10));
    queue.add("a", seconds(1));
    queue.add("a", seconds(20));
    queue.take().await.unwrap();
    assert_eq!(start.elapsed().as_secs(), 1);
}

/// (SYN-001)
#[tokio::test(start_paused = true)]
async fn a_key_is_in_one_hand_at_a_time_and_comes_again_when_added_meanwhile() {
    let queue = queue(5);
    queue.add("a", Duration::ZERO);
    assert_eq!(queue.take().await, Some("a"));
    queue.add("a", Duration::ZERO);
    assert!(tokio::time::timeout(seconds(5), queue.take()).await.is_err());
    queue.finish("a", Outcome::Done(None));
    assert_eq!(queue.take().await, Some("a"));
}

/// (SYN-005)
#[tokio::test(start_paused = true)]
async fn failures_double_the_delay_up_to_a_minute_and_a_success_resets_it() {
    let queue = queue(5);
    queue.add("a", Duration::ZERO);
    let mut delays = Vec::new();
    for _ in 0..9 {
        queue.take().await.unwrap();
        let failed = Instant::now();
        // Events that come in meanwhile do not make it faster.
        queue.add("a", Duration::ZERO);
        queue.finish("a", Outcome::Failed);
        queue.add("a", Duration::from_millis(500));
        queue.take().await.unwrap();
        delays.push(failed.elapsed().as_secs());
        queue.finish("a", Outcome::Failed);
        tokio::time::advance(seconds(60)).await;
    }
    assert_eq!(delays[..4], [1, 4, 16, 60]);
    queue.take().await.unwrap();
    queue.finish("a", Outcome::Done(Some(Duration::ZERO)));
    queue.take().await.unwrap();
    let failed = Instant::now();
    queue.finish("a", Outcome::Failed);
    queue.take().await.unwrap();
    assert_eq!(failed.elapsed().as_secs(), 1);
}

#[tokio::test(start_paused = true)]
async fn one_worker_is_always_kept_for_small_keys() {
    let queue = queue(2);
    ["large1", "large2"].into_iter().for_each(|large| queue.add_sized(large, Duration::ZERO, LARGE));
    assert_eq!(queue.take().await, Some("large1"));
    assert!(tokio::time::timeout(seconds(5), queue.take()).await.is_err(), "the last worker is not for large keys");
    queue.add("small", Duration::ZERO);
    assert_eq!(queue.take().await, Some("small"));
    queue.finish("large1", Outcome::Done(None));
    assert_eq!(queue.take().await, Some("large2"));
}

/// (SLO-009)
#[tokio::test(start_paused = true)]
async fn small_keys_of_a_tenant_come_before_large_ones_and_the_longest_waiting_one_time_in_eight() {
    let queue = queue(100);
    queue.add_sized("large", Duration::ZERO, 400);
    for small in ["1", "2", "3", "4", "5", "6", "7", "8"] {
        queue.add_sized(small, Duration::ZERO, 5);
    }
    queue.add("unknown", Duration::ZERO);
    let mut order = Vec::new();
    for _ in 0..10 {
        order.push(queue.take().await.unwrap());
    }
    assert_eq!(order, ["unknown", "1", "2", "3", "4", "5", "6", "large", "7", "8"]);
}

/// What a Job needs is known before its first round.
#[tokio::test(start_paused = true)]
async fn a_key_is_as_large_as_was_said_last() {
    let queue = queue(2);
    let waits = async || tokio::time::timeout(seconds(5), queue.take()).await.is_err();
    queue.add_sized("key", Duration::ZERO, 1);
    queue.add_sized("other", Duration::ZERO, LARGE);
    assert_eq!((queue.take().await, queue.take().await), (Some("key"), Some("other")));
    queue.add_sized("key", Duration::ZERO, LARGE);
    queue.finish("key", Outcome::Done(None));
    queue.add("key", Duration::ZERO);
    assert!(waits().await, "it is large since it was at work, and not smaller because somebody does not know");
    queue.finish("other", Outcome::Done(None));
    assert_eq!(queue.take().await, Some("key"));
    queue.finish("key", Outcome::Done(Some(seconds(1))));
    queue.add_sized("other", Duration::ZERO, LARGE);
    assert_eq!(queue.take().await, Some("other"));
    assert!(waits().await, "it comes back by itself, as it was");
    queue.finish("other", Outcome::Done(None));
    assert_eq!(queue.take().await, Some("key"));
    queue.add_sized("key", Duration::ZERO, 1);
    queue.finish("key", Outcome::Done(None));
    queue.add_sized("other", Duration::ZERO, LARGE);
    assert_eq!((queue.take().await, queue.take().await), (Some("key"), Some("other")), "it is small now");
    queue.finish("key", Outcome::Done(None));
    queue.add("key", Duration::ZERO);
    assert_eq!(queue.take().await, Some("key"), "it rested, and nothing is known of it");
}

#[tokio::test(start_paused = true)]
async fn a_closed_queue_lets_its_workers_go() {
    let queue = queue(1);
    queue.add("a", seconds(1));
    queue.close();
    assert_eq!(queue.take().await, None);
}

/// A number of seconds in an object may be 9223372036854775807.
#[tokio::test(start_paused = true)]
async fn a_delay_beyond_the_end_of_the_clock_holds_up_nobody() {
    let queue = queue(2);
    queue.add("asked for", Duration::MAX);
    queue.add("found out", Duration::ZERO);
    assert_eq!(queue.take().await, Some("found out"));
    queue.add("found out", Duration::MAX);
    queue.finish("found out", Outcome::Done(Some(Duration::MAX)));
    queue.add("near", seconds(1));
    assert_eq!(queue.take().await, Some("near"));
    assert!(tokio::time::timeout(seconds(3600), queue.take()).await.is_err(), "nothing else is due");
}

/// Whoever has a thousand keys waits for them; who has one does not.
#[tokio::test(start_paused = true)]
async fn tenants_take_turns_and_their_own_keys_come_in_order() {
    let queue = queue(5);
    for key in ["many/1", "many/2", "many/3", "many/4", "few/1", "one/1", "few/2"] {
        queue.add(key, Duration::ZERO);
    }
    let mut order = Vec::new();
    for _ in 0..7 {
        order.push(queue.take().await.unwrap());
    }
    assert_eq!(order, ["many/1", "few/1", "one/1", "many/2", "few/2", "many/3", "many/4"]);
}

#[tokio::test(start_paused = true)]
async fn a_tenant_whose_keys_are_large_keeps_its_turn_while_the_last_worker_serves_small_ones() {
    let queue = queue(2);
    ["big/1", "big/2"].into_iter().for_each(|large| queue.add_sized(large, Duration::ZERO, LARGE));
    assert_eq!(queue.take().await, Some("big/1"));
    for small in ["small/1", "small/2", "big/3"] {
        queue.add(small, Duration::ZERO);
    }
    assert_eq!(queue.take().await, Some("big/3"), "it is small, and its tenant's turn");
    assert_eq!(queue.take().await, Some("small/1"));
    queue.finish("big/1", Outcome::Done(None));
    assert_eq!(queue.take().await, Some("big/2"));
    assert_eq!(queue.take().await, Some("small/2"));
}

/// As the metrics of the same names upstream (MET-017).
#[tokio::test(start_paused = true)]
async fn the_metrics_tell_due_keys_from_timers_and_what_is_at_work() {
    let exposition = Exposition::default();
    let queue = WorkQueue::new("things", 5, exposition.runtime());
    let shows = |wanted: [(&str, u32); 5]| {
        let text = exposition.text();
        for (series, value) in wanted {
            let line = format!("workqueue_{series}{{name=\"things\"}} {value}\n");
            assert!(text.replace(".0\n", "\n").contains(&line), "{line}{text}");
        }
    };
    queue.add("a", Duration::ZERO);
    queue.add("a", Duration::ZERO);
    queue.add("timer", seconds(10));
    let (adds, depth, retries) = ("adds_total", "depth", "retries_total");
    let (total, longest) = ("unfinished_work_seconds", "longest_running_processor_seconds");
    shows([(adds, 1), (depth, 1), (retries, 1), (total, 0), (longest, 0)]);
    queue.take().await.unwrap();
    tokio::time::advance(seconds(10)).await;
    shows([(adds, 2), (depth, 1), (retries, 1), (total, 10), (longest, 10)]);
    queue.take().await.unwrap();
    queue.add("a", Duration::ZERO);
    tokio::time::advance(seconds(5)).await;
    shows([(adds, 2), (depth, 1), (retries, 1), (total, 20), (longest, 15)]);
    queue.finish("timer", Outcome::Failed);
    queue.finish("a", Outcome::Done(None));
    shows([(adds, 3), (depth, 1), (retries, 2), (total, 0), (longest, 0)]);
}
