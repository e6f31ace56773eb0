//! Which releases of Kubernetes there are beyond the pinned ones, by asking the ordinary Go client.
//!
//! A release can be built only if every module of it can be had: Kubernetes' own, and those of its staging folder. Some
//! releases lack one. Never part of `check`: the answer changes without a change of the tree.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::workspace;

/// The module whose tags are the releases.
const KUBERNETES: &str = "k8s.io/kubernetes";

/// So many releases may be missing in the list of them.
const UNLISTED: u32 = 2;

/// A release: minor and patch of Kubernetes 1.
type Release = (u32, u32);

/// Prints a line a minor version, from the oldest pinned one on.
pub fn run() -> Result<()> {
    let root = workspace::root();
    let pinned = pinned(&root)?;
    let list =
        workspace::output_of(&root.join("harness/binaries/pause"), "go", &["list", "-m", "-versions", KUBERNETES])?;
    let released: Vec<Release> = list.split_whitespace().filter_map(release).collect();
    ensure!(!released.is_empty(), "`go list -m -versions {KUBERNETES}` names no release");
    workspace::say("minor   pinned             newest     newest that is complete");
    let oldest = pinned.keys().next().copied().unwrap_or_default();
    let minors: BTreeMap<u32, u32> = newest(&released).into_iter().filter(|(minor, _)| *minor >= oldest).collect();
    for (minor, listed) in minors.into_iter().rev() {
        let last = beyond(minor, listed.max(pinned.get(&minor).and_then(|have| have.last().copied()).unwrap_or(0)));
        let have = pinned.get(&minor).cloned().unwrap_or_default();
        let names: Vec<String> = have.iter().map(|patch| format!("1.{minor}.{patch}")).collect();
        let line = complete(minor, last, have.last().copied());
        workspace::say(&format!("1.{minor:<5} {:18} {:10} {line}", names.join(" "), format!("1.{minor}.{last}")));
    }
    Ok(())
}

/// The patches whose modules stand below `harness/binaries`, by minor version.
fn pinned(root: &Path) -> Result<BTreeMap<u32, Vec<u32>>> {
    let mut pinned: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for entry in fs::read_dir(root.join("harness/binaries"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let release = name.strip_prefix("kubernetes-").and_then(|version| release(&format!("v{version}")));
        if let Some((minor, patch)) = release {
            pinned.entry(minor).or_default().push(patch);
        }
    }
    pinned.values_mut().for_each(|patches| patches.sort_unstable());
    Ok(pinned)
}

/// `v1.37.1`; nothing for what is no release, as `v1.37.0-rc.1`.
fn release(text: &str) -> Option<Release> {
    let (minor, patch) = text.strip_prefix("v1.")?.split_once('.')?;
    Some((minor.parse().ok()?, patch.parse().ok()?))
}

/// The last patch of each minor version.
fn newest(releases: &[Release]) -> BTreeMap<u32, u32> {
    let mut newest = BTreeMap::new();
    for (minor, patch) in releases {
        let last = newest.entry(*minor).or_insert(*patch);
        *last = (*last).max(*patch);
    }
    newest
}

/// The list of releases may lag behind the releases themselves: the next numbers are asked for by name.
fn beyond(minor: u32, listed: u32) -> u32 {
    let is_there = |patch: &u32| {
        let module = format!("{KUBERNETES}@v1.{minor}.{patch}");
        workspace::output_of(&std::env::temp_dir(), "go", &["list", "-m", &module]).is_ok()
    };
    (listed + 1..=listed + UNLISTED).rev().find(is_there).unwrap_or(listed)
}

/// The newest patch after the pinned one of which nothing is missing, and what keeps newer ones from it.
fn complete(minor: u32, last: u32, pinned: Option<u32>) -> String {
    let mut missing = Vec::new();
    let first = pinned.map_or(0, |patch| patch + 1);
    for patch in (first..=last).rev() {
        match download(minor, patch) {
            Ok(()) => return ended(format!("1.{minor}.{patch}"), &missing),
            Err(error) => missing.push(format!("1.{minor}.{patch}: {error:#}")),
        }
    }
    ended(pinned.map_or_else(|| "none".to_owned(), |patch| format!("1.{minor}.{patch}, which is pinned")), &missing)
}

fn ended(newest: String, missing: &[String]) -> String {
    if missing.is_empty() { newest } else { format!("{newest}; {}", missing.join("; ")) }
}

/// Fetches a release and its staging modules, each with its checksum.
fn download(minor: u32, patch: u32) -> Result<()> {
    let answers = fetch(&[format!("{KUBERNETES}@v1.{minor}.{patch}")])?;
    let go_mod = answers.first().and_then(|answer| answer["GoMod"].as_str()).context("its go.mod has no place")?;
    let text = fs::read_to_string(go_mod).with_context(|| format!("failed to read {go_mod}"))?;
    let staged: Vec<String> = staging(&text).into_iter().map(|module| format!("{module}@v0.{minor}.{patch}")).collect();
    fetch(&staged).map(drop)
}

/// The modules that Kubernetes takes from its staging folder.
fn staging(go_mod: &str) -> Vec<&str> {
    let lines = go_mod.lines().filter(|line| line.contains("=> ./staging/"));
    lines.filter_map(|line| line.split_whitespace().next()).collect()
}

/// What the Go client says of each module.
fn fetch(modules: &[String]) -> Result<Vec<Value>> {
    let nowhere = std::env::temp_dir();
    let mut go = Command::new("go");
    go.args(["mod", "download", "-json"]).args(modules).current_dir(nowhere).env("GOWORK", "off").stdin(Stdio::null());
    let output = go.output().context("failed to start `go`")?;
    let answers = serde_json::Deserializer::from_slice(&output.stdout).into_iter::<Value>();
    let answers: Vec<Value> =
        answers.collect::<Result<_, _>>().context("failed to read what `go mod download` says")?;
    for answer in &answers {
        let (path, version) = (answer["Path"].as_str().unwrap_or("?"), answer["Version"].as_str().unwrap_or("?"));
        let error = answer["Error"].as_str().map(|error| error.lines().last().unwrap_or(error));
        ensure!(error.is_none(), "{path} {version} is missing ({})", error.unwrap_or_default().trim());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "`go mod download` ended with {}: {}", output.status, said.trim());
    Ok(answers)
}

#[cfg(test)]
mod tests {
    use super::{newest, release, staging};

    #[test]
    fn only_releases_count() {
        let texts = ["v1.37.1", "v1.38.0-alpha.1", "v0.37.1", "v1.37", KUBERNETES_LINE];
        assert_eq!(texts.map(release), [Some((37, 1)), None, None, None, None]);
    }

    const KUBERNETES_LINE: &str = "k8s.io/kubernetes";

    #[test]
    fn the_last_patch_is_the_greatest_number() {
        let newest = newest(&[(36, 9), (36, 10), (37, 0)]);
        assert_eq!(newest.into_iter().collect::<Vec<_>>(), [(36, 10), (37, 0)]);
    }

    #[test]
    fn staging_modules_are_those_that_are_replaced_by_folders() {
        let text = "replace (\n\tk8s.io/api => ./staging/src/k8s.io/api\n\tother => other v1.0.0\n)\n";
        assert_eq!(staging(text), ["k8s.io/api"]);
    }
}
