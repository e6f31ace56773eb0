//! The `go` command: is it there, is it new enough; and what a program says its version is.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::BinariesError;
use super::module::Module;

/// The `go` command.
#[derive(Clone, Debug)]
pub(super) struct Go {
    program: PathBuf,
}

impl Default for Go {
    /// The one that the user's shell would find.
    fn default() -> Self {
        Self::at("go")
    }
}

impl Go {
    pub fn at(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into() }
    }

    pub fn command(&self) -> Command {
        Command::new(&self.program)
    }

    /// In a wrapper module's folder. Whatever the user's own Go settings are, the same sources make the same bytes.
    pub fn in_module(&self, folder: &Path) -> Command {
        let mut command = self.command();
        command
            .current_dir(folder)
            .env("CGO_ENABLED", "0")
            .env("GOTOOLCHAIN", "local")
            .env("GOFLAGS", "-mod=readonly")
            .env("GOWORK", "off")
            .stdin(Stdio::null());
        command
    }
}

/// Fails unless `go` is there and can build the module.
pub(super) fn check(go: &Go, module: &Module) -> Result<(), BinariesError> {
    let needed = module.go_version();
    let output = go
        .command()
        .args(["env", "GOVERSION"])
        .env("GOTOOLCHAIN", "local")
        .env("GOWORK", "off")
        .output()
        .map_err(|source| BinariesError::NoGo { needed: needed.to_owned(), source })?;
    let said = String::from_utf8_lossy(&output.stdout);
    let found = first_version(&said).unwrap_or_else(|| said.trim().to_owned());
    if numbers(&found) < numbers(needed) {
        return Err(BinariesError::OldGo { what: module.title.to_owned(), found, needed: needed.to_owned() });
    }
    Ok(())
}

/// What a program says when it is asked for its version.
pub(super) fn says_version(program: &Path, arguments: &[&str]) -> Result<String, BinariesError> {
    let failed = |why: String| BinariesError::Unrunnable { path: program.to_owned(), why };
    let output = Command::new(program).args(arguments).output().map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(output.status.to_string()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The first dotted number in a text: `Kubernetes v1.37.1` → `1.37.1`.
pub(super) fn first_version(text: &str) -> Option<String> {
    text.split(|sign: char| !(sign.is_ascii_digit() || sign == '.'))
        .map(|word| word.trim_matches('.'))
        .find(|word| word.contains('.'))
        .map(str::to_owned)
}

fn numbers(version: &str) -> Vec<u32> {
    version.split('.').map(|number| number.parse().unwrap_or(0)).collect()
}
