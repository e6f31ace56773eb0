//! What the client library does by itself, and what it does here.

use std::sync::atomic::{AtomicUsize, Ordering};

use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::*;

/// An API server that says 504 twice, as one does whose store was slow after it took the write, and 201 from then on.
async fn slow_server() -> (Config, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let count = Arc::clone(&count);
            let service = service_fn(move |_: Request<Incoming>| {
                let code = if count.fetch_add(1, Ordering::SeqCst) < 2 { 504 } else { 201 };
                async move { Response::builder().status(code).body("{}".to_owned()) }
            });
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
    (Config::new(url), asked)
}

/// A creation whose answer is lost may have been applied each time it was sent (docs/adr/0012).
#[tokio::test]
async fn the_librarys_default_sends_a_creation_three_times_and_this_client_once() {
    let (config, asked) = slow_server().await;
    let library = Client::try_from(config).unwrap();
    let body = Request::post("/things").body(Body::from(b"{}".to_vec())).unwrap();
    assert_eq!(library.send(body).await.unwrap().status(), 201);
    assert_eq!(asked.load(Ordering::SeqCst), 3);

    let (mut config, asked) = slow_server().await;
    without_retries(&mut config);
    let api = Api::new(connect(config, Fence::open()).unwrap(), Fence::open());
    let answer = api.create::<Value>("/things", &json!({})).await;
    assert!(matches!(answer, Err(CallError::Unknown { .. })), "{answer:?}");
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

/// As `client-go` counts: each request once, whatever became of it.
#[tokio::test]
async fn every_request_is_counted_by_what_was_answered_and_those_without_an_answer_too() {
    let (mut config, _) = slow_server().await;
    without_retries(&mut config);
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let nobody = Config::new(format!("http://{}", silent.local_addr().unwrap()).parse().unwrap());
    let exposition = crate::metrics::Exposition::default();
    let api = |config| {
        let api = Api::new(connect(config, Fence::open()).unwrap(), Fence::open());
        let short = Duration::from_millis(50);
        api.counted(Arc::clone(exposition.runtime())).within(Deadlines { watch_start: short, ..Deadlines::default() })
    };
    let heard = api(config);
    for _ in 0..2 {
        assert!(heard.create::<Value>("/things", &json!({})).await.is_err());
    }
    assert!(heard.get::<Value>("/things").await.is_ok());
    assert!(api(nobody).watch("/things?watch=true").await.is_err());
    let text = exposition.text();
    for series in [
        "rest_client_requests_total{code=\"504\",method=\"POST\"} 2",
        "rest_client_requests_total{code=\"201\",method=\"GET\"} 1",
        "rest_client_requests_total{code=\"<error>\",method=\"GET\"} 1",
    ] {
        assert!(text.lines().any(|line| line == series), "{series}\n{text}");
    }
}
