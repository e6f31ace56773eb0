//! The reference controller is killed between any two writes of eight small Jobs, on a real API server.
//!
//! A run without faults gives the number of writes and the end state. Then there is one run per write and fault, each in a
//! namespace with a controller process of its own, many side by side. The end state must be the same, no finalizer may be
//! left, and no invariant broken.
//!
//! A controller has nothing but what the API server stores once it is killed: after a write, with the answer on its way, is the same
//! to it as before the next one. So it is killed before the first write and after each. `JOBSWORTH_SWEEP=all` kills it before and
//! after each, and adds lost and wrong answers at every write; `JOBSWORTH_SWEEP=answers` takes those alone.

pub mod scenarios;
mod table;

use crate::{ending, fault_bench};
use ending::{EndState, end_of};
use fault_bench::bench;
use futures::{StreamExt as _, stream};
use jobsworth_harness::{
    AnyCase,
    cluster::RunningSubject,
    faults::{Fault, FaultBench},
};
use std::sync::Arc;
use table::Table;

/// Everything that can happen to a write; the crashes come first.
const FAULTS: [Fault; 8] = [
    Fault::CrashBefore,
    Fault::CrashAfter,
    Fault::AnswerLost,
    Fault::AppliedThen504,
    Fault::Answer(500),
    Fault::Answer(409),
    Fault::Answer(429),
    Fault::Answer(504),
];
/// How many of them are crashes.
const CRASHES: usize = 2;
/// Controllers that run side by side; most of their time they wait.
const LANES: usize = 16;
/// Rates at which no controller waits for its own bucket, and no election.
const FLAGS: [&str; 3] = ["--leader-elect=false", "--kube-api-qps=100", "--kube-api-burst=100"];
/// One run in so many may lack the write that was aimed at: what is read together is counted together.
const UNREACHED_AT_MOST: u32 = 20;

/// What became of one run.
struct Run {
    end: Result<EndState, String>,
    writes: Vec<String>,
    reached: bool,
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_is_the_same_wherever_the_controller_is_hit() {
    let (faults, gaps_only) = asked_for();
    let clusters = tempfile::tempdir().unwrap();
    let bench = bench(clusters.path(), "crash-sweep", &FLAGS, 7).await;
    let begun = tokio::time::Instant::now().into_std();
    let baselines: Vec<_> =
        stream::iter(scenarios::ALL).map(|case| run(&bench, case, 0, None)).buffered(LANES).collect().await;

    let (mut table, mut points, mut complaints) = (Table::default(), Vec::new(), Vec::new());
    for (case, baseline) in scenarios::ALL.into_iter().zip(&baselines) {
        let id = case.about().id;
        assert!(baseline.end.is_ok(), "{id} without a fault: {:?}", baseline.end);
        table.takes(id, u32::try_from(baseline.writes.len()).unwrap());
        let numbers = 1..=u32::try_from(baseline.writes.len()).unwrap();
        let all = numbers.flat_map(|n| faults.iter().map(move |fault| (n, *fault)));
        let struck = all.filter(|(n, fault)| !gaps_only || *n == 1 || *fault != Fault::CrashBefore);
        points.extend(struck.map(|(n, fault)| (case, &baseline.end, n, fault)));
    }
    // The attempt tells runs of one scenario apart.
    let runs = points.iter().zip(1..).map(|(&(case, wanted, number, fault), attempt)| {
        let bench = &bench;
        async move { (case.about().id, wanted, number, fault, run(bench, case, attempt, Some((number, fault))).await) }
    });
    let mut runs = stream::iter(runs).buffer_unordered(LANES);
    while let Some((id, wanted, number, fault, run)) = runs.next().await {
        let passed = run.end.is_ok() && run.end == *wanted;
        table.point(id, fault, passed, run.reached);
        if !passed {
            let write = run.writes.get(number as usize - 1);
            let complaint = format!("{id}, {fault} at write {number} ({write:?}): {:#?}, wanted {wanted:#?}", run.end);
            // A long sweep tells at once.
            println!("{complaint}");
            complaints.push(complaint);
        }
    }
    drop(runs);

    let text = table.text(faults, begun.elapsed());
    std::fs::write(bench.folder().join("table.md"), &text).unwrap();
    println!("{text}");
    bench.leave().await.unwrap();
    let (points, passed, unreached) = table.sums();
    assert!(complaints.is_empty(), "{} of {points} points failed:\n{}", complaints.len(), complaints.join("\n"));
    assert!(unreached * UNREACHED_AT_MOST <= points, "{unreached} of {points} points were not reached");
    assert_eq!(passed + unreached, points);
}

/// The crashes, once between any two writes, unless there is a wish for more.
fn asked_for() -> (&'static [Fault], bool) {
    match std::env::var("JOBSWORTH_SWEEP").as_deref() {
        Ok("all") => (&FAULTS, false),
        Ok("answers") => (&FAULTS[CRASHES..], false),
        Ok(other) => panic!("JOBSWORTH_SWEEP is all or answers, and not {other}"),
        Err(_) => (&FAULTS[..CRASHES], true),
    }
}

/// Plays a scenario with a controller of its own, hit once or not at all.
async fn run(bench: &FaultBench, case: &'static dyn AnyCase, attempt: u32, hit: Option<(u32, Fault)>) -> Run {
    let controller = bench.controller(case, attempt, "controller", &[]).await.unwrap();
    let requests = Arc::clone(controller.proxy.requests());
    if let Some((number, fault)) = hit {
        requests.arm(number, fault);
    }
    controller.instance.start().await.unwrap();
    let subject: Arc<dyn RunningSubject> = controller.instance.clone();
    let played = bench.play(case, attempt, subject).await;
    let writes = requests.passages().into_iter().filter(|passage| passage.number > 0).map(|passage| passage.what);
    let writes: Vec<String> = writes.collect();
    let reached = requests.struck().borrow().is_some();
    let trouble = controller.instance.trouble();
    controller.instance.kill().await.unwrap();
    let end = end_of(played, trouble, bench.folder());
    Run { end, writes, reached }
}
