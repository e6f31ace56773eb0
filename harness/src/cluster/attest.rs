//! Proof that the cluster is what was asked for, read from the components themselves.
//!
//! A cell whose attestation fails has no verdict: its cases would test something else.

use std::collections::BTreeMap;

use futures::future::try_join_all;
use jobsworth_api::{KubeVersion, Minor};

use super::{Cluster, ClusterError, ClusterSpec, Component};
use crate::gates::GateTable;

mod found;

pub use found::Found;
use found::attest_found;

/// The first minor version whose components report `version_info` (kubernetes#131842).
const VERSION_INFO_SINCE: Minor = Minor::new(1, 34);

/// What was wanted and what was found, row by row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attestation {
    /// One row per fact.
    pub rows: Vec<Row>,
}

/// One fact about one component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Which component says so.
    pub component: Component,
    /// What the fact is about, for example `gate JobSuccessPolicy`.
    pub what: String,
    /// What the cell asks for.
    pub wanted: String,
    /// What the component says; `-` for nothing.
    pub found: String,
    /// Whether they agree.
    pub ok: bool,
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {} is {} instead of {}", self.what, self.component, self.found, self.wanted)
    }
}

impl Attestation {
    /// Whether every row agrees. Nothing found is no proof.
    #[must_use]
    pub fn holds(&self) -> bool {
        !self.rows.is_empty() && self.rows.iter().all(|row| row.ok)
    }

    /// The rows that do not agree.
    pub fn doubts(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| !row.ok)
    }

    /// The Job gates as the API server has them.
    #[must_use]
    pub fn gates(&self) -> BTreeMap<String, bool> {
        let rows = self.rows.iter().filter(|row| row.component == Component::ApiServer);
        let gate = |row: &Row| Some((row.what.strip_prefix("gate ")?.to_owned(), row.found.starts_with("true")));
        rows.filter_map(gate).collect()
    }
}

/// Asks the API server, the base and the subject, once they run.
///
/// # Errors
/// When one of them does not answer; a wrong answer is a row, not an error.
pub async fn attest(cluster: &dyn Cluster) -> Result<Attestation, ClusterError> {
    let version = cluster.client().apiserver_version().await.map_err(|source| ClusterError::Request {
        what: "read the API server's /version".to_owned(),
        source: Box::new(source),
    })?;
    if let Some(found) = cluster.found() {
        return attest_found(cluster, found, &version.git_version).await;
    }
    let spec = cluster.spec();
    let mut rows = vec![served_version(&spec, &version.git_version)];
    rows.extend(attest_each(cluster, &asked(&spec), &spec).await?.rows);
    Ok(Attestation { rows })
}

/// Asks some components whether they are what `spec` says, while others are being changed.
///
/// # Errors
/// When one of them does not answer; a wrong answer is a row, not an error.
pub async fn attest_each(
    cluster: &dyn Cluster,
    components: &[Component],
    spec: &ClusterSpec,
) -> Result<Attestation, ClusterError> {
    let asked: Vec<Component> = asked(spec).into_iter().filter(|component| components.contains(component)).collect();
    let texts = try_join_all(asked.iter().map(|&component| cluster.metrics(component))).await?;
    let readings: Vec<_> = asked.iter().copied().zip(texts.iter().map(|text| Reading::of(text))).collect();
    Ok(compare(spec, &readings))
}

/// An attestation without a doubt. A subject of another kind says nothing, and that is no doubt.
///
/// # Errors
/// Names what is not as it should be.
pub(super) fn proven(complaint: &str, attestation: Attestation) -> Result<Attestation, ClusterError> {
    let doubts: Vec<String> = attestation.doubts().map(ToString::to_string).collect();
    match doubts.as_slice() {
        [] => Ok(attestation),
        doubts => Err(ClusterError::Unproven(format!("{complaint}: {}", doubts.join("; ")))),
    }
}

/// Whom an attestation asks. A program of another kind than ours need not report gates.
fn asked(spec: &ClusterSpec) -> Vec<Component> {
    let mut asked = vec![Component::ApiServer, Component::Base];
    if spec.subject == super::SubjectKind::BuiltIn {
        asked.push(Component::Subject);
    }
    asked
}

/// What a component's metrics say about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Its version, with whatever a vendor adds.
    pub build: Option<String>,
    /// The version without that.
    pub binary: Option<String>,
    /// The minor version that it shows.
    pub emulation: Option<String>,
    /// Every gate that it knows.
    pub gates: BTreeMap<String, bool>,
}

impl Reading {
    /// Reads a component's metrics; what they do not say is left out.
    #[must_use]
    pub fn of(metrics: &str) -> Self {
        let mut reading = Self::default();
        let lines = metrics.lines().filter(|line| speaks_of_itself(line)).map(|line| Ok(line.to_owned()));
        let Ok(scrape) = prometheus_parse::Scrape::parse(lines) else { return reading };
        for sample in scrape.samples {
            let label = |name: &str| sample.labels.get(name).map(str::to_owned);
            let on = match sample.value {
                prometheus_parse::Value::Gauge(value)
                | prometheus_parse::Value::Untyped(value)
                | prometheus_parse::Value::Counter(value) => value > 0.5,
                _ => continue,
            };
            match sample.metric.as_str() {
                "kubernetes_build_info" => reading.build = label("git_version"),
                "version_info" => {
                    reading.binary = label("binary");
                    reading.emulation = label("emulation");
                }
                _ => {
                    if let Some(name) = label("name") {
                        reading.gates.insert(name, on);
                    }
                }
            }
        }
        reading
    }
}

/// Most of a component's metrics are not about itself, and there are thousands.
fn speaks_of_itself(line: &str) -> bool {
    ["kubernetes_feature_enabled{", "kubernetes_build_info{", "version_info{"]
        .iter()
        .any(|prefix| line.starts_with(prefix))
}

fn served_version(spec: &ClusterSpec, git_version: &str) -> Row {
    row(Component::ApiServer, "/version", &format!("v{}", spec.version), Some(git_version))
}

fn compare(spec: &ClusterSpec, readings: &[(Component, Reading)]) -> Attestation {
    let mut rows = Vec::new();
    for (component, reading) in readings {
        let component = *component;
        let version = spec.version_of(component);
        let wanted_build = format!("v{version}");
        let shown = spec.emulated.unwrap_or_else(|| version.minor_version());
        let row_of = |what, wanted: &str, found: &Option<String>| row(component, what, wanted, found.as_deref());
        rows.push(row_of("build", &wanted_build, &reading.build));
        // Older binaries cannot say so; one that is to emulate another version stays without proof then.
        if version.minor_version() >= VERSION_INFO_SINCE || spec.emulated.is_some() {
            rows.push(row_of("binary version", &version.to_string(), &reading.binary));
            rows.push(row_of("emulated version", &shown.to_string(), &reading.emulation));
        }
        for (gate, wanted) in wanted_gates(spec, version) {
            let found = reading.gates.get(&gate).map(ToString::to_string);
            rows.push(row(component, &format!("gate {gate}"), &wanted.to_string(), found.as_deref()));
        }
    }
    Attestation { rows }
}

fn row(component: Component, what: &str, wanted: &str, found: Option<&str>) -> Row {
    let found = found.unwrap_or("-");
    Row { component, what: what.to_owned(), wanted: wanted.to_owned(), found: found.to_owned(), ok: wanted == found }
}

/// Every gate of the Job API that the binaries know at the version they show, set or not: a default
/// that differs from our table is worth knowing too.
fn wanted_gates(spec: &ClusterSpec, version: KubeVersion) -> BTreeMap<String, bool> {
    let table = GateTable::embedded();
    table
        .gates()
        .filter(|gate| gate.known_to(version))
        .filter_map(|gate| {
            let on = table.effective(version, spec.emulated, &spec.gates, &gate.name)?;
            Some((gate.name.clone(), on))
        })
        .collect()
}

#[cfg(test)]
mod tests;
