//! The source of a pinned module as the user's Go has it: for the files beside the code.

use std::path::PathBuf;

use jobsworth_api::KubeVersion;
use serde::Deserialize;

use super::go::{self, Go};
use super::{BinariesError, Tool, build, module};

/// The folder of the module that holds a program's source; fetched if need be, checked against our sums.
///
/// # Errors
/// When Go is not there or cannot fetch it.
pub fn source_tree(tool: Tool, version: KubeVersion) -> Result<PathBuf, BinariesError> {
    module::known(version)?;
    let module = module::of(tool, version);
    let go = Go::default();
    go::check(&go, &module)?;
    let workshop = tempfile::tempdir().map_err(BinariesError::file("create a folder in", &std::env::temp_dir()))?;
    build::write_module(&module, workshop.path())?;
    let output = go
        .in_module(workshop.path())
        .args(["list", "-json=Module", tool.package()])
        .output()
        .map_err(|source| BinariesError::NoGo { needed: module.go_version().to_owned(), source })?;
    let failed = |why: &str| BinariesError::Source { what: module.title.to_owned(), why: why.trim().to_owned() };
    if !output.status.success() {
        return Err(failed(&String::from_utf8_lossy(&output.stderr)));
    }
    serde_json::from_slice::<Package>(&output.stdout)
        .map(|package| package.module.dir)
        .map_err(|error| failed(&format!("`go list` names no folder: {error}")))
}

/// What `go list` says of a package, as far as we ask.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Package {
    module: Folder,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Folder {
    dir: PathBuf,
}
