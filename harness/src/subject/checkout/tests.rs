//! A small workspace with a program of the controller's name, and places that are no checkout.

use super::*;
use crate::subject::JOB_CONTROLLER;
use rstest::rstest;
use std::{
    cell::RefCell,
    fs,
    time::{Duration, SystemTime},
};

/// A workspace with these packages, whose target folder is beside its sources.
fn workspace(packages: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("target/debug")).unwrap();
    fs::write(folder.path().join("target").join(MARK), "").unwrap();
    fs::write(folder.path().join("Cargo.toml"), format!("[workspace]\nresolver = \"3\"\nmembers = {packages:?}\n"))
        .unwrap();
    for package in packages {
        let manifest = format!("[package]\nname = \"{package}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
        fs::create_dir_all(folder.path().join(package).join("src")).unwrap();
        fs::write(folder.path().join(package).join("Cargo.toml"), manifest).unwrap();
        fs::write(folder.path().join(package).join("src/main.rs"), "fn main() { println!(\"first\") }\n").unwrap();
    }
    folder
}

fn source(workspace: &Path) -> PathBuf {
    workspace.join(JOB_CONTROLLER).join("src/main.rs")
}

/// The place of the workspace, whatever cargo told this test of its own sources.
fn place(workspace: &Path) -> Place {
    let (workspace, target) = (workspace.to_owned(), workspace.join("target"));
    Place { workspace, target, triple: None, profile: "debug".into() }
}

/// What is told, but that another cargo of this machine is waited for.
fn built(place: &Place) -> Vec<String> {
    let told = RefCell::new(Vec::new());
    place.build(JOB_CONTROLLER, &|line| told.borrow_mut().push(line.to_owned())).unwrap();
    told.into_inner().into_iter().filter(|line| !line.trim_start().starts_with("Blocking")).collect()
}

#[test]
fn a_controller_that_is_missing_or_old_is_built_with_words_and_a_fresh_one_without() {
    let folder = workspace(&[OWN, JOB_CONTROLLER]);
    let place = place(folder.path());
    let run =
        || String::from_utf8(Command::new(place.target.join("debug").join(JOB_CONTROLLER)).output().unwrap().stdout);
    assert!(place.sources(JOB_CONTROLLER).is_some());
    let told = built(&place);
    assert_eq!(told[0], "jobsworth-controller is missing or older than its sources: cargo builds it now");
    assert!(told[1].trim_start().starts_with("Compiling jobsworth-controller v0.1.0"), "{told:?}");
    assert_eq!(run().unwrap(), "first\n");
    assert_eq!(built(&place), [""; 0]);

    fs::write(source(folder.path()), "fn main() { println!(\"second\") }\n").unwrap();
    // Cargo compares times of whole files; the next second is surely later than the build.
    let later = SystemTime::now() + Duration::from_secs(1);
    fs::File::options().write(true).open(source(folder.path())).unwrap().set_modified(later).unwrap();
    assert!(!built(&place).is_empty());
    assert_eq!(run().unwrap(), "second\n");
}

/// Every file and folder of the workspace gets this time.
fn date(folder: &Path, time: SystemTime) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            date(&path, time);
        }
        fs::File::open(&path).unwrap().set_modified(time).unwrap();
    }
}

#[rstest]
#[case::nothing("", 0, true)]
#[case::a_source("jobsworth-controller/src/main.rs", 3600, false)]
#[case::a_source_while_it_was_compiled("jobsworth-controller/src/main.rs", -5, false)]
#[case::what_it_is_built_upon("beside/src/lib.rs", 3600, false)]
#[case::what_only_its_tests_need("tests-only/src/lib.rs", 3600, true)]
#[case::a_folder_from_which_a_file_was_removed("beside/src", 3600, false)]
#[case::another_package("jobsworth/src/main.rs", 3600, true)]
#[case::the_versions_of_all_dependencies("Cargo.lock", 3600, false)]
#[case::the_workspace("Cargo.toml", 3600, false)]
fn cargo_is_asked_when_what_a_program_is_built_from_is_not_clearly_older(
    #[case] changed: &str,
    #[case] seconds_after_the_build: i64,
    #[case] older: bool,
) {
    let folder = workspace(&[OWN, JOB_CONTROLLER]);
    for (package, table) in [("beside", "dependencies"), ("tests-only", "dev-dependencies")] {
        let manifest = folder.path().join(JOB_CONTROLLER).join("Cargo.toml");
        let text = fs::read_to_string(&manifest).unwrap();
        fs::write(&manifest, format!("{text}[{table}]\n{package} = {{ path = \"../{package}\" }}\n")).unwrap();
        fs::create_dir_all(folder.path().join(package).join("src")).unwrap();
        fs::write(folder.path().join(package).join("src/lib.rs"), "").unwrap();
        let manifest = format!("[package]\nname = \"{package}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
        fs::write(folder.path().join(package).join("Cargo.toml"), manifest).unwrap();
    }
    fs::write(folder.path().join("Cargo.lock"), "").unwrap();
    let program = folder.path().join("target/debug").join(JOB_CONTROLLER);
    fs::write(&program, "").unwrap();
    let place = place(folder.path());
    let sources = place.sources(JOB_CONTROLLER).unwrap();
    let built = SystemTime::now() - Duration::from_secs(24 * 3600);
    date(folder.path(), built - Duration::from_secs(3600));
    fs::File::open(&program).unwrap().set_modified(built).unwrap();
    if !changed.is_empty() {
        let (span, before) = (Duration::from_secs(seconds_after_the_build.unsigned_abs()), seconds_after_the_build < 0);
        let time = if before { built - span } else { built + span };
        fs::File::open(folder.path().join(changed)).unwrap().set_modified(time).unwrap();
    }
    assert_eq!(sources.are_clearly_older_than(&program), older);
}

#[test]
fn a_program_that_is_not_there_is_no_younger_than_its_sources() {
    let folder = workspace(&[OWN, JOB_CONTROLLER]);
    let sources = place(folder.path()).sources(JOB_CONTROLLER).unwrap();
    assert!(!sources.are_clearly_older_than(&folder.path().join("target/debug").join(JOB_CONTROLLER)));
}

#[test]
fn a_controller_that_cannot_be_built_is_an_error_after_the_words_of_the_compiler() {
    let folder = workspace(&[OWN, JOB_CONTROLLER]);
    fs::write(source(folder.path()), "fn main() { nothing() }\n").unwrap();
    let told = RefCell::new(String::new());
    let ended = place(folder.path()).build(JOB_CONTROLLER, &|line| told.borrow_mut().push_str(line));
    assert!(matches!(ended, Err(NotReady::NotBuilt { .. })), "{ended:?}");
    assert!(told.borrow().contains("cannot find function `nothing`"), "{told:?}");
}

#[test]
fn a_workspace_of_somebody_elses_cases_has_no_controller_to_build() {
    assert!(place(workspace(&["own-cases"]).path()).sources(JOB_CONTROLLER).is_none());
}

#[test]
fn an_installed_program_is_there_or_it_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join(JOB_CONTROLLER);
    let unheard = |line: &str| panic!("{line}");
    assert!(matches!(make_ready(&program, &unheard), Err(NotReady::Missing(path)) if path == program));
    fs::write(&program, "").unwrap();
    make_ready(&program, &unheard).unwrap();
}

#[rstest]
#[case::debug("debug", None, "--profile dev --target-dir TARGET")]
#[case::release("release", None, "--profile release --target-dir TARGET")]
#[case::a_profile_and_a_triple(
    "quick",
    Some("x86_64-unknown-linux-musl"),
    "--profile quick --target-dir TARGET --target x86_64-unknown-linux-musl"
)]
fn the_controller_is_built_as_our_own_program_was(
    #[case] profile: &str,
    #[case] triple: Option<&str>,
    #[case] expected: &str,
) {
    let folder = workspace(&[OWN, JOB_CONTROLLER]);
    let target = folder.path().join("target");
    let program = target.join(triple.unwrap_or("")).join(profile).join(JOB_CONTROLLER);
    let place = Place::of(&program).unwrap();
    assert_eq!((&place.target, place.triple.as_deref()), (&target, triple.map(std::ffi::OsStr::new)));
    let arguments: Vec<String> =
        place.arguments(JOB_CONTROLLER).iter().map(|word| word.to_str().unwrap().to_owned()).collect();
    let wanted = format!("build --package {OWN} --package {JOB_CONTROLLER} --bin {JOB_CONTROLLER} {expected}");
    assert_eq!(arguments.join(" "), wanted.replace("TARGET", target.to_str().unwrap()));
}
