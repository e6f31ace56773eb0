//! The runtime that containers are made by: reached, asked who it is, given images, and told to remove what it made.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bollard::errors::Error as ApiError;
use bollard::query_parameters::{ImportImageOptionsBuilder, RemoveContainerOptionsBuilder};
use bollard::{API_DEFAULT_VERSION, ClientVersion, Docker, body_full};
use futures::TryStreamExt;
use serde_json::{Value, json};

use super::error::EngineError;
use super::service::Service;
use crate::binaries::{Binary, BinarySet, Tool};
use crate::container_runtime::{api, background, socket};
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
        let at = socket.to_owned();
        let (docker, rootless) = background::block_on(async move { reach(&at).await })?;
        Ok(Self { docker, rootless, socket: socket.to_owned(), service })
    }

    /// Removes every container of the cluster in this folder. Blocks.
    ///
    /// # Errors
    /// When one is still there.
    pub fn remove_all(&self, folder: &Path) -> Result<(), EngineError> {
        let (docker, socket, folder) = (self.docker.clone(), self.socket.clone(), folder.to_owned());
        background::block_on(async move { remove_all(&docker, &socket, &folder).await })
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

/// A client of the runtime that listens there, and whether root in its containers is an ordinary user outside.
async fn reach(socket: &Path) -> Result<(Docker, bool), EngineError> {
    let address = socket::address_of(socket);
    let silent = |why: io::Error| EngineError::Silent { address: address.clone(), why };
    let version = api_version(&api::get(socket, "/version").await.map_err(silent)?);
    let docker = Docker::connect_with_unix(&address, LONGEST_REQUEST.as_secs(), &version)
        .map_err(EngineError::refused(format!("reach {address}")))?;
    let info = docker.info().await.map_err(EngineError::refused(format!("ask {address} what it is")))?;
    let options = info.security_options.unwrap_or_default();
    Ok((docker, options.iter().any(|option| option.contains("name=rootless"))))
}

/// The newest version of the API that the library and the runtime both know, by the runtime's answer to `/version`.
fn api_version(answer: &Value) -> ClientVersion {
    let ours = ClientVersion { ..*API_DEFAULT_VERSION };
    let number = answer["ApiVersion"].as_str().and_then(|version| version.split_once('.'));
    let theirs = number.and_then(|(major, minor)| {
        Some(ClientVersion { major_version: major.parse().ok()?, minor_version: minor.parse().ok()? })
    });
    theirs.filter(|theirs| *theirs < ours).unwrap_or(ours)
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
        let found = containers_of(socket, folder).await.map_err(|error| left(error.to_string()))?;
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
pub async fn remove(docker: &Docker, id: &str) -> Result<(), ApiError> {
    docker.remove_container(id, Some(RemoveContainerOptionsBuilder::new().force(true).v(true).build())).await
}

/// Ids of the containers of a cluster, running or not. Asked without the library: podman has a state between running
/// and exited (`stopped`, seen with 4.3.1) that docker has not, and the library refuses the whole list for it.
async fn containers_of(socket: &Path, folder: &Path) -> io::Result<Vec<String>> {
    let list = api::get(socket, &list_of(folder)).await?;
    ids(&list).ok_or_else(|| io::Error::other(format!("the list of containers is none: {list}")))
}

/// What asks for the list of containers of the cluster in this folder.
fn list_of(folder: &Path) -> String {
    let filters = json!({"label": [format!("{LABEL}={}", folder.display())]}).to_string();
    let mut query = form_urlencoded::Serializer::new(String::new());
    format!("/containers/json?{}", query.append_pair("all", "true").append_pair("filters", &filters).finish())
}

/// The ids in a list of containers; none if one has no id, since it would be left behind.
fn ids(list: &Value) -> Option<Vec<String>> {
    list.as_array()?.iter().map(|container| Some(container["Id"].as_str()?.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[test]
    fn a_list_is_read_whatever_states_its_containers_are_in() {
        assert_eq!(ids(&json!([{"Id": "a1", "State": "stopped"}])), Some(vec!["a1".to_owned()]));
        assert_eq!(ids(&json!([{"Id": "a1"}, {}])), None);
        assert_eq!(ids(&json!({"message": "no"})), None);
    }

    #[test]
    fn a_list_is_asked_for_by_the_folder_whatever_its_name_is() {
        let target = list_of(Path::new("/tmp/a b&c=d"));
        let query: BTreeMap<_, _> =
            form_urlencoded::parse(target.strip_prefix("/containers/json?").unwrap().as_bytes()).into_owned().collect();
        assert_eq!(query["filters"], r#"{"label":["dev.jobsworth.folder=/tmp/a b&c=d"]}"#);
        assert_eq!(query["all"], "true");
    }

    #[rstest]
    #[case::older_than_the_library("1.41", "1.41")]
    #[case::newer("99.0", &API_DEFAULT_VERSION.to_string())]
    #[case::none("podman", &API_DEFAULT_VERSION.to_string())]
    fn the_older_of_two_versions_is_spoken(#[case] theirs: &str, #[case] spoken: &str) {
        assert_eq!(api_version(&json!({"ApiVersion": theirs})).to_string(), spoken);
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
