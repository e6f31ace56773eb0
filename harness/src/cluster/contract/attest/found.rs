//! Proof about a cluster that was there before us: it is what it was when the plan was made. What nobody may ask is
//! said, not guessed.

use std::collections::BTreeMap;

use super::{Attestation, Found, Reading, Row, row};
use crate::cluster::contract::{Cluster, ClusterError, ClusterSpec, Component};

/// Asks what can be asked, and compares it with what was found before.
pub(super) async fn attest_found(
    cluster: &dyn Cluster,
    found: &Found,
    version: &str,
) -> Result<Attestation, ClusterError> {
    let now = match &found.says {
        Some(_) => Some(Reading::of(&cluster.metrics(Component::ApiServer).await?)),
        None => None,
    };
    let mut attestation = compare(&cluster.spec(), found, version, now.as_ref());
    attestation.rows.extend(super::compare_marks(&found.marks, &cluster.marks().await?));
    Ok(attestation)
}

fn compare(spec: &ClusterSpec, found: &Found, version: &str, now: Option<&Reading>) -> Attestation {
    let server = Component::ApiServer;
    let mut rows = vec![row(server, "/version", &found.version, Some(version))];
    let by_default = by_default(spec);
    match (&found.says, now) {
        (Some(before), Some(now)) => {
            let facts = [
                ("build", &before.build, &now.build),
                ("binary version", &before.binary, &now.binary),
                ("emulated version", &before.emulation, &now.emulation),
            ];
            for (what, before, now) in facts {
                rows.extend(before.as_deref().map(|before| row(server, what, before, now.as_deref())));
            }
            for gate in by_default.keys().filter(|gate| before.gates.contains_key(*gate)) {
                let now = now.gates.get(gate).map(ToString::to_string);
                rows.push(row(server, &format!("gate {gate}"), &before.gates[gate].to_string(), now.as_deref()));
            }
        }
        _ => rows.extend(by_default.iter().map(|(gate, on)| Row {
            component: server,
            what: format!("gate {gate}"),
            wanted: on.to_string(),
            found: format!("{on} by default, not asked"),
            ok: true,
        })),
    }
    rows.extend(found.unasked.iter().map(|(component, why)| Row {
        component: *component,
        what: "not asked".to_owned(),
        wanted: "-".to_owned(),
        found: why.clone(),
        ok: true,
    }));
    Attestation { rows }
}

/// Every gate of the Job API that binaries of this version know.
fn by_default(spec: &ClusterSpec) -> BTreeMap<String, bool> {
    super::wanted_gates(spec, spec.version)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jobsworth_api::KubeVersion;

    fn reading(on: bool) -> Reading {
        Reading {
            build: Some("v1.35.4+k3s1".to_owned()),
            binary: Some("1.35.4".to_owned()),
            emulation: Some("1.35".to_owned()),
            gates: [("JobManagedBy".to_owned(), on)].into(),
        }
    }

    fn found(says: Option<Reading>) -> Found {
        Found {
            version: "v1.35.4+k3s1".to_owned(),
            says,
            unasked: vec![(Component::Base, "out of reach".to_owned())],
            marks: Vec::new(),
        }
    }

    fn spec() -> ClusterSpec {
        ClusterSpec::of(KubeVersion::new(1, 35, 4))
    }

    #[test]
    fn a_cluster_that_is_as_it_was_is_proven_and_what_was_not_asked_is_said() {
        let attestation = compare(&spec(), &found(Some(reading(true))), "v1.35.4+k3s1", Some(&reading(true)));
        assert!(attestation.holds(), "{:?}", attestation.doubts().collect::<Vec<_>>());
        let unasked = attestation.rows.last().unwrap();
        assert_eq!((unasked.what.as_str(), unasked.found.as_str()), ("not asked", "out of reach"));
    }

    #[test]
    fn a_cluster_that_became_another_is_not() {
        let other = compare(&spec(), &found(Some(reading(true))), "v1.36.0", Some(&reading(false)));
        let doubts: Vec<&str> = other.doubts().map(|row| row.what.as_str()).collect();
        assert_eq!(doubts, ["/version", "gate JobManagedBy"]);
    }

    #[test]
    fn where_nobody_may_ask_for_gates_they_are_said_to_be_the_default() {
        let attestation = compare(&spec(), &found(None), "v1.35.4+k3s1", None);
        assert!(attestation.holds());
        let gate = attestation.rows.iter().find(|row| row.what == "gate JobSuccessPolicy").unwrap();
        assert_eq!(gate.found, "true by default, not asked");
    }
}
