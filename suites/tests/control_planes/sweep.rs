//! A few points of a crash sweep of the built-in controller, as a user starts it; then a few more in the same folder, and at last
//! another case with it.

use jobsworth_harness::sweep::{Outcome, SweepRecord};
use std::{path::Path, process::Command};

/// A case with every kind of write: pods, statuses, finalizers.
const CASE: &str = "indexed-job/complete-when-every-index-succeeded";

/// Another one, that is swept later.
const LATER: &str = "suspend/created-suspended-then-resumed";

/// Sweeps up to so many points; the record, and what was printed.
fn swept(folder: &Path, points: &str, more: &[&str]) -> (SweepRecord, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jobsworth"));
    command.args(["sweep", CASE, "--controller", "builtin", "--provider", "local", "--seed", "7", "--points", points]);
    let output = command.arg("--out").arg(folder).args(more).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    let record = serde_json::from_slice(&std::fs::read(folder.join("sweep.json")).unwrap()).unwrap();
    (record, said)
}

#[test]
fn a_sweep_is_told_in_a_table_and_goes_on_where_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    let (first, said) = swept(folder.path(), "4", &[]);
    assert_eq!((first.points.len(), first.count(Outcome::Broken)), (4, 0), "{said}");
    assert!(first.count(Outcome::Held) > 0 && said.contains("| case | writes |"), "{said}");
    for point in &first.points {
        assert!(folder.path().join(&point.timeline).exists(), "{}", point.timeline);
    }
    let (second, said) = swept(folder.path(), "6", &["--resume"]);
    assert_eq!((second.points.len(), second.count(Outcome::Broken)), (6, 0), "{said}");
    assert_eq!(second.points[..4], first.points[..], "what was played stays as it was");
    let (third, said) = swept(folder.path(), "8", &["--resume", LATER]);
    assert!(third.writes.contains_key(LATER), "a case that joins later is played without faults first: {said}");
    assert_eq!(third.writes.get(CASE), second.writes.get(CASE), "what is known of the other stays");
    assert!(third.points.starts_with(&second.points) && third.count(Outcome::Broken) == 0, "{said}");
    let baselines = ["baseline", "baseline-2"].map(|part| folder.path().join(part).join("run.json").exists());
    assert_eq!(baselines, [true, true], "what was played is not played again");
    for part in ["baseline", "part-1", "part-2", "part-3"] {
        let judged = Command::new(env!("CARGO_BIN_EXE_jobsworth")).arg("judge").arg(folder.path().join(part)).output();
        let judged = judged.unwrap();
        let said = String::from_utf8_lossy(&judged.stdout).into_owned();
        assert!(said.contains("identical to the stored verdicts, byte for byte"), "{part}: {said}");
    }
}
