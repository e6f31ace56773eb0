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
            tasks: 4_194_304,
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
        kind: Ok(true),
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
        runtimes: vec![(Engine::Podman, RuntimeState::Works { version: "4.3.1".to_owned() })],
        runtime: Ok(Engine::Podman),
        ..usual()
    }
}

/// A small virtual machine, as root, without CAP_SYS_RESOURCE and with the old cgroups.
fn small() -> Facts {
    let machine = Machine {
        capabilities: 0x01ff_feff_ffff,
        open_files: 4096,
        tasks: 2048,
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
    judge(facts, Purpose::Local).into_iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_usual_machine_fetches_published_images() {
    insta::assert_snapshot!(lines(&usual()), @r"
    ok runtime: docker 28.2.2; the nodes of kind clusters run in docker
    ok kind: there
    ok node images: the published ones can be fetched
    ok cgroups: version 2
    ");
}

#[test]
fn a_machine_without_a_registry_makes_its_own() {
    insta::assert_snapshot!(lines(&without_registry()), @r"
    ok runtime: podman 4.3.1; the nodes of kind clusters run in podman
    ok kind: there
    note node images: whether the published ones can be fetched is not known; they can be made here → jobsworth cluster image, once for each version, about 8 minutes on 2 cores
    ok cgroups: version 2
    ");
}

#[test]
fn a_small_machine_is_told_what_is_in_the_way_and_the_fix() {
    insta::assert_snapshot!(lines(&small()), @r"
    ok runtime: podman 4.3.1; the nodes of kind clusters run in podman
    ok kind: there
    note node images: whether the published ones can be fetched is not known; they can be made here → jobsworth cluster image, once for each version, about 8 minutes on 2 cores
    ok cgroups: version 1: the kubelet is told to bear it, and nodes run a Debian that does
    note node limits: 4096 files a process and no CAP_SYS_RESOURCE; 16384 advised → raise the hard limit: ulimit -Hn 16384
    note processes: 2048 processes at a time; 16384 advised: pods of a node fail to start without them → raise what is lowest of kernel.pid_max, kernel.threads-max, ulimit -Hu and pids.max of the outer container
    note inotify: 128 instances, 524288 watches → for several clusters at once: sysctl fs.inotify.max_user_instances=256 fs.inotify.max_user_watches=65536
    note overlay: the kernel does not list overlay file systems → modprobe overlay
    note modules: there is no /lib/modules, which kind mounts into its nodes → mkdir -p /lib/modules
    ");
}

#[test]
fn without_a_runtime_only_the_way_to_one_is_told() {
    let runtime = Err("failed to find docker, podman or nerdctl; install one of them".to_owned());
    let facts = Facts { runtime, runtimes: Vec::new(), ..without_registry() };
    insta::assert_snapshot!(lines(&facts), @r"
    note runtime: no kind clusters here: failed to find docker, podman or nerdctl → install one of them
    ok kind: there
    note node images: there is no runtime to fetch the published ones with; they can be made here → jobsworth cluster image, once for each version, about 8 minutes on 2 cores
    ");
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
    assert_eq!(check.state, State::Obstacle);
    assert!(check.found.contains("cannot be made here") && check.found.contains(found), "{}", check.found);
    assert!(check.fix.as_deref().is_some_and(|told| told.contains(fix)), "{:?}", check.fix);
}

#[test]
fn an_image_that_was_made_here_settles_the_question() {
    let facts = Facts { images: vec!["1.37.1".to_owned()], go: false, ..without_registry() };
    let check = image(&facts);
    assert_eq!((check.state, check.found.as_str()), (State::Fine, "made here for 1.37.1"));
}

#[rstest]
#[case::a_usual_machine(usual(), &[])]
#[case::one_that_makes_its_images(without_registry(), &[])]
#[case::no_runtime(Facts { runtime: Err("failed to find docker".to_owned()), ..usual() }, &["runtime"])]
#[case::an_old_kind(Facts { kind: Err("kind 0.20.0 is too old; use another".to_owned()), ..usual() }, &["kind"])]
#[case::no_way_to_an_image(Facts { debootstrap: false, ..without_registry() }, &["node images"])]
#[case::no_folder_that_kind_mounts(small(), &["modules"])]
fn for_kind_only_what_kind_needs_is_missing(#[case] facts: Facts, #[case] missing: &[&str]) {
    let checks = judge(&facts, Purpose::Kind);
    let found: Vec<&str> =
        checks.iter().filter(|check| check.state == State::Missing).map(|check| check.what).collect();
    assert_eq!(found, missing);
    assert!(judge(&facts, Purpose::Local).iter().all(|check| check.state != State::Missing));
}
