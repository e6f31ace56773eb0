//! `jobsworth load` against a real control plane: a tiny workload, one pair, the built-in controller against itself; one alone; and
//! the smoke load as people run it, with all that it leaves; and pods that kwok plays behind the scheduler.
#![cfg(feature = "e2e")]

use serde_json::Value;
use std::process::Command;

/// A budget that a slow machine serves, too, with several clusters on it: more than half of what its API server can do is refused,
/// and rightly. How late pods are played is nothing that these tests ask about.
const MODEST: [&str; 6] = ["--qps", "12", "--burst", "100", "--lag-limit", "60000"];

#[test]
fn a_comparison_counts_the_requests_of_each_trial_and_keeps_all_of_them() {
    let folder = tempfile::tempdir().expect("there is a place for temporary folders");
    let file = folder.path().join("load.json");
    let output = Command::new(env!("CARGO_BIN_EXE_jobsworth"))
        .args(["load", "indexed-500", "--scale", "2", "--pairs", "1", "--head", "builtin"])
        .args(MODEST)
        .arg("--out")
        .arg(&file)
        .output()
        .expect("the program was built for this test");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    // Equals have no goal to miss; how quiet the machine is cannot be told by one pair.
    assert_eq!(output.status.code(), Some(3), "{told}");

    let text = std::fs::read_to_string(&file).expect("the record was written");
    let record: Value = serde_json::from_str(&text).expect("the record is JSON");
    assert_eq!(record["schema"], "jobsworth/load/v1");
    let trials = record["trials"].as_array().expect("trials are listed");
    let (void, whole): (Vec<&Value>, Vec<&Value>) = trials.iter().partition(|trial| trial["void"].is_string());
    assert_eq!((void.len(), whole.len()), (2, 2), "{told}");
    assert!(void.iter().all(|trial| trial["void"] == "warm-up"), "{told}");
    for trial in whole {
        // Every pod is created by one request. With late watches the built-in controller releases some of them twice.
        let kinds = &trial["requests"]["byKind"];
        assert_eq!(kinds["create pods"], 10, "{trial}");
        assert!(kinds["patch pods"].as_u64() >= Some(10), "{trial}");
        assert!(trial["requests"]["statusWrites"].as_u64() >= Some(2), "{trial}");
        for figure in ["makespan", "first-pod.wide.p50", "memory-mib"] {
            assert!(trial["figures"][figure].as_f64() > Some(0.0), "{figure}: {trial}");
        }
    }
    let ratios = record["ratios"].as_array().expect("ratios are listed");
    let requests = ratios.iter().find(|ratio| ratio["figure"] == "requests").expect("requests are compared");
    assert_eq!(requests["pairs"].as_object().map(serde_json::Map::len), Some(1));
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.contains("builtin/builtin") && shown.contains("control: cannot tell"), "{shown}");
    assert!(
        record["control"]["noise"] == "cannot-tell" && ratios.iter().all(|ratio| ratio["goal"].is_null()),
        "{record}"
    );
}

#[test]
fn one_controller_alone_has_figures_and_no_goals() {
    let folder = tempfile::tempdir().expect("there is a place for temporary folders");
    let file = folder.path().join("load.json");
    let output = Command::new(env!("CARGO_BIN_EXE_jobsworth"))
        .args(["load", "smoke", "--scale", "20", "--controller", "builtin", "--trials", "1"])
        .args(MODEST)
        .arg("--out")
        .arg(&file)
        .output()
        .expect("the program was built for this test");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{told}");

    let text = std::fs::read_to_string(&file).expect("the record was written");
    let record: Value = serde_json::from_str(&text).expect("the record is JSON");
    assert_eq!(record["arms"], serde_json::json!({"head": "builtin"}));
    assert_eq!(record["ratios"], serde_json::json!([]));
    assert!(record["server"]["writesPerSecond"].as_f64() > Some(0.0), "{record}");
    let trials = record["trials"].as_array().expect("trials are listed");
    let whole: Vec<&Value> = trials.iter().filter(|trial| trial["void"].is_null()).collect();
    assert_eq!(whole.len(), 1, "{told}");
    // 8 of wide, twice 2 of small, twice 2 of last.
    assert_eq!(whole[0]["requests"]["byKind"]["create pods"], 16, "{}", whole[0]);
    let circumstances = &whole[0]["circumstances"];
    assert!(circumstances["submitLagMaxMs"].is_number(), "{circumstances}");
    // How late the observer was is asked during the work, from its first moment on.
    assert!(circumstances["probes"].as_u64() >= Some(2) && circumstances["probeP99Ms"].is_number(), "{circumstances}");
    let baseline = &record["baseline"];
    assert_eq!((&baseline["driver"], &baseline["pods"], &baseline["qps"]), (&"direct".into(), &100.into(), &12.into()));
    assert!(baseline["podsPerSecond"].as_f64() > Some(0.0), "{baseline}");
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    for told in ["makespan", "no goals", "Baseline: without a controller the direct driver ends"] {
        assert!(shown.contains(told), "{told}: {shown}");
    }
}

/// The scheduler binds, kwok lets pods run and ends them, and histories are as right as with our own driver. The budget is small,
/// since kwok is held against it: a busy machine plays few pods.
#[test]
fn pods_that_kwok_plays_end_and_are_judged_like_others() {
    let folder = tempfile::tempdir().expect("there is a place for temporary folders");
    let output = Command::new(env!("CARGO_BIN_EXE_jobsworth"))
        .args(["load", "indexed-500", "--scale", "2", "--controller", "builtin", "--trials", "1", "--pods", "kwok"])
        .args(["--qps", "3", "--burst", "30", "--lag-limit", "60000"])
        .current_dir(&folder)
        .output()
        .expect("the program was built for this test");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{told}");
    let text = std::fs::read_to_string(folder.path().join("load.json")).expect("the record was written");
    let record: Value = serde_json::from_str(&text).expect("the record is JSON");
    assert_eq!((&record["pods"], &record["baseline"]["driver"]), (&"kwok".into(), &"kwok".into()), "{record}");
    // Three times the pods that three requests a second allow.
    assert!(record["baseline"]["podsPerSecond"].as_f64() >= Some(4.5), "{}", record["baseline"]);
    let trials = record["trials"].as_array().expect("trials are listed");
    let whole: Vec<&Value> = trials.iter().filter(|trial| trial["void"].is_null()).collect();
    let [trial] = whole.as_slice() else { panic!("{told}") };
    let judged = &trial["judged"];
    assert_eq!((&judged["jobs"], &judged["brokenJobs"]), (&1.into(), &0.into()), "{judged}");
    assert_eq!(trial["requests"]["byKind"]["create pods"], 10, "{trial}");
    assert!(trial["circumstances"]["driverRequests"].is_null(), "our own driver does not touch them: {trial}");
}

/// Each round is done without tenants and beside some; what they got is told for itself.
#[test]
fn tenants_come_beside_a_trial_and_are_told_apart() {
    let folder = tempfile::tempdir().expect("there is a place for temporary folders");
    let output = Command::new(env!("CARGO_BIN_EXE_jobsworth"))
        .args(["load", "smoke", "--scale", "20", "--controller", "builtin", "--trials", "1", "--tenants", "3"])
        .args(MODEST)
        .current_dir(&folder)
        .output()
        .expect("the program was built for this test");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{told}");

    let text = std::fs::read_to_string(folder.path().join("load.json")).expect("the record was written");
    let record: Value = serde_json::from_str(&text).expect("the record is JSON");
    let trials = record["trials"].as_array().expect("trials are listed");
    let whole: Vec<&Value> = trials.iter().filter(|trial| trial["void"].is_null()).collect();
    let [without, with] = whole.as_slice() else { panic!("{told}") };
    assert_eq!((&without["workload"], &with["workload"]), (&"smoke".into(), &"smoke-tenants".into()));
    assert!(without["tenants"].is_null(), "{without}");
    let tenants = &with["tenants"];
    assert_eq!((&tenants["loop"], &tenants["users"]), (&"closed".into(), &3.into()));
    let requests = tenants["requests"].as_object().expect("they are listed");
    assert!(requests.contains_key("POST job") && requests.contains_key("GET jobs"), "{tenants}");
    for (name, requests) in requests {
        assert_eq!(requests["errors"], serde_json::json!({}), "{name}: {requests}");
        assert!(requests["times"]["count"].as_u64() > Some(0), "{name}: {requests}");
    }
    // The observer sees the same work, with tenants and without; the controller does more.
    assert_eq!(with["latencies"]["all-pods"]["count"], without["latencies"]["all-pods"]["count"]);
    assert!(with["requests"]["withoutEvents"].as_u64() > without["requests"]["withoutEvents"].as_u64());
    let reports = folder.path().join(tenants["reports"].as_str().expect("a folder"));
    for file in ["tenants.json", "goose.html", "goose.json"] {
        assert!(reports.join(file).is_file(), "{file}");
    }
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.contains("Tenants (closed loop)") && shown.contains("With tenants over without"), "{shown}");
}

/// Every history is judged, and what is handed on is there: a page, a summary, pictures, service levels.
#[test]
fn the_smoke_load_judges_both_controllers_and_leaves_what_is_handed_on() {
    let folder = tempfile::tempdir().expect("there is a place for temporary folders");
    let jobsworth = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_jobsworth"));
        command.args(arguments).current_dir(&folder).output().expect("the program was built for this test")
    };
    let output = jobsworth(&[&["load", "smoke"], &MODEST[..]].concat());
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{told}");

    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("it was written");
    let record: Value = serde_json::from_str(&read("load.json")).expect("the record is JSON");
    let trials = record["trials"].as_array().expect("trials are listed");
    let whole: Vec<&Value> = trials.iter().filter(|trial| trial["void"].is_null()).collect();
    assert_eq!(whole.len(), 2, "{told}");
    for trial in whole {
        let judged = &trial["judged"];
        assert_eq!(
            (&judged["jobs"], &judged["brokenJobs"], &judged["givenUp"]),
            (&13.into(), &0.into(), &0.into()),
            "{judged}"
        );
        assert!(judged["versions"].as_u64() > Some(13 + 66), "{judged}");
        assert_eq!(trial["latencies"]["pod-end-to-count"]["count"], 66, "{trial}");
        assert_eq!(trial["latencies"]["all-pods"]["count"], 13, "{trial}");
        let witnesses = &trial["witnesses"];
        assert!(witnesses["client"].is_u64() && witnesses["server"].is_u64(), "{witnesses}");
        assert_eq!(witnesses["disagree"], false, "{witnesses}");
    }
    for picture in ["smoke-ratios.svg", "smoke-requests.svg", "smoke-pods-base.svg", "smoke-first-pod.svg"] {
        assert!(read(&format!("load-charts/{picture}")).starts_with("<svg "), "{picture}");
    }
    assert!(
        read("load.html").contains("judged by every invariant") && read("load.md").contains("| smoke | makespan |")
    );

    let checked = jobsworth(&["slo", "check", "load.json"]);
    let shown = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert!(shown.contains("SLO-001") && shown.contains("SLO-011"), "{shown}");
    let calibrated = jobsworth(&["slo", "calibrate", "load.json"]);
    let refused = String::from_utf8_lossy(&calibrated.stderr).into_owned();
    assert_eq!(calibrated.status.code(), Some(2), "{refused}");
    assert!(refused.contains("3 whole trials"), "{refused}");
}

/// The size at which one sync of the built-in controller has all it can do; however late the pods are played, histories must be right.
#[test]
fn five_hundred_pods_at_once_are_judged_by_every_invariant() {
    let folder = tempfile::tempdir().expect("there is a place for temporary folders");
    let output = Command::new(env!("CARGO_BIN_EXE_jobsworth"))
        .args(["load", "counted-500", "--controller", "builtin", "--trials", "1", "--lag-limit", "60000"])
        .args(["--qps", "18", "--burst", "500"])
        .current_dir(&folder)
        .output()
        .expect("the program was built for this test");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{told}");
    let text = std::fs::read_to_string(folder.path().join("load.json")).expect("the record was written");
    let record: Value = serde_json::from_str(&text).expect("the record is JSON");
    let trials = record["trials"].as_array().expect("trials are listed");
    let whole: Vec<&Value> = trials.iter().filter(|trial| trial["void"].is_null()).collect();
    let [trial] = whole.as_slice() else { panic!("{told}") };
    let judged = &trial["judged"];
    assert_eq!((&judged["jobs"], &judged["brokenJobs"]), (&1.into(), &0.into()), "{judged}");
    // Each pod is created, succeeds and is released.
    assert!(judged["versions"].as_u64() >= Some(3 * 500), "{judged}");
}
