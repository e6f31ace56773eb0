//! The server of metrics and health over real connections.
#![expect(clippy::unwrap_used, reason = "what a test cannot do is its failure")]

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jobsworth_controller_runtime::fence::Fence;
use jobsworth_controller_runtime::liveness::Liveness;
use jobsworth_controller_runtime::metrics::Exposition;
use jobsworth_controller_runtime::server::{Bounds, Pair, Security, Server, State};
use kube::Config;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{interval, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::access::delegated;

/// For what comes within milliseconds.
const SOON: Duration = Duration::from_secs(20);

async fn start(security: Security, bounds: Bounds) -> (SocketAddr, DropGuard) {
    let state = Arc::new(State::new(Arc::new(Exposition::default()), Arc::new(Liveness::new(Fence::open()))));
    let server = Server::bind("127.0.0.1:0".parse().unwrap(), security, bounds, state).await.unwrap();
    let (address, stop) = (server.address().unwrap(), CancellationToken::new());
    tokio::spawn(server.serve(stop.clone()));
    (address, stop.drop_guard())
}

async fn plain(bounds: Bounds) -> (SocketAddr, DropGuard) {
    start(Security::Plain, bounds).await
}

fn secured(pair: Pair, client_authority: Option<PathBuf>) -> Security {
    Security::Delegated { pair, client_authority, access: Box::new(delegated().0) }
}

fn made() -> Pair {
    Pair::Made("127.0.0.1".parse().unwrap())
}

/// Sends this and reads the answer as far as it has come; nothing when the connection was closed.
async fn ask(stream: &mut TcpStream, request: &str) -> String {
    let mut answer = vec![0; 64 * 1024];
    let _ = stream.write_all(request.as_bytes()).await;
    let read = timeout(SOON, stream.read(&mut answer)).await.expect("it answers or hangs up").unwrap_or(0);
    String::from_utf8_lossy(&answer[..read]).into_owned()
}

const HEALTH: &str = "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";
const METRICS: &str = "GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n";

struct Caller {
    token: Option<&'static str>,
    certificate: Option<(PathBuf, PathBuf)>,
    trusts: Option<PathBuf>,
}

const NOBODY: Caller = Caller { token: None, certificate: None, trusts: None };

impl Caller {
    async fn get(self, address: SocketAddr, path: &str) -> Result<(u16, String), kube::Error> {
        let mut config = Config::new(format!("https://{address}").parse().unwrap());
        config.default_retry = false;
        config.accept_invalid_certs = self.trusts.is_none();
        config.root_cert = self.trusts.map(|path| vec![CertificateDer::from_pem_file(path).unwrap().to_vec()]);
        config.auth_info.token = self.token.map(|token| token.to_owned().into());
        if let Some((certificate, key)) = self.certificate {
            config.auth_info.client_certificate = Some(certificate.display().to_string());
            config.auth_info.client_key = Some(key.display().to_string());
        }
        let client = kube::Client::try_from(config)?;
        let answer = client.send(http::Request::get(path).body(kube::client::Body::empty()).unwrap()).await?;
        let code = answer.status().as_u16();
        let body = http_body_util::BodyExt::collect(answer.into_body()).await?.to_bytes();
        Ok((code, String::from_utf8_lossy(&body).into_owned()))
    }
}

#[tokio::test]
async fn without_a_certificate_this_machine_reads_everything() {
    let (address, _stop) = plain(Bounds::default()).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    let (metrics, health) = (ask(&mut stream, METRICS).await, ask(&mut stream, HEALTH).await);
    assert!(metrics.starts_with("HTTP/1.1 200") && metrics.ends_with("# EOF\n"), "{metrics}");
    assert!(
        metrics.contains("content-type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n"),
        "{metrics}"
    );
    assert!(
        health.starts_with("HTTP/1.1 200") && health.contains("content-type: text/plain; charset=utf-8\r\n"),
        "{health}"
    );
    assert!(ask(&mut stream, "DELETE /metrics HTTP/1.1\r\nhost: x\r\n\r\n").await.starts_with("HTTP/1.1 405"));
}

#[tokio::test]
async fn one_connection_too_many_takes_the_place_of_the_oldest() {
    let (address, _stop) = plain(Bounds { connections: 2, ..Bounds::default() }).await;
    let mut open = Vec::new();
    for _ in 0..3 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        assert!(ask(&mut stream, HEALTH).await.starts_with("HTTP/1.1 200"));
        open.push(stream);
    }
    assert_eq!(ask(&mut open[0], "").await, "");
    assert!(ask(&mut open[1], HEALTH).await.starts_with("HTTP/1.1 200"));
    assert!(ask(&mut open[2], HEALTH).await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn who_does_not_go_on_with_a_request_is_hung_up_on() {
    let (address, _stop) = plain(Bounds { request: Duration::from_millis(50), ..Bounds::default() }).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    let answer = ask(&mut stream, "GET /healthz HTTP/1.1\r\nhost").await;
    assert!(!answer.contains(" 200 "), "{answer}");
    let mut idle = TcpStream::connect(address).await.unwrap();
    assert!(ask(&mut idle, HEALTH).await.starts_with("HTTP/1.1 200"));
    assert!(!ask(&mut idle, "").await.contains(" 200 "));
}

#[tokio::test]
async fn a_connection_has_an_end_however_busy_it_is() {
    let (address, _stop) = plain(Bounds { age: Duration::from_millis(50), ..Bounds::default() }).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    let ended = async { while !ask(&mut stream, HEALTH).await.is_empty() {} };
    timeout(SOON, ended).await.expect("it ends");
}

#[tokio::test]
async fn a_handshake_that_does_not_come_is_not_waited_for() {
    let bounds = Bounds { handshake: Duration::from_millis(50), ..Bounds::default() };
    let (address, _stop) = start(secured(made(), None), bounds).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    assert_eq!(ask(&mut stream, "").await, "");
}

#[tokio::test]
async fn a_request_that_is_larger_than_any_is_not_read_to_its_end() {
    let (address, _stop) = plain(Bounds::default()).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET /healthz HTTP/1.1\r\nx: {}\r\n\r\n", "x".repeat(64 * 1024));
    let answer = ask(&mut stream, &request).await;
    assert!(!answer.contains(" 200 "), "{answer}");
}

#[tokio::test]
async fn over_https_the_metrics_are_for_those_who_may_and_health_is_for_all() {
    let (address, _stop) = start(secured(made(), None), Bounds::default()).await;
    let code = async |token, path| Caller { token, ..NOBODY }.get(address, path).await.unwrap().0;
    assert_eq!(code(None, "/healthz").await, 200);
    assert_eq!(code(None, "/metrics").await, 401);
    assert_eq!(code(Some("unknown"), "/metrics").await, 401);
    assert_eq!(code(Some("stranger"), "/metrics").await, 403);
    assert_eq!(code(Some("undecided"), "/metrics").await, 500);
    assert_eq!(code(Some("reader"), "/metrics").await, 200);
    let (_, refusal) = Caller { token: Some("stranger"), ..NOBODY }.get(address, "/metrics").await.unwrap();
    let refusal: serde_json::Value = serde_json::from_str(&refusal).unwrap();
    assert_eq!((&refusal["kind"], &refusal["reason"]), (&"Status".into(), &"Forbidden".into()));
}

#[tokio::test]
async fn plain_http_gets_nothing_where_https_is_served() {
    let (address, _stop) = start(secured(made(), None), Bounds::default()).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    assert!(!ask(&mut stream, METRICS).await.contains("HTTP/1.1"));
}

/// A pair in files, signed by itself.
fn write_pair(folder: &Path, name: &str) -> (PathBuf, PathBuf) {
    let pair = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    let (certificate, key) = (folder.join(format!("{name}.crt")), folder.join(format!("{name}.key")));
    std::fs::write(&certificate, pair.cert.pem()).unwrap();
    std::fs::write(&key, pair.signing_key.serialize_pem()).unwrap();
    (certificate, key)
}

#[tokio::test]
async fn a_certificate_that_changes_is_served_without_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = write_pair(folder.path(), "served");
    let (first, _) = (folder.path().join("first.crt"), std::fs::copy(&certificate, folder.path().join("first.crt")));
    let bounds = Bounds { look_again: Duration::from_millis(20), ..Bounds::default() };
    let (address, _stop) = start(secured(Pair::Files { certificate: certificate.clone(), key }, None), bounds).await;
    let trusting = async |trusts: &Path| {
        Caller { trusts: Some(trusts.to_owned()), ..NOBODY }.get(address, "/healthz").await.is_ok()
    };
    assert!(trusting(&first).await);
    write_pair(folder.path(), "served");
    let mut look = interval(Duration::from_millis(20));
    let changed = async {
        while !trusting(&certificate).await {
            look.tick().await;
        }
    };
    timeout(SOON, changed).await.expect("the new certificate is served");
    assert!(!trusting(&first).await);
}

#[tokio::test]
async fn a_client_certificate_is_as_good_as_a_token() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let client = |name: &str, group: &str| {
        let mut client = CertificateParams::new(Vec::new()).unwrap();
        client.distinguished_name = rcgen::DistinguishedName::new();
        client.distinguished_name.push(DnType::CommonName, name);
        client.distinguished_name.push(DnType::OrganizationName, group);
        let key = KeyPair::generate().unwrap();
        let certificate = client.signed_by(&key, &authority).unwrap();
        (file(&format!("{name}.crt"), certificate.pem()), file(&format!("{name}.key"), key.serialize_pem()))
    };
    let security = secured(made(), Some(file("authority.crt", authority.pem())));
    let (address, _stop) = start(security, Bounds::default()).await;
    let code =
        async |certificate| Caller { certificate, ..NOBODY }.get(address, "/metrics").await.map(|(code, _)| code);
    assert_eq!(code(Some(client("root", "system:masters"))).await.unwrap(), 200);
    assert_eq!(code(Some(client("reader", "team"))).await.unwrap(), 200);
    assert_eq!(code(Some(client("stranger", "team"))).await.unwrap(), 403);
    assert_eq!(code(None).await.unwrap(), 401);
    // One that nobody vouches for ends the handshake.
    assert!(code(Some(write_pair(folder.path(), "self"))).await.is_err());
}
