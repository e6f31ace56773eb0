//! The bucket on paused time.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::join_all;

use super::*;

/// Starts the bucket, lets `asks` wait for it and returns when each was served, in the order of service.
async fn served(limiter: Arc<Limiter>, asks: Vec<(&'static str, Flow)>) -> Vec<(&'static str, u128)> {
    let pump = tokio::spawn({
        let limiter = Arc::clone(&limiter);
        async move { limiter.run().await }
    });
    let start = Instant::now();
    let order = Mutex::new(Vec::new());
    let waits = asks.into_iter().map(|(who, flow)| {
        let (limiter, order) = (&limiter, &order);
        async move {
            limiter.acquire(flow).await;
            order.lock().unwrap().push((who, start.elapsed().as_millis()));
        }
    });
    join_all(waits).await;
    pump.abort();
    order.into_inner().unwrap()
}

fn flow(namespace: &str, uid: &str) -> Flow {
    sized_flow(namespace, uid, 1)
}

fn sized_flow(namespace: &str, uid: &str, size: u32) -> Flow {
    Flow::Owner { namespace: namespace.into(), uid: uid.into(), size }
}

fn owner(uid: &str) -> Flow {
    flow("ns", uid)
}

#[tokio::test(start_paused = true)]
async fn the_burst_is_free_and_the_rest_comes_at_the_rate() {
    let asks = (0..5).map(|_| ("a", owner("a"))).collect();
    let times: Vec<u128> = served(Limiter::new(10.0, 3), asks).await.iter().map(|(_, at)| *at).collect();
    assert_eq!(times[..3], [0, 0, 0]);
    assert!((100..=102).contains(&times[3]) && (200..=203).contains(&times[4]), "{times:?}");
}

#[tokio::test(start_paused = true)]
async fn a_small_object_does_not_wait_behind_a_large_one() {
    let mut asks: Vec<_> = (0..100).map(|_| ("large", owner("large"))).collect();
    asks.extend((0..3).map(|_| ("small", owner("small"))));
    let order = served(Limiter::new(10.0, 1), asks).await;
    let last = order.iter().rposition(|(who, _)| *who == "small").unwrap();
    assert!(last <= 7, "the small one's last request was served as number {last}");
}

/// (SLO-009)
#[tokio::test(start_paused = true)]
async fn small_objects_are_served_before_large_ones_that_get_a_turn_in_eight() {
    let mut asks: Vec<_> = (0..20).map(|_| ("large", sized_flow("ns", "large", 400))).collect();
    asks.extend((0..7).flat_map(|_| [("a", owner("a")), ("b", owner("b"))]));
    let order = served(Limiter::new(10.0, 1), asks).await;
    let places = |of: &str| -> Vec<usize> {
        order.iter().enumerate().filter(|(_, (who, _))| *who == of).map(|(place, _)| place).collect()
    };
    assert_eq!(places("large")[..3], [7, 15, 16], "{order:?}");
    assert_eq!(places("a")[..3], [0, 2, 4], "those of one size take turns: {order:?}");
}

/// There may be any number of them, and nobody is asked whose they are.
#[tokio::test(start_paused = true)]
async fn orphans_come_last_in_their_namespace_and_get_a_turn_in_eight() {
    let mut asks: Vec<_> = (0..20).map(|_| ("orphan", Flow::Orphans("ns".into()))).collect();
    asks.extend((0..14).map(|_| ("work", sized_flow("ns", "a", 400))));
    let order = served(Limiter::new(10.0, 1), asks).await;
    let places: Vec<usize> = (0..order.len()).filter(|place| order[*place].0 == "orphan").collect();
    assert_eq!(places[..3], [7, 15, 16], "{order:?}");
}

/// Objects can be made by the hundred, and owners invented; namespaces cannot.
#[tokio::test(start_paused = true)]
async fn a_namespace_does_not_get_more_turns_by_having_more_owners() {
    let forged = (0..100).map(|owner| ("forged", flow("crowd", &format!("invented-{owner}"))));
    let mut asks: Vec<_> = forged.collect();
    asks.extend((0..3).map(|_| ("honest", flow("quiet", "object"))));
    let order = served(Limiter::new(10.0, 1), asks).await;
    let last = order.iter().rposition(|(who, _)| *who == "honest").unwrap();
    assert!(last <= 7, "the honest one's last request was served as number {last}");
}

#[tokio::test(start_paused = true)]
async fn events_get_what_is_left_over() {
    let mut asks = vec![("event", Flow::Event)];
    asks.extend((0..20).map(|_| ("work", owner("a"))));
    let order = served(Limiter::new(10.0, 1), asks).await;
    assert_eq!(order.last().map(|(who, _)| *who), Some("event"));
}

#[tokio::test(start_paused = true)]
async fn events_are_not_starved_for_good() {
    let mut asks = vec![("event", Flow::Event)];
    asks.extend((0..1000).map(|_| ("work", owner("a"))));
    let order = served(Limiter::new(10.0, 1), asks).await;
    let at = order.iter().find(|(who, _)| *who == "event").unwrap().1;
    assert!((10_000..12_000).contains(&at), "served after {at} ms");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_given_out_while_the_server_wants_to_be_left_alone() {
    let limiter = Limiter::new(10.0, 5);
    limiter.pause(Duration::from_secs(7));
    let order = served(limiter, vec![("a", owner("a"))]).await;
    assert!(order[0].1 >= 7_000, "{order:?}");
}

#[tokio::test(start_paused = true)]
async fn an_idle_hour_saves_up_no_more_than_the_burst() {
    let limiter = Limiter::new(10.0, 3);
    tokio::time::advance(Duration::from_secs(3600)).await;
    let order = served(limiter, (0..6).map(|_| ("a", owner("a"))).collect()).await;
    assert_eq!(order.iter().filter(|(_, at)| *at == 0).count(), 3);
}

#[tokio::test(start_paused = true)]
async fn who_gave_up_costs_no_token() {
    let limiter = Limiter::new(1.0, 1);
    let served = Arc::new(AtomicUsize::new(0));
    let quitter = tokio::time::timeout(Duration::ZERO, limiter.acquire(owner("a")));
    assert!(quitter.await.is_err());
    let pump = tokio::spawn({
        let limiter = Arc::clone(&limiter);
        async move { limiter.run().await }
    });
    let start = Instant::now();
    limiter.acquire(owner("b")).await;
    served.fetch_add(1, Ordering::SeqCst);
    assert_eq!(start.elapsed(), Duration::ZERO);
    pump.abort();
}

#[tokio::test(start_paused = true)]
async fn a_rate_near_nothing_makes_a_long_wait_and_no_panic() {
    let limiter = Limiter::new(f64::MIN_POSITIVE, 1);
    let pump = Arc::clone(&limiter);
    let pumping = tokio::spawn(async move { pump.run().await });
    limiter.acquire(Flow::Event).await;
    assert!(tokio::time::timeout(Duration::from_secs(3600), limiter.acquire(Flow::Event)).await.is_err());
    assert!(!pumping.is_finished(), "it gives out for ever");
}
