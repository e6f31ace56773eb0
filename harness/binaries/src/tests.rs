//! Sources, modules and the cache, without any build.

use super::*;

#[test]
fn every_known_version_has_a_module_that_names_its_programs() {
    for version in KNOWN_VERSIONS {
        for tool in Tool::NODE.into_iter().chain(Tool::NAMES).chain([Tool::Kwok, Tool::Kind]) {
            let module = module::of(tool, version);
            assert!(module.go_mod().contains(tool.package()), "{tool} {version}");
            assert_eq!([module.files[0].0, module.files[1].0], ["go.mod", "go.sum"]);
        }
        let module = module::of(Tool::ApiServer, version);
        assert!(module.go_mod().contains(&format!("k8s.io/kubernetes v{version}")));
        assert!(module.modules() > 100);
    }
}

#[test]
fn a_kubernetes_program_is_stamped_with_its_version() {
    let flags = module::of(Tool::ApiServer, DEFAULT_VERSION).linker_flags(Tool::ApiServer);
    assert!(flags.contains("component-base/version.gitVersion=v1.37.1"));
    assert!(flags.contains("component-base/version.gitMinor=37"));
}

#[test]
fn an_unknown_version_names_the_known_ones() {
    let error = module::known(KubeVersion::new(1, 20, 0)).unwrap_err().to_string();
    assert!(error.contains("1.37.1, 1.36.4, 1.35.4"), "{error}");
}

#[test]
fn a_folder_without_a_program_is_told_apart_from_a_missing_build() {
    let folder = tempfile::tempdir().unwrap();
    let source = Source::Folder(folder.path().to_owned());
    let error = ensure(&source, DEFAULT_VERSION, &BTreeSet::new(), &|_| {}).unwrap_err();
    assert!(matches!(error, BinariesError::NotInFolder { tool: Tool::Etcd, .. }), "{error}");
}

#[test]
fn a_cached_program_without_a_manifest_or_of_another_size_does_not_count() {
    let cache = tempfile::tempdir().unwrap();
    let home = cache.path().join("binaries/etcd-3.6.16");
    std::fs::create_dir_all(&home).unwrap();
    std::fs::write(home.join("etcd"), b"half").unwrap();
    assert_eq!(cache::find(cache.path(), DEFAULT_VERSION, Tool::Etcd), None);
    let manifest = r#"{"version":"3.6.16","sha256":"00","bytes":4,"linker_flags":"-s -w"}"#;
    std::fs::write(home.join("manifest.json"), manifest).unwrap();
    assert!(cache::find(cache.path(), DEFAULT_VERSION, Tool::Etcd).is_some());
    std::fs::write(home.join("etcd"), b"hal").unwrap();
    assert_eq!(cache::find(cache.path(), DEFAULT_VERSION, Tool::Etcd), None);
}

#[test]
fn versions_are_read_out_of_what_programs_say() {
    assert_eq!(go::first_version("Kubernetes v1.37.1\n").as_deref(), Some("1.37.1"));
    assert_eq!(go::first_version("etcd Version: 3.6.16\nGo Version: go1.26").as_deref(), Some("3.6.16"));
    assert_eq!(go::first_version("go1.26.8").as_deref(), Some("1.26.8"));
    assert_eq!(go::first_version("nothing"), None);
}

/// A `go` that says it is of `version` and builds by the lines of `build`, with the output folder in `$out`.
///
/// Another process writes the script: a test that forks while we had it open for writing would keep
/// it open, and then it could not be run.
fn fake_go(folder: &Path, version: &str, build: &str) -> Go {
    let path = folder.join("go");
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" = env ]; then echo go{version}; exit 0; fi\n\
         while [ $# -gt 0 ]; do [ \"$1\" = -o ] && out=$2; shift; done\n{build}\n"
    );
    let write = "printf '%s' \"$1\" > \"$0\" && chmod 755 \"$0\"";
    let status = std::process::Command::new("sh").args(["-c", write]).arg(&path).arg(script).status().unwrap();
    assert!(status.success());
    Go::at(path)
}

fn build_with(version: &str, build: &str) -> (Result<BinarySet, BinariesError>, Vec<Progress>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let go = fake_go(folder.path(), version, build);
    let cache = folder.path().join("cache");
    let steps = std::sync::Mutex::new(Vec::new());
    let hear = |step| steps.lock().unwrap().push(step);
    let built = ensure_with(&go, &Source::Cache(cache.clone()), DEFAULT_VERSION, &BTreeSet::new(), &hear);
    let mut left: Vec<String> = std::fs::read_dir(cache.join("binaries"))
        .map(|entries| entries.flatten().map(|entry| entry.file_name().into_string().unwrap()).collect())
        .unwrap_or_default();
    left.sort();
    (built, steps.into_inner().unwrap(), left)
}

#[test]
fn a_build_is_kept_with_its_sums_and_its_progress_is_heard() {
    let build = "echo 'go: downloading k8s.io/api v0.36.3' >&2; echo k8s.io/api/core/v1 >&2\n\
                 for tool in server kube-apiserver kube-controller-manager; do echo $tool > $out/$tool; done";
    let (built, steps, left) = build_with("1.26.8", build);
    let built = built.unwrap();
    assert_eq!(built.all().count(), 3);
    assert_eq!(built.api_server.sha256.len(), 64);
    assert!(steps.iter().any(|step| matches!(step, Progress::Downloading { modules: 1, .. })));
    assert!(steps.iter().any(|step| matches!(step, Progress::Compiling { packages: 1, about: 2454, .. })));
    assert_eq!(left, ["build.lock", "etcd-3.6.16", "kube-apiserver-1.37.1", "kube-controller-manager-1.37.1"]);
}

#[test]
fn a_failed_build_quotes_its_last_lines_and_leaves_nothing() {
    let (built, _, left) = build_with("1.26.8", "echo 'x.go:1: no such thing' >&2; touch $out/half; exit 2");
    let error = built.unwrap_err().to_string();
    assert!(error.contains("ended with exit status: 2") && error.contains("no such thing"), "{error}");
    assert_eq!(left, ["build.lock"]);
}

#[test]
fn a_full_disk_is_called_one() {
    let (built, _, left) = build_with("1.26.8", "echo 'write x: no space left on device' >&2; exit 1");
    assert!(matches!(built, Err(BinariesError::DiskFull { .. })), "{built:?}");
    assert_eq!(left, ["build.lock"]);
}

#[test]
fn an_old_go_is_named_with_the_version_that_would_do() {
    let (built, _, _) = build_with("1.22.1", "exit 9");
    let error = built.unwrap_err().to_string();
    assert!(error.contains("Go 1.22.1 is too old, it needs 1.26.0"), "{error}");
}

#[test]
fn no_go_at_all_names_both_ways_out() {
    let folder = tempfile::tempdir().unwrap();
    let go = Go::at(folder.path().join("no-go"));
    let source = Source::Cache(folder.path().join("cache"));
    let error = ensure_with(&go, &source, DEFAULT_VERSION, &BTreeSet::new(), &|_| {}).unwrap_err().to_string();
    assert!(error.contains("install Go 1.26.0 or newer") && error.contains("--binaries"), "{error}");
}

#[test]
fn what_a_killed_build_left_is_removed_by_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let programs = folder.path().join("binaries");
    std::fs::create_dir_all(programs.join(".building-dead/out")).unwrap();
    let go = fake_go(folder.path(), "1.26.8", "exit 1");
    let source = Source::Cache(folder.path().to_owned());
    ensure_with(&go, &source, DEFAULT_VERSION, &BTreeSet::new(), &|_| {}).unwrap_err();
    assert!(!programs.join(".building-dead").exists());
}
