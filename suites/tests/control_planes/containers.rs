//! The provider `containers` as a user runs it: a control plane in containers, what becomes of a run that loses one, and
//! what is left of one that was killed. Where no runtime answers, the refusal is what is tested.

use std::{
    fs,
    io::{BufRead, BufReader},
    mem,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
};

use jobsworth_harness::{
    binaries,
    cluster::{LEFTOVERS, registry::Registry},
    container_runtime::{Runtime, socket::Socket},
};
use tempfile::TempDir;

/// It waits for two delays, so there are twenty seconds in which a container can be lost.
const CASE: &str = "backoff/replacements-wait-longer-each-time";

/// Control planes in containers have one share of the processor between them where the runtime puts all containers into one control
/// group: one after the other they are ready before a run loses patience, also beside all other tests.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A cache of the test's own, with the user's programs in it.
struct Shared {
    folder: TempDir,
    _turn: MutexGuard<'static, ()>,
}

impl Shared {
    fn new() -> Self {
        let turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::tempdir().unwrap();
        let programs = binaries::cache_folder().unwrap().join("binaries");
        fs::create_dir_all(&programs).unwrap();
        symlink(programs, folder.path().join("binaries")).unwrap();
        Self { folder, _turn: turn }
    }

    fn jobsworth(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_jobsworth"));
        command.args(arguments).current_dir(self.folder.path()).env("JOBSWORTH_CACHE", self.folder.path());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.jobsworth(arguments).output().unwrap()
    }

    /// Starts a run and returns when its first case has begun.
    fn begun(&self) -> (Child, BufReader<std::process::ChildStdout>) {
        // So often that it still goes on when a slow container runtime has been asked for what there is.
        let asked = ["run", "--provider", "containers", "--repeat", "20", "--jobs", "1", "--message-format", "ndjson"];
        let mut child =
            self.jobsworth(&[asked.as_slice(), &["-o", "out", CASE]].concat()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let (mut line, mut told) = (String::new(), Vec::new());
        while !line.contains(CASE) || !line.contains("started") && !line.contains("Started") {
            told.push(mem::take(&mut line));
            let is_read = lines.read_line(&mut line).unwrap() > 0;
            assert!(is_read, "it ended before its case began; it said last\n{}", last_of(&told));
        }
        (child, lines)
    }

    /// Ids of the containers of this desk's clusters, running or not.
    fn containers(&self) -> Vec<String> {
        let mut found = Vec::new();
        for cluster in Registry::at(self.folder.path().join("clusters"), LEFTOVERS).list().unwrap() {
            let folder = self.folder.path().join("clusters").join(cluster.name);
            found.extend(containers_of(&folder));
        }
        found
    }
}

/// What matters of what a run said: its beginning would push that out of a log.
fn last_of(lines: &[String]) -> String {
    lines[lines.len().saturating_sub(4)..].concat()
}

fn containers_of(folder: &Path) -> Vec<String> {
    let label = format!("label=dev.jobsworth.folder={}", folder.display());
    let text = runtime(&["ps", "-a", "--no-trunc", "--format", "{{.ID}} {{.Names}}", "--filter", &label]);
    text.lines().map(str::to_owned).collect()
}

/// What docker or podman says.
fn runtime(arguments: &[&str]) -> String {
    let output = Runtime::find().unwrap().command().args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Where nothing answers, a run is refused before anything is begun, with the way out.
fn refused_without_a_runtime(desk: &Shared) -> bool {
    if Socket::find().is_ok() {
        return false;
    }
    let output = desk.run(&["run", "--provider", "containers", CASE]);
    let trouble = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{trouble}");
    assert!(trouble.contains("--provider local"), "{trouble}");
    assert!(!desk.folder.path().join("clusters").exists());
    true
}

#[test]
fn cases_hold_in_containers_also_those_that_kill_the_subject_and_nothing_is_left() {
    let desk = Shared::new();
    if refused_without_a_runtime(&desk) {
        return;
    }
    let cases = ["deadline/survives-a-restart", "success-policy/leader-index-decides"];
    let ran = desk.run(&[&["run", "--provider", "containers", "-o", "out"], cases.as_slice()].concat());
    let (told, trouble) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert_eq!(ran.status.code(), Some(0), "{told}\n{trouble}");
    let left = runtime(&["ps", "-a", "--filter", "label=dev.jobsworth.folder", "--format", "{{.Labels}}"]);
    assert!(!left.contains(&desk.folder.path().display().to_string()), "{left}");
    assert_eq!(fs::read_dir(desk.folder.path().join("clusters")).unwrap().count(), 0);
    let logs: Vec<PathBuf> = find(&desk.folder.path().join("out"), "etcd.log");
    assert_eq!(logs.len(), 1, "what a container said is kept");
    assert!(fs::metadata(&logs[0]).unwrap().len() > 0);
}

#[test]
fn a_run_that_loses_a_container_says_which_and_how_it_ended() {
    let desk = Shared::new();
    if refused_without_a_runtime(&desk) {
        return;
    }
    let (mut child, mut lines) = desk.begun();
    let containers = desk.containers();
    let store = containers.iter().find(|line| line.contains("-etcd-")).expect("a cluster has a store");
    // The run may remove what is left of it before podman has looked at it once more; the verdict tells.
    let id = store.split(' ').next().unwrap();
    Runtime::find().unwrap().command().args(["kill", id]).output().unwrap();
    let mut told = String::new();
    std::io::Read::read_to_string(&mut lines, &mut told).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(3), "{told}");
    assert!(told.contains("etcd ended unasked with exit status: 137 (SIGKILL)"), "{told}");
    assert_eq!(desk.containers(), [""; 0]);
}

#[test]
fn what_a_killed_run_leaves_is_removed_by_gc() {
    let desk = Shared::new();
    if refused_without_a_runtime(&desk) {
        return;
    }
    let (mut child, _lines) = desk.begun();
    child.kill().unwrap();
    child.wait().unwrap();
    let left = desk.containers();
    assert!(left.len() >= 4, "nobody was there to remove them: {left:?}");
    let clusters = desk.folder.path().join("clusters");
    let folders: Vec<PathBuf> = fs::read_dir(&clusters).unwrap().map(|entry| entry.unwrap().path()).collect();
    let output = desk.run(&["cluster", "gc"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    for folder in folders {
        assert_eq!(containers_of(&folder), [""; 0]);
        assert!(!folder.exists());
    }
}

#[test]
fn a_plan_for_containers_needs_no_runtime() {
    let desk = Shared::new();
    let mut command = desk.jobsworth(&["plan", "--provider", "containers", CASE]);
    let output = command.env("DOCKER_HOST", "unix:///no/such/socket").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains(&format!("run   {CASE}")));
    let mut command = desk.jobsworth(&["run", "--provider", "containers", CASE]);
    let output = command.env("DOCKER_HOST", "unix:///no/such/socket").output().unwrap();
    let trouble = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{trouble}");
    assert!(trouble.contains("there is no such file; start it, name another, or leave the variable out"), "{trouble}");
}

/// Files of this name below a folder.
fn find(folder: &Path, name: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            found.extend(find(&entry.path(), name));
        } else if entry.file_name() == name {
            found.push(entry.path());
        }
    }
    found
}
