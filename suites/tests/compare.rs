//! `compare` and `history` from outside: folders as `run` leaves them, and folders that nobody should trust.
#![expect(clippy::unwrap_used, reason = "what a test cannot do is its failure")]

use jobsworth_harness::report::{
    schema::{RUN, Run},
    store,
};
use rstest::rstest;
use serde_json::{Value, json};
use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

fn jobsworth(arguments: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jobsworth"));
    command.args(arguments).current_dir(folder).env_clear().output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A run that ended, with the turns of each case (`p` pass, `f` fail), as `run.json` has it.
fn run(id: &str, cases: &[(&str, &str)]) -> Value {
    let verdict = |turn| if turn == 'p' { "pass" } else { "fail" };
    let record = |case: &str, attempt: usize, turn| {
        json!({
            "cell": "1.37.1-builtin", "case": case, "attempt": attempt, "verdict": verdict(turn), "claim": "it ends",
            "source": "KEP-3998", "requirements": [], "took_ms": 1000 + attempt, "again": format!("jobsworth run {case}"),
            "failures": if turn == 'p' { json!([]) } else {
                json!([{"source": "claim", "says": "it ends", "revision": 7, "at_us": 1, "expected": "an end", "observed": "none", "excerpt": ""}])
            },
        })
    };
    let records: Vec<Value> = cases
        .iter()
        .flat_map(|(case, turns)| turns.chars().enumerate().map(move |(at, turn)| record(case, at + 1, turn)))
        .collect();
    let count = |wanted: &str| records.iter().filter(|case| case["verdict"] == wanted).count();
    json!({
        "schema": RUN, "id": id, "state": "finished", "program": {"name": "jobsworth", "version": "0.1.0"},
        "argv": ["jobsworth", "run"], "started": "2026-11-20T10:00:03Z", "took_ms": 42000, "seed": 7,
        "plan": {"names": [], "filter": "all()", "jobs": 8, "repeat": 1, "keep": "never", "provider": "local", "turns": records.len()},
        "host": {"cores": 2, "memory_bytes": 1, "kernel": "6.1", "cpu": "A CPU"},
        "cells": [{"id": "1.37.1-builtin", "provider": "local", "subject": "builtin", "wanted": {"kubernetes": "1.37.1", "gates": {}}}],
        "outcome": {
            "passed": count("pass"), "failed": count("fail"), "inconclusive": 0, "skipped": 0, "incomplete": 0, "lost_cells": 0,
        },
        "cases": records,
    })
}

/// Writes the folder of a run as the report's writer does.
fn leave(folder: &Path, name: &str, run: &Value) {
    let run: Run = serde_json::from_value(run.clone()).unwrap();
    fs::create_dir_all(folder.join(name)).unwrap();
    store::write_whole(&folder.join(name).join("run.json"), store::json(&run).as_bytes()).unwrap();
}

#[track_caller]
fn is_valid(text: &str, schema: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schema").join(schema);
    let schema: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let value: Value = serde_json::from_str(text).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mistakes: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
    assert!(mistakes.is_empty(), "{mistakes:?} in {value}");
}

#[rstest]
#[case::alike("p", "p", &[], 0, "no regression; 2 cases came out alike")]
#[case::broken("p", "f", &[], 1, "WORSE newly failing (1)")]
#[case::mended("f", "p", &[], 0, "BETTER mended (1)")]
#[case::flaky("pp", "pf", &[], 1, "WORSE newly flaky (1)")]
#[case::flaky_and_only_told("pp", "pf", &["--flaky", "tell"], 0, "newly flaky (1)")]
fn the_exit_code_says_whether_anything_is_worse(
    #[case] base: &str,
    #[case] head: &str,
    #[case] flags: &[&str],
    #[case] code: i32,
    #[case] says: &str,
) {
    let folder = tempfile::tempdir().unwrap();
    leave(folder.path(), "base", &run("a", &[("ttl/zero", base), ("ttl/one", "p")]));
    leave(folder.path(), "head", &run("b", &[("ttl/zero", head), ("ttl/one", "p")]));
    let compared = jobsworth(&[&["compare", "base", "head"], flags].concat(), folder.path());
    let told = text(&compared.stdout);
    assert_eq!(compared.status.code(), Some(code), "{told}{}", text(&compared.stderr));
    assert!(told.contains(says), "{told}");
    let json = jobsworth(&[&["compare", "base/run.json", "head", "--json"], flags].concat(), folder.path());
    assert_eq!(json.status.code(), Some(code));
    is_valid(&text(&json.stdout), "compare.json");
    let page = jobsworth(&[&["compare", "base", "head", "--markdown", "-o", "page.md"], flags].concat(), folder.path());
    assert_eq!(page.status.code(), Some(code));
    assert!(fs::read_to_string(folder.path().join("page.md")).unwrap().starts_with("## jobsworth compare"));
}

#[rstest]
#[case::cut_off(|whole: &str| whole[..whole.len() / 2].to_owned(), "it was cut off")]
#[case::of_an_older_schema(|whole: &str| whole.replace("run/v1", "run/v0"), "its schema is jobsworth/run/v0")]
#[case::edited(|whole: &str| whole.replace("\"verdict\": \"fail\"", "\"verdict\": \"pass\""), "it was edited: `outcome` counts")]
#[case::killed(|whole: &str| whole.replace("\"finished\"", "\"running\""), "its run did not end in order")]
#[case::of_other_cases(|whole: &str| whole.replace("ttl/zero", "ttl/other"), "they have no case in common")]
#[case::no_json(|_: &str| "\u{1b}[31m".to_owned(), "expected value at line 1 column 1")]
fn what_cannot_be_compared_ends_with_2_and_the_reason(#[case] made: fn(&str) -> String, #[case] says: &str) {
    let folder = tempfile::tempdir().unwrap();
    leave(folder.path(), "base", &run("a", &[("ttl/zero", "p")]));
    leave(folder.path(), "head", &run("b", &[("ttl/zero", "f")]));
    let path = folder.path().join("head/run.json");
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(&path, made(&whole)).unwrap();
    let compared = jobsworth(&["compare", "base", "head"], folder.path());
    let told = text(&compared.stderr);
    assert_eq!(compared.status.code(), Some(2), "{told}");
    assert!(told.contains(says), "`{says}` is not in:\n{told}");
    assert!(!told.contains('\u{1b}') && compared.stdout.is_empty(), "{told:?}");
}

#[test]
fn a_folder_that_is_not_there_ends_with_2_and_its_name() {
    let folder = tempfile::tempdir().unwrap();
    leave(folder.path(), "base", &run("a", &[("ttl/zero", "p")]));
    let compared = jobsworth(&["compare", "base", "head"], folder.path());
    let told = text(&compared.stderr);
    assert_eq!(compared.status.code(), Some(2), "{told}");
    assert!(told.contains("failed to read head: No such file"), "{told}");
}

#[test]
fn a_run_and_a_record_of_load_are_no_pair() {
    let folder = tempfile::tempdir().unwrap();
    leave(folder.path(), "base", &run("a", &[("ttl/zero", "p")]));
    let load = json!({
        "schema": "jobsworth/load/v1", "program": "0.1.0", "argv": [], "started": "2026-11-20T10:00:03Z", "kubernetes": "1.37.1",
        "binaries": [], "host": {"cores": 2, "memory_bytes": 1, "kernel": "6.1", "cpu": "A CPU"},
        "arms": {"base": "builtin", "head": "reference"}, "rate": {"qps": 100, "burst": 100}, "scalePercent": 100, "lagLimitMs": 500,
        "trials": [], "ratios": [],
    });
    fs::write(folder.path().join("load.json"), load.to_string()).unwrap();
    let compared = jobsworth(&["compare", "base", "load.json"], folder.path());
    let told = text(&compared.stderr);
    assert_eq!(compared.status.code(), Some(2), "{told}");
    assert!(told.contains("one is a run, the other a record of `load`"), "{told}");
    let compared = jobsworth(&["compare", "load.json", "load.json"], folder.path());
    assert!(text(&compared.stderr).contains("they have no figure in common"), "{}", text(&compared.stderr));
    assert_eq!(compared.status.code(), Some(2));
}

#[test]
fn a_history_is_a_table_a_page_and_json() {
    let folder = tempfile::tempdir().unwrap();
    leave(folder.path(), "runs/a", &run("a", &[("ttl/zero", "p"), ("ttl/one", "p")]));
    leave(folder.path(), "runs/b", &run("b", &[("ttl/zero", "f"), ("ttl/one", "p")]));
    let table = jobsworth(&["history", "runs"], folder.path());
    let told = text(&table.stdout);
    assert_eq!(table.status.code(), Some(0), "{}", text(&table.stderr));
    assert!(
        told.contains("1 flaky, 1 steady") && told.contains("ttl/zero") && told.contains("1 of 2  0.09–0.91"),
        "{told}"
    );
    let json = jobsworth(&["history", "runs", "--json"], folder.path());
    is_valid(&text(&json.stdout), "history.json");
    let page = jobsworth(&["history", "runs", "--html"], folder.path());
    assert_eq!(text(&page.stdout).trim(), "runs/history.html");
    assert!(fs::read_to_string(folder.path().join("runs/history.html")).unwrap().contains("default-src 'none'"));
}

#[test]
fn a_folder_without_runs_has_no_history() {
    let folder = tempfile::tempdir().unwrap();
    let told = jobsworth(&["history", "."], folder.path());
    assert_eq!(told.status.code(), Some(2));
    assert!(text(&told.stderr).contains("failed to find a run below ."), "{}", text(&told.stderr));
}
