//! The tables of hostile Jobs on both controllers, row by row: what became of each, and how long its sentinel took the controller.
//!
//! The table is written to `extremes.md` beside the run; where that is, is printed. It is for reading, on request: what each row must
//! become, and when its sentinel must be served, is judged wherever the cases run, as in `e2e` and under the deployed roles.
//! `cargo test -p jobsworth --features e2e --test extremes -- --nocapture`.
#![expect(clippy::unwrap_used, reason = "what a test cannot do is its failure")]

use jobsworth_harness::run::execute;
use jobsworth_oracle::World;
use jobsworth_suites::{hostile::tables, portrait::portrait, siege};
use serde_json::Value;
use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path, process::Command};

const SUBJECTS: [&str; 2] = ["builtin", "reference"];

#[test]
fn hostile_jobs_harm_nobody_but_themselves() {
    let own = tempfile::Builder::new().prefix("extremes-").tempdir_in(env!("CARGO_TARGET_TMPDIR"));
    // It is kept: what a failure tells stands in it.
    let folder = own.unwrap().keep();
    let mut program = Command::new(env!("CARGO_BIN_EXE_jobsworth"));
    program.args(["run", "-E", "suite(hostile)", "-o", "out"]).current_dir(&folder);
    for subject in SUBJECTS {
        program.args(["--controller", subject]);
    }
    let ran = program.output().unwrap();
    let told = format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));

    let ends = ends(&folder.join("out"));
    let (mut text, mut missing) = (String::new(), Vec::new());
    writeln!(
        text,
        "| row | {} | sentinel | {} | sentinel |\n| --- | --- | --- | --- | --- |",
        SUBJECTS[0], SUBJECTS[1]
    )
    .unwrap();
    for (case, rows) in tables() {
        let worlds = SUBJECTS.map(|subject| ends.get(&(subject.to_owned(), case.to_owned())));
        let usual = worlds.map(|world| seconds(world.and_then(siege::usual_time)));
        writeln!(text, "| **{case}** | alone | {} | alone | {} |", usual[0], usual[1]).unwrap();
        for row in rows {
            let [one, other] =
                worlds.map(|world| world.map_or_else(|| "no verdict".to_owned(), |w| portrait(w, row.name())));
            let times = worlds.map(|world| seconds(world.and_then(|world| siege::time_beside(world, row.name()))));
            missing.extend((times.iter().any(|time| time == "never")).then(|| row.name().to_owned()));
            let other = if other == one { "the same".to_owned() } else { other };
            writeln!(text, "| {} | {one} | {} | {other} | {} |", row.name(), times[0], times[1]).unwrap();
        }
    }
    fs::write(folder.join("extremes.md"), &text).unwrap();
    println!("the table is in {}", folder.display());
    // What passed says nothing of why the rest did not.
    let told: Vec<&str> = told.lines().filter(|line| !line.contains("PASS")).collect();
    let told = told.join("\n");
    assert_eq!(ran.status.code(), Some(0), "{told}");
    assert!(missing.is_empty(), "nobody was served beside {missing:?}\n{told}");
}

fn seconds(time: Option<i64>) -> String {
    time.map_or_else(|| "never".to_owned(), |time| format!("{time} s"))
}

/// The last world of each case, by its subject and its id.
fn ends(run: &Path) -> BTreeMap<(String, String), World> {
    let report: Value = serde_json::from_str(&fs::read_to_string(run.join("run.json")).unwrap()).unwrap();
    let cases = report["cases"].as_array().unwrap();
    let timelines = cases.iter().filter_map(|case| Some((case["case"].as_str()?, case["timeline"].as_str()?)));
    let end = |(case, timeline): (&str, &str)| {
        let timeline = execute::read(&run.join(timeline)).unwrap();
        let world = timeline.worlds().last().unwrap();
        ((timeline.setting.subject, case.to_owned()), world)
    };
    timelines.map(end).collect()
}
