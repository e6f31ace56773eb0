//! Every case against a real control plane, one test each, named as in the catalogue.
//!
//! The first test brings the cluster up, the others join it, whether they are threads or processes.

#[path = "control_planes/skips.rs"]
mod skips;

use jobsworth_harness::{
    AnyCase, Share,
    lab::{Held, Lab},
};
use jobsworth_suites::CATALOGUE;
use libtest_mimic::{Arguments, Failed, Trial};
use std::{io::Write as _, process::ExitCode, sync::Arc};
use tokio::runtime::Runtime;

/// Where timelines of this run go.
const FOLDER: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/e2e");

/// Cases wait more than they work, on a few clusters for all, and most of all after their scripts: more of them side by side than other
/// tests, which have clusters each.
const SIDE_BY_SIDE: usize = 14;

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

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = arguments.test_threads.or(Some(SIDE_BY_SIDE));
    // One for all: clusters that several cases use outlive the test that made them.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = Arc::new(runtime.expect("a runtime can be had"));
    let lab = Arc::new(Lab::new(env!("CARGO_BIN_EXE_jobsworth"), FOLDER));
    // Cases of other APIs have tests of their own (`volcano.rs`), and what is run on request has a plan of its own.
    let own = CATALOGUE.cases.iter().copied().filter(|case| case.about().needs.api.is_kubernetes_own());
    let usual = own.filter(|case| case.share() == Share::Usual);
    let cases = spread(usual.collect()).into_iter().map(|case| {
        let (runtime, lab) = (Arc::clone(&runtime), Arc::clone(&lab));
        Trial::test(name(case), move || hold(&runtime, &lab, case))
    });
    let listed = Trial::test("every_skip_that_is_listed_is_that_of_a_case", listed);
    let ended = libtest_mimic::run(&arguments, cases.chain([listed]).collect());
    match runtime.block_on(lab.close()) {
        Ok(()) => ended.exit_code(),
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Who waits for whom: cases of one kind take turns, or take a cluster of their own.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Together,
    Alone,
    OwnCluster,
}

/// Cases that wait for each other far apart, so that at no time all threads wait: each kind over the whole length.
fn spread(cases: Vec<&'static dyn AnyCase>) -> Vec<&'static dyn AnyCase> {
    let turn = |case: &&'static dyn AnyCase| match case.about().needs {
        needs if needs.has_its_own_cluster() => Turn::OwnCluster,
        needs if needs.runs_alone() => Turn::Alone,
        _ => Turn::Together,
    };
    let mut placed = Vec::new();
    for kind in [Turn::OwnCluster, Turn::Alone, Turn::Together] {
        let of_kind: Vec<_> = cases.iter().copied().filter(|case| turn(case) == kind).collect();
        let all = of_kind.len().max(1);
        placed.extend(of_kind.into_iter().enumerate().map(|(place, case)| (place * cases.len() / all, case)));
    }
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, case)| case).collect()
}

/// `success_policy::leader_index_decides`: the path of the case's file.
fn name(case: &dyn AnyCase) -> String {
    case.about().id.replace('/', "::").replace('-', "_")
}

fn hold(runtime: &Runtime, lab: &Lab, case: &'static dyn AnyCase) -> Result<(), Failed> {
    let because = match runtime.block_on(lab.holds(case))? {
        Held::Pass => None,
        Held::Skip(because) => Some(because),
    };
    skips::trouble(case.about().id, because.as_deref(), SKIPPED).map_or(Ok(()), |trouble| Err(trouble.into()))
}

fn listed() -> Result<(), Failed> {
    let unknown: Vec<_> = SKIPPED.iter().filter(|id| CATALOGUE.case(id).is_none()).collect();
    if unknown.is_empty() { Ok(()) } else { Err(format!("{unknown:?}").into()) }
}
