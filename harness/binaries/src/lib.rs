//! The programs of a control plane: found in a folder, or built from pinned Go modules on first use.
//!
//! Nothing is downloaded as a binary and nothing lies in the repository: the ordinary `go` command
//! builds what the embedded modules name, into a cache folder of the user. How a program starts, so that none
//! outlives us, is in [`launcher`].

mod build;
mod cache;
mod error;
mod go;
mod installed_go;
pub mod launcher;
mod lock;
mod module;
mod outlook;
mod search_path;
mod source_tree;
mod tool;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use go::Go;
use jobsworth_api::KubeVersion;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use error::BinariesError;
pub use installed_go::{GO_NEEDED, installed_go};
pub use lock::Lock;
pub use module::{DEFAULT_VERSION, KNOWN_VERSIONS};
pub use outlook::{Outlook, outlook};
pub use search_path::{find_on_path, is_on_path};
pub use source_tree::source_tree;
pub use tool::Tool;

/// A program that is ready to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binary {
    /// Where it is.
    pub path: PathBuf,
    /// The SHA-256 of its content, in hexadecimal.
    pub sha256: String,
    /// Its version, for example `1.37.1`.
    pub version: String,
}

/// The programs of one cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BinarySet {
    /// The version of the Kubernetes programs.
    pub kubernetes: KubeVersion,
    /// The store.
    pub etcd: Binary,
    /// The API server.
    pub api_server: Binary,
    /// The controllers.
    pub controller_manager: Binary,
    /// The scheduler, if asked for.
    pub scheduler: Option<Binary>,
    /// kwok, if asked for.
    pub kwok: Option<Binary>,
}

impl BinarySet {
    /// Every program with its name, for reports.
    pub fn all(&self) -> impl Iterator<Item = (Tool, &Binary)> {
        [
            (Tool::Etcd, Some(&self.etcd)),
            (Tool::ApiServer, Some(&self.api_server)),
            (Tool::ControllerManager, Some(&self.controller_manager)),
            (Tool::Scheduler, self.scheduler.as_ref()),
            (Tool::Kwok, self.kwok.as_ref()),
        ]
        .into_iter()
        .filter_map(|(tool, binary)| Some((tool, binary?)))
    }

    /// File name and SHA-256 of every program.
    #[must_use]
    pub fn sums(&self) -> Vec<(String, String)> {
        self.all().map(|(tool, binary)| (tool.to_string(), binary.sha256.clone())).collect()
    }
}

/// Where programs come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Source {
    /// Ready ones: `DIR/<version>/kube-apiserver` or `DIR/kube-apiserver`.
    Folder(PathBuf),
    /// Built into this cache folder on first use.
    Cache(PathBuf),
}

impl Source {
    /// The folder the user named, else `JOBSWORTH_BINARIES`, else the cache.
    ///
    /// # Errors
    /// When there is neither `JOBSWORTH_CACHE` nor a home to put a cache in.
    pub fn choose(named: Option<&Path>) -> Result<Self, BinariesError> {
        let folder = named.map(Path::to_owned).or_else(|| variable("JOBSWORTH_BINARIES"));
        folder.map_or_else(|| cache_folder().map(Self::Cache), |folder| Ok(Self::Folder(folder)))
    }
}

/// The user's cache folder: `JOBSWORTH_CACHE`, else `jobsworth` in the system's place for caches.
///
/// # Errors
/// When there is neither.
pub fn cache_folder() -> Result<PathBuf, BinariesError> {
    variable("JOBSWORTH_CACHE")
        .or_else(|| dirs::cache_dir().map(|dir| dir.join("jobsworth")))
        .ok_or(BinariesError::NoCacheFolder)
}

fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// What is being done to get a program. Every figure is counted, not guessed, but `about`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Another process builds; `holder` is what it says about itself.
    Waiting {
        /// For example `process 4711, building Kubernetes 1.37.1`.
        holder: String,
    },
    /// Go fetches modules.
    Downloading {
        /// What is being built.
        what: String,
        /// Modules asked for so far.
        modules: usize,
        /// How many there are at most.
        about: usize,
        /// Time since the build began.
        elapsed: Duration,
    },
    /// Go compiles.
    Compiling {
        /// What is being built.
        what: String,
        /// Packages compiled so far.
        packages: usize,
        /// How many it takes from nothing; fewer if Go's own cache has some.
        about: usize,
        /// Time since the build began.
        elapsed: Duration,
        /// The time that remains if the rest goes as fast as the part that is done.
        remaining: Option<Duration>,
    },
    /// Built and kept.
    Built {
        /// What was built.
        what: String,
        /// How long it took.
        elapsed: Duration,
    },
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Waiting { holder } if holder.is_empty() => f.write_str("waiting for another build"),
            Self::Waiting { holder } => write!(f, "waiting for another build: {holder}"),
            Self::Downloading { what, modules, about, elapsed } => {
                let elapsed = elapsed.as_secs();
                write!(f, "building {what}: fetching modules, {modules} of at most {about}, {elapsed} s")
            }
            Self::Compiling { what, packages, about, elapsed, remaining } => {
                let elapsed = elapsed.as_secs();
                write!(f, "building {what}: compiling, {packages} of about {about} packages, {elapsed} s")?;
                remaining.map_or(Ok(()), |left| write!(f, ", at most {} s to go", left.as_secs().max(1)))
            }
            Self::Built { what, elapsed } => write!(f, "built {what} in {} s", elapsed.as_secs()),
        }
    }
}

/// Hears what is being done.
pub type OnProgress<'a> = &'a (dyn Fn(Progress) + Send + Sync);

/// What pins a program: its version, and a sum of its module and of how it is built. The version must be a known one.
pub fn pin(tool: Tool, version: KubeVersion) -> String {
    let module = module::of(tool, version);
    let mut sum = Sha256::new();
    for text in module.files.iter().flat_map(|(name, text)| [*name, *text]).chain([module.tags]) {
        sum.update((text.len() as u64).to_le_bytes());
        sum.update(text);
    }
    sum.update(module.linker_flags(tool));
    format!("{} {}", module.version, hexadecimal(&sum.finalize()))
}

/// The SHA-256 of a file in hexadecimal. Blocks while it is read.
///
/// # Errors
/// When it cannot be read.
pub fn sha256(path: &Path) -> Result<String, BinariesError> {
    cache::digest(path).map(|(sum, _)| sum)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Which programs of `wanted` would have to be built first.
#[must_use]
pub fn missing(source: &Source, version: KubeVersion, wanted: &[Tool]) -> Vec<Tool> {
    let found = |&&tool: &&Tool| match source {
        Source::Folder(folder) => ready_path(folder, version, tool).is_none(),
        Source::Cache(cache) => cache::find(cache, version, tool).is_none(),
    };
    wanted.iter().filter(found).copied().collect()
}

/// Makes the programs of a cluster ready: finds them, or builds what is missing. Blocks, for
/// minutes if it has to build.
///
/// # Errors
/// Names the program, why it is not there and what to do; the cache is left clean.
pub fn ensure(
    source: &Source,
    version: KubeVersion,
    extras: &BTreeSet<Tool>,
    progress: OnProgress<'_>,
) -> Result<BinarySet, BinariesError> {
    ensure_with(&Go::default(), source, version, extras, progress)
}

/// Makes programs ready that are no cluster of their own: the kind CLI, what a node image is made of.
///
/// # Errors
/// As [`ensure`].
pub fn ensure_tools(
    source: &Source,
    version: KubeVersion,
    wanted: &BTreeSet<Tool>,
    progress: OnProgress<'_>,
) -> Result<BTreeMap<Tool, Binary>, BinariesError> {
    tools_with(&Go::default(), source, version, wanted, progress)
}

fn ensure_with(
    go: &Go,
    source: &Source,
    version: KubeVersion,
    extras: &BTreeSet<Tool>,
    progress: OnProgress<'_>,
) -> Result<BinarySet, BinariesError> {
    let wanted: BTreeSet<Tool> = Tool::CORE.into_iter().chain(extras.iter().copied()).collect();
    let mut ready = tools_with(go, source, version, &wanted, progress)?;
    let mut core = |tool: Tool| ready.remove(&tool).ok_or_else(|| BinariesError::vanished(tool, source));
    let (etcd, api_server, controller_manager) =
        (core(Tool::Etcd)?, core(Tool::ApiServer)?, core(Tool::ControllerManager)?);
    let (scheduler, kwok) = (ready.remove(&Tool::Scheduler), ready.remove(&Tool::Kwok));
    Ok(BinarySet { kubernetes: version, etcd, api_server, controller_manager, scheduler, kwok })
}

fn tools_with(
    go: &Go,
    source: &Source,
    version: KubeVersion,
    wanted: &BTreeSet<Tool>,
    progress: OnProgress<'_>,
) -> Result<BTreeMap<Tool, Binary>, BinariesError> {
    if let Source::Cache(cache) = source {
        module::known(version)?;
        cache::build_missing(go, cache, version, wanted, progress)?;
    }
    let get = |tool: Tool| match source {
        Source::Folder(folder) => ready(folder, version, tool),
        Source::Cache(cache) => cache::find(cache, version, tool).ok_or_else(|| BinariesError::vanished(tool, source)),
    };
    wanted.iter().map(|&tool| Ok((tool, get(tool)?))).collect()
}

fn ready_path(folder: &Path, version: KubeVersion, tool: Tool) -> Option<PathBuf> {
    [folder.join(version.to_string()), folder.to_owned()]
        .into_iter()
        .map(|folder| folder.join(tool.file_name()))
        .find(|path| path.is_file())
}

fn ready(folder: &Path, version: KubeVersion, tool: Tool) -> Result<Binary, BinariesError> {
    let path = ready_path(folder, version, tool).ok_or_else(|| BinariesError::NotInFolder {
        tool,
        folder: folder.to_owned(),
        version,
    })?;
    let said = go::says_version(&path, tool.version_arguments())?;
    let found = go::first_version(&said).unwrap_or(said);
    if tool.follows_kubernetes() && found != version.to_string() {
        return Err(BinariesError::WrongVersion { path, found, wanted: version });
    }
    let (sha256, _) = cache::digest(&path)?;
    Ok(Binary { path, sha256, version: found })
}

#[cfg(test)]
mod tests;
