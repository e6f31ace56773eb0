//! The way to a cluster of the user: a kubeconfig and a context in it, both named. Neither is ever changed, and what
//! the environment says about either does not count.

use std::path::{Path, PathBuf};
use std::time::Duration;

use http::header::{HeaderValue, USER_AGENT};
use http::{Method, Request};
use kube::Config;
use kube::client::{Body, retry::RetryPolicy};
use kube::config::{KubeConfigOptions, Kubeconfig};
use tower::buffer::BufferLayer;
use tower::filter::FilterLayer;
use tower::limit::RateLimitLayer;
use tower::retry::RetryLayer;

use super::production;
use super::refusal::Refusal;
use crate::cluster::machine::access::PLUMBING;
use crate::cluster::machine::client;

/// How many requests we send in a second, whatever for.
pub const REQUESTS_PER_SECOND: u32 = 20;
/// As many as a client of the library buffers.
const REQUESTS_BUFFERED: usize = 1024;
const CONNECT_LIMIT: Duration = Duration::from_secs(5);

/// A context of a kubeconfig that may be used, as far as names tell.
#[derive(Clone)]
pub struct ClusterConnection {
    file: PathBuf,
    context: String,
    server: String,
    config: Config,
}

impl ClusterConnection {
    /// Reads the file; sends nothing, but may ask the user's credential plugin.
    ///
    /// # Errors
    /// When one of the two is not named, cannot be used, or looks like production.
    pub async fn open(file: Option<&Path>, context: Option<&str>) -> Result<Self, Refusal> {
        let file = file.filter(|file| !file.as_os_str().is_empty()).ok_or(Refusal::NoFile)?;
        let unreadable = |why: String| Refusal::Unreadable { file: file.to_owned(), why };
        // What follows the first line quotes the file, and there are secrets in it.
        let why = |error: kube::config::KubeconfigError| {
            crate::error_text::in_full(&error).lines().next().unwrap_or_default().to_owned()
        };
        let kubeconfig = Kubeconfig::read_from(file).map_err(|error| unreadable(why(error)))?;
        let there = || kubeconfig.contexts.iter().map(|context| context.name.clone()).collect();
        let Some(context) = context.filter(|context| !context.is_empty()) else {
            return Err(Refusal::NoContext { file: file.to_owned(), there: there() });
        };
        let Some(named) = kubeconfig.contexts.iter().find(|known| known.name == context) else {
            let (file, context) = (file.to_owned(), context.to_owned());
            return Err(Refusal::NoSuchContext { file, context, there: there() });
        };
        let cluster = named.context.as_ref().map(|context| context.cluster.clone()).unwrap_or_default();
        allowed("context", context)?;
        allowed("cluster", &cluster)?;
        let of_cluster = kubeconfig.clusters.iter().find(|known| known.name == cluster);
        let server = of_cluster.and_then(|known| known.cluster.as_ref()?.server.clone()).unwrap_or_default();
        allowed("server", &server)?;
        let options = KubeConfigOptions { context: Some(context.to_owned()), ..KubeConfigOptions::default() };
        let unusable = |why: String| Refusal::Unusable { context: context.to_owned(), why };
        let config = Config::from_custom_kubeconfig(kubeconfig, &options)
            .await
            .map_err(|error| unusable(crate::error_text::in_full(&error)))?;
        Ok(Self { file: file.to_owned(), context: context.to_owned(), server, config })
    }

    /// The context's name.
    #[must_use]
    pub fn context(&self) -> &str {
        &self.context
    }

    /// The server's address, as the file has it.
    #[must_use]
    pub fn server(&self) -> &str {
        &self.server
    }

    /// The kubeconfig.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// How kubectl is told to take the same way.
    #[must_use]
    pub fn kubectl(&self) -> String {
        format!("kubectl --kubeconfig {} --context {}", self.file.display(), self.context)
    }

    /// A client that sends so many requests a second and no more. Requests that the server was too busy for are sent
    /// again, and count again; a watch counts once.
    ///
    /// # Errors
    /// When certificates or credentials cannot be used.
    pub fn client(&self) -> Result<kube::Client, Refusal> {
        self.client_that_may(Access::ReadAndWrite)
    }

    /// The same, for looking on: a request that is not a read is refused before it is sent.
    ///
    /// # Errors
    /// When certificates or credentials cannot be used.
    pub fn reading_client(&self) -> Result<kube::Client, Refusal> {
        self.client_that_may(Access::Read)
    }

    fn client_that_may(&self, access: Access) -> Result<kube::Client, Refusal> {
        // Two TLS providers in one build would make rustls refuse to choose; ours is named here.
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let mut config = self.config.clone();
        config.connect_timeout = Some(CONNECT_LIMIT);
        // The library's own repeats would pass the limit by.
        config.default_retry = false;
        config.headers.push((USER_AGENT, HeaderValue::from_static(PLUMBING)));
        let why = |error: kube::Error| {
            let why = crate::error_text::in_full(&error);
            Refusal::Unusable { context: self.context.clone(), why }
        };
        // One at a time: so many in a second, in any second.
        let pace = RateLimitLayer::new(1, Duration::from_secs(1) / REQUESTS_PER_SECOND);
        let builder = client::builder(config).map_err(why)?;
        let buffered = builder.with_layer(&pace).with_layer(&BufferLayer::<Request<Body>>::new(REQUESTS_BUFFERED));
        let patient = buffered.with_layer(&RetryLayer::new(RetryPolicy::server_retry()));
        Ok(patient.with_layer(&access.layer()).build())
    }
}

/// What a client may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    Read,
    ReadAndWrite,
}

/// A request that would have written.
#[derive(Debug, thiserror::Error)]
#[error("{0} {1} is not sent: this command only reads")]
struct NotSent(Method, String);

impl Access {
    fn layer(self) -> FilterLayer<impl Fn(Request<Body>) -> Result<Request<Body>, NotSent> + Clone> {
        FilterLayer::new(move |request: Request<Body>| match self {
            Self::Read if request.method() != Method::GET => {
                Err(NotSent(request.method().clone(), request.uri().path().to_owned()))
            }
            _ => Ok(request),
        })
    }
}

/// A name that does not look like production.
fn allowed(what: &'static str, name: &str) -> Result<(), Refusal> {
    match production::word_of(name) {
        Some(word) => Err(Refusal::Production { what, name: name.to_owned(), word }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use std::sync::{Arc, Mutex};
    use tower::Service;

    const FILE: &str = "
apiVersion: v1
kind: Config
current-context: fine
clusters:
- {name: fine, cluster: {server: 'https://127.0.0.1:6443'}}
- {name: eu-live, cluster: {server: 'https://127.0.0.1:6443'}}
- {name: far, cluster: {server: 'https://api.prod.example.com'}}
users: [{name: me, user: {token: t}}]
contexts:
- {name: fine, context: {cluster: fine, user: me}}
- {name: live, context: {cluster: fine, user: me}}
- {name: hidden, context: {cluster: eu-live, user: me}}
- {name: far, context: {cluster: far, user: me}}
- {name: broken, context: {cluster: nobody, user: me}}
";

    #[rstest]
    #[case::without_a_context_the_current_one_does_not_count(None, "no context of")]
    #[case::of_a_context_that_is_not_there(Some("fien"), "failed to find the context `fien`")]
    #[case::of_a_context_of_production(Some("live"), "its context `live` looks like production")]
    #[case::of_a_cluster_of_production(Some("hidden"), "its cluster `eu-live` looks like production")]
    #[case::of_a_server_of_production(Some("far"), "its server `https://api.prod.example.com` looks like production")]
    #[case::of_a_context_without_a_cluster(Some("broken"), "failed to use the context `broken`")]
    #[tokio::test]
    async fn no_connection_is_opened(#[case] context: Option<&str>, #[case] says: &str) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config");
        std::fs::write(&file, FILE).unwrap();
        let refusal = ClusterConnection::open(Some(&file), context).await.err().unwrap().to_string();
        assert!(refusal.contains(says), "{refusal}");
    }

    #[tokio::test]
    async fn a_context_that_is_named_is_the_way_and_the_file_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config");
        std::fs::write(&file, FILE).unwrap();
        let connection = ClusterConnection::open(Some(&file), Some("fine")).await.unwrap();
        assert_eq!((connection.context(), connection.server()), ("fine", "https://127.0.0.1:6443"));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), FILE);
    }

    #[tokio::test]
    async fn a_file_that_cannot_be_read_is_not_quoted() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config");
        std::fs::write(&file, "users: [{name: me, user: {token: hidden-word}}").unwrap();
        let refusal = ClusterConnection::open(Some(&file), Some("fine")).await.err().unwrap().to_string();
        assert!(refusal.starts_with("failed to read the kubeconfig"), "{refusal}");
        assert!(!refusal.contains("hidden-word"), "{refusal}");
    }

    #[tokio::test]
    async fn a_file_that_is_missing_is_no_connection_and_neither_is_none() {
        assert_eq!(ClusterConnection::open(None, Some("fine")).await.err(), Some(Refusal::NoFile));
        let refusal =
            ClusterConnection::open(Some(Path::new("missing")), Some("fine")).await.err().unwrap().to_string();
        assert!(refusal.starts_with("failed to read the kubeconfig missing"), "{refusal}");
    }

    /// An API server that has an empty list for everything, and remembers what was asked of it.
    fn server(
        asked: &Arc<Mutex<Vec<Method>>>,
    ) -> impl Service<Request<Body>, Response = http::Response<Body>, Error = tower::BoxError, Future: Send> + Clone + use<>
    {
        let asked = Arc::clone(asked);
        tower::service_fn(move |request: Request<Body>| {
            asked.lock().unwrap().push(request.method().clone());
            let list =
                br#"{"kind": "JobList", "apiVersion": "batch/v1", "metadata": {"resourceVersion": "1"}, "items": []}"#;
            std::future::ready(Ok(http::Response::new(Body::from(list.to_vec()))))
        })
    }

    #[rstest]
    #[case::that_only_reads(Access::Read, vec![Method::GET])]
    #[case::that_may_write(Access::ReadAndWrite, vec![Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE])]
    #[tokio::test]
    async fn what_reaches_the_server_of_a_client(#[case] access: Access, #[case] expected: Vec<Method>) {
        let asked = Arc::default();
        let service = tower::ServiceBuilder::new().layer(access.layer()).service(server(&asked));
        let client = kube::Client::new(service, "default");
        let jobs: kube::Api<k8s_openapi::api::batch::v1::Job> = kube::Api::namespaced(client, "default");
        let (job, yes) = (k8s_openapi::api::batch::v1::Job::default(), kube::api::PostParams::default());
        let patch = kube::api::Patch::Merge(serde_json::json!({}));
        jobs.list(&kube::api::ListParams::default()).await.unwrap();
        let written = [
            jobs.create(&yes, &job).await.err(),
            jobs.replace("job", &yes, &job).await.err(),
            jobs.patch("job", &kube::api::PatchParams::default(), &patch).await.err(),
            jobs.delete("job", &kube::api::DeleteParams::default()).await.err(),
        ];
        assert_eq!(*asked.lock().unwrap(), expected);
        if access == Access::Read {
            assert!(written.iter().flatten().all(|error| crate::error_text::in_full(error).contains("only reads")));
        }
    }
}
