//! A controller that dies while cases run: the case that did it fails, the others go on, and the run says so.
#![expect(clippy::print_stdout, reason = "it is a program of its own, and says how it went")]

mod cases;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use cases::{Dies, Lives};
use jobsworth_harness::binaries::{DEFAULT_VERSION, Source};
use jobsworth_harness::case::AnyCase;
use jobsworth_harness::cluster::local::LocalProvider;
use jobsworth_harness::cluster::registry::Registry;
use jobsworth_harness::cluster::{self, ClusterSpec, LEFTOVERS, SubjectKind};
use jobsworth_harness::run::{
    Breakdown, Cell, CellPlan, Event, EventKind, Flaky, Interrupt, Keep, Outcome, RunPlan, Sink, Turn, dispatch,
};
use jobsworth_harness::scene::Patience;
use jobsworth_harness::subject::Subject;
use jobsworth_mutants::roster::FATAL;
use tokio::sync::watch;

/// What a run tells of its controller and of its cases.
#[derive(Default)]
struct Told {
    breakdowns: Vec<Breakdown>,
    tried: Vec<Vec<String>>,
    failed: Vec<&'static str>,
    broken: Vec<String>,
    lost: Vec<String>,
}

#[derive(Default)]
struct Listener(Mutex<Told>);

impl Sink for Listener {
    fn take(&self, event: &Event) {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &event.kind {
            EventKind::ControllerBroke { breakdown, .. } => told.breakdowns.push(breakdown.clone()),
            EventKind::SuspectsTried { repeated_by, .. } => told.tried.push(repeated_by.clone()),
            EventKind::CellLost { because, .. } | EventKind::CaseIncomplete { because, .. } => {
                told.lost.push(because.clone())
            }
            EventKind::CaseFinished(report) if report.judgement.broken().count() > 0 => {
                told.failed.push(report.case);
                let sources = report.judgement.broken().map(|sentence| sentence.source.as_str().to_owned());
                told.broken.extend(sources);
            }
            _ => {}
        }
    }
}

fn main() -> ExitCode {
    // The control planes are started through this executable.
    cluster::intercept();
    let runtime = tokio::runtime::Runtime::new().expect("a process without threads can do nothing");
    runtime.block_on(async {
        let folder =
            tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("the target folder can be written").keep();
        a_case_at_whose_hands_it_dies_again_fails_and_the_others_pass(&folder).await;
        a_death_that_does_not_come_again_and_a_panic_fail_the_run_and_no_case(&folder).await;
    });
    println!("deaths and panics of a controller are found and told");
    ExitCode::SUCCESS
}

async fn a_case_at_whose_hands_it_dies_again_fails_and_the_others_pass(folder: &Path) {
    let (outcome, told) = run(folder, "again", &[&Dies("exits"), &Lives("one"), &Dies("aborts"), &Lives("two")]).await;
    assert_eq!(
        (outcome.failed, outcome.passed, outcome.incomplete),
        (2, 2, 0),
        "{:?} {:?}",
        told.lost,
        told.breakdowns
    );
    let mut failed = told.failed.clone();
    failed.sort_unstable();
    assert_eq!(failed, ["deaths/aborts", "deaths/exits"]);
    assert!(told.broken.iter().all(|source| source == "controller"), "{:?}", told.broken);
    assert!(told.lost.is_empty(), "{:?}", told.lost);
    let status = |case: &str| {
        let alone = told.breakdowns.iter().find(|broke| broke.blamed == [case]);
        alone.and_then(|broke| broke.died.clone()).unwrap_or_default()
    };
    assert_eq!(status("deaths/exits"), "exit status: 3");
    assert!(status("deaths/aborts").starts_with("signal: 6 (SIGABRT)"), "{}", status("deaths/aborts"));
}

async fn a_death_that_does_not_come_again_and_a_panic_fail_the_run_and_no_case(folder: &Path) {
    let (outcome, told) = run(folder, "once", &[&Dies("exits-once"), &Lives("one"), &Lives("panics")]).await;
    assert_eq!((outcome.failed, outcome.passed, outcome.incomplete), (0, 3, 0), "{:?}", told.breakdowns);
    assert_eq!(told.tried, [Vec::<String>::new()], "each was tried again, and it lived");
    let (deaths, panics): (Vec<_>, Vec<_>) = told.breakdowns.iter().partition(|broke| broke.died.is_some());
    assert_eq!(deaths.len(), 1, "{deaths:?}");
    assert!(deaths[0].cases.contains(&"deaths/exits-once".to_owned()) && deaths[0].blamed.is_empty(), "{deaths:?}");
    let [panic] = panics.as_slice() else { panic!("one panic, however often, is told once: {panics:?}") };
    assert!(panic.cases.contains(&"deaths/panics".to_owned()), "{panic:?}");
    assert!(panic.lines.iter().any(|line| line.contains("a Job of this name cannot be")), "{panic:?}");
}

/// Runs these cases side by side on a control plane of their own.
async fn run(folder: &Path, name: &str, cases: &[&'static dyn AnyCase]) -> (Outcome, Told) {
    let folder = folder.join(name);
    fs::create_dir_all(&folder).expect("the folder can be written");
    // The controller that dies when it is told to by a Job's name.
    let subject = Subject::of("fatal", SubjectKind::drop_in(program(&folder)));
    let registry = Registry::of_user(LEFTOVERS).expect("there is a registry");
    let provider = LocalProvider::new(Source::choose(None).expect("there is a cache"), registry);
    let cell = Cell::of(name.to_owned(), "local", &subject, ClusterSpec::of(DEFAULT_VERSION));
    let turns = cases.iter().map(|case| Turn { case: *case, attempt: 1 }).collect();
    let plan = RunPlan {
        id: format!("deaths-{name}-{}", std::process::id()),
        cells: vec![CellPlan { cell, turns, skips: Vec::new() }],
        jobs: cases.len(),
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
    let outcome = dispatch(plan, &provider, &folder, &listener, interrupt).await;
    (outcome, listener.0.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// A script: the harness starts a program without flags of its own.
fn program(folder: &Path) -> PathBuf {
    let path = folder.join("fatal.sh");
    let text = format!("#!/bin/sh\nexec '{}' --mutant {FATAL} \"$@\"\n", env!("CARGO_BIN_EXE_jobsworth-mutant"));
    fs::write(&path, text).expect("the folder can be written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("the file is ours");
    path
}
