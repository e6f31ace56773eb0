//! `jobsworth load` against a real control plane: a tiny workload, one pair, the built-in controller against itself; one alone; and
//! the smoke load as people run it, with all that it leaves; and pods that kwok plays behind the scheduler.

use libtest_mimic::{Arguments, Trial};
use serde_json::{Map, Value, json};
use std::{
    io::{BufRead as _, BufReader, Read as _},
    path::PathBuf,
    process::{Command, ExitCode, Output, Stdio},
    sync::{Mutex, PoisonError},
    thread,
};
use tempfile::TempDir;

/// One cluster after the other starts, and is asked what it can do: beside several that start it can do next to nothing, and any
/// budget is refused.
static STARTING: Mutex<()> = Mutex::new(());
/// What a load says when it knows that.
const MEASURED: &str = "the API server does";

/// A budget that a slow machine serves, too, with several clusters on it: more than half of what its API server can do is refused,
/// and rightly. How late pods are played, and how busy the machine is, is nothing that these tests ask about.
const MODEST: [&str; 8] = ["--qps", "12", "--burst", "100", "--lag-limit", "60000", "--noise", "tell"];

/// These tests by their names.
macro_rules! named {
    ($($test:ident,)*) => { [$((stringify!($test), $test as fn()),)*] };
}

/// All of them run at the same time: each has a control plane, and most of the time it waits for pods. Clusters start in about this
/// order, so what takes longest comes first.
const TESTS: [(&str, fn()); 6] = named![
    five_hundred_pods_at_once_are_judged_by_every_invariant,
    the_smoke_load_judges_both_controllers_and_leaves_what_is_handed_on,
    a_comparison_counts_the_requests_of_each_trial_and_keeps_all_of_them,
    tenants_come_beside_a_trial_and_are_told_apart,
    one_controller_alone_has_figures_and_no_goals,
    pods_that_kwok_plays_end_and_are_judged_like_others,
];

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = arguments.test_threads.or(Some(TESTS.len()));
    let tests = TESTS.into_iter().map(|(name, test)| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    });
    libtest_mimic::run(&arguments, tests.collect()).exit_code()
}

/// A load before it is done, in a folder of its own.
struct Load {
    folder: TempDir,
    command: Command,
    record: PathBuf,
}

/// What a load has left and said.
struct Done {
    folder: TempDir,
    record: Value,
    shown: String,
    told: String,
}

/// The program, started in this folder.
fn jobsworth(folder: &TempDir) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jobsworth"));
    command.current_dir(folder);
    command
}

fn said(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The load's exit code, and what it wrote on stdout and stderr. Until its cluster was measured no other starts.
fn started_alone(command: &mut Command) -> (Option<i32>, String, String) {
    let mut turn = Some(STARTING.lock().unwrap_or_else(PoisonError::into_inner));
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program was built for this test");
    let mut stdout = child.stdout.take().expect("it is piped");
    let shown = thread::spawn(move || {
        let mut shown = Vec::new();
        stdout.read_to_end(&mut shown).map(|_| said(&shown)).expect("a pipe can be read")
    });
    let mut told = String::new();
    for line in BufReader::new(child.stderr.take().expect("it is piped")).lines() {
        let line = line.expect("what it says is text");
        if line.contains(MEASURED) {
            turn = None;
        }
        told.push_str(&line);
        told.push('\n');
    }
    drop(turn);
    let ended = child.wait().expect("it was started here").code();
    (ended, shown.join().expect("reading does not panic"), told)
}

impl Load {
    fn of(profile: &str) -> Self {
        let folder = tempfile::tempdir().expect("there is a place for temporary folders");
        let mut command = jobsworth(&folder);
        command.args(["load", profile]);
        let record = folder.path().join("load.json");
        Self { folder, command, record }
    }

    fn with(mut self, flags: &[&str]) -> Self {
        self.command.args(flags);
        self
    }

    /// The built-in controller by itself, once.
    fn alone(self) -> Self {
        self.with(&["--controller", "builtin", "--trials", "1"])
    }

    /// The record has another name than it has by itself.
    fn out(mut self, name: &str) -> Self {
        self.record = self.folder.path().join(name);
        self.command.arg("--out").arg(&self.record);
        self
    }

    /// Does it, and reads the record.
    fn ends_with(mut self, code: i32) -> Done {
        let (ended, shown, told) = started_alone(&mut self.command);
        assert_eq!(ended, Some(code), "{told}");
        let text = std::fs::read_to_string(&self.record).expect("the record was written");
        let record = serde_json::from_str(&text).expect("the record is JSON");
        Done { folder: self.folder, record, shown, told }
    }
}

impl Done {
    fn trials(&self) -> &[Value] {
        self.record["trials"].as_array().expect("trials are listed")
    }

    /// The trials that are not void, of which there are so many.
    fn whole<const N: usize>(&self) -> [&Value; N] {
        let whole: Vec<&Value> = self.trials().iter().filter(|trial| trial["void"].is_null()).collect();
        whole.try_into().unwrap_or_else(|other: Vec<&Value>| panic!("{} trials are whole: {}", other.len(), self.told))
    }

    /// The text of a file beside the record.
    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).expect("it was written")
    }

    /// Another command in the same folder.
    fn then(&self, arguments: &[&str]) -> Output {
        jobsworth(&self.folder).args(arguments).output().expect("the program was built for this test")
    }
}

fn a_comparison_counts_the_requests_of_each_trial_and_keeps_all_of_them() {
    let load = Load::of("indexed-500").with(&["--scale", "2", "--pairs", "1", "--head", "builtin"]).with(&MODEST);
    // Equals have no goal to miss; how quiet the machine is cannot be told by one pair.
    let done = load.out("compared.json").ends_with(3);

    let record = &done.record;
    assert_eq!(record["schema"], "jobsworth/load/v1");
    let whole: [&Value; 2] = done.whole();
    let void: Vec<&Value> = done.trials().iter().filter(|trial| trial["void"].is_string()).collect();
    assert_eq!((void.len(), done.trials().len()), (2, 4), "{}", done.told);
    assert!(void.iter().all(|trial| trial["void"] == "warm-up"), "{}", done.told);
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
    assert_eq!(requests["pairs"].as_object().map(Map::len), Some(1));
    let shown = &done.shown;
    assert!(shown.contains("builtin/builtin") && shown.contains("control: cannot tell"), "{shown}");
    assert!(
        record["control"]["noise"] == "cannot-tell" && ratios.iter().all(|ratio| ratio["goal"].is_null()),
        "{record}"
    );
}

fn one_controller_alone_has_figures_and_no_goals() {
    let load = Load::of("smoke").with(&["--scale", "20"]).alone().with(&MODEST);
    let done = load.out("alone.json").ends_with(0);

    let record = &done.record;
    assert_eq!(record["arms"], json!({"head": "builtin"}));
    assert_eq!(record["ratios"], json!([]));
    assert!(record["server"]["writesPerSecond"].as_f64() > Some(0.0), "{record}");
    let [trial] = done.whole();
    // 8 of wide, twice 2 of small, twice 2 of last.
    assert_eq!(trial["requests"]["byKind"]["create pods"], 16, "{trial}");
    let circumstances = &trial["circumstances"];
    assert!(circumstances["submitLagMaxMs"].is_number(), "{circumstances}");
    // How late the observer was is asked during the work, from its first moment on.
    assert!(circumstances["probes"].as_u64() >= Some(2) && circumstances["probeP99Ms"].is_number(), "{circumstances}");
    let baseline = &record["baseline"];
    assert_eq!((&baseline["driver"], &baseline["pods"], &baseline["qps"]), (&"direct".into(), &100.into(), &12.into()));
    assert!(baseline["podsPerSecond"].as_f64() > Some(0.0), "{baseline}");
    for words in ["makespan", "no goals", "Baseline: without a controller the direct driver ends"] {
        assert!(done.shown.contains(words), "{words}: {}", done.shown);
    }
}

/// The scheduler binds, kwok lets pods run and ends them, and histories are as right as with our own driver. The budget is small,
/// since kwok is held against it: a busy machine plays few pods.
fn pods_that_kwok_plays_end_and_are_judged_like_others() {
    let load = Load::of("indexed-500").with(&["--scale", "2", "--pods", "kwok"]).alone();
    let done = load.with(&["--qps", "3", "--burst", "30", "--lag-limit", "60000", "--noise", "tell"]).ends_with(0);
    let record = &done.record;
    assert_eq!((&record["pods"], &record["baseline"]["driver"]), (&"kwok".into(), &"kwok".into()), "{record}");
    // Three times the pods that three requests a second allow.
    assert!(record["baseline"]["podsPerSecond"].as_f64() >= Some(4.5), "{}", record["baseline"]);
    let [trial] = done.whole();
    let judged = &trial["judged"];
    assert_eq!((&judged["jobs"], &judged["brokenJobs"]), (&1.into(), &0.into()), "{judged}");
    assert_eq!(trial["requests"]["byKind"]["create pods"], 10, "{trial}");
    assert!(trial["circumstances"]["driverRequests"].is_null(), "our own driver does not touch them: {trial}");
}

/// Each round is done without tenants and beside some; what they got is told for itself.
fn tenants_come_beside_a_trial_and_are_told_apart() {
    let load = Load::of("smoke").with(&["--scale", "20", "--tenants", "3"]).alone();
    let done = load.with(&MODEST).ends_with(0);

    let [without, with] = done.whole();
    assert_eq!((&without["workload"], &with["workload"]), (&"smoke".into(), &"smoke-tenants".into()));
    assert!(without["tenants"].is_null(), "{without}");
    let tenants = &with["tenants"];
    assert_eq!((&tenants["loop"], &tenants["users"]), (&"closed".into(), &3.into()));
    let requests = tenants["requests"].as_object().expect("they are listed");
    assert!(requests.contains_key("POST job") && requests.contains_key("GET jobs"), "{tenants}");
    for (name, requests) in requests {
        assert_eq!(requests["errors"], json!({}), "{name}: {requests}");
        assert!(requests["times"]["count"].as_u64() > Some(0), "{name}: {requests}");
    }
    // Two of three submit small Jobs, and each waits for one at a time.
    let jobs = ["ended", "givenUp", "open"].map(|outcome| tenants["jobs"]["batch-user"][outcome].as_u64());
    assert!(jobs.iter().all(Option::is_some) && jobs.iter().flatten().sum::<u64>() > 0, "{tenants}");
    assert!(jobs[2] <= Some(2), "{tenants}");
    // The observer sees the same work, with tenants and without; the controller does more.
    assert_eq!(with["latencies"]["all-pods"]["count"], without["latencies"]["all-pods"]["count"]);
    assert!(with["requests"]["withoutEvents"].as_u64() > without["requests"]["withoutEvents"].as_u64());
    let reports = done.folder.path().join(tenants["reports"].as_str().expect("a folder"));
    for file in ["tenants.json", "goose.html", "goose.json"] {
        assert!(reports.join(file).is_file(), "{file}");
    }
    for words in ["Tenants (closed loop)", "Jobs that they waited for", "With tenants over without"] {
        assert!(done.shown.contains(words), "{words}: {}", done.shown);
    }
}

/// Every history is judged, and what is handed on is there: a page, a summary, pictures, service levels.
fn the_smoke_load_judges_both_controllers_and_leaves_what_is_handed_on() {
    let done = Load::of("smoke").with(&MODEST).ends_with(0);

    let whole: [&Value; 2] = done.whole();
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
        assert!(done.read(&format!("load-charts/{picture}")).starts_with("<svg "), "{picture}");
    }
    assert!(done.read("load.html").contains("judged by every invariant"));
    assert!(done.read("load.md").contains("| smoke | makespan |"));

    let shown = said(&done.then(&["slo", "check", "load.json"]).stdout);
    assert!(shown.contains("SLO-001") && shown.contains("SLO-011"), "{shown}");
    let calibrated = done.then(&["slo", "calibrate", "load.json"]);
    let refused = said(&calibrated.stderr);
    assert_eq!(calibrated.status.code(), Some(2), "{refused}");
    assert!(refused.contains("3 whole trials"), "{refused}");
}

/// The size at which one sync of the built-in controller has all it can do; however late the pods are played, histories must be right.
fn five_hundred_pods_at_once_are_judged_by_every_invariant() {
    let load = Load::of("counted-500").alone();
    let done = load.with(&["--lag-limit", "60000", "--noise", "tell", "--qps", "18", "--burst", "500"]).ends_with(0);
    let [trial] = done.whole();
    let judged = &trial["judged"];
    assert_eq!((&judged["jobs"], &judged["brokenJobs"]), (&1.into(), &0.into()), "{judged}");
    // Each pod is created, succeeds and is released.
    assert!(judged["versions"].as_u64() >= Some(3 * 500), "{judged}");
}
