//! The real program and an API server of a few lines: what it serves and what it says about itself.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures::stream;
use http::{Method, Request, Response};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use jiff::Timestamp;
use serde_json::{Value, json};
use tempfile::NamedTempFile;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::fake::job;

/// How long the program may take for anything here, on a machine with a lot else to do.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// What was created, by the name of its Job.
type Creations = mpsc::UnboundedReceiver<String>;

/// Serves these Jobs, no pods, and takes whatever is written.
async fn api_server(jobs: Vec<Value>) -> (SocketAddr, Creations) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    let (sender, creations) = mpsc::unbounded_channel();
    let jobs = Arc::new(Mutex::new(jobs));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (jobs, sender) = (Arc::clone(&jobs), sender.clone());
            let service = service_fn(move |request: Request<Incoming>| {
                let (jobs, sender) = (Arc::clone(&jobs), sender.clone());
                async move { Ok::<_, Infallible>(answer(request, &jobs, &sender).await) }
            });
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
    (address, creations)
}

async fn answer(
    request: Request<Incoming>,
    jobs: &Mutex<Vec<Value>>,
    created: &mpsc::UnboundedSender<String>,
) -> Response<BoxBody<Bytes, Infallible>> {
    let path = request.uri().path().to_owned();
    let is_watch = request.uri().query().is_some_and(|query| query.contains("watch=true"));
    let method = request.method().clone();
    if is_watch {
        // It says nothing and does not end.
        let silence = stream::pending::<Result<Frame<Bytes>, Infallible>>();
        return Response::new(BodyExt::boxed(StreamBody::new(silence)));
    }
    let body = request.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let mut body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let text = match method {
        Method::GET if path == "/apis/batch/v1/jobs" => {
            json!({"metadata": {"resourceVersion": "10"}, "items": *jobs.lock().expect("no request panicked")})
        }
        Method::GET => json!({"metadata": {"resourceVersion": "10"}, "items": []}),
        _ => {
            if path.ends_with("/pods") {
                let owner = body["metadata"]["ownerReferences"][0]["name"].as_str().unwrap_or_default().to_owned();
                let _ = created.send(owner);
            }
            body["metadata"]["resourceVersion"] = json!("11");
            body["metadata"]["uid"] = json!("uid-of-what-was-written");
            body
        }
    };
    Response::new(Full::new(Bytes::from(text.to_string())).boxed())
}

/// The program, with its address; it ends with the test.
struct Program {
    child: Child,
    address: SocketAddr,
    _kubeconfig: NamedTempFile,
}

pub fn kubeconfig(server: SocketAddr) -> NamedTempFile {
    let file = NamedTempFile::new().expect("there is room");
    let config = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "it",
        "clusters": [{"name": "it", "cluster": {"server": format!("http://{server}")}}],
        "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}],
        "users": [{"name": "it", "user": {}}],
    });
    std::fs::write(file.path(), config.to_string()).expect("there is room");
    file
}

async fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    listener.local_addr().expect("it is bound")
}

async fn start(server: SocketAddr) -> Program {
    let (kubeconfig, address) = (kubeconfig(server), free_address().await);
    let child = Command::new(env!("CARGO_BIN_EXE_jobsworth-controller"))
        .arg(format!("--kubeconfig={}", kubeconfig.path().display()))
        .arg(format!("--metrics-address={address}"))
        .arg("--leader-elect=false")
        .stderr(Stdio::inherit())
        .kill_on_drop(true)
        .spawn()
        .expect("it was built for this test");
    Program { child, address, _kubeconfig: kubeconfig }
}

impl Program {
    async fn ask(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(self.address).await.expect("it listens");
        let request = format!("GET {path} HTTP/1.1\r\nHost: it\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("it reads");
        let mut text = String::new();
        stream.read_to_string(&mut text).await.expect("it answers");
        text
    }
}

/// A Job that has nothing to do until its deadline, which is the latest that can be written.
fn hostile(number: usize) -> Value {
    let mut job = named(&format!("a-hostile-{number}"));
    job["spec"]["parallelism"] = json!(0);
    job["spec"]["activeDeadlineSeconds"] = json!(i64::MAX);
    job["status"] = json!({"startTime": Timestamp::now().to_string()});
    job
}

fn named(name: &str) -> Value {
    let mut job = job();
    job["metadata"]["name"] = json!(name);
    job["metadata"]["uid"] = json!(format!("uid-{name}"));
    job["spec"]["selector"]["matchLabels"] = json!({"batch.kubernetes.io/controller-uid": format!("uid-{name}")});
    job["spec"]["parallelism"] = json!(1);
    job["spec"]["completions"] = json!(1);
    job
}

#[tokio::test]
async fn a_job_is_served_beside_twenty_whose_deadline_is_at_the_end_of_time() {
    let jobs = (0..20).map(hostile).chain([named("sentinel")]).collect();
    let (server, mut creations) = api_server(jobs).await;
    let mut program = start(server).await;
    let sentinel = async {
        while let Some(job) = creations.recv().await {
            if job == "sentinel" {
                return;
            }
        }
    };
    assert!(timeout(PATIENCE, sentinel).await.is_ok(), "no pod of the sentinel was created");
    let health = program.ask("/livez").await;
    assert!(health.starts_with("HTTP/1.1 200"), "{health}");
    assert!(matches!(program.child.try_wait(), Ok(None)), "it goes on");
}
