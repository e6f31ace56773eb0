//! A webhook on the loopback device, and somebody who asks it.

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use jobsworth_volcano::webhook::admit::Admission;
use jobsworth_volcano::webhook::certificate::Certificate;
use jobsworth_volcano::webhook::cluster::{Cluster, LookupError};
use jobsworth_volcano::webhook::server::{Bounds, Server};
use jobsworth_volcano_api::Queue;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsConnector;
use tokio_util::sync::CancellationToken;

/// For everything that should be there soon.
const SOON: Duration = Duration::from_secs(30);

/// Lets lookups through one by one, and panics over the namespace `panic`.
struct Gate {
    reached: Arc<Semaphore>,
    open: Arc<Semaphore>,
}

impl Cluster for Gate {
    fn queues(&self) -> BoxFuture<'_, Result<Vec<Queue>, LookupError>> {
        ready(Ok(Vec::new())).boxed()
    }

    fn namespace_queue<'a>(&'a self, namespace: &'a str) -> BoxFuture<'a, Result<Option<String>, LookupError>> {
        async move {
            assert!(namespace != "panic", "as it was told");
            self.reached.add_permits(1);
            self.open.acquire().await.unwrap().forget();
            Ok(Some("team".to_owned()))
        }
        .boxed()
    }

    fn objections<'a>(&'a self, _: &'a Value) -> BoxFuture<'a, Result<Vec<String>, LookupError>> {
        ready(Ok(Vec::new())).boxed()
    }
}

/// A running webhook.
pub struct Site {
    address: SocketAddr,
    /// One permit for each lookup that came to the gate.
    pub reached: Arc<Semaphore>,
    /// One permit for each lookup that may pass.
    pub gate: Arc<Semaphore>,
    pub stop: CancellationToken,
    pub served: JoinHandle<()>,
    folder: TempDir,
}

impl Site {
    /// Without a certificate.
    pub async fn bare() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (reached, gate, stop) =
            (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)), CancellationToken::new());
        let cluster = Gate { reached: Arc::clone(&reached), open: Arc::clone(&gate) };
        let admission = Admission { cluster, scheduler: "volcano".to_owned() };
        let certificate = Certificate::new(folder.path().join("tls.crt"), folder.path().join("tls.key"));
        assert!(!certificate.is_there());
        let bounds = Bounds { look_again: Duration::from_millis(20), ..Bounds::default() };
        let served =
            tokio::spawn(Server::within(bounds, listener, certificate, Arc::new(admission)).serve(stop.clone()));
        Self { address, reached, gate, stop, served, folder }
    }

    /// With one, and somebody who trusts it.
    pub async fn new() -> (Self, Visitor) {
        let site = Self::bare().await;
        let visitor = site.certify();
        site.until_certified(&visitor).await;
        (site, visitor)
    }

    /// Puts a new certificate in place, and returns somebody who trusts nothing else.
    pub fn certify(&self) -> Visitor {
        let pair = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        // The key first: the two are read together, and a pair that does not fit is passed over.
        fs::write(self.path("tls.key"), pair.signing_key.serialize_pem()).unwrap();
        fs::write(self.path("tls.crt"), pair.cert.pem()).unwrap();
        Visitor::trusting(self.address, pair.cert.der().to_vec())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Whether a connection is closed before anything is said.
    pub async fn connects_in_vain(&self) -> bool {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let mut byte = [0];
        let read = timeout(SOON, stream.read(&mut byte)).await.expect("the end of the connection");
        matches!(read, Ok(0) | Err(_))
    }

    /// Waits until the webhook serves with the certificate that the visitor trusts.
    pub async fn until_certified(&self, visitor: &Visitor) {
        let tried = async {
            while visitor.ask(Request::get("/readyz"), "").await.is_err() {
                sleep(Duration::from_millis(10)).await;
            }
        };
        timeout(SOON, tried).await.expect("it serves with the certificate in the files");
    }
}

/// Somebody who asks over HTTPS.
pub struct Visitor {
    address: SocketAddr,
    tls: TlsConnector,
}

impl Visitor {
    fn trusting(address: SocketAddr, certificate: Vec<u8>) -> Self {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from(certificate)).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        Self { address, tls: TlsConnector::from(Arc::new(config.with_root_certificates(roots).with_no_client_auth())) }
    }

    /// One question over a connection of its own.
    pub async fn ask(
        &self,
        request: http::request::Builder,
        body: impl Into<Bytes>,
    ) -> Result<(StatusCode, String), String> {
        let asked = async {
            let stream = TcpStream::connect(self.address).await.map_err(|error| error.to_string())?;
            let name = ServerName::try_from("localhost").unwrap();
            let stream = self.tls.connect(name, stream).await.map_err(|error| error.to_string())?;
            let (mut sender, connection) =
                http1::handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
            tokio::spawn(connection);
            let request = request.header("host", "localhost").body(Full::new(body.into())).unwrap();
            let answer: Response<_> = sender.send_request(request).await.map_err(|error| error.to_string())?;
            let code = answer.status();
            let body = answer.into_body().collect().await.map_err(|error| error.to_string())?.to_bytes();
            Ok((code, String::from_utf8_lossy(&body).into_owned()))
        };
        timeout(SOON, asked).await.expect("an answer")
    }

    /// A question as the API server asks it.
    pub async fn post(&self, path: &str, body: impl Into<Bytes>) -> (StatusCode, String) {
        self.ask(Request::post(path).header("content-type", "application/json"), body).await.unwrap()
    }
}
