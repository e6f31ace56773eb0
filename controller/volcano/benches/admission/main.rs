//! How many questions a second the webhook answers over HTTPS on the loopback device, and how long the slowest of a hundred waits.
//!
//! `cargo bench -p jobsworth-volcano --bench admission [-- SECONDS [CONNECTIONS]]`. Lookups are answered at once, so this is what the
//! webhook itself needs: TLS, HTTP, JSON, defaults or checks, and the answer.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a program for people, run by hand")]

use std::fs;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use http::Request;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use jobsworth_volcano::webhook::admit::Admission;
use jobsworth_volcano::webhook::certificate::Certificate;
use jobsworth_volcano::webhook::cluster::{Cluster, LookupError};
use jobsworth_volcano::webhook::server::Server;
use jobsworth_volcano_api::Queue;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsConnector;
use tokio_util::sync::CancellationToken;

struct AtOnce(Vec<Queue>);

impl Cluster for AtOnce {
    fn queues(&self) -> BoxFuture<'_, Result<Vec<Queue>, LookupError>> {
        ready(Ok(self.0.clone())).boxed()
    }

    fn namespace_queue<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Option<String>, LookupError>> {
        ready(Ok(None)).boxed()
    }

    fn objections<'a>(&'a self, _: &'a Value) -> BoxFuture<'a, Result<Vec<String>, LookupError>> {
        ready(Ok(Vec::new())).boxed()
    }
}

fn queue() -> Queue {
    let object = json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": "default"},
        "spec": {"weight": 1, "parent": "root"}, "status": {"state": "Open"}});
    serde_json::from_value(object).unwrap()
}

/// A job as people write them: two tasks, plugins, policies, some 3 KiB.
fn review() -> String {
    let task = |name: &str, replicas: u32| {
        let env: Vec<Value> = (0..12)
            .map(|n| json!({"name": format!("SETTING_{n}"), "value": "some text that a program reads"}))
            .collect();
        let container = json!({"name": "main", "image": "registry.example/team/program:1.2.3", "command": ["/bin/sh", "-c", "run --all"], "env": env,
            "resources": {"requests": {"cpu": "500m", "memory": "1Gi"}, "limits": {"cpu": "1", "memory": "2Gi"}}});
        json!({"name": name, "replicas": replicas, "policies": [{"event": "TaskCompleted", "action": "CompleteJob"}],
            "template": {"metadata": {"labels": {"app": name}}, "spec": {"restartPolicy": "Never", "containers": [container]}}})
    };
    let object = json!({"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "training", "namespace": "team"},
        "spec": {"queue": "default", "maxRetry": 3, "minAvailable": 5, "plugins": {"env": [], "svc": [], "ssh": []},
            "policies": [{"event": "PodEvicted", "action": "RestartJob", "timeout": "30s"}], "tasks": [task("master", 1), task("worker", 4)]}});
    json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
        "kind": {"group": "batch.volcano.sh", "version": "v1alpha1", "kind": "Job"},
        "resource": {"group": "batch.volcano.sh", "version": "v1alpha1", "resource": "jobs"}, "operation": "CREATE", "name": "training",
        "namespace": "team", "userInfo": {"username": "somebody"}, "dryRun": false, "object": object, "oldObject": null}})
    .to_string()
}

/// Asks one question after another over one connection, and returns how long each took.
async fn ask(address: SocketAddr, tls: TlsConnector, path: &'static str, until: Instant) -> Vec<Duration> {
    let stream = TcpStream::connect(address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let stream = tls.connect(ServerName::try_from("localhost").unwrap(), stream).await.unwrap();
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let body = Bytes::from(review());
    let mut took = Vec::new();
    while Instant::now() < until {
        let request = Request::post(path).header("host", "localhost").header("content-type", "application/json");
        let start = Instant::now();
        let answer = sender.send_request(request.body(Full::new(body.clone())).unwrap()).await.unwrap();
        let answer = answer.into_body().collect().await.unwrap().to_bytes();
        took.push(start.elapsed());
        assert!(answer.windows(14).any(|part| part == b"\"allowed\":true"), "{}", String::from_utf8_lossy(&answer));
    }
    took
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    // cargo adds `--bench`.
    let numbers: Vec<u64> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let seconds = numbers.first().copied().unwrap_or(5);
    let connections = numbers.get(1).copied().unwrap_or(4);
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = (folder.path().join("tls.crt"), folder.path().join("tls.key"));
    let pair = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    fs::write(&certificate, pair.cert.pem()).unwrap();
    fs::write(&key, pair.signing_key.serialize_pem()).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let admission = Admission { cluster: AtOnce(vec![queue()]), scheduler: "volcano".to_owned() };
    let stop = CancellationToken::new();
    tokio::spawn(Server::new(listener, Certificate::new(certificate, key), Arc::new(admission)).serve(stop.clone()));
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(pair.cert.der().to_vec())).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let tls = TlsConnector::from(Arc::new(config.with_root_certificates(roots).with_no_client_auth()));
    println!("{connections} connections, {seconds} s each, {} bytes a question", review().len());
    for path in ["/jobs/mutate", "/jobs/validate"] {
        let until = Instant::now() + Duration::from_secs(seconds);
        let clients = (0..connections).map(|_| tokio::spawn(ask(address, tls.clone(), path, until)));
        let mut took: Vec<Duration> =
            futures::future::join_all(clients).await.into_iter().flat_map(Result::unwrap).collect();
        took.sort();
        let at = |share: f64| took[((took.len() as f64 * share) as usize).min(took.len() - 1)];
        let rate = took.len() as u64 / seconds;
        println!(
            "{path}: {rate} a second, half within {:?}, 99 of 100 within {:?}, all within {:?}",
            at(0.5),
            at(0.99),
            at(1.0)
        );
    }
    stop.cancel();
}
