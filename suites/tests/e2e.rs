//! Every case against a real control plane, one test function each, expanded from the one list.
//!
//! The first test brings the cluster up, the others join it, whether they are threads or processes.
#![cfg(feature = "e2e")]

use jobsworth_harness::lab::{Held, Lab};
use rstest::{fixture, rstest};

/// Where timelines of this run go.
const FOLDER: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/e2e");

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
                match lab.holds(&$case).await {
                    Ok(Held::Pass) => {}
                    Ok(Held::Skip(because)) => println!("does not apply: {because}"),
                    Err(error) => panic!("{error}"),
                }
            })*
        })*
    };
}
jobsworth_suites::for_each_case!(as_tests);
