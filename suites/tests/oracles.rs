//! A judge that has never said no is not trusted: for every expectation of every case there is a
//! history that breaks it.
//!
//! The histories are made from recordings of real runs, each changed in one way. A case without a
//! recording, an expectation that does not hold on its recording, and one that no change can break all
//! fail here. `cargo xtask record RUN` takes new recordings over from a run.

#[path = "oracles/falsify.rs"]
mod falsify;
#[path = "oracles/jobs.rs"]
mod jobs;
#[path = "oracles/objects.rs"]
mod objects;
#[path = "oracles/pods.rs"]
mod pods;
#[path = "oracles/volcano.rs"]
mod volcano;

use falsify::falsified;
use flate2::read::GzDecoder;
use jobsworth_harness::{AnyCase, Share};
use jobsworth_oracle::{Check, Timeline, wire};
use jobsworth_suites::CATALOGUE;
use std::{
    fs::File,
    io::BufReader,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../harness/oracle/tests/timelines/recorded");

#[test]
fn every_expectation_has_a_history_that_breaks_it() {
    let (next, complaints) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let cases = cases();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    // Looked for before the lock is taken: it is all the work there is.
                    let found = complaints_about(*case);
                    complaints.lock().unwrap().extend(found);
                }
            });
        }
    });
    let complaints = complaints.into_inner().unwrap();
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}

/// All that usual runs have. Of those that run on request, hundreds out of one table with the same claims, one in ten;
/// all of them where `JOBSWORTH_ORACLES` is `all`, and none but those of a suite or of an id where it names that.
fn cases() -> Vec<&'static dyn AnyCase> {
    let all = match std::env::var("JOBSWORTH_ORACLES").as_deref() {
        Ok("all") => true,
        Ok(named) => {
            let is_named = |case: &&'static dyn AnyCase| [case.about().id, case.about().suite()].contains(&named);
            let found: Vec<_> = CATALOGUE.cases.iter().copied().filter(is_named).collect();
            assert!(!found.is_empty(), "JOBSWORTH_ORACLES is all, a suite or the id of a case, and not {named}");
            return found;
        }
        Err(_) => false,
    };
    let (usual, others): (Vec<_>, Vec<_>) = CATALOGUE.cases.iter().partition(|case| case.share() == Share::Usual);
    usual.into_iter().chain(others.into_iter().step_by(if all { 1 } else { 10 })).collect()
}

fn complaints_about(case: &dyn AnyCase) -> Vec<String> {
    let about = case.about();
    let path: PathBuf = Path::new(RECORDED).join(format!("{}.ndjson.gz", about.id.replace('/', "-")));
    let timeline: Timeline = match File::open(&path) {
        Ok(file) => {
            wire::read(BufReader::new(GzDecoder::new(file))).unwrap_or_else(|error| panic!("{}: {error}", about.id))
        }
        Err(error) => return vec![format!("{}: there is no recording: {error}", about.id)],
    };
    let expectations = case.expects();
    let mut complaints = Vec::new();
    let mut unbroken = Vec::new();
    for expectation in expectations.iter() {
        match expectation.property.check(&timeline) {
            Check::Held => unbroken.push(expectation),
            other => complaints.push(format!("{}: “{}” does not hold: {other:?}", about.id, expectation.says)),
        }
    }
    for mutant in falsified(&timeline) {
        if unbroken.is_empty() {
            break;
        }
        unbroken.retain(|expectation| !matches!(expectation.property.check(&mutant), Check::Broken(_)));
    }
    let words = |expectation: &jobsworth_oracle::judge::Expectation| {
        format!("{}: nothing breaks “{}”: {}", about.id, expectation.says, expectation.property.words())
    };
    complaints.extend(unbroken.into_iter().map(words));
    complaints
}
