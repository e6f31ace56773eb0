//! The runtime that containers are made by: found, reached, and asked for what testcontainers does not do.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::mpsc;
use std::time::Duration;

use futures::TryStreamExt;
use testcontainers::bollard::query_parameters::{ImportImageOptionsBuilder, RemoveContainerOptionsBuilder};
use testcontainers::bollard::{API_DEFAULT_VERSION, Docker, body_full};
use tokio::runtime::Runtime;

use super::error::EngineError;
use super::service::Service;
use crate::binaries::{Binary, BinarySet, Tool};
use crate::container_runtime::socket;
use crate::launcher::Launcher;
use crate::node_image;

/// The folder of the cluster that a container belongs to. A name would not do: two users may have the same.
pub const LABEL: &str = "dev.jobsworth.folder";
/// Where our images are, in the registry that is no registry.
const REPOSITORY: &str = "localhost/jobsworth";
/// A container may run, and write its log, for as long as a soak lasts.
const LONGEST_REQUEST: Duration = Duration::from_secs(7 * 24 * 3600);
/// How often what was removed may still be there.
const REMOVALS: usize = 5;

/// A runtime that answers.
#[derive(Debug)]
pub struct Engine {
    docker: Docker,
    /// Whether root in a container is an ordinary user outside.
    rootless: bool,
    socket: PathBuf,
    /// Podman, where it listens for us alone.
    service: Option<Service>,
}

impl Engine {
    /// Reaches the runtime that listens there. Blocks.
    ///
    /// # Errors
    /// When it does not answer.
    pub fn at(socket: &Path) -> Result<Self, EngineError> {
        Self::reach(socket, None)
    }

    /// Has podman listen there, for as long as this lives. Blocks.
    ///
    /// # Errors
    /// When it does not.
    pub fn served_at(socket: &Path, launcher: &Launcher) -> Result<Self, EngineError> {
        Self::reach(socket, Some(Service::start(launcher, socket)?))
    }

    fn reach(socket: &Path, service: Option<Service>) -> Result<Self, EngineError> {
        let address = socket::address_of(socket);
        let docker = Docker::connect_with_unix(&address, LONGEST_REQUEST.as_secs(), API_DEFAULT_VERSION)
            .map_err(EngineError::refused(format!("reach {address}")))?;
        let asked = docker.clone();
        let info = block_on(async move { asked.info().await });
        let info = info.map_err(EngineError::refused(format!("ask {address} what it is")))?;
        let options = info.security_options.unwrap_or_default();
        let rootless = options.iter().any(|option| option.contains("name=rootless"));
        Ok(Self { docker, rootless, socket: socket.to_owned(), service })
    }

    /// Removes every container of the cluster in this folder. Blocks.
    ///
    /// # Errors
    /// When one is still there.
    pub fn remove_all(&self, folder: &Path) -> Result<(), EngineError> {
        let (docker, socket, folder) = (self.docker.clone(), self.socket.clone(), folder.to_owned());
        block_on(async move { remove_all(&docker, &socket, &folder).await })
    }

    /// Where it answers, to others too.
    pub fn socket(&self) -> Option<&Path> {
        self.service.is_none().then_some(&self.socket)
    }

    /// Its API.
    pub fn api(&self) -> &Docker {
        &self.docker
    }

    /// As whom programs in containers can use the files of this user.
    pub fn user(&self) -> String {
        if self.rootless {
            return "0:0".to_owned();
        }
        format!("{}:{}", nix::unistd::geteuid(), nix::unistd::getegid())
    }

    /// An image for each program, made where it is not there yet; named by the program's file.
    ///
    /// # Errors
    /// When one cannot be made.
    pub async fn images(&self, programs: &BinarySet) -> Result<BTreeMap<PathBuf, Image>, EngineError> {
        let mut images = BTreeMap::new();
        for (tool, binary) in programs.all() {
            let image = Image::of(tool, binary);
            if self.docker.inspect_image(&image.reference()).await.is_err() {
                self.make(&image, tool, binary).await?;
            }
            images.insert(binary.path.clone(), image);
        }
        Ok(images)
    }

    /// From nothing but the program: no registry is asked for anything.
    async fn make(&self, image: &Image, tool: Tool, binary: &Binary) -> Result<(), EngineError> {
        let reference = image.reference();
        let failed = |why: String| EngineError::Image { image: reference.clone(), why };
        let (names, programs) = ([(tool, reference.clone())], BTreeMap::from([(tool, binary.clone())]));
        let packed = tokio::task::spawn_blocking(move || {
            let shop = tempfile::tempdir().map_err(|error| error.to_string())?;
            let archive = shop.path().join("image.tar");
            node_image::write_programs(&names, &programs, &archive).map_err(|error| error.to_string())?;
            std::fs::read(archive).map_err(|error| error.to_string())
        });
        let archive = packed.await.expect("packing an image does not panic").map_err(&failed)?;
        let options = ImportImageOptionsBuilder::new().quiet(true).build();
        let said: Vec<_> = self
            .docker
            .import_image(options, body_full(archive.into()), None)
            .try_collect()
            .await
            .map_err(|error| failed(error.to_string()))?;
        let refused = said.into_iter().find_map(|line| line.error_detail.and_then(|error| error.message));
        if let Some(why) = refused {
            return Err(failed(why));
        }
        self.docker.inspect_image(&reference).await.map(drop).map_err(|error| failed(error.to_string()))
    }
}

/// The name of an image of one program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// For example `localhost/jobsworth/etcd`.
    pub repository: String,
    /// The program's version and the first figures of its sum: other bytes are another image.
    pub tag: String,
    /// The program in it.
    pub program: String,
}

impl Image {
    fn of(tool: Tool, binary: &Binary) -> Self {
        let sum = binary.sha256.get(..12).unwrap_or(&binary.sha256);
        Self {
            repository: format!("{REPOSITORY}/{tool}"),
            tag: format!("v{}-{sum}", binary.version.trim_start_matches('v')),
            program: format!("/usr/local/bin/{tool}"),
        }
    }

    /// Name and tag.
    pub fn reference(&self) -> String {
        format!("{}:{}", self.repository, self.tag)
    }
}

/// Removes every container that belongs to the cluster in this folder, and no other; returns when they are gone.
///
/// # Errors
/// When one is still there.
async fn remove_all(docker: &Docker, socket: &Path, folder: &Path) -> Result<(), EngineError> {
    let left = |why: String| EngineError::LeftBehind { folder: folder.to_owned(), why };
    let mut trouble = "the runtime said nothing".to_owned();
    for _ in 0..REMOVALS {
        let (socket, of) = (socket.to_owned(), folder.to_owned());
        let listed = tokio::task::spawn_blocking(move || containers_of(&socket, &of)).await;
        let found = listed.expect("listing containers does not panic").map_err(&left)?;
        if found.is_empty() {
            return Ok(());
        }
        let removals = found.iter().map(|id| remove(docker, id));
        for answer in futures::future::join_all(removals).await {
            trouble = answer.err().map_or(trouble, |error| error.to_string());
        }
    }
    Err(left(trouble))
}

/// Removes one, running or not.
pub async fn remove(docker: &Docker, id: &str) -> Result<(), testcontainers::bollard::errors::Error> {
    docker.remove_container(id, Some(RemoveContainerOptionsBuilder::new().force(true).v(true).build())).await
}

/// Ids of the containers of a cluster, running or not. Asked without the library: podman has a state between running
/// and exited (`stopped`, seen with 4.3.1) that docker has not, and the library refuses the whole list for it.
fn containers_of(socket: &Path, folder: &Path) -> Result<Vec<String>, String> {
    let filters = serde_json::json!({"label": [format!("{LABEL}={}", folder.display())]}).to_string();
    let target = format!("/v1.40/containers/json?all=true&filters={}", encoded(&filters));
    let answer = socket::get(socket, &target).map_err(|error| error.to_string())?;
    ids(&answer).ok_or_else(|| format!("the list of containers is none: {}", answer.lines().next().unwrap_or_default()))
}

/// The ids in the answer to a request for a list of containers.
fn ids(answer: &str) -> Option<Vec<String>> {
    let (head, body) = answer.split_once("\r\n\r\n")?;
    if head.split_whitespace().nth(1)? != "200" {
        return None;
    }
    let list: Vec<serde_json::Value> = serde_json::from_str(body.trim()).ok()?;
    Some(list.iter().filter_map(|container| container["Id"].as_str().map(str::to_owned)).collect())
}

/// As part of an address: letters and figures as they are, everything else by its number.
fn encoded(text: &str) -> String {
    let byte = |byte: u8| {
        if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") }
    };
    text.bytes().map(byte).collect()
}

/// Where everything that concerns containers is done: what was begun there is finished, though who asked for it has
/// gone, and though his own runtime is ending.
pub fn container_runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("containers")
            .enable_all()
            .build()
            .expect("a process that cannot start one thread cannot do anything")
    })
}

/// Does it in the [`container_runtime`] and waits, from wherever.
pub fn block_on<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    container_runtime().spawn(async move {
        // Nobody but the line below listens.
        let _ = sender.send(work.await);
    });
    receiver.recv().expect("the containers' runtime never ends")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_whatever_states_its_containers_are_in() {
        let answer =
            "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n[{\"Id\":\"a1\",\"State\":\"stopped\"}]\n";
        assert_eq!(ids(answer), Some(vec!["a1".to_owned()]));
        assert_eq!(ids(&answer.replace("200 OK", "500 Oh")), None);
        assert_eq!(encoded("{\"a/b\":1}"), "%7B%22a%2Fb%22%3A1%7D");
    }

    #[test]
    fn an_image_is_named_by_what_is_in_it() {
        let sha256 = "0123456789abcdef".repeat(4);
        let binary = Binary { path: PathBuf::from("/etcd"), sha256, version: "3.6.16".to_owned() };
        let image = Image::of(Tool::Etcd, &binary);
        assert_eq!(image.reference(), "localhost/jobsworth/etcd:v3.6.16-0123456789ab");
        assert_eq!(image.program, "/usr/local/bin/etcd");
    }
}
