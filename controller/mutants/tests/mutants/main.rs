//! The suite against the controllers that it must reject, each with a single bug, and against the controller without one.
//!
//! Prints the kill matrix. With numbers as arguments (`cargo test ... --test mutants -- M05 M31`) only those.
#![expect(clippy::print_stdout, reason = "the kill matrix is what it is for")]

mod bench;
mod matrix;
mod test_cluster;
mod work_list;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use jobsworth_harness::cluster;
use jobsworth_mutants::outage::Outage;
use jobsworth_mutants::roster::{self, Mutant, Trial};
use test_cluster::TestCluster;
use work_list::{Work, WorkList};

/// Where timelines, wire logs and the subjects' words go.
const FOLDER: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/mutants");
/// Clusters side by side. Trials wait more than they work.
const LANES: usize = 3;

fn main() -> ExitCode {
    // The control planes are started through this executable.
    cluster::intercept();
    let wanted: BTreeSet<String> = std::env::args().skip(1).filter(|word| word.starts_with('M')).collect();
    let chosen: Vec<&Mutant> =
        roster::all().filter(|mutant| wanted.is_empty() || wanted.contains(mutant.number)).collect();
    let runtime = tokio::runtime::Runtime::new().expect("a process without threads can do nothing");
    runtime.block_on(run(&chosen))
}

async fn run(chosen: &[&'static Mutant]) -> ExitCode {
    let begun = std::time::Instant::now();
    let folder = Path::new(FOLDER).join(format!("{}-{}", jiff::Timestamp::now().as_second(), std::process::id()));
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    let trials: BTreeSet<Trial> = chosen.iter().map(|mutant| mutant.trial).collect();
    let (volcanos, trials): (Vec<Trial>, Vec<Trial>) = trials.into_iter().partition(Trial::is_volcanos);
    let is_plain = |trial: &Trial| trial.outage == Outage::Fair && !test_cluster::needs_two(trial);
    let (gated, trials): (Vec<Trial>, Vec<Trial>) =
        trials.into_iter().partition(|trial| !test_cluster::gates(trial).is_empty());
    let (fair, foul): (Vec<Trial>, Vec<Trial>) = trials.into_iter().partition(is_plain);
    let mut work = vec![Work::Controls(fair)];
    work.extend(foul.into_iter().map(|trial| Work::Controls(vec![trial])));
    work.extend(chosen.iter().copied().filter(|mutant| !mutant.trial.is_volcanos()).map(Work::Mutant));
    // What needs gates or Volcano's objects comes last: then each cluster brings up one more control plane for each.
    work.push(Work::Controls(gated));
    let (fair, foul): (Vec<Trial>, Vec<Trial>) = volcanos.into_iter().partition(|trial| trial.outage == Outage::Fair);
    work.push(Work::Controls(fair));
    work.extend(foul.into_iter().map(|trial| Work::Controls(vec![trial])));
    work.extend(chosen.iter().copied().filter(|mutant| mutant.trial.is_volcanos()).map(Work::Mutant));
    work.retain(|work| !matches!(work, Work::Controls(trials) if trials.is_empty()));
    let work_list = WorkList::of(work);
    let lanes = (0..LANES).map(|number| {
        let (work_list, mut cluster) = (&work_list, TestCluster::new(number, folder.clone()));
        async move {
            while let Some(work) = work_list.next() {
                work_list.close(cluster.carry_out(work).await);
            }
            cluster.end().await;
        }
    });
    futures::future::join_all(lanes).await;
    matrix::print(chosen, &work_list.findings(), begun.elapsed(), &folder)
}
