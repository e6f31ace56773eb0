//! A cluster that another process of ours holds: reached through the files in its folder, its
//! processes through the daemon's socket.

use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use async_trait::async_trait;
use tokio::sync::watch;

use crate::cluster::contract::layout::Layout;
use crate::cluster::contract::{
    Change, ChangeReport, Cluster, ClusterError, ClusterSpec, Component, RunningSubject, SubjectKind, UnexpectedExit,
    attest,
};
use crate::cluster::long_lived::control::{self, Command};
use crate::cluster::machine::access::Access;
use crate::cluster::machine::outage::Outage;
use crate::cluster::machine::registry::Registry;

/// A cluster that a daemon holds, used by us among others.
pub struct AttachedCluster {
    state: Mutex<State>,
    registry: Registry,
    name: String,
    outage: Outage,
    site: Layout,
    client: kube::Client,
    unexpected_exit: Arc<watch::Sender<Option<UnexpectedExit>>>,
    listener: tokio::task::JoinHandle<()>,
    /// Shared with all users; the daemon goes when nobody has it.
    _users: File,
}

/// What the cluster was when somebody last looked.
struct State {
    spec: ClusterSpec,
    binaries: Vec<(String, String)>,
}

impl State {
    fn read(registry: &Registry, name: &str) -> Result<Self, ClusterError> {
        let record = registry.record(name)?;
        Ok(Self { spec: record.spec, binaries: record.binaries })
    }
}

impl AttachedCluster {
    /// Takes part in a cluster that is up; `users` is its locked users' file.
    pub(super) fn enter(registry: &Registry, name: &str, users: File) -> Result<Self, ClusterError> {
        let state = Mutex::new(State::read(registry, name)?);
        let site = registry.site(name)?;
        let outage = Outage::default();
        let client = Access::administrator(&site).patient(&outage).client()?;
        let unexpected_exit = Arc::new(watch::Sender::new(None));
        let listener = tokio::spawn(listen(site.folder().to_owned(), Arc::clone(&unexpected_exit)));
        let (registry, name) = (registry.clone(), name.to_owned());
        Ok(Self { state, registry, name, outage, site, client, unexpected_exit, listener, _users: users })
    }

    /// Whether it is what somebody wants. Who the subject is counts too.
    pub(super) fn is(&self, spec: &ClusterSpec) -> bool {
        self.state().spec == *spec
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Passes on what the daemon says. A controller under test that was started again may die again.
async fn listen(folder: PathBuf, slot: Arc<watch::Sender<Option<UnexpectedExit>>>) {
    while let Some(unexpected_exit) = control::unexpected_exit(&folder).await {
        slot.send_replace(Some(unexpected_exit));
        // The slot lives as long as this does.
        let _ = slot.subscribe().wait_for(Option::is_none).await;
    }
}

impl Drop for AttachedCluster {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

#[async_trait]
impl Cluster for AttachedCluster {
    fn spec(&self) -> ClusterSpec {
        self.state().spec.clone()
    }

    fn client(&self) -> kube::Client {
        self.client.clone()
    }

    fn binaries(&self) -> Vec<(String, String)> {
        self.state().binaries.clone()
    }

    fn site(&self) -> &Layout {
        &self.site
    }

    async fn metrics(&self, of: Component) -> Result<String, ClusterError> {
        Access::component(&self.site, of).text("/metrics").await
    }

    fn unexpected_exit(&self) -> watch::Receiver<Option<UnexpectedExit>> {
        self.unexpected_exit.subscribe()
    }

    async fn start_subject(&self, kind: &SubjectKind) -> Result<Box<dyn RunningSubject>, ClusterError> {
        if *kind != self.state().spec.subject {
            return Err(ClusterError::Daemon {
                what: "start another subject".to_owned(),
                why: "a held cluster keeps the one that it was brought up with".to_owned(),
            });
        }
        control::ask(self.site.folder(), Command::Start).await?;
        UnexpectedExit::forget(&self.unexpected_exit, Component::Subject);
        Ok(Box::new(AttachedSubject { site: self.site.clone(), unexpected_exit: Arc::clone(&self.unexpected_exit) }))
    }

    /// The daemon changes it. Others who use it at that moment see their requests fail.
    async fn change(&self, change: &Change) -> Result<ChangeReport, ClusterError> {
        // What cannot be is said in our own words and with its reason.
        change.target(&self.spec())?;
        let begun = Instant::now();
        {
            let _outage = self.outage.begin();
            control::ask(self.site.folder(), Command::Change(change.clone())).await?;
        }
        let now = State::read(&self.registry, &self.name)?;
        let spec = now.spec.clone();
        *self.state() = now;
        let attestation = Arc::new(attest::attest(self).await?);
        Ok(ChangeReport { spec, attestation, took: begun.elapsed(), steps: Vec::new() })
    }

    /// Leaves the cluster; its daemon takes it down once nobody uses it, or when told to.
    async fn destroy(self: Box<Self>) -> Result<(), ClusterError> {
        Ok(())
    }
}

/// The subject of a cluster that a daemon holds.
struct AttachedSubject {
    site: Layout,
    unexpected_exit: Arc<watch::Sender<Option<UnexpectedExit>>>,
}

impl AttachedSubject {
    async fn ask(&self, command: Command) -> Result<(), ClusterError> {
        control::ask(self.site.folder(), command).await
    }
}

#[async_trait]
impl RunningSubject for AttachedSubject {
    async fn crash(&self) -> Result<(), ClusterError> {
        self.ask(Command::Crash).await
    }

    async fn restart(&self) -> Result<(), ClusterError> {
        self.ask(Command::Restart).await?;
        UnexpectedExit::forget(&self.unexpected_exit, Component::Subject);
        Ok(())
    }

    async fn pause(&self) -> Result<(), ClusterError> {
        self.ask(Command::Pause).await
    }

    async fn resume(&self) -> Result<(), ClusterError> {
        self.ask(Command::Resume).await
    }

    async fn metrics(&self) -> Result<String, ClusterError> {
        Access::component(&self.site, Component::Subject).text("/metrics").await
    }

    async fn stop(&self) -> Result<(), ClusterError> {
        self.ask(Command::Stop).await
    }
}
