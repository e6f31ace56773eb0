//! Every case against a real control plane, one test function each, expanded from the one list.
//!
//! The first test brings the cluster up, the others join it, whether they are threads or processes.
#![cfg(feature = "e2e")]

#[path = "fault_bench/skips.rs"]
mod skips;

use jobsworth_harness::{
    Case as _,
    lab::{Held, Lab},
};
use jobsworth_suites::CATALOGUE;
use rstest::{fixture, rstest};

/// Where timelines of this run go.
const FOLDER: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/e2e");

/// What runs in none of the lab's cells: nobody runs containers there, and none of them is a 1.36.
const SKIPPED: &[&str] = &[
    "kubelet/a-drained-node-loses-its-pods",
    "kubelet/a-hundred-pods-start-at-once",
    "kubelet/evicted-pods-are-replaced-for-free",
    "kubelet/grace-is-given-and-no-more",
    "kubelet/restarts-in-place-are-no-failures",
    "kubelet/the-container-knows-its-index",
    "scheduling/a-parallel-indexed-job-is-a-gang",
    "validation/a-gang-keeps-its-size",
];

#[test]
fn every_skip_that_is_listed_is_that_of_a_case() {
    let unknown: Vec<_> = SKIPPED.iter().filter(|id| CATALOGUE.case(id).is_none()).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[fixture]
fn lab() -> Lab {
    Lab::new(env!("CARGO_BIN_EXE_jobsworth"), FOLDER)
}

macro_rules! as_tests {
    ($($suite:ident { $($name:ident: $case:expr,)* })*) => {
        $(mod $suite {
            use super::*;
            $(#[rstest]
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name(lab: Lab) {
                let because = match lab.holds(&$case).await {
                    Ok(Held::Pass) => None,
                    Ok(Held::Skip(because)) => Some(because),
                    Err(error) => panic!("{error}"),
                };
                assert_eq!(skips::trouble($case.about().id, because.as_deref(), SKIPPED), None);
            })*
        })*
    };
}
jobsworth_suites::for_each_case!(as_tests);
