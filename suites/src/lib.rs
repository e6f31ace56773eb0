//! The catalogue: every case that `jobsworth` knows, one file each, in one list.

pub mod bare_pod;
pub mod catalog;
pub mod draft;
pub mod portrait;
pub mod siege;
pub mod table;
pub mod words;

pub mod backoff;
pub mod deadline;
pub mod failure_policy;
pub mod gate_flips;
pub mod hostile;
pub mod index_backoff;
pub mod indexed_job;
pub mod kubelet;
pub mod managed_by;
pub mod ownership;
pub mod parallelism;
pub mod pod_replacement;
pub mod scheduling;
pub mod status;
pub mod status_validation;
pub mod success_policy;
pub mod suspend;
pub mod ttl;
pub mod upgrades;
pub mod validation;

use jobsworth_harness::Catalogue;

/// Everything that the `jobsworth` program offers.
pub const CATALOGUE: Catalogue = Catalogue {
    cases: catalog::CASES,
    requirements: include_str!("../requirements.txt"),
    plans: &[
        ("smoke", include_str!("../plans/smoke.yaml")),
        ("kind_smoke", include_str!("../plans/kind_smoke.yaml")),
        ("kind_nodes", include_str!("../plans/kind_nodes.yaml")),
        ("pull_request", include_str!("../plans/pull_request.yaml")),
        ("gates", include_str!("../plans/gates.yaml")),
        ("gates_off", include_str!("../plans/gates_off.yaml")),
        ("release", include_str!("../plans/release.yaml")),
        ("skew", include_str!("../plans/skew.yaml")),
    ],
};
