//! The step `kind`: one real cluster by kind with the smoke plan, and one with a controller in pods, where the machine can have
//! such clusters.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::workspace::{root, say};

/// What the step does, as a reader would type it.
pub const COMMANDS: &str = "cargo jobsworth cluster image && cargo jobsworth run --provider kind --plan suites/plans/kind_smoke.yaml && \
                            cargo test --features kind --test in_pods";

/// What `doctor` says where images need not be made.
const PUBLISHED: &str = "the published ones can be fetched";

/// One line of `doctor --json`.
#[derive(Debug, Deserialize)]
struct Check {
    what: String,
    state: String,
    found: String,
    fix: Option<String>,
}

/// Makes the node image if there is none, and runs the plan; says why not where `doctor` says that it cannot be.
pub fn run() -> Result<()> {
    let checks = doctor()?;
    if let Some(why) = obstacle(&checks) {
        say(&format!("    no kind cluster here: {why}"));
        return Ok(());
    }
    if must_be_made(&checks) {
        jobsworth(&["cluster", "image"])?;
    }
    jobsworth(&["run", "--provider", "kind", "--plan", "suites/plans/kind_smoke.yaml"])?;
    cargo(&["test", "--features", "kind", "--test", "in_pods"])
}

/// Whether the node image must be made here: not where `doctor` says that the published one can be fetched.
fn must_be_made(checks: &[Check]) -> bool {
    !checks.iter().any(|check| check.what == "node images" && check.found == PUBLISHED)
}

/// Why this machine can have no kind cluster, in one line.
fn obstacle(checks: &[Check]) -> Option<String> {
    let missing: Vec<String> = checks
        .iter()
        .filter(|check| check.state == "missing")
        .map(|check| {
            let fix = check.fix.as_ref().map(|fix| format!(" ({fix})")).unwrap_or_default();
            format!("{}: {}{fix}", check.what, check.found)
        })
        .collect();
    (!missing.is_empty()).then(|| missing.join("; "))
}

fn doctor() -> Result<Vec<Check>> {
    let mut command = command(&["jobsworth", "doctor", "--provider", "kind", "--json"]);
    let output = command.stderr(Stdio::inherit()).output().context("failed to start `cargo jobsworth doctor`")?;
    serde_json::from_slice(&output.stdout)
        .with_context(|| format!("failed to read what `doctor` says; it ended with {}", output.status))
}

fn jobsworth(words: &[&str]) -> Result<()> {
    cargo(&[&["jobsworth"], words].concat())
}

fn cargo(words: &[&str]) -> Result<()> {
    let line = format!("cargo {}", words.join(" "));
    say(&format!("    {line}"));
    let status = command(words).status().with_context(|| format!("failed to start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` ended with {status}");
    }
    Ok(())
}

fn command(words: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    command.args(words).current_dir(root());
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(what: &str, state: &str, fix: Option<&str>) -> Check {
        Check { what: what.into(), state: state.into(), found: "none".into(), fix: fix.map(str::to_owned) }
    }

    #[test]
    fn a_machine_on_which_nothing_is_missing_has_its_cluster() {
        assert_eq!(obstacle(&[check("runtime", "ok", None), check("inotify", "note", Some("more"))]), None);
    }

    #[test]
    fn an_image_is_made_unless_the_published_one_can_be_fetched() {
        let images = |found: &str| Check { found: found.into(), ..check("node images", "ok", None) };
        assert!(!must_be_made(&[images(PUBLISHED)]));
        assert!(must_be_made(&[images("made here for 1.37.1")]));
        assert!(must_be_made(&[]));
    }

    #[test]
    fn what_is_missing_is_said_in_one_line_with_its_fix() {
        let checks = [check("runtime", "missing", Some("install podman")), check("kind", "missing", None)];
        assert_eq!(obstacle(&checks).unwrap(), "runtime: none (install podman); kind: none");
    }
}
