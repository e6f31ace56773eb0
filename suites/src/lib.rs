//! The catalogue: every case that `jobsworth` knows, one file each, in one list.

pub mod bare_pod;
pub mod catalog;
pub mod draft;
pub mod portrait;
pub mod quota;
pub mod siege;
pub mod stopped_pods_count;
pub mod table;
pub mod volcano;
pub mod volcano_words;
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
    cron_jobs,
    parallelism,
    status,
    metrics,
    refused_writes,
    races,
    bad_days,
    leader_election,
    kubelet,
    scheduling,
    validation,
    status_validation,
    hostile,
    gate_flips,
    upgrades,
    volcano_admission,
    volcano_lifecycle,
    volcano_policies,
    volcano_commands,
    volcano_kills,
    volcano_retries,
    volcano_timeouts,
    volcano_scaling,
    volcano_dependencies,
    volcano_podgroup,
    volcano_pods,
    volcano_plugins,
    volcano_ttl,
    volcano_ownership,
    volcano_gang,
    volcano_queue,
    volcano_bad_days,
    volcano_examples,
}

use jobsworth_harness::Catalogue;

/// Everything that the `jobsworth` program offers.
pub const CATALOGUE: Catalogue = Catalogue {
    cases: &catalog::joined::<{ catalog::count(SUITES) }>(SUITES),
    requirements: concat!(include_str!("../requirements.txt"), include_str!("../requirements-volcano.txt")),
    plans: &[
        ("smoke", include_str!("../plans/smoke.yaml")),
        ("kind_smoke", include_str!("../plans/kind_smoke.yaml")),
        ("kind_nodes", include_str!("../plans/kind_nodes.yaml")),
        ("kind_bad_days", include_str!("../plans/kind_bad_days.yaml")),
        ("pull_request", include_str!("../plans/pull_request.yaml")),
        ("races", include_str!("../plans/races.yaml")),
        ("gates", include_str!("../plans/gates.yaml")),
        ("gates_off", include_str!("../plans/gates_off.yaml")),
        ("release", include_str!("../plans/release.yaml")),
        ("scale", include_str!("../plans/scale.yaml")),
        ("skew", include_str!("../plans/skew.yaml")),
        ("volcano", include_str!("../plans/volcano.yaml")),
    ],
    keps: &[
        ("592", include_str!("../keps/592.yaml")),
        ("2214", include_str!("../keps/2214.yaml")),
        ("3329", include_str!("../keps/3329.yaml")),
        ("3850", include_str!("../keps/3850.yaml")),
        ("3939", include_str!("../keps/3939.yaml")),
        ("3998", include_str!("../keps/3998.yaml")),
        ("4368", include_str!("../keps/4368.yaml")),
        ("5440", include_str!("../keps/5440.yaml")),
    ],
    known_ends: &[stopped_pods_count::KNOWN_END],
    races: races::judged,
    objectives: include_str!("../slos.yaml"),
    loads: &[
        ("indexed-500", include_str!("../load/indexed_500.yaml")),
        ("policy-499", include_str!("../load/policy_499.yaml")),
        ("failed-499", include_str!("../load/failed_499.yaml")),
        ("ttl-1000", include_str!("../load/ttl_1000.yaml")),
        ("small-behind-large", include_str!("../load/small_behind_large.yaml")),
        ("anchor-2214", include_str!("../load/anchor_2214.yaml")),
        ("anchor-2214-nonindexed", include_str!("../load/anchor_2214_nonindexed.yaml")),
        ("anchor-2879", include_str!("../load/anchor_2879.yaml")),
        ("indexed-5k", include_str!("../load/indexed_5k.yaml")),
        ("indexed-5k-unbound", include_str!("../load/indexed_5k_unbound.yaml")),
        ("indexed-5k-rolling", include_str!("../load/indexed_5k_rolling.yaml")),
        ("policy-64k", include_str!("../load/policy_64k.yaml")),
        ("ttl-10k", include_str!("../load/ttl_10k.yaml")),
        ("ttl-10k-spread", include_str!("../load/ttl_10k_spread.yaml")),
        ("churn", include_str!("../load/churn.yaml")),
        ("soak", include_str!("../load/soak.yaml")),
        ("cold-restart", include_str!("../load/cold_restart.yaml")),
        ("suspend-500", include_str!("../load/suspend_500.yaml")),
        ("indexed-500-policies", include_str!("../load/indexed_500_policies.yaml")),
        ("counted-500", include_str!("../load/counted_500.yaml")),
        ("eternal-100k", include_str!("../load/eternal_100k.yaml")),
        ("small-alone", include_str!("../load/small_alone.yaml")),
        ("small-among-10k", include_str!("../load/small_among_10k.yaml")),
        ("smoke", include_str!("../load/smoke.yaml")),
    ],
};
