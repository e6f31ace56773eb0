//! What somebody who has just read how a run went does next: at most three steps, the nearest first.

use crate::report::schema::{CaseRecord, Run, Verdict};

/// The steps, each a line. `reports` are the files that were written, the first with its folder.
pub(super) fn steps(run: &Run, reports: &[String]) -> Vec<String> {
    let page = folder(reports).filter(|_| reports.iter().any(|file| file == "report.html"));
    let read = page.map(|folder| format!("read it on one page: {folder}/report.html"));
    let lost = run.cells.iter().any(|cell| cell.lost.is_some());
    let look = lost.then(|| "see whether this machine has what it takes: jobsworth doctor".to_owned());
    [again(run), look, read].into_iter().flatten().collect()
}

/// The folder of the run.
pub(super) fn folder(reports: &[String]) -> Option<&str> {
    reports.first()?.strip_suffix("/run.json")
}

/// How to repeat the first case that failed, or else the first that could not tell.
fn again(run: &Run) -> Option<String> {
    let of = |verdicts: &[Verdict]| {
        let all: Vec<&CaseRecord> = run.cases.iter().filter(|case| verdicts.contains(&case.verdict)).collect();
        Some((*all.first()?, all.len()))
    };
    let failed = of(&[Verdict::Fail]).map(|found| (found, "failure"));
    let open = of(&[Verdict::Inconclusive, Verdict::Incomplete]).map(|found| (found, "case without a verdict"));
    let ((case, number), what) = failed.or(open)?;
    let which = if number == 1 { "the" } else { "the first" };
    Some(format!("repeat {which} {what}: {}", case.again))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::schema::sample;

    fn reports() -> Vec<String> {
        ["out/run.json", "junit.xml", "report.html"].map(str::to_owned).into()
    }

    #[test]
    fn a_run_that_passed_is_to_be_read() {
        assert_eq!(steps(&sample::skipping(&[]), &reports()), ["read it on one page: out/report.html"]);
    }

    #[test]
    fn a_failure_is_repeated_before_anything_else() {
        let steps = steps(&sample::nasty(), &reports());
        let repeats = "repeat the failure: jobsworth run success-policy/leader --kubernetes 1.37.1 --seed 7";
        assert_eq!(steps.first().map(String::as_str), Some(repeats), "{steps:?}");
        assert_eq!(steps.len(), 3, "{steps:?}");
    }

    #[test]
    fn a_case_without_a_verdict_is_repeated_where_none_failed() {
        let mut run = sample::nasty();
        run.cases.retain(|case| case.verdict != Verdict::Fail);
        let steps = steps(&run, &reports());
        assert!(steps.iter().any(|step| step.contains("repeat the first case without a verdict: ")), "{steps:?}");
    }

    #[test]
    fn a_page_that_was_not_written_is_not_pointed_at() {
        assert_eq!(steps(&sample::skipping(&[]), &["out/run.json".to_owned()]), Vec::<String>::new());
    }
}
