//! Programs that we start and wait for: the kind CLI and the container runtime's.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use jobsworth_api::KubeVersion;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use super::error::KindError;
use crate::binaries::{self, Source, Tool};
use crate::cluster::contract::{ClusterError, Progress};
use crate::cluster::machine::programs;
use crate::container_runtime::{self, Engine};
use crate::launcher::Launcher;

/// The kind that we know, and the oldest that will do.
pub const KIND: &str = "0.33.0";
/// Names another `kind` than the one in PATH.
const VARIABLE: &str = "JOBSWORTH_KIND";

/// One run of a program that dies with us.
pub(super) struct Errand {
    what: String,
    command: Command,
    input: Option<Vec<u8>>,
}

/// How it went.
pub(super) struct Said {
    pub out: String,
    /// Both streams, for people.
    pub all: String,
    pub status: std::process::ExitStatus,
}

impl Said {
    pub fn succeeded(&self) -> bool {
        self.status.success()
    }
}

impl Errand {
    /// `what` completes "failed to ...".
    pub fn new(launcher: &Launcher, program: &Path, what: impl Into<String>) -> Self {
        let mut command = Command::from(launcher.command(program));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        // podman must find the same settings whoever calls it.
        command.envs(container_runtime::environment());
        Self { what: what.into(), command, input: None }
    }

    pub fn args<A: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.command.args(arguments);
        self
    }

    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// What it reads.
    pub fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.command.stdin(Stdio::piped());
        self.input = Some(input.into());
        self
    }

    /// Runs it to its end, however it ends.
    pub async fn said(mut self) -> Result<Said, KindError> {
        let what = self.what;
        let failed = |source| KindError::Spawn { what: what.clone(), source };
        let mut child = self.command.spawn().map_err(failed)?;
        if let (Some(mut stdin), Some(input)) = (child.stdin.take(), self.input) {
            // It may end without having read everything; its status tells.
            let _ = stdin.write_all(&input).await;
        }
        let output = child.wait_with_output().await.map_err(failed)?;
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        let all = format!("{out}{}", String::from_utf8_lossy(&output.stderr));
        Ok(Said { out, all, status: output.status })
    }

    /// What it writes to its standard output.
    pub async fn output(self) -> Result<String, KindError> {
        let what = self.what.clone();
        let said = self.said().await?;
        if said.succeeded() {
            return Ok(said.out);
        }
        Err(KindError::Command { what, status: said.status.to_string(), said: said.all })
    }
}

/// The kind CLI, and the runtime that it works with.
#[derive(Clone, Debug)]
pub struct Program {
    path: PathBuf,
    runtime: Engine,
    launcher: Launcher,
}

impl Program {
    /// A `kind` at a known place.
    #[must_use]
    pub fn at(path: PathBuf, runtime: Engine, launcher: Launcher) -> Self {
        Self { path, runtime, launcher }
    }

    /// The program's file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The runtime.
    #[must_use]
    pub fn runtime(&self) -> Engine {
        self.runtime
    }

    /// Who starts programs.
    pub(super) fn launcher(&self) -> &Launcher {
        &self.launcher
    }

    /// Fails when it is older than the one we know.
    ///
    /// # Errors
    /// See there.
    pub async fn check(&self) -> Result<(), KindError> {
        let said = self.errand("ask kind for its version", &["version", "-q"]).output().await;
        let found = said.map_err(|error| match error {
            KindError::Spawn { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                KindError::NoKind { path: self.path.clone(), needed: KIND }
            }
            other => other,
        })?;
        judged(&self.path, &found)
    }

    pub(super) fn errand(&self, what: impl Into<String>, arguments: &[&str]) -> Errand {
        Errand::new(&self.launcher, &self.path, what)
            .args(arguments)
            // kind would take the first runtime that is installed, whether it works or not.
            .env(container_runtime::CHOICE, self.runtime.program())
    }
}

/// The `kind` that is meant: named by the variable, else in PATH, else built from its pinned module.
///
/// # Errors
/// When the named one is not there, or none can be built.
pub(super) async fn find(version: KubeVersion, progress: Progress<'_>) -> Result<PathBuf, ClusterError> {
    if let Some(found) = standing()? {
        return Ok(found);
    }
    let source = Source::choose(None)?;
    let wanted = [Tool::Kind].into();
    let built = programs::ready(progress, move |tell| binaries::ensure_tools(&source, version, &wanted, tell)).await?;
    Ok(built.into_values().next().expect("what was asked for is there").path)
}

/// Whether the `kind` that stands here can be used; nothing when it would be built.
///
/// # Errors
/// When the named one is not there, or the one that would be used says no version or one that is too old.
pub fn survey() -> Result<Option<PathBuf>, KindError> {
    let Some(path) = standing()? else { return Ok(None) };
    let what = "ask kind for its version".to_owned();
    let asked = std::process::Command::new(&path).args(["version", "-q"]).stdin(Stdio::null()).output();
    let said = asked.map_err(|source| KindError::Spawn { what, source })?;
    judged(&path, &String::from_utf8_lossy(&said.stdout))?;
    Ok(Some(path))
}

/// The one that is named by the variable, or else in PATH.
fn standing() -> Result<Option<PathBuf>, KindError> {
    if let Some(named) = std::env::var_os(VARIABLE).filter(|name| !name.is_empty()).map(PathBuf::from) {
        return if named.is_file() { Ok(Some(named)) } else { Err(KindError::NoKind { path: named, needed: KIND }) };
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    Ok(std::env::split_paths(&path).map(|folder| folder.join("kind")).find(|file| file.is_file()))
}

/// Whether what it says of itself is new enough.
fn judged(path: &Path, said: &str) -> Result<(), KindError> {
    let found = said.trim().trim_start_matches('v').to_owned();
    if numbers(&found) < numbers(KIND) {
        return Err(KindError::WrongKind { path: path.to_owned(), found, needed: KIND });
    }
    Ok(())
}

/// `0.33.0` as numbers; what follows a hyphen does not count.
fn numbers(version: &str) -> Vec<u32> {
    let version = version.split(['-', '+']).next().unwrap_or(version);
    version.split('.').map(|number| number.parse().unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        assert!(numbers("0.9.0") < numbers(KIND));
        assert!(numbers("0.33.0") >= numbers(KIND));
        assert!(numbers("0.34.0-alpha+1234") > numbers(KIND));
        assert!(numbers("nonsense") < numbers(KIND));
    }
}
