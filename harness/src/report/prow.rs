//! The layout in which Prow and TestGrid read results: `started.json`, `finished.json`, `artifacts/`.

use super::{
    ReportError,
    evidence::FolderFiles,
    html, junit, markdown,
    schema::{Run, State},
    store,
};
use jiff::SignedDuration;
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Writes the layout of a run below `to`, which is made if it is missing; says which files it wrote.
///
/// JUnit has a file per cell, as Prow takes every `junit*.xml`. A run that has not ended has no `finished.json`: that is how Prow tells.
///
/// # Errors
/// When a file cannot be written. `finished.json` is the last, so that what is cut off is not taken for whole.
pub fn write(run: &Run, folder: &Path, to: &Path) -> Result<Vec<PathBuf>, ReportError> {
    let artifacts = to.join("artifacts");
    fs::create_dir_all(&artifacts).map_err(|source| ReportError::File {
        what: "create",
        path: artifacts.clone(),
        source,
    })?;
    let mut written = Vec::new();
    let mut put = |path: PathBuf, text: &str| {
        store::write_whole(&path, text.as_bytes())?;
        written.push(path);
        Ok::<_, ReportError>(())
    };
    put(to.join("started.json"), &store::json(&started(run)))?;
    for (number, cell) in run.cells.iter().enumerate() {
        let text = junit::render_cells(run, std::slice::from_ref(cell))?;
        put(artifacts.join(format!("junit_{:02}.xml", number + 1)), &text)?;
    }
    put(artifacts.join("summary.md"), &markdown::render(run))?;
    put(artifacts.join("report.html"), &html::render(run, &FolderFiles::of(folder)))?;
    if let Some(finished) = finished(run) {
        put(to.join("finished.json"), &store::json(&finished))?;
    }
    Ok(written)
}

/// When the run began.
#[must_use]
pub fn started(run: &Run) -> Value {
    json!({ "timestamp": run.started.as_second() })
}

/// When and how it ended; `None` as long as it has not.
#[must_use]
pub fn finished(run: &Run) -> Option<Value> {
    let exit = run.exit.as_ref().filter(|_| run.state == State::Finished)?;
    let took = SignedDuration::from_millis(i64::try_from(run.took_ms.unwrap_or_default()).unwrap_or(i64::MAX));
    // A time beyond time is that of somebody who edited the file; then it ended when it began.
    let at = run.started.checked_add(took).unwrap_or(run.started);
    let result = match exit.code {
        0 => "SUCCESS",
        130 | 143 => "ABORTED",
        _ => "FAILURE",
    };
    Some(json!({
        "timestamp": at.as_second(),
        "passed": exit.code == 0,
        "result": result,
        "metadata": {
            "jobsworth-run": run.id,
            "jobsworth-version": run.program.version,
            "exit-code": exit.code.to_string(),
            "causes": exit.causes.iter().map(|cause| cause.says.as_str()).collect::<Vec<_>>().join("; "),
        },
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::schema::{Cause, ExitRecord, sample};
    use rstest::rstest;

    fn ended(code: u8) -> Run {
        let exit = ExitRecord { code, causes: vec![Cause { code, says: "because".to_owned() }] };
        Run { exit: Some(exit), ..sample::empty() }
    }

    #[rstest]
    #[case::all_held(0, true, "SUCCESS")]
    #[case::broken(1, false, "FAILURE")]
    #[case::could_not_tell(3, false, "FAILURE")]
    #[case::stopped(130, false, "ABORTED")]
    #[case::terminated(143, false, "ABORTED")]
    fn an_exit_code_is_a_result(#[case] code: u8, #[case] passed: bool, #[case] result: &str) {
        let finished = finished(&ended(code)).unwrap();
        assert_eq!((&finished["passed"], &finished["result"]), (&json!(passed), &json!(result)));
        assert_eq!(finished["timestamp"], json!(started(&ended(code))["timestamp"].as_i64().unwrap() + 42));
    }

    #[test]
    fn the_layout_has_a_junit_file_per_cell_and_no_end_before_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let mut run = sample::nasty();
        run.cells.push(run.cells[0].clone());
        run.cells[1].id = "../../another".to_owned();
        let names = |run: &Run, to: &str| -> Vec<String> {
            let to = folder.path().join(to);
            let written = write(run, folder.path(), &to).unwrap();
            written.iter().map(|path| path.strip_prefix(&to).unwrap().display().to_string()).collect()
        };
        let artifacts =
            ["artifacts/junit_01.xml", "artifacts/junit_02.xml", "artifacts/summary.md", "artifacts/report.html"];
        assert_eq!(names(&run, "ended"), [&["started.json"], artifacts.as_slice(), &["finished.json"]].concat());
        run.state = State::Running;
        assert_eq!(names(&run, "running"), [&["started.json"], artifacts.as_slice()].concat());
    }

    #[test]
    fn a_time_beyond_time_is_no_panic() {
        let run = Run { took_ms: Some(u64::MAX), ..ended(0) };
        assert_eq!(finished(&run).unwrap()["timestamp"], started(&run)["timestamp"]);
    }
}
