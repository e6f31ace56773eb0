//! What a program of the workspace is built from, and whether all of that is older than the program.
//!
//! Tests and programs of one workspace may be built with different features of what they share. A program that `cargo test` has
//! built is as good as one of `cargo build`; asked for the latter, cargo would compile half of all dependencies once more.

use serde::Deserialize;
use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// By how much a program must be younger than its sources. What is written while a program is being compiled is older than the
/// program and not in it; no compilation of one program takes as long as this.
const CLEARLY: Duration = Duration::from_secs(120);

/// The packages of a workspace, and which of them a program is built from.
pub(super) struct Sources {
    workspace: Workspace,
    /// Folders of packages.
    packages: BTreeSet<PathBuf>,
}

#[derive(Deserialize)]
struct Workspace {
    packages: Vec<Package>,
    workspace_root: PathBuf,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    manifest_path: PathBuf,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    /// Nothing for one that is needed to run.
    kind: Option<String>,
    /// Of a package that lies beside.
    path: Option<PathBuf>,
}

impl Sources {
    /// Of `program`, which is called as its package; `metadata` is what cargo says of the workspace. Nothing if it has no such package.
    pub(super) fn of(program: &str, metadata: &[u8]) -> Option<Self> {
        let workspace: Workspace = serde_json::from_slice(metadata).ok()?;
        let mut packages = BTreeSet::new();
        let mut open = vec![workspace.packages.iter().find(|package| package.name == program)?];
        while let Some(package) = open.pop() {
            let Some(folder) = package.manifest_path.parent() else { continue };
            if packages.insert(folder.to_owned()) {
                let needed = package.dependencies.iter().filter(|needed| needed.kind.as_deref() != Some("dev"));
                let beside = needed.filter_map(|needed| needed.path.as_ref());
                open.extend(beside.filter_map(|path| workspace.packages.iter().find(|other| other.lies_in(path))));
            }
        }
        Some(Self { workspace, packages })
    }

    pub(super) fn workspace_has(&self, package: &str) -> bool {
        self.workspace.packages.iter().any(|other| other.name == package)
    }

    /// Whether nothing of them was written since the program was built, nor shortly before. What cannot be read is taken as new.
    pub(super) fn are_clearly_older_than(&self, program: &Path) -> bool {
        let written = |path: &Path| fs::metadata(path).and_then(|told| told.modified());
        let Some(limit) = written(program).ok().and_then(|built| built.checked_sub(CLEARLY)) else { return false };
        let root = &self.workspace.workspace_root;
        let shared = ["Cargo.toml", "Cargo.lock"].map(|file| root.join(file));
        shared.iter().all(|file| written(file).is_ok_and(|time| time < limit))
            && self.packages.iter().all(|folder| is_older(folder, limit).unwrap_or(false))
    }
}

impl Package {
    fn lies_in(&self, folder: &Path) -> bool {
        self.manifest_path.parent() == Some(folder)
    }
}

/// Whether all below this folder is older, but for packages in it: those count for themselves. Folders count too: what was removed
/// from one has no time any more.
fn is_older(folder: &Path, limit: SystemTime) -> io::Result<bool> {
    if fs::metadata(folder)?.modified()? >= limit {
        return Ok(false);
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let told = fs::symlink_metadata(&path)?;
        let is_package = || path.join("Cargo.toml").exists() || path.join("CACHEDIR.TAG").exists();
        let older = match told.is_dir() {
            true => is_package() || is_older(&path, limit)?,
            false => told.modified()? < limit,
        };
        if !older {
            return Ok(false);
        }
    }
    Ok(true)
}
