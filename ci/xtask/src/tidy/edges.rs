//! Which crate may depend on which: the table in `docs/architecture.md` against what cargo says.
//!
//! A row has four cells: crate, folder, the crates of this workspace it depends on, and the packages it must never
//! reach, not even through others. The third cell must be exact; the fourth is checked over the whole graph.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::Finding;
use crate::workspace::{SourceFile, Tree, output_of};

const PAGE: &str = "docs/architecture.md";

/// A crate of the workspace.
#[derive(Clone, Debug, Default)]
pub struct Package {
    pub name: String,
    pub folder: String,
    /// Crates of the workspace it names, for tests too.
    pub edges: BTreeSet<String>,
    /// Every package it is built from, outside tests.
    pub reaches: BTreeSet<String>,
}

/// How much of the graph to ask cargo for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// The crates of the workspace alone; needs nothing but their manifests.
    Workspace,
    /// Everything they are built from.
    Everything,
}

struct Row {
    line: usize,
    name: String,
    folder: String,
    edges: BTreeSet<String>,
    never: BTreeSet<String>,
}

/// Findings for crates without a row, rows without a crate, and edges the table does not have.
pub fn check(tree: &Tree, packages: &[Package]) -> Vec<Finding> {
    let Some(page) = tree.file(PAGE) else {
        return vec![Finding::error(PAGE, 0, "missing: it holds the table of crates")];
    };
    let rows = rows(page);
    let mut findings: Vec<Finding> = packages
        .iter()
        .filter(|package| !rows.iter().any(|row| row.name == package.name))
        .map(|package| Finding::error(PAGE, 0, format!("the table of crates lacks `{}`", package.name)))
        .collect();
    for row in &rows {
        match packages.iter().find(|package| package.name == row.name) {
            Some(package) => findings.extend(compare(row, package)),
            None => findings.push(Finding::error(PAGE, row.line, format!("there is no crate `{}`", row.name))),
        }
    }
    findings
}

fn compare(row: &Row, package: &Package) -> Vec<Finding> {
    let says = |text: String| Finding::error(PAGE, row.line, text);
    let mut findings = Vec::new();
    if row.folder != package.folder {
        findings.push(says(format!("`{}` is in `{}`", row.name, package.folder)));
    }
    for edge in package.edges.difference(&row.edges) {
        findings.push(says(format!("`{}` depends on `{edge}`, which the table does not allow", row.name)));
    }
    for edge in row.edges.difference(&package.edges) {
        findings.push(says(format!("`{}` does not depend on `{edge}`; the table says it does", row.name)));
    }
    for package in row.never.intersection(&package.reaches) {
        findings.push(says(format!("`{}` must never reach `{package}`", row.name)));
    }
    findings
}

/// Rows of the table whose heading starts with `| crate |`.
fn rows(page: &SourceFile) -> Vec<Row> {
    page.text
        .lines()
        .enumerate()
        .skip_while(|(_, line)| !line.starts_with("| crate |"))
        .skip(2)
        .take_while(|(_, line)| line.starts_with('|'))
        .filter_map(|(at, line)| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
            let [name, folder, edges, never, ..] = cells.as_slice() else { return None };
            Some(Row {
                line: at + 1,
                name: quoted(name).into_iter().next()?,
                folder: quoted(folder).into_iter().next()?,
                edges: quoted(edges),
                never: quoted(never),
            })
        })
        .collect()
}

/// Words between backticks.
fn quoted(cell: &str) -> BTreeSet<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<FoundPackage>,
    workspace_members: Vec<String>,
    resolve: Option<Resolve>,
}

#[derive(Deserialize)]
struct FoundPackage {
    id: String,
    name: String,
    manifest_path: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<NodeDependency>,
}

#[derive(Deserialize)]
struct NodeDependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    kind: Option<String>,
}

/// The workspace's crates as `cargo metadata` sees them.
pub fn read_packages(root: &Path, depth: Depth) -> Result<Vec<Package>> {
    let mut args = vec!["metadata", "--format-version", "1", "--locked"];
    let host;
    match depth {
        Depth::Workspace => args.push("--no-deps"),
        Depth::Everything => {
            // Packages of other systems would be fetched only to be ignored.
            host = host_of(&output_of(root, "rustc", &["-vV"])?)?;
            args.extend(["--filter-platform", &host]);
        }
    }
    let text = output_of(root, "cargo", &args)?;
    let metadata: Metadata = serde_json::from_str(&text).context("failed to read what `cargo metadata` printed")?;
    Ok(packages(root, &metadata))
}

fn host_of(version: &str) -> Result<String> {
    let line = version.lines().find_map(|line| line.strip_prefix("host: "));
    line.map(str::to_owned).context("`rustc -vV` names no host")
}

fn packages(root: &Path, metadata: &Metadata) -> Vec<Package> {
    let names: BTreeMap<&str, &str> =
        metadata.packages.iter().map(|one| (one.id.as_str(), one.name.as_str())).collect();
    let members: Vec<&FoundPackage> =
        metadata.packages.iter().filter(|one| metadata.workspace_members.contains(&one.id)).collect();
    let ours: BTreeSet<&str> = members.iter().map(|one| one.name.as_str()).collect();
    members
        .iter()
        .map(|one| Package {
            name: one.name.clone(),
            folder: folder(root, &one.manifest_path),
            edges: one
                .dependencies
                .iter()
                .filter(|to| ours.contains(to.name.as_str()))
                .map(|to| to.name.clone())
                .collect(),
            reaches: reach(metadata, &one.id)
                .iter()
                .filter_map(|id| names.get(id))
                .map(|name| (*name).to_owned())
                .collect(),
        })
        .collect()
}

fn folder(root: &Path, manifest: &str) -> String {
    let manifest = Path::new(manifest);
    let relative = manifest.strip_prefix(root).unwrap_or(manifest);
    relative.parent().unwrap_or(relative).to_string_lossy().replace('\\', "/")
}

/// Ids of every package `from` is built from; what only its tests or build scripts need is left out.
fn reach<'a>(metadata: &'a Metadata, from: &'a str) -> BTreeSet<&'a str> {
    let nodes = metadata.resolve.as_ref().map(|resolve| resolve.nodes.as_slice()).unwrap_or_default();
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(id) = open.pop() {
        let deps = nodes.iter().find(|node| node.id == id).map(|node| node.deps.as_slice()).unwrap_or_default();
        for dep in deps.iter().filter(|dep| dep.dep_kinds.iter().any(|kind| kind.kind.is_none())) {
            if seen.insert(dep.pkg.as_str()) {
                open.push(&dep.pkg);
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests;
