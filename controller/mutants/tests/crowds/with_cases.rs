//! The same controllers before the cases that come closest to their bugs.

use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use jobsworth_harness::binaries::DEFAULT_VERSION;
use jobsworth_harness::cluster::{ClusterSpec, SubjectKind};
use jobsworth_harness::run::{Cell, CellPlan, Event, EventKind, Flaky, Interrupt, Keep, RunPlan, Sink, Turn, dispatch};
use jobsworth_harness::scene::Patience;
use jobsworth_harness::subject::Subject;
use jobsworth_oracle::Verdict;
use jobsworth_suites::CATALOGUE;
use tokio::sync::watch;

use super::provider;

/// Creations, indexes, counters.
const CASES: [&str; 4] = [
    "parallelism/no-more-pods-than-are-missing",
    "parallelism/parallelism-can-change",
    "indexed-job/complete-when-every-index-succeeded",
    "indexed-job/a-failed-index-is-tried-again",
];

#[derive(Default)]
struct Listener(Mutex<Vec<String>>);

impl Sink for Listener {
    fn take(&self, event: &Event) {
        let other = match &event.kind {
            EventKind::CaseFinished(report) if report.judgement.verdict != Verdict::Pass => report.case.to_owned(),
            EventKind::CellLost { because, .. } | EventKind::CaseIncomplete { because, .. } => because.clone(),
            _ => return,
        };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(other);
    }
}

/// The cases that this controller does not pass.
pub async fn failed_by(kind: SubjectKind, folder: &Path) -> Vec<String> {
    fs::create_dir_all(folder).expect("the folder can be written");
    let cell = Cell::of("crowd".to_owned(), "local", &Subject::of("crowd", kind), ClusterSpec::of(DEFAULT_VERSION));
    let case = |id: &&str| CATALOGUE.case(id).expect("it is in the catalogue");
    let turns = CASES.iter().map(case).map(|case| Turn { case, attempt: 1 }).collect();
    let plan = RunPlan {
        id: format!("crowds-{}", std::process::id()),
        cells: vec![CellPlan { cell, turns, skips: Vec::new() }],
        jobs: CASES.len(),
        clusters: 1,
        seed: 7,
        keep: Keep::Never,
        max_fail: None,
        flaky: Flaky::default(),
        objectives: Vec::new(),
        patience: Patience::default(),
    };
    let (_never, interrupt) = watch::channel(Interrupt::None);
    let listener = Listener::default();
    dispatch(plan, &provider(), folder, &listener, interrupt).await;
    listener.0.into_inner().unwrap_or_else(PoisonError::into_inner)
}
