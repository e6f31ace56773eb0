//! The provider whose components are processes on this machine, children of this one.

mod admission;
pub(crate) mod at_hand;
mod change;
mod offer;
mod pair;
mod provider;
mod rights;
mod subject;
mod subject_process;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use jobsworth_api::KubeVersion;
use tokio::sync::watch;

use crate::binaries::{BinarySet, Source};
use crate::cluster::contract::attest::Mark;
use crate::cluster::contract::change::{Change, ChangeReport};
use crate::cluster::contract::layout::Layout;
use crate::cluster::contract::{
    Cluster, ClusterError, ClusterSpec, Component, RunningSubject, SubjectKind, UnexpectedExit, marks_of,
};
use crate::cluster::machine::Host;
use crate::cluster::machine::access::Access;
use crate::cluster::machine::outage::Outage;
use crate::cluster::machine::proxy::SubjectTap;
use crate::cluster::machine::registry::Owner;
pub(crate) use offer::COSTS;
pub use offer::Local;
pub use provider::{CAPABILITIES, LocalProvider};
pub(crate) use subject::LocalSubject;
pub(crate) use subject_process::outside;

/// A cluster of processes of our own.
#[derive(Debug)]
pub struct LocalCluster {
    state: Mutex<State>,
    /// What the subject's requests pass.
    tap: SubjectTap,
    source: Source,
    client: ClientBox,
    host: Arc<Host>,
    /// While the API server is changed.
    outage: Outage,
    /// One change at a time.
    changing: tokio::sync::Mutex<()>,
    /// Held as long as the cluster lives; who finds it free may clean up.
    owner: Owner,
}

/// What a cluster is at the moment.
#[derive(Debug)]
struct State {
    spec: ClusterSpec,
    /// Of every version that it was or may become.
    programs: BTreeMap<KubeVersion, BinarySet>,
    /// The version that it was brought up with, whose etcd stays.
    first: KubeVersion,
    kind: SubjectKind,
    subject: Option<Arc<subject::LocalSubject>>,
    /// The subject's instances, where there are two.
    pair: Option<Arc<pair::Pair>>,
}

impl State {
    fn binaries(&self) -> &BinarySet {
        let own = self.programs.get(&self.spec.version).or_else(|| self.programs.get(&self.first));
        own.expect("a cluster has the programs that it was brought up with")
    }
}

/// [`kube::Client`] says nothing about itself.
struct ClientBox(kube::Client);

impl std::fmt::Debug for ClientBox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Client")
    }
}

impl LocalCluster {
    /// The process ids of what runs now.
    #[must_use]
    pub fn pids(&self) -> BTreeMap<Component, u32> {
        self.host.pids()
    }

    /// The subject as two instances; started once.
    async fn pair(&self, kind: &SubjectKind) -> Result<Arc<pair::Pair>, ClusterError> {
        let (spec, binaries, there) = {
            let mut state = self.state();
            state.kind = kind.clone();
            (state.spec.clone(), state.binaries().clone(), state.pair.clone())
        };
        if let Some(there) = there {
            return Ok(there);
        }
        let pair = pair::Pair::start(Arc::clone(&self.host), kind, &spec, &binaries).await?;
        self.state().pair = Some(Arc::clone(&pair));
        Ok(pair)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Cluster for LocalCluster {
    fn spec(&self) -> ClusterSpec {
        self.state().spec.clone()
    }

    fn client(&self) -> kube::Client {
        self.client.0.clone()
    }

    fn binaries(&self) -> Vec<(String, String)> {
        self.state().binaries().sums()
    }

    fn site(&self) -> &Layout {
        self.host.site()
    }

    async fn metrics(&self, of: Component) -> Result<String, ClusterError> {
        if !self.host.has(of) {
            return Err(ClusterError::NoSuchComponent(of));
        }
        let subject = self.state().subject.clone().filter(|_| of == Component::Subject);
        if let Some(subject) = subject {
            return subject.metrics().await;
        }
        Access::component(self.site(), of).text("/metrics").await
    }

    async fn marks(&self) -> Result<Vec<Mark>, ClusterError> {
        let kind = self.state().kind.clone();
        marks_of(kind, self.host.pids()).await
    }

    fn unexpected_exit(&self) -> watch::Receiver<Option<UnexpectedExit>> {
        self.host.unexpected_exit()
    }

    async fn start_subject(&self, kind: &SubjectKind) -> Result<Box<dyn RunningSubject>, ClusterError> {
        if self.state().spec.second_instance {
            return Ok(Box::new(self.pair(kind).await?));
        }
        let tap = self.tap.on(self.spec().route, self.site()).await?;
        let (spec, process) = {
            let mut state = self.state();
            state.kind = kind.clone();
            (state.spec.clone(), subject_process::process(kind, &state.spec, state.binaries(), self.site())?)
        };
        let running = subject::LocalSubject::start(Arc::clone(&self.host), kind, &spec, process, tap).await?;
        let mut state = self.state();
        state.subject = Some(Arc::clone(&running));
        self.owner.record(&state.spec, state.binaries().sums(), self.host.site(), self.host.pids())?;
        Ok(Box::new(running))
    }

    async fn change(&self, change: &Change) -> Result<ChangeReport, ClusterError> {
        self.change_to(change).await
    }

    async fn destroy(self: Box<Self>) -> Result<(), ClusterError> {
        // What is killed must not be started again.
        self.state().pair.take().inspect(|pair| pair.dismiss());
        self.host.end_all().await?;
        self.host.abandon()?;
        self.owner.remove()
    }
}
