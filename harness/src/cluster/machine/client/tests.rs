//! When connections are given up.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use rstest::rstest;
use tokio::net::TcpListener;

use super::*;

/// A server that counts the connections it has taken and those that have ended.
#[derive(Clone, Default)]
struct Connections {
    taken: Arc<AtomicUsize>,
    ended: Arc<AtomicUsize>,
}

async fn server(connections: Connections) -> Config {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            connections.taken.fetch_add(1, Ordering::SeqCst);
            let ended = Arc::clone(&connections.ended);
            let answer = service_fn(async |_: Request<Incoming>| Ok::<_, Infallible>(Response::new("{}".to_owned())));
            tokio::spawn(async move {
                let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), answer).await;
                ended.fetch_add(1, Ordering::SeqCst);
            });
        }
    });
    Config::new(url)
}

async fn ask(client: &kube::Client) {
    let request = Request::post("/things").body(b"{}".to_vec()).unwrap();
    assert_eq!(client.request_text(request).await.unwrap(), "{}");
}

/// The clock is only stopped after the first answer: while it stands, a test's time passes as soon as nothing else is to be done,
/// such as waiting for the kernel.
#[rstest]
#[case::a_connection_is_used_again(IDLE_LIMIT / 2, 1)]
#[case::one_that_was_idle_is_not_long_before_the_server_would_close_it(IDLE_LIMIT + Duration::from_secs(1), 2)]
#[tokio::test]
async fn a_request_comes_by_a_connection_that_was_used_of_late(#[case] idle: Duration, #[case] connections: usize) {
    let seen = Connections::default();
    let client = builder(server(seen.clone()).await).unwrap().build::<Box<DynBody>>();
    ask(&client).await;
    tokio::time::pause();
    tokio::time::advance(idle).await;
    tokio::time::resume();
    ask(&client).await;
    assert_eq!(seen.taken.load(Ordering::SeqCst), connections);
}

#[tokio::test]
async fn what_was_idle_is_closed_without_waiting_for_the_next_request() {
    let seen = Connections::default();
    let client = builder(server(seen.clone()).await).unwrap().build::<Box<DynBody>>();
    ask(&client).await;
    tokio::time::pause();
    // The pool looks as often as connections may be idle.
    for _ in 0..1000 {
        tokio::time::advance(IDLE_LIMIT).await;
        tokio::task::yield_now().await;
    }
    assert_eq!(seen.ended.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_proxy_is_refused_as_the_library_refuses_it() {
    let mut config = Config::new("https://127.0.0.1:6443".parse().unwrap());
    config.proxy_url = Some("http://127.0.0.1:3128".parse().unwrap());
    let refused = builder(config).map(|_| ()).unwrap_err();
    assert!(refused.to_string().contains("kube/http-proxy"), "{refused}");
}
