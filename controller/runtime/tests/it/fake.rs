//! An API server of a few lines under the real client: every request is written down and answered by a script.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use http::{Request, Response};
use http_body_util::BodyExt;
use kube::client::Body;
use serde_json::{Value, json};

/// A request as it arrived.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// Method and path with its query.
    pub line: String,
    /// The body, if there was one.
    pub body: Value,
}

/// How the script answers.
pub enum Answer {
    /// With this status and body.
    Json(u16, Value),
    /// With this status and text, and so many seconds in `Retry-After`.
    Text(u16, &'static str, Option<&'static str>),
    /// With these frames of a watch, and then an orderly end.
    Frames(Vec<Value>),
    /// Never.
    Mute,
    /// Not at all: whoever asked panics, and says this.
    Panic(&'static str),
}

/// The requests so far.
pub type Log = Arc<Mutex<Vec<Seen>>>;

/// A client whose requests are answered by `script`.
pub fn client(mut script: impl FnMut(&Seen) -> Answer + Send + 'static) -> (kube::Client, Log) {
    let log = Log::default();
    let script = Arc::new(Mutex::new(move |seen: &Seen| script(seen)));
    let seen = Arc::clone(&log);
    let service = tower::service_fn(move |request: Request<Body>| {
        let (log, script) = (Arc::clone(&seen), Arc::clone(&script));
        let answered: Pin<Box<dyn Future<Output = Result<Response<Body>, std::io::Error>> + Send>> =
            Box::pin(async move {
                let line = format!("{} {}", request.method(), request.uri());
                let body = request.into_body().collect().await.map_err(std::io::Error::other)?.to_bytes();
                let seen = Seen { line, body: serde_json::from_slice(&body).unwrap_or(Value::Null) };
                log.lock().expect("no other request panicked").push(seen.clone());
                let answer = (script.lock().expect("no other request panicked"))(&seen);
                let mut response = Response::builder();
                let (code, body) = match answer {
                    Answer::Json(code, body) => (code, body.to_string()),
                    Answer::Text(code, text, retry_after) => {
                        if let Some(seconds) = retry_after {
                            response = response.header(http::header::RETRY_AFTER, seconds);
                        }
                        (code, text.to_owned())
                    }
                    Answer::Frames(frames) => (200, frames.iter().map(|frame| format!("{frame}\n")).collect()),
                    Answer::Mute => std::future::pending().await,
                    Answer::Panic(words) => panic!("{words}"),
                };
                response.status(code).body(Body::from(body.into_bytes())).map_err(std::io::Error::other)
            });
        answered
    });
    (kube::Client::new(service, "default"), log)
}

/// How often a request began like this.
pub fn count(log: &Log, start: &str) -> usize {
    log.lock().expect("no request panicked").iter().filter(|seen| seen.line.starts_with(start)).count()
}

/// The answer of an API server that says no.
pub fn status(code: u16, reason: &str) -> Answer {
    Answer::Json(
        code,
        json!({"kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": reason}),
    )
}
