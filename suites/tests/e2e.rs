//! Every case against a real control plane, one test each, named as in the catalogue.
//!
//! The first test brings the cluster up, the others join it, whether they are threads or processes.

#[path = "fault_bench/skips.rs"]
mod skips;

use jobsworth_harness::{
    AnyCase, Share,
    lab::{Held, Lab},
};
use jobsworth_suites::CATALOGUE;
use libtest_mimic::{Arguments, Failed, Trial};
use std::process::ExitCode;

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

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // As with the standard library's tests: the flag wins over the variable.
    let wanted = std::env::var("RUST_TEST_THREADS").ok().and_then(|threads| threads.parse().ok());
    arguments.test_threads = arguments.test_threads.or(wanted);
    // Cases of other APIs have tests of their own (`volcano.rs`), and what is run on request has a plan of its own.
    let own = CATALOGUE.cases.iter().filter(|case| case.about().needs.api.is_kubernetes_own());
    let usual = own.filter(|case| case.share() == Share::Usual);
    let cases = usual.map(|&case| Trial::test(name(case), move || hold(case)));
    let listed = Trial::test("every_skip_that_is_listed_is_that_of_a_case", listed);
    libtest_mimic::run(&arguments, cases.chain([listed]).collect()).exit_code()
}

/// `success_policy::leader_index_decides`: the path of the case's file.
fn name(case: &dyn AnyCase) -> String {
    case.about().id.replace('/', "::").replace('-', "_")
}

fn hold(case: &'static dyn AnyCase) -> Result<(), Failed> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let held = runtime.worker_threads(2).enable_all().build()?.block_on(async {
        let lab = Lab::new(env!("CARGO_BIN_EXE_jobsworth"), FOLDER);
        lab.holds(case).await
    });
    let because = match held? {
        Held::Pass => None,
        Held::Skip(because) => Some(because),
    };
    skips::trouble(case.about().id, because.as_deref(), SKIPPED).map_or(Ok(()), |trouble| Err(trouble.into()))
}

fn listed() -> Result<(), Failed> {
    let unknown: Vec<_> = SKIPPED.iter().filter(|id| CATALOGUE.case(id).is_none()).collect();
    if unknown.is_empty() { Ok(()) } else { Err(format!("{unknown:?}").into()) }
}
