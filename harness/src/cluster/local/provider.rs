//! How a local cluster comes up: store and API server side by side, then everything that needs them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;

use super::host::Host;
use super::{ClientBox, LocalCluster};
use crate::binaries::{self, BinarySet, Source, Tool};
use crate::cluster::access::Access;
use crate::cluster::component::{self, Component, ProcessSpec};
use crate::cluster::launcher::Launcher;
use crate::cluster::layout::{Layout, Ports};
use crate::cluster::registry::{Owner, Registry};
use crate::cluster::{
    Ability, Capabilities, Casualty, Cluster, ClusterError, ClusterProvider, ClusterSpec, Progress, Step, kubeconfig,
    nodes, pki, policy,
};

/// How often ports may be taken from under us before it is an error.
const PORT_ATTEMPTS: usize = 3;
/// More nodes than this make a machine busy with nothing but them.
const NODES_MAX: u32 = 5000;

/// What clusters of local processes can do.
pub const CAPABILITIES: Capabilities = Capabilities {
    restarts: Ability::Has,
    gates: Ability::Has,
    emulation: Ability::Has,
    kubelets: Ability::Lacks,
    one_store: Ability::Has,
    nodes_max: NODES_MAX,
};

/// Brings up clusters of processes on this machine.
#[derive(Clone, Debug)]
pub struct LocalProvider {
    source: Source,
    launcher: Launcher,
    registry: Registry,
}

impl LocalProvider {
    /// Programs from `source`, clusters in the user's cache folder.
    ///
    /// # Errors
    /// When there is no place for a cache.
    pub fn new(source: Source) -> Result<Self, ClusterError> {
        Ok(Self { source, launcher: Launcher::default(), registry: Registry::of_user()? })
    }

    /// With the clusters in another place.
    #[must_use]
    pub fn registered_in(mut self, registry: Registry) -> Self {
        self.registry = registry;
        self
    }

    /// With another executable as trampoline.
    #[must_use]
    pub fn launched_by(mut self, launcher: Launcher) -> Self {
        self.launcher = launcher;
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
        let binaries = self.binaries(spec, progress).await?;
        let begun = Instant::now();
        let mut attempt = 1;
        loop {
            let owner = self.registry.create(name)?;
            let start = Start { spec, binaries: &binaries, launcher: &self.launcher, progress, begun };
            match start.up(owner).await {
                Err(error) if attempt < PORT_ATTEMPTS && lost_a_port(&error).is_some() => {
                    attempt += 1;
                    lost_a_port(&error).into_iter().for_each(|lost| progress(Step::PortsTaken(lost)));
                }
                other => return other,
            }
        }
    }

    /// Builds what is missing on a thread that may block, and passes its progress on from here.
    async fn binaries(&self, spec: &ClusterSpec, progress: Progress<'_>) -> Result<BinarySet, ClusterError> {
        let mut extras = BTreeSet::new();
        extras.extend(spec.scheduler.then_some(Tool::Scheduler));
        extras.extend(spec.kwok.then_some(Tool::Kwok));
        let (source, version) = (self.source.clone(), spec.version);
        let (sender, mut steps) = tokio::sync::mpsc::unbounded_channel();
        let build = tokio::task::spawn_blocking(move || {
            binaries::ensure(&source, version, &extras, &|step| {
                // Nobody listens any more when the caller gave up.
                let _ = sender.send(step);
            })
        });
        while let Some(step) = steps.recv().await {
            progress(Step::Binaries(step));
        }
        Ok(build.await.expect("making binaries ready does not panic")?)
    }
}

#[async_trait]
impl ClusterProvider for LocalProvider {
    fn name(&self) -> &'static str {
        "local"
    }

    fn capabilities(&self) -> Capabilities {
        CAPABILITIES
    }

    async fn provision(
        &self,
        spec: &ClusterSpec,
        name: &str,
        progress: Progress<'_>,
    ) -> Result<Box<dyn Cluster>, ClusterError> {
        Ok(Box::new(self.provision_local(spec, name, progress).await?))
    }
}

/// One attempt.
struct Start<'a> {
    spec: &'a ClusterSpec,
    binaries: &'a BinarySet,
    launcher: &'a Launcher,
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
        let host = Arc::new(Host::new(site, self.launcher.clone()));
        let mut casualty = host.casualty();
        // A component that is ready can still die while another waits for it in vain.
        let came_up = tokio::select! {
            biased;
            came_up = self.components(&host) => came_up,
            ended = crate::recorder::lost(&mut casualty) => {
                let Casualty { component, status, last_lines } = ended;
                Err(ClusterError::Ended { component, status, last_lines })
            }
        };
        match came_up {
            Ok(client) => {
                owner.record(self.spec, self.binaries.sums(), host.site(), host.pids())?;
                (self.progress)(Step::Up(self.begun.elapsed()));
                Ok(LocalCluster {
                    spec: self.spec.clone(),
                    binaries: self.binaries.clone(),
                    client: ClientBox(client),
                    host,
                    owner,
                })
            }
            Err(error) => {
                // The error that matters is the one that stopped us.
                let _ = host.end_all().await;
                let _ = owner.remove();
                Err(error)
            }
        }
    }

    async fn components(&self, host: &Host) -> Result<kube::Client, ClusterError> {
        let (spec, binaries, site) = (self.spec, self.binaries, host.site());
        // The API server waits for its store by itself.
        let etcd = component::etcd::process(binaries, site);
        let api_server = component::api_server::process(spec, binaries, site);
        tokio::try_join!(self.one(host, &etcd), self.one(host, &api_server))?;
        let client = Access::administrator(site).client()?;

        let base = component::controller_manager::base(spec, binaries, site);
        let scheduler = binaries.scheduler.as_ref().filter(|_| spec.scheduler);
        let scheduler = scheduler.map(|binary| component::scheduler::process(spec, binary, site));
        tokio::try_join!(
            self.one(host, &base),
            self.maybe(host, scheduler.as_ref()),
            nodes::create(&client, spec),
            self.kwok(host, &client),
        )?;
        Ok(client)
    }

    async fn kwok(&self, host: &Host, client: &kube::Client) -> Result<(), ClusterError> {
        let Some(binary) = self.binaries.kwok.as_ref().filter(|_| self.spec.kwok) else { return Ok(()) };
        component::kwok::write_stages(host.site())?;
        component::kwok::allow(client).await?;
        self.one(host, &component::kwok::process(binary, host.site())).await
    }

    async fn maybe(&self, host: &Host, process: Option<&ProcessSpec>) -> Result<(), ClusterError> {
        match process {
            Some(process) => self.one(host, process).await,
            None => Ok(()),
        }
    }

    async fn one(&self, host: &Host, spec: &ProcessSpec) -> Result<(), ClusterError> {
        let process = host.start(spec)?;
        (self.progress)(Step::Started(spec.component));
        host.ready(&process, spec).await?;
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
