//! What is said about machines that are only described.

use super::*;
use rstest::rstest;

/// A machine on which everything works, by the published images.
fn usual() -> Facts {
    let works = RuntimeState::Works { version: "28.2.2".to_owned() };
    Facts {
        machine: Machine {
            root: true,
            capabilities: u64::MAX,
            open_files: 1_048_576,
            processes: 60_000,
            cgroup: Cgroup::V2,
            systemd: true,
            overlay: true,
            modules_folder: true,
            inotify_instances: 8192,
            inotify_watches: 524_288,
            containers_conf: false,
            crun: true,
            runc: true,
        },
        runtimes: vec![(Engine::Docker, works), (Engine::Podman, RuntimeState::Absent)],
        runtime: Ok(Engine::Docker),
        kind: true,
        images: Vec::new(),
        registry: Some(true),
        debootstrap: false,
        unshare: true,
        go: true,
        mirror: Err("failed to find a mirror of Debian: no apt; name one with --mirror".to_owned()),
    }
}

/// The same behind a wall, as root on Debian with podman.
fn without_registry() -> Facts {
    Facts {
        registry: None,
        debootstrap: true,
        mirror: Ok("http://mirror.example/debian".to_owned()),
        runtime: Ok(Engine::Podman),
        ..usual()
    }
}

/// A small virtual machine, as root, without CAP_SYS_RESOURCE and with the old cgroups.
fn small() -> Facts {
    let machine = Machine {
        capabilities: 0x01ff_feff_ffff,
        open_files: 4096,
        cgroup: Cgroup::V1,
        systemd: false,
        overlay: false,
        modules_folder: false,
        inotify_instances: 128,
        ..usual().machine
    };
    Facts { machine, ..without_registry() }
}

fn lines(facts: &Facts) -> String {
    let line = |check: Check| {
        let fix = check.fix.map(|fix| format!(" → {fix}")).unwrap_or_default();
        format!("{} {}: {}{fix}", check.state.as_str(), check.what, check.found)
    };
    judge(facts).into_iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_usual_machine_fetches_published_images() {
    insta::assert_snapshot!(lines(&usual()));
}

#[test]
fn a_machine_without_a_registry_makes_its_own() {
    insta::assert_snapshot!(lines(&without_registry()));
}

#[test]
fn a_small_machine_is_told_what_is_in_the_way_and_the_fix() {
    insta::assert_snapshot!(lines(&small()));
}

#[test]
fn without_a_runtime_only_the_way_to_one_is_told() {
    let runtime = Err("failed to find docker, podman or nerdctl; install one of them".to_owned());
    insta::assert_snapshot!(lines(&Facts { runtime, runtimes: Vec::new(), registry: None, ..without_registry() }));
}

#[rstest]
#[case::no_debootstrap(Facts { debootstrap: false, ..without_registry() }, "no debootstrap", "apt-get install debootstrap")]
#[case::no_go(Facts { go: false, ..without_registry() }, "no Go", "install Go")]
#[case::no_mirror(Facts { mirror: usual().mirror, ..without_registry() }, "no apt", "--mirror")]
#[case::a_user(Facts { machine: Machine { root: false, ..usual().machine }, ..without_registry() }, "not root", "sudo")]
fn what_keeps_an_image_from_being_made_is_named_with_its_fix(
    #[case] facts: Facts,
    #[case] found: &str,
    #[case] fix: &str,
) {
    let check = image(&facts);
    assert_eq!(check.state, State::Worth);
    assert!(check.found.contains("cannot be made here") && check.found.contains(found), "{}", check.found);
    assert!(check.fix.as_deref().is_some_and(|told| told.contains(fix)), "{:?}", check.fix);
}

#[test]
fn an_image_that_was_made_here_settles_the_question() {
    let facts = Facts { images: vec!["1.36.3".to_owned()], go: false, ..without_registry() };
    let check = image(&facts);
    assert_eq!((check.state, check.found.as_str()), (State::Fine, "made here for 1.36.3"));
}
