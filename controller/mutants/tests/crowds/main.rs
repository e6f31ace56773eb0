//! Controllers that are wrong only where there is much: a load rejects them in the words of a run, and cases do not.
#![expect(clippy::print_stdout, reason = "it is a program of its own, and says how it went")]

mod under_load;
mod with_cases;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use jobsworth_harness::binaries::Source;
use jobsworth_harness::cluster::local::LocalProvider;
use jobsworth_harness::cluster::registry::Registry;
use jobsworth_harness::cluster::{self, LEFTOVERS, SubjectKind};
use jobsworth_harness::load::judge::Broken;
use jobsworth_mutants::bugs::crowd::BUGS;

fn main() -> ExitCode {
    // The control planes are started through this executable.
    cluster::intercept();
    let runtime = tokio::runtime::Runtime::new().expect("a process without threads can do nothing");
    runtime.block_on(async {
        let folder =
            tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("the target folder can be written").keep();
        let broken = under_load::broken_by(SubjectKind::drop_in(program(&folder, None))).await;
        assert!(broken.is_empty(), "the controller without a bug: {broken:?}");
        for bug in &BUGS {
            let subject = SubjectKind::drop_in(program(&folder, Some(bug.name)));
            let failed = with_cases::failed_by(subject.clone(), &folder.join(bug.name)).await;
            assert_eq!(failed, Vec::<String>::new(), "{}: cases notice it", bug.says);
            let broken = under_load::broken_by(subject).await;
            println!("{}: {broken:?}", bug.says);
            let is_wanted = |broken: &Broken| bug.breaks.contains(&broken.invariant.as_str());
            assert!(broken.iter().any(is_wanted), "{}: {broken:?}", bug.says);
        }
    });
    println!("controllers that are wrong only in a crowd are found by a load");
    ExitCode::SUCCESS
}

fn provider() -> LocalProvider {
    let registry = Registry::of_user(LEFTOVERS).expect("there is a registry");
    LocalProvider::new(Source::choose(None).expect("there is a cache"), registry)
}

/// A script: the harness starts a program without flags of its own.
fn program(folder: &Path, bug: Option<&str>) -> PathBuf {
    let path = folder.join(format!("{}.sh", bug.unwrap_or("none")));
    let flag = bug.map(|bug| format!("--mutant {bug} ")).unwrap_or_default();
    let text = format!("#!/bin/sh\nexec '{}' {flag}\"$@\"\n", env!("CARGO_BIN_EXE_jobsworth-mutant"));
    fs::write(&path, text).expect("the folder can be written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("the file is ours");
    path
}
