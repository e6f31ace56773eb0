//! The reference controller on bad days: watches that are cut again and again, watches that are refused with 410 at their
//! start, and an API server that answers everything with 429 or 503 for some seconds.
//!
//! Every scenario of the crash sweep must end as it does on a good day, with no invariant broken and no request too many.

use crate::{crash_sweep::scenarios, ending, fault_bench, patience};
use ending::{EndState, end_of};
use fault_bench::bench;
use futures::{StreamExt as _, stream};
use jobsworth_harness::{
    AnyCase,
    cluster::RunningSubject,
    faults::{FaultBench, NetworkFault, RequestLog},
};
use patience::until;
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

const FLAGS: [&str; 3] = ["--leader-elect=false", "--kube-api-qps=100", "--kube-api-burst=100"];
const LANES: usize = 16;
/// The bad day begins at this write.
const FROM: u32 = 3;
/// How long an API server that answers nothing else refuses.
const REFUSES_FOR: Duration = Duration::from_secs(4);
/// So long after its last write a controller counts as at work. After it what lists again would be told as reading at rest (W06): the
/// recording does not know that its watches were cut.
const AT_WORK: Duration = Duration::from_secs(2);
/// Two watches, two or three keys, and pauses that grow: so many attempts are polite in that time (L7).
const ATTEMPTS_AT_MOST: u32 = 40;

/// What kind of day it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Day {
    Good,
    /// Watches are cut five times a second, as long as the controller is at work.
    Cut,
    /// From some point on watches are cut, and refused with 410 when they come back.
    Gone,
    /// For some seconds everything is answered with this status.
    Refused(u16),
}

const BAD_DAYS: [Day; 4] = [Day::Cut, Day::Gone, Day::Refused(429), Day::Refused(503)];

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_bad_day_is_that_of_a_good_one() {
    let clusters = tempfile::tempdir().unwrap();
    let bench = bench(clusters.path(), "bad-days", &FLAGS, 11).await;
    let good: Vec<_> =
        stream::iter(scenarios::ALL).map(|case| run(&bench, case, 0, Day::Good)).buffered(LANES).collect().await;
    let days = scenarios::ALL.into_iter().zip(&good).flat_map(|pair| BAD_DAYS.map(|day| (pair, day)));
    let runs = days.zip(1..).map(|(((case, good), day), attempt)| {
        let bench = &bench;
        async move { (case.about().id, good, day, run(bench, case, attempt, day).await) }
    });
    let runs: Vec<_> = stream::iter(runs).buffer_unordered(LANES).collect().await;
    let mut complaints = Vec::new();
    for (id, good, day, (end, refusals)) in runs {
        println!("{id} on a day of {day:?}: {refusals} requests refused");
        if end.is_err() || end != good.0 {
            complaints.push(format!("{id} on a day of {day:?}: {end:#?} instead of {:#?}", good.0));
        }
        if refusals > ATTEMPTS_AT_MOST {
            complaints.push(format!("{id} on a day of {day:?}: {refusals} attempts"));
        }
        if matches!(day, Day::Gone | Day::Refused(_)) && refusals == 0 {
            complaints.push(format!("{id} on a day of {day:?}: nothing was refused"));
        }
    }
    bench.leave().await.unwrap();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// How it ended, and how many requests were refused.
async fn run(
    bench: &FaultBench,
    case: &'static dyn AnyCase,
    attempt: u32,
    day: Day,
) -> (Result<EndState, String>, u32) {
    let controller = bench.controller(case, attempt, "controller", &[]).await.unwrap();
    let requests = Arc::clone(controller.proxy.requests());
    controller.instance.start().await.unwrap();
    let subject: Arc<dyn RunningSubject> = controller.instance.clone();
    let outage = tokio::spawn(outage(Arc::clone(&requests), day));
    let played = bench.play(case, attempt, subject).await;
    outage.abort();
    let refusals = requests.refusals();
    let trouble = controller.instance.trouble();
    controller.instance.kill().await.unwrap();
    let end = end_of(played, trouble, bench.folder());
    (end, refusals)
}

/// Makes the day what it is.
async fn outage(requests: Arc<RequestLog>, day: Day) {
    let mut often = tokio::time::interval(Duration::from_millis(200));
    match day {
        Day::Good => {}
        Day::Cut => {
            let (mut writes, mut wrote) = (0, Instant::now());
            loop {
                often.tick().await;
                if requests.writes() > writes {
                    (writes, wrote) = (requests.writes(), Instant::now());
                }
                if wrote.elapsed() < AT_WORK {
                    requests.cut_watches();
                }
            }
        }
        Day::Gone => {
            until("the day to turn bad", || requests.writes() >= FROM).await;
            requests.set_network_fault(NetworkFault::RefusingWatches(410));
            requests.cut_watches();
            until("watches to be refused", || requests.refusals() >= 4).await;
            requests.set_network_fault(NetworkFault::Fair);
        }
        Day::Refused(code) => {
            until("the day to turn bad", || requests.writes() >= FROM).await;
            requests.set_network_fault(NetworkFault::Refusing(code));
            requests.cut_watches();
            // How long it lasts is the point.
            tokio::time::sleep(REFUSES_FOR).await;
            requests.set_network_fault(NetworkFault::Fair);
        }
    }
}
