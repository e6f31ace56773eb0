//! The reference controller on bad days: watches that are cut again and again, watches that are refused with 410 at their
//! start, and an API server that answers everything with 429 or 503 for some seconds.
//!
//! Every scenario of the crash sweep must end as it does on a good day, with no invariant broken and no request too many.
#![cfg(feature = "e2e")]
#![expect(clippy::unwrap_used, reason = "what a test cannot do is its failure")]

#[path = "grounds/ending.rs"]
mod ending;
#[path = "grounds/mod.rs"]
mod grounds;
#[path = "grounds/until.rs"]
mod patience;
#[path = "crash_sweep/scenarios.rs"]
mod scenarios;

use ending::{EndState, end_of};
use futures::{StreamExt as _, stream};
use grounds::ground;
use jobsworth_harness::{
    Case,
    cluster::RunningSubject,
    faults::{Ground, Ledger, Weather},
};
use patience::until;
use std::{sync::Arc, time::Duration};

const FLAGS: [&str; 3] = ["--leader-elect=false", "--kube-api-qps=100", "--kube-api-burst=100"];
const LANES: usize = 16;
/// The bad day begins at this write.
const FROM: u32 = 3;
/// How long an API server that answers nothing else refuses.
const REFUSES_FOR: Duration = Duration::from_secs(4);
/// Two watches, two or three keys, and pauses that grow: so many attempts are polite in that time (L7).
const ATTEMPTS_AT_MOST: u32 = 40;

/// What kind of day it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Day {
    Good,
    /// Watches are cut five times a second, all through the run.
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
    let ground = ground(clusters.path(), "bad-days", &FLAGS, 11).await;
    let good: Vec<_> =
        stream::iter(scenarios::ALL).map(|case| run(&ground, case, 0, Day::Good)).buffered(LANES).collect().await;
    let days = scenarios::ALL.into_iter().zip(&good).flat_map(|pair| BAD_DAYS.map(|day| (pair, day)));
    let runs = days.zip(1..).map(|(((case, good), day), attempt)| {
        let ground = &ground;
        async move { (case.about().id, good, day, run(ground, case, attempt, day).await) }
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
    ground.leave().await.unwrap();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// How it ended, and how many requests were refused.
async fn run(ground: &Ground, case: &'static dyn Case, attempt: u32, day: Day) -> (Result<EndState, String>, u32) {
    let lane = ground.lane(case, attempt, "controller", &[]).await.unwrap();
    let ledger = Arc::clone(lane.gate.ledger());
    lane.instance.start().await.unwrap();
    let subject: Arc<dyn RunningSubject> = lane.instance.clone();
    let weather = tokio::spawn(weather(Arc::clone(&ledger), day));
    let played = ground.play(case, attempt, subject).await;
    weather.abort();
    let refusals = ledger.refusals();
    let trouble = lane.instance.trouble();
    lane.instance.kill().await.unwrap();
    let end = end_of(played, trouble, ground.folder());
    (end, refusals)
}

/// Makes the day what it is.
async fn weather(ledger: Arc<Ledger>, day: Day) {
    let mut often = tokio::time::interval(Duration::from_millis(200));
    match day {
        Day::Good => {}
        Day::Cut => loop {
            often.tick().await;
            ledger.cut_watches();
        },
        Day::Gone => {
            until("the day to turn bad", || ledger.writes() >= FROM).await;
            ledger.set_weather(Weather::RefusingWatches(410));
            ledger.cut_watches();
            until("watches to be refused", || ledger.refusals() >= 4).await;
            ledger.set_weather(Weather::Fair);
        }
        Day::Refused(code) => {
            until("the day to turn bad", || ledger.writes() >= FROM).await;
            ledger.set_weather(Weather::Refusing(code));
            ledger.cut_watches();
            // How long it lasts is the point.
            tokio::time::sleep(REFUSES_FOR).await;
            ledger.set_weather(Weather::Fair);
        }
    }
}
