//! The step `kind`: real clusters by kind, each with a plan, a controller in pods, Volcano's Jobs, or a run in slices, where the machine
//! can have such clusters.

use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::program;
use crate::test_programs::TestPrograms;
use crate::workspace::{root, say};

/// What the step does, as a reader would type it.
pub const COMMANDS: &str = "cargo jobsworth cluster image && cargo jobsworth run --provider kind --plan suites/plans/kind_smoke.yaml && \
                            cargo jobsworth run --provider kind --plan suites/plans/kind_bad_days.yaml && \
                            cargo test --features e2e --test in_pods --test sharded --test volcano_in_pods";

/// The plans of these commands: real kubelets, and a controller beside them whose requests pass a proxy.
const PLANS: [&str; 2] = ["suites/plans/kind_smoke.yaml", "suites/plans/kind_bad_days.yaml"];

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

/// The tests of the third of these commands, which `cargo test` leaves out.
pub const IN_PODS: [&str; 3] = ["in_pods", "sharded", "volcano_in_pods"];

/// So many of them, from the first on, take as long as the plan and the others together.
const BESIDE: usize = 2;

/// The tests of every crate that has a program: cargo compiles that with them, as it does for all tests, and so not twice.
const OF_PROGRAMS: &str = "it";

/// Compiles all that the step needs, and no other tests: they are compiled while nodes come up. Run by cargo, a test would wait for
/// whoever compiles beside it.
pub fn build() -> Result<TestPrograms> {
    TestPrograms::build(&words(&[&IN_PODS[..], &[OF_PROGRAMS]].concat()))
}

/// Makes the node image if there is none, and runs the plan and the tests; says why not where `doctor` says that it cannot be.
pub fn run(tests: &TestPrograms) -> Result<()> {
    let checks = doctor()?;
    if let Some(why) = obstacle(&checks) {
        say(&format!("    no kind cluster here: {why}"));
        return Ok(());
    }
    if must_be_made(&checks) {
        jobsworth(&["cluster", "image"])?;
    }
    // Clusters wait for their parts more than they work: two at a time.
    let (first, others) = IN_PODS.split_at(BESIDE);
    thread::scope(|scope| {
        let beside = scope.spawn(|| in_turn(tests, first));
        let plans = PLANS.iter().try_for_each(|plan| jobsworth(&["run", "--provider", "kind", "--plan", plan]));
        let plan = plans.and_then(|()| in_turn(tests, others));
        let beside = beside.join().unwrap_or_else(|panicked| std::panic::resume_unwind(panicked));
        plan.and(beside)
    })
}

/// Runs these tests, one after the other.
fn in_turn(programs: &TestPrograms, tests: &[&'static str]) -> Result<()> {
    tests.iter().try_for_each(|test| {
        let line = format!("cargo {}", words(&[*test]).join(" "));
        carry_out(&line, programs.command(test)?, &[])
    })
}

/// The words that run these tests.
fn words(tests: &[&'static str]) -> Vec<&'static str> {
    ["test", "--features", "e2e"].into_iter().chain(tests.iter().flat_map(|test| ["--test", *test])).collect()
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
    let mut command = Command::new(program::path()?);
    command.args(["doctor", "--provider", "kind", "--json"]).current_dir(root()).stderr(Stdio::inherit());
    let output = command.output().context("failed to start `jobsworth doctor`")?;
    serde_json::from_slice(&output.stdout)
        .with_context(|| format!("failed to read what `doctor` says; it ended with {}", output.status))
}

fn jobsworth(words: &[&str]) -> Result<()> {
    let mut command = Command::new(program::path()?);
    command.current_dir(root());
    carry_out("cargo jobsworth", command, words)
}

/// Runs what a reader would call `name` with these words.
fn carry_out(name: &str, mut command: Command, words: &[&str]) -> Result<()> {
    let line = [&[name], words].concat().join(" ");
    say(&format!("    {line}"));
    let status = command.args(words).status();
    let status = status.with_context(|| format!("failed to start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` ended with {status}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(what: &str, state: &str, fix: Option<&str>) -> Check {
        Check { what: what.into(), state: state.into(), found: "none".into(), fix: fix.map(str::to_owned) }
    }

    #[test]
    fn what_is_told_is_what_is_done() {
        assert!(COMMANDS.ends_with(&format!("cargo {}", words(&IN_PODS).join(" "))));
        for plan in PLANS {
            assert!(COMMANDS.contains(&format!("cargo jobsworth run --provider kind --plan {plan} && ")));
        }
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
