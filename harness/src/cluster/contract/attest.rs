//! Proof that the cluster is what was asked for, read from the components themselves.
//!
//! A cell whose attestation fails has no verdict: its cases would test something else.

use std::collections::BTreeMap;

use futures::future::try_join_all;
use jobsworth_api::{KubeVersion, Minor};

use super::{Cluster, ClusterError, ClusterSpec, Component};
use crate::gates::GateTable;

mod found;

pub use super::attestation::{Attestation, Found, Mark, Row};
pub use super::reading::Reading;
use found::attest_found;

/// The first minor version whose components report `version_info` (kubernetes#131842).
const VERSION_INFO_SINCE: Minor = Minor::new(1, 34);

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
    rows.extend(compare_marks(spec.subject.marks(), &cluster.marks().await?));
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
pub(crate) fn proven(complaint: &str, attestation: Attestation) -> Result<Attestation, ClusterError> {
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

/// Whether the controller under test is the one that was looked at when the plan was made, and how it is called now.
pub(super) fn compare_marks(before: &[Mark], now: &[Mark]) -> Vec<Row> {
    let of = |marks: &[Mark], like: &Mark| {
        let mut alike = marks.iter().filter(|mark| mark.component == like.component && mark.what == like.what);
        alike.next().map(|mark| mark.says.clone())
    };
    let compared = before.iter().map(|mark| row(mark.component, &mark.what, &mark.says, of(now, mark).as_deref()));
    // What nobody knew before is told: it is nothing that could be otherwise.
    let fresh = now.iter().filter(|mark| of(before, mark).is_none());
    compared.chain(fresh.map(|mark| row(mark.component, &mark.what, &mark.says, Some(&mark.says)))).collect()
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
