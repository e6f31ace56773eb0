//! A stored run, judged again: from its timelines, by the catalogue of this program, without a cluster.

use super::{
    escape::terminal,
    schema::{
        CaseRecord, Run, Verdict,
        verdicts::{JudgedCase, Verdicts},
    },
};
use crate::{case::Catalogue, run::execute};
use jobsworth_oracle::{Expectations, judge};
use std::path::{Component, Path};

/// Id of the case that an observation is: it is in no catalogue and judged by the invariants alone.
pub const OBSERVED: &str = "observe/manifest";

/// Why a case cannot be judged again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("failed to judge {case} again: {why}")]
pub struct RejudgeError {
    /// Id of the case, fit for a terminal.
    pub case: String,
    /// What is in the way, fit for a terminal.
    pub why: String,
}

/// Whether a case came to a verdict, so that it can be judged again.
#[must_use]
pub const fn is_judged(case: &CaseRecord) -> bool {
    matches!(case.verdict, Verdict::Pass | Verdict::Deviates | Verdict::Fail | Verdict::Inconclusive)
}

/// What the case with this id claims, or why nobody can tell.
pub type Claims<'c> = dyn Fn(&str) -> Result<Expectations, String> + 'c;

/// The claims of a catalogue's cases, and those of an observation, which has none.
pub fn claims_of(catalogue: &Catalogue) -> impl Fn(&str) -> Result<Expectations, String> {
    |id| match catalogue.case(id) {
        Some(listed) => Ok(listed.expects()),
        None if id == OBSERVED => Ok(Expectations::new()),
        None => Err("this program's catalogue has no such case".to_owned()),
    }
}

/// Judges every case of a run that came to a verdict.
///
/// # Errors
/// The first case that cannot be judged.
pub fn all(run: &Run, folder: &Path, claims: &Claims<'_>) -> Result<Verdicts, RejudgeError> {
    let cases = run.cases.iter().filter(|case| is_judged(case)).map(|case| one(case, folder, claims));
    Ok(Verdicts::new(run.id.clone(), cases.collect::<Result<_, _>>()?))
}

/// Judges one case from its timeline.
///
/// # Errors
/// When nobody knows what it claims, or the timeline is not there, not readable, or another case's.
pub fn one(case: &CaseRecord, folder: &Path, claims: &Claims<'_>) -> Result<JudgedCase, RejudgeError> {
    let refuse = |why: String| RejudgeError { case: terminal(&case.case), why };
    let expectations = claims(&case.case).map_err(refuse)?;
    let named = case.timeline.as_deref().ok_or_else(|| refuse("run.json names no timeline".to_owned()))?;
    if !is_inside(named) {
        return Err(refuse(format!("its timeline `{}` is not a path inside the run's folder", terminal(named))));
    }
    let timeline = execute::read(&folder.join(named)).map_err(|why| refuse(terminal(&why)))?;
    if timeline.setting.case != case.case {
        let found = terminal(&timeline.setting.case);
        return Err(refuse(format!("its timeline {} was recorded for {found}", terminal(named))));
    }
    Ok(JudgedCase::of(&case.cell, &case.case, case.attempt, &judge(&timeline, &expectations)))
}

/// Whether a path that a file names stays in the folder that it counts from.
#[must_use]
pub fn is_inside(path: &str) -> bool {
    !path.is_empty() && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::a_timeline("cells/a/x.timeline.ndjson", true)]
    #[case::nothing("", false)]
    #[case::upwards("cells/../../x", false)]
    #[case::from_the_root("/etc/passwd", false)]
    #[case::here("./run.json", false)]
    fn only_plain_paths_stay_inside(#[case] path: &str, #[case] inside: bool) {
        assert_eq!(is_inside(path), inside);
    }
}
