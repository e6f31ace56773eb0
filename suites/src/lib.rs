//! The catalogue: every case that `jobsworth` knows, one file each, in one list.

pub mod bare_pod;
pub mod catalog;
pub mod draft;
pub mod portrait;
pub mod quota;
pub mod siege;
pub mod table;
pub mod words;

catalog::suites! {
    indexed_job,
    success_policy,
    failure_policy,
    backoff,
    index_backoff,
    deadline,
    suspend,
    pod_replacement,
    managed_by,
    ownership,
    ttl,
    parallelism,
    status,
    kubelet,
    scheduling,
    validation,
    status_validation,
    hostile,
    gate_flips,
    upgrades,
}

use jobsworth_harness::Catalogue;

/// Everything that the `jobsworth` program offers.
pub const CATALOGUE: Catalogue = Catalogue {
    cases: &catalog::joined::<{ catalog::count(SUITES) }>(SUITES),
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
