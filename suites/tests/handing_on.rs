//! `signoff`, `bundle`, `verify`, `merge` and the layouts of CI systems from outside, on folders of runs with real recordings.
#![expect(clippy::unwrap_used, reason = "what a test cannot do is its failure")]

use flate2::read::GzDecoder;
use jobsworth_harness::{
    bundle::manifest,
    report::{rejudge, schema::Run, store},
    signoff::kep::{self, Proof},
};
use jobsworth_suites::CATALOGUE;
use rstest::rstest;
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::Read,
    path::Path,
    process::{Command, Output},
};
use tempfile::{TempDir, tempdir};

const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../harness/oracle/tests/timelines/recorded");

fn jobsworth(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_jobsworth")).args(arguments).current_dir(folder).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[track_caller]
fn ends_with(arguments: &[&str], folder: &Path, code: i32, words: &[&str]) -> String {
    let output = jobsworth(arguments, folder);
    let told = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{told}");
    for word in words {
        assert!(told.contains(word), "`{word}` is not in:\n{told}");
    }
    told
}

fn case(id: &str) -> Value {
    let about = CATALOGUE.case(id).unwrap().about();
    json!({
        "cell": "1.37.1-builtin", "case": id, "attempt": 1, "verdict": "pass", "claim": about.claim.says,
        "source": about.claim.source.to_string(), "requirements": about.requirements, "took_ms": 1_204,
        "timeline": format!("cells/1.37.1-builtin/{}-1.timeline.ndjson", id.replace('/', "-")),
        "again": format!("jobsworth run {id}"),
    })
}

/// The folder `run` of a run of these cases, as recorded, with everything that a run leaves there.
fn stored(ids: &[&str]) -> TempDir {
    let all = tempdir().unwrap();
    let folder = all.path().join("run");
    fs::create_dir_all(folder.join("cells/1.37.1-builtin/cluster")).unwrap();
    fs::write(folder.join("cells/1.37.1-builtin/cluster/etcd.log"), "ready\n").unwrap();
    let mut run: Run = serde_json::from_value(json!({
        "schema": "jobsworth/run/v1", "id": "20261120-100003-4k7qz", "state": "finished",
        "program": {"name": "jobsworth", "version": env!("CARGO_PKG_VERSION")}, "argv": ["jobsworth", "run"],
        "started": "2026-11-20T10:00:03Z", "took_ms": 42_000, "seed": 7,
        "plan": {"name": null, "names": [], "filter": "all()", "jobs": 2, "repeat": 1, "keep": "never", "max_fail": null,
            "partition": null, "provider": "local: asked for", "turns": ids.len()},
        "host": {"cores": 2, "memory_bytes": 0, "kernel": "6.1", "cpu": "A CPU"},
        "cells": [{"id": "1.37.1-builtin", "provider": "local", "subject": "builtin",
            "wanted": {"kubernetes": "1.37.1", "emulated": null, "gates": {}}, "attested": {"holds": true, "rows": []}}],
        "cases": ids.iter().map(|id| case(id)).collect::<Vec<_>>(),
        "outcome": {"passed": 0, "failed": 0, "inconclusive": 0, "skipped": 0, "incomplete": 0, "lost_cells": 0},
        "exit": {"code": 0, "causes": []},
    }))
    .unwrap();
    for id in ids {
        let name = id.replace('/', "-");
        let mut recorded = String::new();
        let file = File::open(Path::new(RECORDED).join(format!("{name}.ndjson.gz"))).unwrap();
        GzDecoder::new(file).read_to_string(&mut recorded).unwrap();
        fs::write(folder.join(format!("cells/1.37.1-builtin/{name}-1.timeline.ndjson")), recorded).unwrap();
    }
    run.outcome = jobsworth_harness::report::tally::of(&run);
    fs::write(folder.join("run.json"), store::json(&run)).unwrap();
    let verdicts = rejudge::all(&run, &folder, &rejudge::claims_of(&CATALOGUE)).unwrap();
    fs::write(folder.join("verdicts.json"), store::json(&verdicts)).unwrap();
    fs::write(folder.join("manifest.json"), store::json(&manifest::of_run(&run, &folder).unwrap())).unwrap();
    all
}

const CASES: [&str; 3] = [
    "success-policy/leader-index-decides",
    "success-policy/any-count-decides",
    "success-policy/fail-job-rule-beats-success",
];

fn edit(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{from} is not in {}", path.display());
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

#[test]
fn every_kep_names_requirements_that_there_are_and_its_own_number() {
    let known: BTreeSet<&str> =
        jobsworth_harness::plan::requirements::numbered(CATALOGUE.requirements).map(|(number, _)| number).collect();
    let all = kep::all(&CATALOGUE).unwrap();
    for (kep, (number, _)) in all.iter().zip(CATALOGUE.keps) {
        assert_eq!(kep.number.to_string(), *number);
        assert!(kep.source.starts_with("https://") && !kep.gates.is_empty() && kep.criteria.len() > 5, "{number}");
        for criterion in &kep.criteria {
            assert!(!criterion.section.is_empty() && criterion.says.ends_with('.'), "{number}: {}", criterion.says);
            if let Proof::Requirements(numbers) = &criterion.proof {
                let unknown: Vec<_> = numbers.iter().filter(|one| !known.contains(one.as_str())).collect();
                assert!(unknown.is_empty(), "{number}: {unknown:?} in {}", criterion.says);
            }
        }
    }
}

#[test]
fn a_sheet_is_the_same_twice_and_its_red_lines_have_an_exit_code() {
    let all = stored(&CASES);
    let sheet = |format: &str| jobsworth(&["signoff", "KEP-3998", "run", "--format", format], all.path()).stdout;
    for format in ["markdown", "html"] {
        let page = sheet(format);
        assert_eq!(page, sheet(format));
        let page = text(&page);
        assert!(
            page.contains("./run/cells/1.37.1-builtin/success-policy-leader-index-decides-1.timeline.ndjson"),
            "{page}"
        );
        assert!(!page.contains(&all.path().display().to_string()), "{page}");
    }
    ends_with(&["signoff", "3998", "run", "--require-complete"], all.path(), 3, &["✖ no case", "MET-005", "☐ by hand"]);
    edit(&all.path().join("run/run.json"), "\"verdict\": \"pass\"", "\"verdict\": \"fail\"");
    ends_with(
        &["signoff", "3998", "run", "--require-complete", "-o", "s.md"],
        all.path(),
        1,
        &["s.md  KEP-3998:", "broken"],
    );
}

#[test]
fn a_kep_without_a_sheet_is_misuse_and_those_with_one_are_named() {
    let all = tempdir().unwrap();
    ends_with(&["signoff", "KEP-1", "run"], all.path(), 2, &["KEP-592: TTL after finished", "KEP-3998", "KEP-5440"]);
    ends_with(
        &["list", "keps", "--format", "names"],
        all.path(),
        0,
        &["KEP-592\nKEP-2214\nKEP-3329\nKEP-3850\nKEP-3939\n"],
    );
}

#[test]
fn a_bundle_is_verified_by_who_gets_it() {
    let all = stored(&CASES);
    let told =
        ends_with(&["bundle", "run", "-o", "run.tar.zst"], all.path(), 0, &["next      jobsworth verify run.tar.zst"]);
    let sum = told.lines().find(|line| line.starts_with("sha256")).unwrap().to_owned();
    fs::remove_dir_all(all.path().join("run")).unwrap();
    let words = [sum.as_str(), "files     7 of 7 are as the manifest has them", "verdicts  3 of 3 hold", "verified:"];
    ends_with(&["verify", "run.tar.zst"], all.path(), 0, &words);
    let whole = fs::read(all.path().join("run.tar.zst")).unwrap();
    fs::write(all.path().join("cut.tar.zst"), &whole[..whole.len() / 2]).unwrap();
    ends_with(&["verify", "cut.tar.zst"], all.path(), 3, &["cut.tar.zst", "it was cut off"]);
    fs::write(all.path().join("text"), "not a bundle at all").unwrap();
    ends_with(&["verify", "text"], all.path(), 3, &["it is damaged, or no bundle"]);
    ends_with(&["verify", "missing"], all.path(), 2, &["there is no such file or folder"]);
}

#[test]
fn an_edited_timeline_and_an_edited_verdict_are_not_verified() {
    let all = stored(&CASES);
    let timeline = "cells/1.37.1-builtin/success-policy-leader-index-decides-1.timeline.ndjson";
    let file = all.path().join("run").join(timeline);
    let before = fs::read_to_string(&file).unwrap();
    edit(&file, "\"reason\":\"SuccessPolicy\"", "\"reason\":\"CompletionsReached\"");
    let words = [timeline, "it was edited or damaged", "run.json says pass, its timeline says fail", "not verified"];
    ends_with(&["verify", "run"], all.path(), 1, &words);
    ends_with(&["bundle", "run", "-o", "b"], all.path(), 3, &[timeline, "it is not what the run wrote"]);
    fs::write(&file, before).unwrap();
    ends_with(&["verify", "run"], all.path(), 0, &["verified:"]);
    edit(&all.path().join("run/verdicts.json"), "\"verdict\": \"pass\"", "\"verdict\": \"fail\"");
    ends_with(&["verify", "run"], all.path(), 1, &["verdicts.json says fail, its timeline says pass"]);
}

/// The folders `one` and `two` of slices with these cases each.
fn sliced(all: &Path) {
    for (name, partition, cases) in [("one", "slice:1/2", &CASES[..2]), ("two", "slice:2/2", &CASES[2..])] {
        let slice = stored(cases);
        fs::rename(slice.path().join("run"), all.join(name)).unwrap();
        edit(&all.join(name).join("run.json"), "\"partition\": null", &format!("\"partition\": \"{partition}\""));
    }
}

#[test]
fn slices_are_joined_into_a_run_that_is_judged_again_and_verified_like_any_other() {
    let all = tempdir().unwrap();
    sliced(all.path());
    let words = ["cells     1 planned, 1 attested", "cases     3 passed", "whole/run.json", "exit 0"];
    ends_with(&["merge", "two", "one", "-o", "whole"], all.path(), 0, &words);
    ends_with(&["verify", "whole"], all.path(), 0, &["verdicts  3 of 3 hold", "verified:"]);
    ends_with(&["judge", "whole"], all.path(), 0, &[]);
    let run: Run = serde_json::from_str(&fs::read_to_string(all.path().join("whole/run.json")).unwrap()).unwrap();
    assert_eq!((run.plan.turns, run.plan.partition), (3, None));
    for report in ["junit.xml", "summary.md", "report.html", "metrics.txt", "verdicts.json"] {
        assert!(all.path().join("whole").join(report).is_file(), "{report}");
    }
    ends_with(&["merge", "one", "two", "-o", "whole"], all.path(), 2, &["it already holds a run"]);
}

#[test]
fn a_slice_that_is_missing_or_foreign_is_told_by_the_exit_code() {
    let all = tempdir().unwrap();
    sliced(all.path());
    let words = ["cases     1 passed", "slice:1/2 is missing: no folder is of it", "exit 3"];
    ends_with(&["merge", "two", "-o", "half"], all.path(), 3, &words);
    let whole = stored(&CASES);
    let whole = whole.path().join("run");
    ends_with(&["merge", "one", whole.to_str().unwrap()], all.path(), 2, &["it is a whole run, and no slice of one"]);
    ends_with(&["merge", "one", "one"], all.path(), 2, &["failed to join one: it is slice:1/2 again"]);
    ends_with(&["merge", "one", "nothing"], all.path(), 3, &["nothing/run.json"]);
    edit(&all.path().join("two/run.json"), "\"state\": \"finished\"", "\"state\": \"running\"");
    ends_with(&["merge", "one", "two", "-o", "cut"], all.path(), 3, &["slice:2/2 did not end in order", "exit 3"]);
}

#[test]
fn the_layouts_of_ci_systems_are_written_where_they_are_asked_for() {
    let all = stored(&CASES);
    let told = ends_with(
        &["report", "run", "--prow", "prow", "--openmetrics", "metrics.txt"],
        all.path(),
        0,
        &["metrics.txt"],
    );
    assert_eq!(told.lines().count(), 6, "{told}");
    let read = |path: &str| fs::read_to_string(all.path().join(path)).unwrap();
    let (started, finished): (Value, Value) = (
        serde_json::from_str(&read("prow/started.json")).unwrap(),
        serde_json::from_str(&read("prow/finished.json")).unwrap(),
    );
    assert_eq!(finished["timestamp"].as_i64().unwrap() - started["timestamp"].as_i64().unwrap(), 42);
    assert_eq!(finished["result"], "SUCCESS");
    assert!(read("prow/artifacts/junit_01.xml").contains("tests=\"3\""));
    assert!(read("metrics.txt").contains("jobsworth_cases{cell=\"1.37.1-builtin\",verdict=\"pass\"} 3\n"));
    ends_with(&["report", "run", "--format", "annotations"], all.path(), 0, &[]);
}

/// As on a disk that is full: no file may grow beyond a kilobyte, and the signal for that is ignored.
#[rstest]
#[case::a_bundle("bundle run -o out", "failed to write the bundle")]
#[case::a_sheet("signoff 3998 run -o out", "failed to write out")]
#[case::a_page("report run --html out", "failed to write out")]
fn a_full_disk_is_told_and_leaves_no_half_file(#[case] arguments: &str, #[case] words: &str) {
    let all = stored(&CASES);
    let limited = format!("trap '' XFSZ; ulimit -f 1; exec {} {arguments}", env!("CARGO_BIN_EXE_jobsworth"));
    let output = Command::new("bash").args(["-c", &limited]).current_dir(all.path()).output().unwrap();
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains(words) && told.contains("too large"), "{told}");
    let left: Vec<_> = fs::read_dir(all.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["run"], "nothing is left beside the run");
}
