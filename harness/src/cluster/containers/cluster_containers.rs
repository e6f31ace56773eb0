//! The containers of one cluster: made by testcontainers, removed by us, however the cluster ends.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use testcontainers::core::Mount;
use testcontainers::runners::AsyncRunner as _;
use testcontainers::{ContainerRequest, GenericImage, ImageExt as _};
use tokio::sync::{RwLock, watch};

use super::container::Container;
use super::engine::{Engine, Image, LABEL, block_on, container_runtime};
use super::error::EngineError;
use super::remains::Remains;
use crate::binaries::BinarySet;
use crate::cluster::contract::{ClusterError, UnexpectedExit};
use crate::cluster::machine::process::Trust;
use crate::cluster::machine::process_spec::ProcessSpec;
use crate::cluster::machine::{ClusterUnits, Unit, UnitSource};

/// How long a container may take to start. Its program's own readiness comes after that.
const PATIENCE: Duration = Duration::from_secs(120);

/// Starts the containers of one cluster and knows what they run.
#[derive(Debug)]
pub(super) struct ClusterContainers {
    engine: Arc<Engine>,
    /// The cluster's name, for those of its containers.
    cluster: String,
    folder: PathBuf,
    /// Of every program that has one.
    images: Mutex<BTreeMap<PathBuf, Image>>,
    started: AtomicU32,
    /// Held for reading while a container is being started; taken by whoever removes them all, and then true.
    closed: Arc<RwLock<bool>>,
}

impl ClusterContainers {
    /// For the cluster in this folder.
    pub fn new(engine: Arc<Engine>, cluster: &str, folder: &Path) -> Self {
        Self {
            engine,
            cluster: cluster.to_owned(),
            folder: folder.to_owned(),
            images: Mutex::default(),
            started: AtomicU32::default(),
            closed: Arc::default(),
        }
    }

    /// Removes every container of the cluster and lets no other start. Blocks.
    fn remove_all(&self) -> Result<(), EngineError> {
        let closed = Arc::clone(&self.closed);
        // Those that are being started come first.
        block_on(async move { *closed.write().await = true });
        self.engine.remove_all(&self.folder)
    }

    fn image(&self, spec: &ProcessSpec) -> Option<Image> {
        self.images.lock().unwrap_or_else(PoisonError::into_inner).get(&spec.program).cloned()
    }

    /// The machine's own network, and the cluster's folder where it is: so addresses and paths are the same inside
    /// and outside.
    fn request(&self, spec: &ProcessSpec, image: &Image) -> ContainerRequest<GenericImage> {
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        let folder = self.folder.display().to_string();
        let mut request = GenericImage::new(image.repository.clone(), image.tag.clone())
            .with_entrypoint(&image.program)
            .with_cmd(spec.arguments.clone())
            .with_container_name(format!("jobsworth-{}-{}-{number}", self.cluster, spec.component))
            .with_label(LABEL, folder.clone())
            .with_mount(Mount::bind_mount(folder.clone(), folder))
            .with_user(self.engine.user())
            .with_cap_drop("ALL")
            .with_readonly_rootfs(true)
            // The cluster's folder keeps its label: other programs of its owner use it, too.
            .with_security_opt("label=disable")
            .with_startup_timeout(PATIENCE)
            .with_host_config_modifier(|host| {
                host.network_mode = Some("host".to_owned());
                host.publish_all_ports = Some(false);
            });
        for (name, value) in &spec.environment {
            request = request.with_env_var(name, value);
        }
        request
    }
}

#[async_trait]
impl ClusterUnits for ClusterContainers {
    /// Makes images of programs that have none yet.
    async fn prepare(&self, programs: &BinarySet) -> Result<(), ClusterError> {
        let (engine, programs) = (Arc::clone(&self.engine), programs.clone());
        let made = container_runtime().spawn(async move { engine.images(&programs).await });
        let made = made.await.expect("making images does not panic")?;
        self.images.lock().unwrap_or_else(PoisonError::into_inner).extend(made);
        Ok(())
    }

    /// Whether this process runs in a container; one without an image is a process of ours.
    fn has(&self, spec: &ProcessSpec) -> bool {
        self.image(spec).is_some()
    }

    /// Starts a container and returns when it runs, though not when it is ready. Who stops waiting does not stop it:
    /// a container that is half made would be nobody's.
    async fn start(
        &self,
        spec: &ProcessSpec,
        log: &Path,
        trust: Trust,
        unexpected_exit: watch::Sender<Option<UnexpectedExit>>,
    ) -> Result<Arc<dyn Unit>, ClusterError> {
        let what = spec.component.to_string();
        let image = self.image(spec).ok_or_else(|| EngineError::Closed(what.clone()))?;
        let request = self.request(spec, &image);
        let (closed, docker) = (Arc::clone(&self.closed), self.engine.api().clone());
        let begun = {
            let what = what.clone();
            container_runtime().spawn(async move {
                let closed = closed.read().await;
                if *closed {
                    return Err(EngineError::Closed(what));
                }
                let started = request.start().await;
                let container = started.map_err(|source| EngineError::Start { what, source: Box::new(source) })?;
                let id = container.id().to_owned();
                // It would be removed where it is dropped, in a runtime that may be ending just then; we do it
                // in the end, and also for those that were never handed over.
                std::mem::forget(container);
                Ok(id)
            })
        };
        let id = begun.await.expect("starting a container does not panic")?;
        Ok(Arc::new(Container::follow(spec.component, id, docker, log, trust, unexpected_exit)?))
    }

    fn dismiss(&self) -> Result<(), ClusterError> {
        Ok(self.remove_all()?)
    }
}

impl UnitSource for Engine {
    fn for_cluster(self: Arc<Self>, name: &str, folder: &Path) -> Result<Box<dyn ClusterUnits>, ClusterError> {
        Remains::of(&self).write(folder)?;
        Ok(Box::new(ClusterContainers::new(self, name, folder)))
    }
}

impl Drop for ClusterContainers {
    /// An interrupt: whoever is interrupted waits for this moment. After a `kill -9` the next `cluster gc` finds what is
    /// written in the folder.
    fn drop(&mut self) {
        if let Err(error) = self.remove_all() {
            tracing::warn!(%error, cluster = self.cluster, "containers were left behind");
        }
    }
}
