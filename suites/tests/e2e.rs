//! Every case against a real control plane, one test each, named as in the catalogue.
//!
//! The first test brings the cluster up, the others join it, whether they are threads or processes.

#[path = "fault_bench/skips.rs"]
mod skips;

use jobsworth_harness::{
    AnyCase, FaultNeeds, Share,
    lab::{Held, Lab},
};
use jobsworth_suites::CATALOGUE;
use libtest_mimic::{Arguments, Failed, Trial};
use std::{process::ExitCode, sync::LazyLock};
use tokio::{runtime::Runtime, sync::Semaphore};

/// Where timelines of this run go.
const FOLDER: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/e2e");

/// Cases that share a cluster, and run side by side.
static SIDE_BY_SIDE: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(at_once()));
/// Cases that run alone: on the clusters that there are for them, and one that waits.
static ALONE: Semaphore = Semaphore::const_new(3);
/// Of all tests: each is a thread that waits most of the time.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().expect("a process without threads can do nothing"));
static LAB: LazyLock<Lab> = LazyLock::new(|| Lab::new(env!("CARGO_BIN_EXE_jobsworth"), FOLDER));

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
    // Cases of other APIs have tests of their own (`volcano.rs`), and what is run on request has a plan of its own.
    let own = CATALOGUE.cases.iter().filter(|case| case.about().needs.api.is_kubernetes_own());
    let mut usual: Vec<_> = own.filter(|case| case.share() == Share::Usual).copied().collect();
    // A cluster that nobody uses for a while goes.
    usual.sort_by_cached_key(|case| LAB.cell(*case));
    // Who waits for a place or a turn keeps nobody else from working.
    arguments.test_threads = arguments.test_threads.or(Some(usual.len()));
    let cases = usual.into_iter().map(|case| Trial::test(name(case), move || hold(case)));
    let listed = Trial::test("every_skip_that_is_listed_is_that_of_a_case", listed);
    libtest_mimic::run(&arguments, cases.chain([listed]).collect()).exit_code()
}

/// How many work at the same time: as many as tests of the standard library would.
fn at_once() -> usize {
    std::env::var("RUST_TEST_THREADS").ok().and_then(|threads| threads.parse().ok()).unwrap_or(4)
}

/// `success_policy::leader_index_decides`: the path of the case's file.
fn name(case: &dyn AnyCase) -> String {
    case.about().id.replace('/', "::").replace('-', "_")
}

fn hold(case: &'static dyn AnyCase) -> Result<(), Failed> {
    let needs = case.about().needs;
    // The lab itself sees to it that few have a cluster of their own at the same time.
    let turns = match needs.changes_cluster() || needs.faults != FaultNeeds::Nothing {
        true => None,
        false => Some(if needs.runs_alone() { &ALONE } else { &*SIDE_BY_SIDE }),
    };
    let held = RUNTIME.block_on(async {
        let _turn = match turns {
            Some(turns) => Some(turns.acquire().await),
            None => None,
        };
        LAB.holds(case).await
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
