//! The queue on paused time.

use super::*;

fn queue(workers: usize) -> WorkQueue<&'static str> {
    WorkQueue::new("job", workers, Arc::new(Metrics::default()))
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
    queue.finish("a", Outcome::Done(None), Weight::Light);
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
    queue.finish("a", Outcome::Done(None), Weight::Light);
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
        queue.finish("a", Outcome::Failed, Weight::Light);
        queue.add("a", Duration::from_millis(500));
        queue.take().await.unwrap();
        delays.push(failed.elapsed().as_secs());
        queue.finish("a", Outcome::Failed, Weight::Light);
        tokio::time::advance(seconds(60)).await;
    }
    assert_eq!(delays[..4], [1, 4, 16, 60]);
    queue.take().await.unwrap();
    queue.finish("a", Outcome::Done(Some(Duration::ZERO)), Weight::Light);
    queue.take().await.unwrap();
    let failed = Instant::now();
    queue.finish("a", Outcome::Failed, Weight::Light);
    queue.take().await.unwrap();
    assert_eq!(failed.elapsed().as_secs(), 1);
}

#[tokio::test(start_paused = true)]
async fn one_worker_is_always_kept_for_small_jobs() {
    let queue = queue(2);
    for large in ["large1", "large2"] {
        queue.add(large, Duration::ZERO);
        queue.take().await.unwrap();
        queue.finish(large, Outcome::Done(Some(seconds(1))), Weight::Heavy);
    }
    assert_eq!(queue.take().await, Some("large1"));
    assert!(tokio::time::timeout(seconds(5), queue.take()).await.is_err(), "the last worker is not for large Jobs");
    queue.add("small", Duration::ZERO);
    assert_eq!(queue.take().await, Some("small"));
    queue.finish("large1", Outcome::Done(None), Weight::Light);
    assert_eq!(queue.take().await, Some("large2"));
}

#[tokio::test(start_paused = true)]
async fn a_closed_queue_lets_its_workers_go() {
    let queue = queue(1);
    queue.add("a", seconds(1));
    queue.close();
    assert_eq!(queue.take().await, None);
}
