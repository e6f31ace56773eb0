//! The containers of one cluster: made one by one, removed together, however the cluster ends.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use bollard::Docker;
use bollard::errors::Error as ApiError;
use bollard::models::{ContainerCreateBody, HostConfig, Mount, MountType};
use bollard::query_parameters::CreateContainerOptionsBuilder;
use tokio::sync::{RwLock, watch};

use super::container::Container;
use super::engine::{Engine, Image, LABEL};
use super::error::EngineError;
use super::remains::Remains;
use crate::binaries::BinarySet;
use crate::cluster::contract::{ClusterError, UnexpectedExit};
use crate::cluster::machine::process::Trust;
use crate::cluster::machine::process_spec::ProcessSpec;
use crate::cluster::machine::{ClusterUnits, Unit, UnitSource};
use crate::container_runtime::background;

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
        background::block_on(async move { *closed.write().await = true });
        self.engine.remove_all(&self.folder)
    }

    fn image(&self, spec: &ProcessSpec) -> Option<Image> {
        self.images.lock().unwrap_or_else(PoisonError::into_inner).get(&spec.program).cloned()
    }

    /// A name that no other container has.
    fn name(&self, spec: &ProcessSpec) -> String {
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        format!("jobsworth-{}-{}-{number}", self.cluster, spec.component)
    }
}

/// A container of a cluster that may do next to nothing. It has the machine's own network, and the cluster's folder where it
/// is: so addresses and paths are the same inside and outside.
fn description(spec: &ProcessSpec, image: &Image, folder: &Path, user: String) -> ContainerCreateBody {
    let folder = folder.display().to_string();
    let mount = Mount {
        typ: Some(MountType::BIND),
        source: Some(folder.clone()),
        target: Some(folder.clone()),
        ..Mount::default()
    };
    let host = HostConfig {
        network_mode: Some("host".to_owned()),
        mounts: Some(vec![mount]),
        cap_drop: Some(vec!["ALL".to_owned()]),
        readonly_rootfs: Some(true),
        // The cluster's folder keeps its label: other programs of its owner use it, too.
        security_opt: Some(vec!["label=disable".to_owned()]),
        ..HostConfig::default()
    };
    ContainerCreateBody {
        image: Some(image.reference()),
        entrypoint: Some(vec![image.program.clone()]),
        cmd: Some(spec.arguments.clone()),
        env: Some(spec.environment.iter().map(|(name, value)| format!("{name}={value}")).collect()),
        labels: Some(HashMap::from([(LABEL.to_owned(), folder)])),
        user: Some(user),
        host_config: Some(host),
        ..ContainerCreateBody::default()
    }
}

/// Makes a container, starts it and says its id. One that cannot be started is found by its label when its cluster goes.
async fn make_and_start(docker: &Docker, name: &str, body: ContainerCreateBody) -> Result<String, ApiError> {
    let options = CreateContainerOptionsBuilder::new().name(name).build();
    let id = docker.create_container(Some(options), body).await?.id;
    docker.start_container(&id, None).await?;
    Ok(id)
}

#[async_trait]
impl ClusterUnits for ClusterContainers {
    /// Makes images of programs that have none yet.
    async fn prepare(&self, programs: &BinarySet) -> Result<(), ClusterError> {
        let (engine, programs) = (Arc::clone(&self.engine), programs.clone());
        let made = background::runtime().spawn(async move { engine.images(&programs).await });
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
        let (name, body) = (self.name(spec), description(spec, &image, &self.folder, self.engine.user()));
        let (closed, docker) = (Arc::clone(&self.closed), self.engine.api().clone());
        let begun = background::runtime().spawn({
            let docker = docker.clone();
            async move {
                let closed = closed.read().await;
                if *closed {
                    return Err(EngineError::Closed(what));
                }
                let made = tokio::time::timeout(PATIENCE, make_and_start(&docker, &name, body)).await;
                made.unwrap_or(Err(ApiError::RequestTimeoutError))
                    .map_err(|source| EngineError::Start { what, source: Box::new(source) })
            }
        });
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::contract::Component;
    use crate::cluster::machine::readiness::{Readiness, Sign};

    #[test]
    fn a_container_has_the_machines_network_the_clusters_folder_and_nothing_else() {
        let spec = ProcessSpec {
            component: Component::Etcd,
            program: PathBuf::from("/cache/etcd"),
            arguments: vec!["--name=one".to_owned()],
            environment: BTreeMap::from([("GOMAXPROCS".to_owned(), "2".to_owned())]),
            readiness: Readiness { sign: Sign::Answers(String::new()), within: PATIENCE },
        };
        let image = Image {
            repository: "localhost/jobsworth/etcd".to_owned(),
            tag: "v3.6.16-0123456789ab".to_owned(),
            program: "/usr/local/bin/etcd".to_owned(),
        };
        let body = description(&spec, &image, Path::new("/clusters/one"), "1000:1000".to_owned());
        insta::assert_snapshot!(serde_json::to_string_pretty(&body).unwrap(), @r#"
        {
          "User": "1000:1000",
          "Env": [
            "GOMAXPROCS=2"
          ],
          "Cmd": [
            "--name=one"
          ],
          "Image": "localhost/jobsworth/etcd:v3.6.16-0123456789ab",
          "Entrypoint": [
            "/usr/local/bin/etcd"
          ],
          "Labels": {
            "dev.jobsworth.folder": "/clusters/one"
          },
          "HostConfig": {
            "NetworkMode": "host",
            "Mounts": [
              {
                "Target": "/clusters/one",
                "Source": "/clusters/one",
                "Type": "bind"
              }
            ],
            "CapDrop": [
              "ALL"
            ],
            "ReadonlyRootfs": true,
            "SecurityOpt": [
              "label=disable"
            ]
          }
        }
        "#);
    }
}
