//! Why programs could not be made ready.

use super::{Source, Tool};
use jobsworth_api::KubeVersion;
use std::path::{Path, PathBuf};

/// Why programs could not be made ready.
#[derive(Debug, thiserror::Error)]
pub enum BinariesError {
    /// Nowhere to keep them.
    #[error("failed to find a cache folder: neither JOBSWORTH_CACHE nor a home folder is set; set JOBSWORTH_CACHE")]
    NoCacheFolder,
    /// We have no pinned module for it.
    #[error(
        "failed to find Kubernetes {version}: known versions are {known}; give a folder with the programs through --binaries for any other"
    )]
    UnknownVersion {
        /// What was asked for.
        version: KubeVersion,
        /// What there is.
        known: String,
    },
    /// The folder lacks a program.
    #[error("failed to find {tool} {version} in {}: put it there or into {}, or leave --binaries out to have it built", .folder.display(), .folder.join(version.to_string()).display())]
    NotInFolder {
        /// The program.
        tool: Tool,
        /// The folder the user named.
        folder: PathBuf,
        /// The version that was asked for.
        version: KubeVersion,
    },
    /// A ready program is of another version.
    #[error("failed to use {}: it is version {found}, but {wanted} was asked for; name the folder of that version or ask for --kubernetes {found}", .path.display())]
    WrongVersion {
        /// The program's file.
        path: PathBuf,
        /// What it says.
        found: String,
        /// What was asked for.
        wanted: KubeVersion,
    },
    /// There is no `go`.
    #[error(
        "failed to run `go`, which builds the control plane's programs: {source}; install Go {needed} or newer, or give ready programs through --binaries or JOBSWORTH_BINARIES"
    )]
    NoGo {
        /// The oldest version that will do.
        needed: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The `go` that is there cannot build it.
    #[error(
        "failed to build {what}: Go {found} is too old, it needs {needed}; install Go {needed} or newer, or give ready programs through --binaries"
    )]
    OldGo {
        /// What was to be built.
        what: String,
        /// The version that is installed.
        found: String,
        /// The oldest version that will do.
        needed: String,
    },
    /// The build failed.
    #[error("failed to build {what}: `go build` ended with {status}; its last lines:\n{}", .last_lines.join("\n"))]
    Build {
        /// What was to be built.
        what: String,
        /// How it ended.
        status: String,
        /// What it wrote last.
        last_lines: Vec<String>,
    },
    /// The source could not be fetched.
    #[error("failed to fetch the source of {what}: {why}")]
    Source {
        /// What it is the source of.
        what: String,
        /// What Go said.
        why: String,
    },
    /// No room.
    #[error("failed to build {what}: no space left on the device; a build needs about 3 GB in Go's cache and 300 MB in {}; make room, or set JOBSWORTH_CACHE and GOCACHE to another disk", .cache.display())]
    DiskFull {
        /// What was to be built.
        what: String,
        /// Our cache folder.
        cache: PathBuf,
    },
    /// A program that was there is gone.
    #[error("failed to find {tool} in {} right after it was built: something else removes files there", .cache.display())]
    Vanished {
        /// The program.
        tool: Tool,
        /// Our cache folder.
        cache: PathBuf,
    },
    /// A program cannot be run.
    #[error("failed to ask {} for its version: {why}", .path.display())]
    Unrunnable {
        /// The program's file.
        path: PathBuf,
        /// What went wrong.
        why: String,
    },
    /// A file or folder could not be used.
    #[error("failed to {what} {}", .path.display())]
    File {
        /// What was tried.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        #[source]
        /// What the system said.
        source: std::io::Error,
    },
}

impl BinariesError {
    pub(super) fn vanished(tool: Tool, source: &Source) -> Self {
        let (Source::Folder(folder) | Source::Cache(folder)) = source;
        Self::Vanished { tool, cache: folder.clone() }
    }

    pub(super) fn file(what: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { what, path, source }
    }
}
