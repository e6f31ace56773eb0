//! Cases of the catalogue, played on a stage whose controller has the roles in question.

use futures::StreamExt as _;
use jobsworth_harness::AnyCase;
use jobsworth_harness::run::execute::run_case;
use jobsworth_harness::run::prepared_cell::PreparedCell;
use jobsworth_oracle::Verdict;
use tokio::sync::watch;

/// As many as the command line runs side by side.
const SIDE_BY_SIDE: usize = 12;

/// Plays them, those that can be side by side, and says of each that did not hold why.
pub async fn failed(stage: &PreparedCell, cases: impl Iterator<Item = &'static dyn AnyCase>) -> Vec<String> {
    let (alone, together): (Vec<_>, Vec<_>) = cases.partition(|case| case.about().needs.runs_alone());
    let held = async |case: &'static dyn AnyCase| {
        let (_never, stop) = watch::channel(None);
        let report = run_case(stage, case, 1, stop).await.map_err(|incomplete| incomplete.because);
        match report {
            Ok(report) if matches!(report.judgement.verdict, Verdict::Pass | Verdict::Deviates) => None,
            Ok(report) => Some(format!("{}: {:#?}", report.case, report.excerpts)),
            Err(because) => Some(format!("{}: {because}", case.about().id)),
        }
    };
    let mut failed: Vec<String> = futures::stream::iter(together)
        .map(&held)
        .buffer_unordered(SIDE_BY_SIDE)
        .filter_map(async |x| x)
        .collect()
        .await;
    for case in alone {
        failed.extend(held(case).await);
    }
    failed
}
