//! How a local cluster comes up: store and API server side by side, then everything that needs them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use async_trait::async_trait;
use jobsworth_api::KubeVersion;

use super::{ClientBox, LocalCluster, State};
use crate::binaries::{self, BinarySet, Source, Tool};
use crate::cluster::contract::layout::{Layout, Ports};
use crate::cluster::contract::{
    Ability, Capabilities, Cluster, ClusterError, ClusterProvider, ClusterSpec, Component, Progress, Proxied, Step,
    UnexpectedExit, unexpected,
};
use crate::cluster::machine::access::Access;
use crate::cluster::machine::outage::Outage;
use crate::cluster::machine::process_spec::{self, ProcessSpec};
use crate::cluster::machine::proxy::SubjectTap;
use crate::cluster::machine::registry::{Owner, Registry};
use crate::cluster::machine::{Host, UnitSource, kubeconfig, manifests, nodes, pki, policy, programs};
use crate::launcher::Launcher;

/// How often ports may be taken from under us before it is an error.
const PORT_ATTEMPTS: usize = 3;
/// More nodes than this make a machine busy with nothing but them.
const NODES_MAX: u32 = 5000;

/// What clusters of local processes can do.
pub const CAPABILITIES: Capabilities = Capabilities {
    restarts: Ability::Has,
    gates: Ability::Has,
    emulation: Ability::Has,
    changes: Ability::Has,
    kubelets: Ability::Lacks,
    own_nodes: Ability::Has,
    policies: Ability::Has,
    others_apart: Ability::Has,
    one_store: Ability::Has,
    webhooks: Ability::Has,
    proxied: Proxied::All,
    second_instance: Ability::Has,
    nodes_max: NODES_MAX,
};

/// Brings up clusters of processes on this machine.
#[derive(Clone, Debug)]
pub struct LocalProvider {
    source: Source,
    launcher: Launcher,
    registry: Registry,
    /// For clusters whose components are no processes of ours.
    units: Option<Arc<dyn UnitSource>>,
}

impl LocalProvider {
    /// Programs from `source`, clusters in `registry`.
    #[must_use]
    pub fn new(source: Source, registry: Registry) -> Self {
        Self { source, launcher: Launcher::default(), registry, units: None }
    }

    /// With another executable as trampoline.
    #[must_use]
    pub fn launched_by(mut self, launcher: Launcher) -> Self {
        self.launcher = launcher;
        self
    }

    /// With the components in what this makes.
    #[must_use]
    pub(crate) fn with_units_of(mut self, units: Arc<dyn UnitSource>) -> Self {
        self.units = Some(units);
        self
    }

    /// Like [`ClusterProvider::provision`], with the concrete type.
    ///
    /// # Errors
    /// See there.
    pub async fn provision_local(
        &self,
        spec: &ClusterSpec,
        name: &str,
        progress: Progress<'_>,
    ) -> Result<LocalCluster, ClusterError> {
        let mut programs = BTreeMap::new();
        for version in [Some(spec.version), spec.managers, spec.other].into_iter().flatten() {
            programs.insert(version, binaries_of(&self.source, spec, version, progress).await?);
        }
        let begun = Instant::now();
        let mut attempt = 1;
        loop {
            let owner = self.registry.create(name)?;
            let start = Start { provider: self, spec, name, programs: &programs, progress, begun };
            match start.up(owner).await {
                Err(error) if attempt < PORT_ATTEMPTS && lost_a_port(&error).is_some() => {
                    attempt += 1;
                    lost_a_port(&error).into_iter().for_each(|lost| progress(Step::PortsTaken(lost)));
                }
                other => return other,
            }
        }
    }
}

/// Builds what is missing.
pub(super) async fn binaries_of(
    source: &Source,
    spec: &ClusterSpec,
    version: KubeVersion,
    progress: Progress<'_>,
) -> Result<BinarySet, ClusterError> {
    let mut extras = BTreeSet::new();
    extras.extend(spec.scheduler.then_some(Tool::Scheduler));
    extras.extend(spec.kwok.then_some(Tool::Kwok));
    let source = source.clone();
    programs::ready(progress, move |tell| binaries::ensure(&source, version, &extras, tell)).await
}

#[async_trait]
impl ClusterProvider for LocalProvider {
    async fn provision(
        &self,
        spec: &ClusterSpec,
        name: &str,
        progress: Progress<'_>,
    ) -> Result<Box<dyn Cluster>, ClusterError> {
        Ok(Box::new(self.provision_local(spec, name, progress).await?))
    }
}

/// A cluster that is coming up. Who stops waiting for it, for example after Ctrl-C, leaves nothing behind.
struct Unfinished {
    host: Arc<Host>,
    owner: Option<Owner>,
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(owner) = self.owner.take() {
            // There is nobody to tell; what stays is found by `cluster gc`.
            let _ = self.host.abandon().and_then(|()| owner.remove());
        }
    }
}

/// One attempt.
struct Start<'a> {
    provider: &'a LocalProvider,
    spec: &'a ClusterSpec,
    name: &'a str,
    programs: &'a BTreeMap<KubeVersion, BinarySet>,
    progress: Progress<'a>,
    begun: Instant,
}

impl Start<'_> {
    async fn up(&self, owner: Owner) -> Result<LocalCluster, ClusterError> {
        let site = Layout::new(owner.folder(), Ports::free()?);
        site.create()?;
        pki::create(&site)?;
        policy::write(&site, self.spec.audit)?;
        kubeconfig::write(&site)?;
        let units = self.provider.units.clone();
        let others = units.map(|units| units.for_cluster(self.name, site.folder())).transpose()?;
        let host = Arc::new(Host::new(site, self.provider.launcher.clone()).with_others(others));
        let mut unfinished = Unfinished { host: Arc::clone(&host), owner: Some(owner) };
        let mut unexpected_exit = host.unexpected_exit();
        let outage = Outage::default();
        // A component that is ready can still die while another waits for it in vain.
        let came_up = tokio::select! {
            biased;
            came_up = self.components(&host, &outage) => came_up,
            ended = unexpected(&mut unexpected_exit) => {
                let UnexpectedExit { component, status, last_lines } = ended;
                Err(ClusterError::Ended { component, status, last_lines })
            }
        };
        let owner = unfinished.owner.take().expect("nobody took it before");
        match came_up {
            Ok(client) => {
                owner.record(self.spec, self.binaries(Component::ApiServer).sums(), host.site(), host.pids())?;
                (self.progress)(Step::Up(self.begun.elapsed()));
                let state = State {
                    spec: self.spec.clone(),
                    programs: self.programs.clone(),
                    first: self.spec.version,
                    kind: self.spec.subject.clone(),
                    subject: None,
                    pair: None,
                };
                Ok(LocalCluster {
                    state: Mutex::new(state),
                    tap: SubjectTap::default(),
                    source: self.provider.source.clone(),
                    client: ClientBox(client),
                    host,
                    outage,
                    changing: tokio::sync::Mutex::default(),
                    owner,
                })
            }
            Err(error) => {
                // The error that matters is the one that stopped us.
                let _ = host.end_all().await;
                let _ = host.abandon().and_then(|()| owner.remove());
                Err(error)
            }
        }
    }

    fn binaries(&self, component: Component) -> &BinarySet {
        self.programs.get(&self.spec.version_of(component)).expect("programs of every version were made ready")
    }

    async fn components(&self, host: &Host, outage: &Outage) -> Result<kube::Client, ClusterError> {
        let (spec, binaries, site) = (self.spec, self.binaries(Component::ApiServer), host.site());
        for programs in self.programs.values() {
            host.prepare(programs).await?;
        }
        // The API server waits for its store by itself.
        let etcd = process_spec::etcd::process(spec, binaries, site);
        let api_server = process_spec::api_server::process(spec, binaries, site);
        tokio::try_join!(self.one(host, &etcd), self.one(host, &api_server))?;
        let client = Access::administrator(site).patient(outage).client()?;
        manifests::define(&client, spec.subject.manifests()).await?;
        let binaries = self.binaries(Component::Base);

        let base = process_spec::controller_manager::base(spec, binaries, site);
        let scheduler = binaries.scheduler.as_ref().filter(|_| spec.scheduler);
        let scheduler = scheduler.map(|binary| process_spec::scheduler::process(spec, binary, site));
        tokio::try_join!(
            self.one(host, &base),
            self.maybe(host, scheduler.as_ref()),
            nodes::create(&client, spec),
            self.kwok(host, &client),
        )?;
        Ok(client)
    }

    async fn kwok(&self, host: &Host, client: &kube::Client) -> Result<(), ClusterError> {
        let Some(binary) = self.binaries(Component::Kwok).kwok.as_ref().filter(|_| self.spec.kwok) else {
            return Ok(());
        };
        process_spec::kwok::write_stages(host.site())?;
        process_spec::kwok::allow(client).await?;
        self.one(host, &process_spec::kwok::process(binary, host.site())).await
    }

    async fn maybe(&self, host: &Host, process: Option<&ProcessSpec>) -> Result<(), ClusterError> {
        match process {
            Some(process) => self.one(host, process).await,
            None => Ok(()),
        }
    }

    async fn one(&self, host: &Host, spec: &ProcessSpec) -> Result<(), ClusterError> {
        let unit = host.start(spec).await?;
        (self.progress)(Step::Started(spec.component));
        host.ready(&unit, spec).await?;
        (self.progress)(Step::Ready(spec.component, self.begun.elapsed()));
        Ok(())
    }
}

/// The component that found its port taken, if that is what went wrong.
fn lost_a_port(error: &ClusterError) -> Option<Component> {
    match error {
        ClusterError::Ended { component, last_lines, .. }
            if last_lines.iter().any(|line| line.contains("address already in use")) =>
        {
            Some(*component)
        }
        _ => None,
    }
}
