//! The catalogue: every case that `jobsworth` knows, one file each, in one list.

pub mod catalog;
pub mod draft;
pub mod words;

pub mod success_policy;

use jobsworth_harness::Catalogue;

/// Everything that the `jobsworth` program offers.
pub const CATALOGUE: Catalogue = Catalogue {
    cases: catalog::CASES,
    requirements: include_str!("../requirements.txt"),
    plans: &[
        ("smoke", include_str!("../plans/smoke.yaml")),
        ("pull_request", include_str!("../plans/pull_request.yaml")),
    ],
};
