//! Tests as programs: compiled once by cargo, then run without it, so that they wait for nobody who compiles.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::workspace::root;

/// The programs of integration tests, by name.
#[derive(Debug, Default)]
pub struct TestPrograms(BTreeMap<String, TestProgram>);

#[derive(Debug)]
struct TestProgram {
    file: PathBuf,
    /// The folder of its package, in which cargo runs it.
    package: PathBuf,
}

/// A line of what cargo tells to other programs; most have none of this.
#[derive(Deserialize)]
struct Message {
    executable: Option<PathBuf>,
    manifest_path: Option<PathBuf>,
    target: Option<Target>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

impl TestPrograms {
    /// Compiles what `cargo WORDS` would run; errors of the compiler go where they always do.
    pub fn build(words: &[&str]) -> Result<Self> {
        let line = format!("cargo {} --no-run", words.join(" "));
        let mut command = Command::new("cargo");
        command.args(words).args(["--no-run", "--message-format=json-render-diagnostics"]).current_dir(root());
        let output = command.stderr(Stdio::inherit()).output().with_context(|| format!("failed to start `{line}`"))?;
        if !output.status.success() {
            bail!("`{line}` ended with {}", output.status);
        }
        Self::read(&String::from_utf8_lossy(&output.stdout))
            .with_context(|| format!("failed to read what `{line}` says"))
    }

    fn read(messages: &str) -> Result<Self> {
        let mut found = BTreeMap::new();
        for line in messages.lines() {
            let message: Message = serde_json::from_str(line)?;
            let (Some(file), Some(target)) = (message.executable, message.target) else { continue };
            let package = message.manifest_path.as_deref().and_then(Path::parent).map(Path::to_owned);
            if let (Some(package), true) = (package, target.kind.iter().any(|kind| kind == "test")) {
                found.insert(target.name, TestProgram { file, package });
            }
        }
        Ok(Self(found))
    }

    /// Runs a test as cargo does.
    pub fn command(&self, test: &str) -> Result<Command> {
        let program = self.0.get(test).with_context(|| format!("cargo has built no test `{test}`"))?;
        let mut command = Command::new(&program.file);
        command.current_dir(&program.package);
        Ok(command)
    }
}

#[cfg(test)]
mod tests {
    use super::TestPrograms;
    use std::path::Path;

    const MESSAGES: &str = r#"{"reason":"compiler-artifact","manifest_path":"/w/a/Cargo.toml","target":{"kind":["lib"],"name":"a"},"executable":null}
{"reason":"compiler-artifact","manifest_path":"/w/a/Cargo.toml","target":{"kind":["bin"],"name":"in_pods"},"executable":"/w/target/debug/in_pods"}
{"reason":"compiler-artifact","manifest_path":"/w/a/Cargo.toml","target":{"kind":["test"],"name":"in_pods"},"executable":"/w/target/debug/deps/in_pods-1"}
{"reason":"build-finished","success":true}"#;

    #[test]
    fn a_test_is_run_in_the_folder_of_its_package() {
        let command = TestPrograms::read(MESSAGES).unwrap().command("in_pods").unwrap();
        assert_eq!(command.get_program(), "/w/target/debug/deps/in_pods-1");
        assert_eq!(command.get_current_dir(), Some(Path::new("/w/a")));
    }

    #[test]
    fn a_test_that_was_not_built_is_named() {
        let error = TestPrograms::read(MESSAGES).unwrap().command("sharded").unwrap_err();
        assert_eq!(error.to_string(), "cargo has built no test `sharded`");
    }

    #[test]
    fn what_is_no_message_is_an_error() {
        assert!(TestPrograms::read("Compiling a").is_err());
    }
}
