//! The cache of built programs: one folder per program and version, complete or not there at all.
//!
//! A build goes on in a folder beside and is renamed when done; `manifest.json` is written last, so
//! a folder without one, or whose sizes differ, is left over from a crash and is removed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use jobsworth_api::KubeVersion;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::go::Go;
use super::lock::Lock;
use super::module::{self, Module};
use super::{BinariesError, Binary, OnProgress, Progress, Tool, build};

const MANIFEST: &str = "manifest.json";

/// What a cached program is; written last.
#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    version: String,
    sha256: String,
    bytes: u64,
    /// The flags it was linked with: another stamp means another program.
    linker_flags: String,
    /// The build tags, the same way.
    #[serde(default)]
    tags: String,
}

/// A program in the cache, if it is whole.
pub(super) fn find(cache: &Path, version: KubeVersion, tool: Tool) -> Option<Binary> {
    let module = module::of(tool, version);
    let folder = folder(cache, &module, tool);
    let manifest: Manifest = serde_json::from_slice(&fs::read(folder.join(MANIFEST)).ok()?).ok()?;
    let path = folder.join(tool.file_name());
    let same = manifest.linker_flags == module.linker_flags(tool) && manifest.tags == module.tags;
    let whole = same && fs::metadata(&path).ok()?.len() == manifest.bytes;
    whole.then_some(Binary { path, sha256: manifest.sha256, version: manifest.version })
}

/// Builds what is not there, one build at a time over all processes.
pub(super) fn build_missing(
    go: &Go,
    cache: &Path,
    version: KubeVersion,
    wanted: &BTreeSet<Tool>,
    progress: OnProgress<'_>,
) -> Result<(), BinariesError> {
    let missing = || wanted.iter().copied().filter(|&tool| find(cache, version, tool).is_none());
    if missing().next().is_none() {
        return Ok(());
    }
    let programs = cache.join("binaries");
    fs::create_dir_all(&programs).map_err(BinariesError::file("create", &programs))?;
    let path = programs.join("build.lock");
    let lock = Lock::take(&path, |holder| progress(Progress::Waiting { holder }))
        .map_err(BinariesError::file("lock", &path))?;
    // Another process may have built it while we waited.
    let mut modules: BTreeMap<&str, (Module, Vec<Tool>)> = BTreeMap::new();
    for tool in missing() {
        let module = module::of(tool, version);
        modules.entry(module.title).or_insert((module, Vec::new())).1.push(tool);
    }
    for (module, tools) in modules.values() {
        lock.says(&format!("process {}, building {}", std::process::id(), module.title));
        build_and_keep(go, &programs, cache, module, tools, progress)?;
    }
    Ok(())
}

fn folder(cache: &Path, module: &Module, tool: Tool) -> PathBuf {
    cache.join("binaries").join(format!("{tool}-{}", module.version))
}

fn build_and_keep(
    go: &Go,
    programs: &Path,
    cache: &Path,
    module: &Module,
    tools: &[Tool],
    progress: OnProgress<'_>,
) -> Result<(), BinariesError> {
    remove_leftovers(programs)?;
    // Removed when it goes out of scope, whatever happens.
    let workshop = tempfile::Builder::new()
        .prefix(WORKSHOP)
        .tempdir_in(programs)
        .map_err(BinariesError::file("create a folder in", programs))?;
    let (sources, output) = (workshop.path().join("module"), workshop.path().join("out"));
    for folder in [&sources, &output] {
        fs::create_dir(folder).map_err(BinariesError::file("create", folder))?;
    }
    build::run(go, module, tools, &sources, &output, progress)?;
    tools.iter().try_for_each(|&tool| keep(cache, module, tool, &output, workshop.path()))
}

const WORKSHOP: &str = ".building-";

/// We hold the lock, so a workshop that is there belongs to a build that was killed.
fn remove_leftovers(programs: &Path) -> Result<(), BinariesError> {
    for entry in fs::read_dir(programs).map_err(BinariesError::file("read", programs))?.flatten() {
        if entry.file_name().to_string_lossy().starts_with(WORKSHOP) {
            fs::remove_dir_all(entry.path()).map_err(BinariesError::file("remove", &entry.path()))?;
        }
    }
    Ok(())
}

fn keep(cache: &Path, module: &Module, tool: Tool, output: &Path, workshop: &Path) -> Result<(), BinariesError> {
    let built = output.join(tool.built_name());
    let staged = workshop.join(tool.file_name());
    fs::create_dir(&staged).map_err(BinariesError::file("create", &staged))?;
    let program = staged.join(tool.file_name());
    fs::rename(&built, &program).map_err(BinariesError::file("move", &built))?;
    let (sha256, bytes) = digest(&program)?;
    let manifest = Manifest {
        version: module.version.to_owned(),
        sha256,
        bytes,
        linker_flags: module.linker_flags(tool),
        tags: module.tags.to_owned(),
    };
    let path = staged.join(MANIFEST);
    let text = serde_json::to_vec_pretty(&manifest).expect("a struct of texts and numbers is JSON");
    fs::write(&path, text).map_err(BinariesError::file("write", &path))?;
    let home = folder(cache, module, tool);
    if home.exists() {
        fs::remove_dir_all(&home).map_err(BinariesError::file("remove", &home))?;
    }
    fs::rename(&staged, &home).map_err(BinariesError::file("move", &staged))
}

/// The SHA-256 of a file in hexadecimal, and its size in bytes.
pub(super) fn digest(path: &Path) -> Result<(String, u64), BinariesError> {
    let failed = || BinariesError::file("read", path);
    let mut file = File::open(path).map_err(failed())?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    let mut bytes = 0;
    loop {
        let read = file.read(&mut buffer).map_err(failed())?;
        if read == 0 {
            break;
        }
        hasher.update(&buffer[..read]);
        bytes += read as u64;
    }
    Ok((super::hexadecimal(&hasher.finalize()), bytes))
}
