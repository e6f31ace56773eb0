//! Skipped cases, summed by the kind of their reason: a run names forty of them only to who asks.

use super::schema::{Run, Verdict};
use crate::plan::fit::kind;
use std::collections::BTreeMap;

/// How many cases were skipped for each kind of reason; the most frequent kind first.
#[must_use]
pub fn kinds(run: &Run) -> Vec<(usize, &str)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for case in run.cases.iter().filter(|case| case.verdict == Verdict::Skip) {
        *counts.entry(kind(case.because.as_deref().unwrap_or("no reason is known"))).or_default() += 1;
    }
    let mut kinds: Vec<(usize, &str)> = counts.into_iter().map(|(kind, count)| (count, kind)).collect();
    // Stable: kinds of the same number stay in the order of the alphabet.
    kinds.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::schema::sample;

    #[test]
    fn skips_are_summed_over_gates_and_cells() {
        let run = sample::skipping(&[
            "needs a gate off: JobManagedBy is on",
            "changes to another Kubernetes: this cell has none",
            "needs a gate off: JobSuccessPolicy is on",
            "acts on nodes: they are not ours",
        ]);
        assert_eq!(kinds(&run), [(2, "needs a gate off"), (1, "acts on nodes"), (1, "changes to another Kubernetes")]);
    }

    #[test]
    fn a_run_without_skips_has_no_kinds() {
        assert_eq!(kinds(&sample::empty()), []);
    }
}
