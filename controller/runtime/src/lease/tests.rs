//! The election's decisions and the fence, on paused time.

use std::convert::Infallible;
use std::sync::Mutex;

use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use kube::Config;
use rstest::rstest;
use tokio::net::TcpListener;

use super::*;
use crate::client::connect;

fn election() -> Election {
    Election {
        name: "jobsworth-controller".to_owned(),
        namespace: "kube-system".to_owned(),
        identity: "me".to_owned(),
        lease_duration: Duration::from_secs(15),
        renew_deadline: Duration::from_secs(10),
        retry_period: Duration::from_secs(2),
    }
}

fn lease(holder: &str, renewed: &str) -> Lease {
    Lease {
        metadata: Meta { resource_version: "7".to_owned() },
        spec: Record {
            holder_identity: Some(holder.to_owned()),
            lease_duration_seconds: Some(15),
            renew_time: Some(renewed.to_owned()),
            ..Record::default()
        },
    }
}

fn write(ours: bool) -> Move {
    Move::Write { resource_version: "7".to_owned(), ours }
}

#[rstest]
#[case::there_is_none(None, Move::Create)]
#[case::it_was_given_back(Some(lease("", "1")), write(false))]
#[case::it_is_ours(Some(lease("me", "1")), write(true))]
#[case::another_holds_it(Some(lease("you", "1")), Move::Wait)]
#[tokio::test(start_paused = true)]
async fn at_first_sight(#[case] read: Option<Lease>, #[case] wanted: Move) {
    assert_eq!(Observation::default().decide(&election(), read.as_ref(), Instant::now()), wanted);
}

#[tokio::test(start_paused = true)]
async fn a_silent_holder_is_replaced_after_its_lease_by_our_own_clock() {
    let mut seen = Observation::default();
    // The other's clock is a year ahead or behind: it does not matter.
    let silent = lease("you", "1999-01-01T00:00:00.000000Z");
    assert_eq!(seen.decide(&election(), Some(&silent), Instant::now()), Move::Wait);
    tokio::time::advance(Duration::from_secs(14)).await;
    assert_eq!(seen.decide(&election(), Some(&silent), Instant::now()), Move::Wait);
    tokio::time::advance(Duration::from_secs(1)).await;
    assert_eq!(seen.decide(&election(), Some(&silent), Instant::now()), write(false));
}

#[tokio::test(start_paused = true)]
async fn each_renewal_of_the_holder_starts_the_wait_again() {
    let mut seen = Observation::default();
    for renewal in ["1", "2", "3"] {
        assert_eq!(seen.decide(&election(), Some(&lease("you", renewal)), Instant::now()), Move::Wait);
        tokio::time::advance(Duration::from_secs(14)).await;
    }
    assert_eq!(seen.decide(&election(), Some(&lease("you", "3")), Instant::now()), Move::Wait);
}

#[tokio::test(start_paused = true)]
async fn the_fence_shuts_by_itself() {
    let fence = Fence::shut();
    assert_eq!(fence.left(), None);
    fence.set(Until::At(Instant::now() + Duration::from_secs(10)));
    assert_eq!(fence.left(), Some(Duration::from_secs(10)));
    tokio::time::advance(Duration::from_secs(10)).await;
    assert_eq!(fence.left(), None);
    assert!(Fence::open().left().is_some());
}

#[tokio::test(start_paused = true)]
async fn work_takes_no_further_step_once_the_fence_is_shut() {
    let fence = Fence::shut();
    fence.set(Until::At(Instant::now() + Duration::from_secs(10)));
    assert_eq!(fence.during(async { 1 }).await, Some(1));
    let mut steps = 0;
    let work = async {
        loop {
            steps += 1;
            tokio::time::sleep(Duration::from_secs(4)).await;
        }
    };
    assert_eq!(fence.during(work).await, None::<()>);
    assert_eq!(steps, 3, "at 0, 4 and 8 s, and not at 12");
}

/// Answers everything, and says what it was asked.
async fn server() -> (Config, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&asked);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let log = Arc::clone(&log);
            let service = service_fn(move |request: http::Request<Incoming>| {
                log.lock().unwrap().push(request.uri().path().to_owned());
                async { Ok::<_, Infallible>(http::Response::new("{}".to_owned())) }
            });
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
    (Config::new(url), asked)
}

#[tokio::test]
async fn a_connection_that_is_there_carries_nothing_once_the_fence_is_shut() {
    let (config, asked) = server().await;
    let fence = Fence::shut();
    let open = || fence.set(Until::At(Instant::now() + Duration::from_secs(600)));
    // The look at the fence before a call is not what is tried here.
    let api = Api::new(connect(config, Arc::clone(&fence)).unwrap(), Fence::open());
    open();
    assert_eq!(api.get::<Value>("/first").await, Ok(json!({})));
    fence.set(Until::Never);
    assert!(matches!(api.get::<Value>("/late").await, Err(CallError::Unknown { .. })));
    open();
    assert_eq!(api.get::<Value>("/again").await, Ok(json!({})));
    assert_eq!(*asked.lock().unwrap(), ["/first", "/again"]);
}
