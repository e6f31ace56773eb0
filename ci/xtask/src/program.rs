//! The program of this workspace, built and asked.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::workspace::root;

/// Asks the program with these arguments and returns its standard output.
pub type Ask<'a> = &'a dyn Fn(&[&str]) -> Result<String>;

/// Builds the program with cargo's own words: asked quietly, it would say nothing for minutes the first time.
pub fn build() -> Result<()> {
    let build = ["build", "--package", "jobsworth", "--bin", "jobsworth"];
    let status =
        Command::new("cargo").args(build).current_dir(root()).status().context("failed to start `cargo build`")?;
    if !status.success() {
        bail!("`cargo {}` ended with {status}", build.join(" "));
    }
    Ok(())
}

/// What the program writes to its standard output for these arguments.
pub fn ask(args: &[&str]) -> Result<String> {
    let mut command = Command::new("cargo");
    command.args(["run", "--quiet", "--package", "jobsworth", "--bin", "jobsworth", "--"]).args(args);
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
        .context("failed to start `cargo run`")?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        bail!("`jobsworth {}` ended with {}: {}", args.join(" "), output.status, stderr.trim());
    }
    String::from_utf8(output.stdout).context("the program wrote something that is not UTF-8")
}
