//! A kind node image made on this machine, where no registry of containers can be reached.
//!
//! Three layers: a small Debian from the machine's own mirror; kind's support files, the container runtime and
//! the Kubernetes programs of a node, built from pinned Go modules; containerd's store with the control plane's
//! images. Only what Job cases need is in it: no proxy, no name server. docs/node-images.md tells more.

mod archive;
mod components;
mod debian;
mod image_cache;
mod layer;
mod make;
pub mod mirror;
mod node_files;
mod recipe;
mod store;
mod tree;
mod workbench;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jobsworth_api::KubeVersion;
use sha2::{Digest, Sha256};

use jobsworth_binaries::{self as binaries, BinariesError, Binary, Tool};

pub use make::{Request, make};

/// An image that was made here: an archive that docker, podman and nerdctl load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The version of its nodes.
    pub kubernetes: KubeVersion,
    /// Its name with tag, as a runtime and kind know it once it is loaded.
    pub name: String,
    /// The SHA-256 that a runtime knows it by.
    pub id: String,
    /// The archive.
    pub archive: PathBuf,
    /// Size of the archive.
    pub bytes: u64,
    /// Whether today's recipe would make the same.
    pub current: bool,
}

/// The image of a version in this cache, if it was made by today's recipe and is whole.
#[must_use]
pub fn find(cache: &Path, version: KubeVersion) -> Option<Image> {
    image_cache::ImageCache::of(cache).find(version)
}

/// The name that the image of a version has in a runtime, by today's recipe; none for a version that we cannot build.
#[must_use]
pub fn name(version: KubeVersion) -> Option<String> {
    binaries::KNOWN_VERSIONS.contains(&version).then(|| image_cache::name(version))
}

/// Every image in this cache, newest version first, those of older recipes too.
#[must_use]
pub fn list(cache: &Path) -> Vec<Image> {
    image_cache::ImageCache::of(cache).list()
}

/// Removes the archives of a version, or of all; says which. What a runtime has loaded stays there.
///
/// # Errors
/// When files cannot be removed.
pub fn remove(cache: &Path, version: Option<KubeVersion>) -> Result<Vec<Image>, NodeImageError> {
    image_cache::ImageCache::of(cache).remove(version)
}

/// Writes images of one program each, by these names, as one archive that kind can load into nodes.
///
/// # Errors
/// When a program is missing, or the archive cannot be written.
pub fn write_programs(
    names: &[(Tool, String)],
    programs: &BTreeMap<Tool, Binary>,
    archive: &Path,
) -> Result<(), NodeImageError> {
    let component = |(tool, name): &(Tool, String)| components::Component { tool: *tool, names: vec![name.clone()] };
    let wanted: Vec<components::Component> = names.iter().map(component).collect();
    let shop = tempfile::tempdir().map_err(NodeImageError::file("create", archive))?;
    components::write(&wanted, programs, shop.path(), archive)
}

/// One of the things that are done, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// The programs are found or built.
    Programs,
    /// Debian is installed into a folder.
    Debian,
    /// kind's files and the programs are packed.
    Node,
    /// The control plane's images are put into containerd's store.
    Components,
    /// The archive is written.
    Archive,
}

impl Step {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Programs, Self::Debian, Self::Node, Self::Components, Self::Archive];
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Programs => "programs",
            Self::Debian => "Debian",
            Self::Node => "node files",
            Self::Components => "component images",
            Self::Archive => "archive",
        })
    }
}

/// What is being done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Another process makes an image.
    Waiting {
        /// What it says about itself.
        holder: String,
    },
    /// A program is being built.
    Building(binaries::Progress),
    /// A step goes on.
    At {
        /// Which one.
        step: Step,
        /// What it does.
        says: String,
    },
    /// A step is done.
    Done {
        /// Which one.
        step: Step,
        /// What came of it.
        says: String,
        /// How long it took.
        elapsed: Duration,
    },
}

impl Progress {
    /// Whether it is one of many of its kind, of which one every few seconds is enough.
    #[must_use]
    pub const fn is_passing(&self) -> bool {
        match self {
            Self::At { .. } => true,
            Self::Building(step) => {
                matches!(step, binaries::Progress::Compiling { .. } | binaries::Progress::Downloading { .. })
            }
            Self::Waiting { .. } | Self::Done { .. } => false,
        }
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |step: &Step| Step::ALL.iter().position(|one| one == step).map_or(0, |at| at + 1);
        let all = Step::ALL.len();
        match self {
            Self::Waiting { holder } if holder.is_empty() => f.write_str("waiting for another image"),
            Self::Waiting { holder } => write!(f, "waiting for another image: {holder}"),
            Self::Building(progress) => write!(f, "[1/{all}] {progress}"),
            Self::At { step, says } => write!(f, "[{}/{all}] {step}: {says}", number(step)),
            Self::Done { step, says, elapsed } => {
                write!(f, "[{}/{all}] {step}: {says}, {:.1} s", number(step), elapsed.as_secs_f64())
            }
        }
    }
}

/// Hears what is being done.
pub type OnProgress<'a> = &'a (dyn Fn(Progress) + Send + Sync);

/// Why an image could not be made.
#[derive(Debug, thiserror::Error)]
pub enum NodeImageError {
    /// A program could not be found or built.
    #[error(transparent)]
    Binaries(#[from] BinariesError),
    /// A program of Debian is not there.
    #[error("failed to find `{program}`, which installs Debian into the image; `apt-get install {}` brings it", package(.program))]
    NoProgram {
        /// Its name.
        program: &'static str,
    },
    /// debootstrap wants to be root.
    #[error(
        "failed to make a node image as an ordinary user: Debian is installed as root; run the command with sudo, or on another machine and copy the archive"
    )]
    NotRoot,
    /// Nobody says where Debian is.
    #[error("failed to find a mirror of Debian: {why}; name one with --mirror")]
    NoMirror {
        /// What was tried.
        why: String,
    },
    /// A program of the machine or of ours could not be started.
    #[error("failed to run `{program}`")]
    Unstarted {
        /// Its name.
        program: String,
        #[source]
        /// What the system said.
        source: io::Error,
    },
    /// A program failed.
    #[error("`{program}` failed: {status}; its last lines:\n{}", .last_lines.join("\n"))]
    Failed {
        /// Its name.
        program: String,
        /// How it ended.
        status: String,
        /// What it wrote last.
        last_lines: Vec<String>,
    },
    /// What we build on is not what we know.
    #[error("failed to find `{lacks}` in {what}: the pinned versions do not fit each other")]
    Unexpected {
        /// What was read.
        what: &'static str,
        /// What is not in it.
        lacks: &'static str,
    },
    /// No room.
    #[error(
        "failed to make the image: no space left on the device ({at}); it takes about 3 GB while it is made; make room, or set JOBSWORTH_CACHE and TMPDIR to another disk"
    )]
    DiskFull {
        /// Where it was noticed.
        at: String,
    },
    /// Something else cleans up there.
    #[error("failed to find the image in {} right after it was made: something else removes files there", .home.display())]
    Vanished {
        /// Its folder.
        home: PathBuf,
    },
    /// The user asked to stop.
    #[error("stopped; nothing is left of it")]
    Stopped,
    /// A file or folder could not be used.
    #[error("failed to {what} {}", .path.display())]
    File {
        /// What was tried.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        #[source]
        /// What the system said.
        source: io::Error,
    },
}

impl NodeImageError {
    fn file(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::DiskFull { at: path.display().to_string() }
            }
            _ => Self::File { what, path, source },
        }
    }
}

/// The package that brings a program.
fn package(program: &str) -> &str {
    if program == "unshare" { "util-linux" } else { program }
}

fn hexadecimal(sum: Sha256) -> String {
    sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
