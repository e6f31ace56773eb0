//! The program of this workspace, built and asked.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::tidy;
use crate::workspace::root;

/// Asks the program with these arguments and returns its standard output.
pub type Ask<'a> = &'a dyn Fn(&[&str]) -> Result<String>;

/// Builds the program with cargo's own words: asked quietly, it would say nothing for minutes the first time.
pub fn build() -> Result<()> {
    cargo(&["build", "--package", "jobsworth", "--bin", "jobsworth"])
}

/// Builds the program with all tests, as the last step of a check does: what is compiled for one step serves the others. Alone it would
/// take other features of the dependencies, and compile half of them anew.
pub fn build_with_tests() -> Result<()> {
    cargo(&[&tidy::TEST_COMMAND[1..], &["--no-run"]].concat())
}

fn cargo(words: &[&str]) -> Result<()> {
    let line = format!("cargo {}", words.join(" "));
    let status = Command::new("cargo").args(words).current_dir(root()).status();
    let status = status.with_context(|| format!("failed to start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` ended with {status}");
    }
    Ok(())
}

/// The program that was built last: it lies where this one does.
pub fn path() -> Result<PathBuf> {
    Ok(std::env::current_exe().context("failed to find the target folder")?.with_file_name("jobsworth"))
}

/// What the program writes to its standard output for these arguments.
pub fn ask(args: &[&str]) -> Result<String> {
    let mut command = Command::new(path()?);
    command.args(args);
    // Help shows the values of the environment it runs in; a page must not.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("JOBSWORTH_")) {
        command.env_remove(name);
    }
    let output = command
        .env("COLUMNS", "110")
        .env("NO_COLOR", "1")
        .current_dir(root())
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .context("failed to start the program")?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        bail!("`jobsworth {}` ended with {}: {}", args.join(" "), output.status, stderr.trim());
    }
    String::from_utf8(output.stdout).context("the program wrote something that is not UTF-8")
}
