//! How a cluster of the user is taken into use, and how it is left.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use async_trait::async_trait;
use tokio::sync::watch;

use super::connection::ClusterConnection;
use super::refusal::Refusal;
use super::survey::{self, Survey};
use super::{ExistingCluster, ExistingError, probe, remains, watcher};
use crate::cluster::contract::layout::{Layout, Ports};
use crate::cluster::contract::{AGENT_IMAGE, Cluster, ClusterError, ClusterProvider, ClusterSpec, Progress, Step};
use crate::cluster::namespace::NamespacePolicy;

/// Ports of a cluster that has none here.
const NOWHERE: Ports = Ports {
    etcd: 0,
    etcd_peer: 0,
    api_server: 0,
    base: 0,
    subject: 0,
    subject_health: 0,
    webhook: 0,
    webhook_health: 0,
    scheduler: 0,
    kwok: 0,
};

/// Takes the cluster to which the user opened a connection, and which the user confirmed.
#[derive(Clone)]
pub struct ExistingProvider {
    connection: Arc<ClusterConnection>,
    survey: Survey,
    image: String,
}

impl ExistingProvider {
    /// The cluster of this survey; pods run from `image`, or from the one that cases name.
    #[must_use]
    pub fn new(connection: ClusterConnection, survey: Survey, image: Option<String>) -> Self {
        Self { connection: Arc::new(connection), survey, image: image.unwrap_or_else(|| AGENT_IMAGE.to_owned()) }
    }

    async fn take(
        &self,
        spec: &ClusterSpec,
        run: &str,
        progress: Progress<'_>,
    ) -> Result<ExistingCluster, ClusterError> {
        let begun = Instant::now();
        let client = self.connection.client().map_err(ExistingError::from)?;
        self.still_the_same(&client).await?;
        if !self.survey.expired.is_empty() {
            progress(Step::Doing("removing expired namespaces of runs that are dead".to_owned()));
            remains::remove(&client, self.survey.expired.clone()).await?;
        }
        let policy = NamespacePolicy::of(run, &user()).sharing(self.survey.sharing.as_deref());
        // From here on something may be left behind, and this removes it.
        let mut life = Life { connection: Arc::clone(&self.connection), run: Some(policy.run().to_owned()) };
        progress(Step::Doing(format!("running a pod from {}", self.image)));
        let digest = match probe::run(&client, &policy, &self.image).await {
            Ok(digest) => digest,
            Err(error) => {
                // The error that matters is the one that stopped us.
                let _ = life.end(&client).await;
                return Err(error);
            }
        };
        let failed = |source| ClusterError::File { what: "create", path: std::env::temp_dir(), source };
        let folder = tempfile::tempdir().map_err(failed)?;
        let site = Layout::new(folder.path().join("site"), NOWHERE);
        site.create()?;
        progress(Step::Up(begun.elapsed()));
        let unexpected_exit = Arc::new(watch::Sender::new(None));
        Ok(ExistingCluster {
            spec: spec.clone(),
            watcher: tokio::spawn(watcher::watch(client.clone(), Arc::clone(&unexpected_exit))),
            deployed: Mutex::default(),
            client,
            found: self.survey.found.clone(),
            policy,
            image: (self.image.clone(), digest),
            site,
            unexpected_exit,
            life,
            _folder: folder,
        })
    }

    /// Between the plan and this a name may have come to mean another cluster.
    async fn still_the_same(&self, client: &kube::Client) -> Result<(), ClusterError> {
        let uid = survey::uid(client).await.map_err(|source| ClusterError::Request {
            what: "read the namespace kube-system".to_owned(),
            source: Box::new(source),
        })?;
        if uid == self.survey.uid {
            return Ok(());
        }
        let (was, is) = (self.survey.short_uid().to_owned(), survey::short(&uid).to_owned());
        Err(ExistingError::from(Refusal::Replaced { was, is }).into())
    }
}

#[async_trait]
impl ClusterProvider for ExistingProvider {
    async fn provision(
        &self,
        spec: &ClusterSpec,
        name: &str,
        progress: Progress<'_>,
    ) -> Result<Box<dyn Cluster>, ClusterError> {
        Ok(Box::new(self.take(spec, name, progress).await?))
    }
}

/// Whom to ask about our namespaces.
fn user() -> String {
    let user = nix::unistd::User::from_uid(nix::unistd::getuid()).ok().flatten();
    user.map_or_else(|| "unknown".to_owned(), |user| user.name)
}

/// The namespaces of a run: gone with this.
pub(super) struct Life {
    connection: Arc<ClusterConnection>,
    /// Until its namespaces are gone.
    run: Option<String>,
}

impl Life {
    pub fn connection(&self) -> &ClusterConnection {
        &self.connection
    }

    /// Removes every namespace of the run, and returns when they are gone.
    pub async fn end(&mut self, client: &kube::Client) -> Result<(), ClusterError> {
        let Some(run) = &self.run else { return Ok(()) };
        let listed = remains::all(client, Some(run)).await.map_err(|source| ClusterError::Request {
            what: format!("list the namespaces of {run}"),
            source: Box::new(source),
        })?;
        remains::remove(client, listed).await?;
        self.run = None;
        Ok(())
    }
}

impl Drop for Life {
    /// Somebody insists, or an interrupt came before the first case: everything is deleted, and nobody waits for it to be
    /// gone. After a `kill -9` the next run removes what has expired.
    fn drop(&mut self) {
        let Some(run) = self.run.take() else { return };
        let connection = Arc::clone(&self.connection);
        // Our own runtime may be on its way out, and nothing may block on it.
        let removed = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async {
                let client = connection.client().map_err(std::io::Error::other)?;
                remains::let_go(&client, &run).await.map_err(std::io::Error::other)
            })
        });
        if !matches!(removed.join(), Ok(Ok(()))) {
            tracing::warn!(
                context = self.connection.context(),
                "namespaces of jobsworth were left behind: they expire, and the next run removes them"
            );
        }
    }
}
