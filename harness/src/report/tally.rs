//! What a run's cases and cells come to.

use super::{
    flakiness,
    schema::{Run, Tally, Verdict},
};

/// Counted from the books. A run that was stopped at once has no other: no event tells its outcome.
#[must_use]
pub fn of(run: &Run) -> Tally {
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let count = |verdict| number(run.cases.iter().filter(|case| case.verdict == verdict).count());
    Tally {
        passed: count(Verdict::Pass),
        failed: count(Verdict::Fail),
        flaky: number(flakiness::flaky(run).len()),
        deviating: count(Verdict::Deviates),
        inconclusive: count(Verdict::Inconclusive),
        skipped: count(Verdict::Skip),
        incomplete: count(Verdict::Incomplete),
        lost_cells: number(run.cells.iter().filter(|cell| cell.lost.is_some()).count()),
    }
}
