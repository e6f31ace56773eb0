//! How a cluster by kind comes up, and what becomes of it when we go.

use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use async_trait::async_trait;
use tokio::sync::watch;

use super::config::{self, Variant, Wanted};
use super::error::KindError;
use super::host::HostFacts;
use super::image::{self, NodeImage};
use super::node::Node;
use super::program::{self, Program};
use super::ready;
use super::remains::Remains;
use super::{KindCluster, State, agent, change, limits, subject_image, watcher};
use crate::cluster::contract::layout::{Layout, Ports, write_private};
use crate::cluster::contract::{Cluster, ClusterError, ClusterProvider, ClusterSpec, Progress, Step, SubjectKind};
use crate::cluster::machine::access::Access;
use crate::cluster::machine::outage::Outage;
use crate::cluster::machine::proxy::SubjectTap;
use crate::cluster::machine::registry::{Owner, Registry};
use crate::cluster::machine::{Host, kubeconfig, pki};
use crate::cluster::provider::Keeping;
use crate::container_runtime::{Engine, Machine};
use crate::launcher::Launcher;

/// A file beside the clusters' folders: one kind cluster comes up at a time.
const STAGGER: &str = "kind.start";
/// kind's own kubeconfig, in the cluster's folder; the user's is never touched.
const KUBECONFIG: &str = "kind.kubeconfig";

/// Brings up clusters by kind.
#[derive(Clone, Debug)]
pub struct KindProvider {
    runtime: Engine,
    registry: Registry,
    launcher: Launcher,
    keeping: Keeping,
    image: Option<String>,
    /// Where the logs of a cluster go that did not come up.
    evidence: Option<PathBuf>,
}

impl KindProvider {
    /// Nodes in containers of `runtime`, clusters in `registry`; `image` names the node image, if the user does.
    #[must_use]
    pub fn new(runtime: Engine, keeping: Keeping, image: Option<String>, registry: Registry) -> Self {
        Self { runtime, registry, launcher: Launcher::default(), keeping, image, evidence: None }
    }

    /// With a folder for the logs of clusters that do not come up.
    #[must_use]
    pub fn leaving_evidence_in(mut self, folder: PathBuf) -> Self {
        self.evidence = Some(folder);
        self
    }

    /// As [`provision`](ClusterProvider::provision), with what only clusters by kind have.
    ///
    /// # Errors
    /// See there.
    pub async fn provision_kind(
        &self,
        spec: &ClusterSpec,
        name: &str,
        progress: Progress<'_>,
    ) -> Result<KindCluster, ClusterError> {
        let begun = Instant::now();
        let runtime = self.runtime;
        let program = Program::at(program::find(spec.version, progress).await?, runtime, self.launcher.clone());
        program.check().await?;
        progress(Step::Doing(format!("kind at {} with {runtime}", program.path().display())));
        let agent = tokio::task::spawn_blocking(agent::archive).await.expect("building the agent does not panic")?;
        let image = image::choose(&program, self.image.as_deref(), spec.version, progress).await?;
        if let Some(other) = spec.other {
            // A case that changes the version must not wait for a build.
            change::programs_of(other, progress).await?;
        }
        if let SubjectKind::Deployed(controller) = &spec.subject {
            subject_image::is_there(&controller.image, &program).await?;
        }
        let owner = self.registry.create(name)?;
        let remains = Remains::of(name, spec, runtime, program.path(), &image.reference);
        if !runtime.nodes(&self.launcher, &remains.cluster).await?.is_empty() {
            owner.remove()?;
            return Err(KindError::NameTaken { name: remains.cluster, runtime: runtime.program() }.into());
        }
        remains.write(owner.folder())?;
        // From here on something may be left behind, and this removes it.
        let mut life = Life { owner: Some(owner), remains, keeping: Keeping::Delete };
        let start = Start { provider: self, spec, program: &program, image: &image, agent, progress, begun };
        match start.up(&mut life).await {
            Ok(parts) => {
                life.keeping = self.keeping;
                progress(Step::Up(begun.elapsed()));
                Ok(parts.into_cluster(spec, &program, &image, life))
            }
            Err(error) => {
                let error = start.with_logs(error, &life).await;
                // The error that matters is the one that stopped us.
                let _ = life.end().await;
                Err(error)
            }
        }
    }
}

#[async_trait]
impl ClusterProvider for KindProvider {
    async fn provision(
        &self,
        spec: &ClusterSpec,
        name: &str,
        progress: Progress<'_>,
    ) -> Result<Box<dyn Cluster>, ClusterError> {
        Ok(Box::new(self.provision_kind(spec, name, progress).await?))
    }
}

/// A cluster's folder and its containers: gone with this, unless they are to stay.
#[derive(Debug)]
pub(super) struct Life {
    owner: Option<Owner>,
    remains: Remains,
    keeping: Keeping,
}

impl Life {
    pub fn remains(&self) -> &Remains {
        &self.remains
    }

    pub fn owner(&self) -> &Owner {
        self.owner.as_ref().expect("a cluster is owned until its end")
    }

    /// Deletes everything.
    pub async fn end(&mut self) -> Result<(), ClusterError> {
        let remains = self.remains.clone();
        let deleted = tokio::task::spawn_blocking(move || remains.delete()).await;
        deleted.expect("deleting does not panic")?;
        self.owner.take().map_or(Ok(()), |owner| owner.remove())
    }
}

impl Drop for Life {
    /// An interrupt, or a user who keeps it. Whoever is interrupted waits for these seconds; after a
    /// `kill -9` the next `cluster gc` finds what is written in the folder.
    fn drop(&mut self) {
        let Some(owner) = self.owner.take() else { return };
        let told = match self.keeping {
            Keeping::Keep => Remains { kept: true, ..self.remains.clone() }.write(owner.folder()),
            Keeping::Delete => self.remains.delete().map_err(ClusterError::from).and_then(|()| owner.remove()),
        };
        if let Err(error) = told {
            tracing::warn!(%error, cluster = self.remains.cluster, "a kind cluster was left behind");
        }
    }
}

/// One cluster that is coming up.
struct Start<'a> {
    provider: &'a KindProvider,
    spec: &'a ClusterSpec,
    program: &'a Program,
    image: &'a NodeImage,
    agent: PathBuf,
    progress: Progress<'a>,
    begun: Instant,
}

/// What a cluster is made of, once it is up.
struct Parts {
    host: Arc<Host>,
    client: kube::Client,
    outage: Outage,
    control_plane: Node,
}

impl Parts {
    fn into_cluster(self, spec: &ClusterSpec, program: &Program, image: &NodeImage, life: Life) -> KindCluster {
        let unexpected_exit = Arc::new(watch::Sender::new(None));
        let of_host = tokio::spawn(watcher::pass_on(self.host.unexpected_exit(), Arc::clone(&unexpected_exit)));
        let is_builtin = spec.subject == SubjectKind::BuiltIn;
        KindCluster {
            state: Mutex::new(State { spec: spec.clone(), subject: None, deployed: None }),
            tap: SubjectTap::default(),
            watcher: tokio::spawn(watcher::watch(
                self.client.clone(),
                self.control_plane.clone(),
                is_builtin,
                self.outage.clone(),
                Arc::clone(&unexpected_exit),
            )),
            of_host,
            client: self.client,
            outage: self.outage,
            changing: tokio::sync::Mutex::default(),
            control_plane: self.control_plane,
            image: (image.reference.clone(), image.id.clone()),
            variant: image.variant,
            host: self.host,
            program: program.clone(),
            unexpected_exit,
            life,
        }
    }
}

impl Start<'_> {
    async fn up(&self, life: &mut Life) -> Result<Parts, ClusterError> {
        let site = Layout::new(life.owner().folder(), Ports::free()?);
        site.create()?;
        let cluster = life.remains.cluster.clone();
        self.write_settings(&site, &cluster)?;
        self.create(&site, &cluster).await?;
        let (runtime, launcher) = (self.program.runtime(), self.program.launcher());
        limits::lift(runtime, launcher, &runtime.nodes(launcher, &cluster).await?, self.progress).await;
        let control_plane = Node::new(life.remains.control_plane(), self.program.runtime(), self.program.launcher());
        let (certificate, key) = tokio::try_join!(
            control_plane.read("/etc/kubernetes/pki/ca.crt"),
            control_plane.read("/etc/kubernetes/pki/ca.key"),
        )?;
        pki::adopt(&site, &certificate, &key)?;
        kubeconfig::write(&site)?;
        control_plane.let_in(&site).await?;
        let outage = Outage::default();
        let client = Access::administrator(&site).patient(&outage).client()?;
        life.owner().record(
            self.spec,
            vec![(self.image.reference.clone(), self.image.id.clone())],
            &site,
            [].into(),
        )?;
        self.load_agent(&cluster).await?;
        if self.image.variant == Variant::Bare {
            ready::without_storage(&client).await?;
        }
        ready::all(&client, config::node_count(self.spec)).await?;
        let host = Arc::new(Host::new(site, self.provider.launcher.clone()));
        Ok(Parts { host, client, outage, control_plane })
    }

    fn write_settings(&self, site: &Layout, cluster: &str) -> Result<(), ClusterError> {
        let wanted = Wanted {
            spec: self.spec,
            name: cluster,
            image: &self.image.reference,
            variant: self.image.variant,
            host: HostFacts::of(&Machine::look()),
            port: site.ports().api_server,
            networks: &site.folder().join("settings"),
        };
        let text = config::render(&wanted).map_err(|error| KindError::Unreadable {
            what: "the shape of the cluster".to_owned(),
            why: error.to_string(),
        })?;
        write_private(&site.setting("kind.yaml"), text.as_bytes())?;
        if self.image.variant == Variant::Stock {
            return Ok(());
        }
        for node in 0..config::node_count(self.spec) {
            let folder = site.setting(&format!("network-{node}"));
            fs::create_dir(&folder).map_err(|source| ClusterError::File {
                what: "create",
                path: folder.clone(),
                source,
            })?;
            let text = format!("{:#}\n", config::network(node));
            write_private(&folder.join("10-jobsworth.conflist"), text.as_bytes())?;
        }
        Ok(())
    }

    /// Always retained, so that its logs can be had; readiness is our own affair, since kind only warns.
    async fn create(&self, site: &Layout, cluster: &str) -> Result<(), ClusterError> {
        let _turn = self.turn().await?;
        (self.progress)(Step::Doing(format!("creating the kind cluster {cluster} from {}", self.image.reference)));
        let config = site.setting("kind.yaml").display().to_string();
        let kubeconfig = site.setting(KUBECONFIG).display().to_string();
        let arguments =
            ["create", "cluster", "--retain", "--name", cluster, "--config", &config, "--kubeconfig", &kubeconfig];
        self.program.errand(format!("create the kind cluster {cluster}"), &arguments).output().await?;
        let seconds = self.begun.elapsed().as_secs_f64();
        (self.progress)(Step::Doing(format!("kind is done after {seconds:.1} s, waiting for nodes and controllers")));
        Ok(())
    }

    /// Clusters that start together run out of file handles and patience.
    async fn turn(&self) -> Result<File, ClusterError> {
        let path = self.provider.registry.folder().join(STAGGER);
        let failed = |source| ClusterError::File { what: "lock", path: path.clone(), source };
        let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
        if file.try_lock().is_err() {
            (self.progress)(Step::Joining("another kind cluster is coming up; one at a time".to_owned()));
            let locked = tokio::task::spawn_blocking(move || file.lock().map(|()| file)).await;
            return locked.expect("taking a lock does not panic").map_err(failed);
        }
        Ok(file)
    }

    async fn load_agent(&self, cluster: &str) -> Result<(), ClusterError> {
        let archive = self.agent.display().to_string();
        let arguments = ["load", "image-archive", &archive, "--name", cluster];
        let errand = self.program.errand(format!("load the agent's image into {cluster}"), &arguments);
        Ok(errand.output().await.map(drop)?)
    }

    /// A cluster that does not get ready leaves its logs, and its node's last words in the error.
    async fn with_logs(&self, error: ClusterError, life: &Life) -> ClusterError {
        let cluster = &life.remains.cluster;
        let node = Node::new(life.remains.control_plane(), self.program.runtime(), self.program.launcher());
        let journal = node.shell("read the kubelet's journal", "journalctl -u kubelet --no-pager -n 15 -o cat").await;
        let mut said = match journal {
            Ok(text) if !text.trim().is_empty() => {
                format!("\nthe kubelet of {} wrote last:\n{}", node.name(), text.trim_end())
            }
            _ => String::new(),
        };
        if let Some(folder) = &self.provider.evidence {
            let into = folder.join("kind").join(cluster).display().to_string();
            let arguments = ["export", "logs", &into, "--name", cluster];
            let exported = self.program.errand("export logs", &arguments).output().await;
            if exported.is_ok() {
                said += &format!("\nall logs of its nodes are in {into}");
            }
        }
        match error {
            ClusterError::Provider(source) => match source.downcast::<KindError>() {
                Ok(kind) => kind.with_logs(&said).into(),
                Err(other) => ClusterError::Provider(other),
            },
            other => other,
        }
    }
}
