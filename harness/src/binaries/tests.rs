//! Sources, modules and the cache, without any build.

use super::*;

#[test]
fn every_known_version_has_a_module_that_names_its_programs() {
    for version in KNOWN_VERSIONS {
        for tool in [Tool::ApiServer, Tool::ControllerManager, Tool::Scheduler, Tool::Etcd, Tool::Kwok] {
            let module = module::of(tool, version);
            assert!(module.go_mod.contains(module::Module::package(tool)), "{tool} {version}");
            assert!(!module.go_sum.is_empty());
        }
        let module = module::of(Tool::ApiServer, version);
        assert!(module.go_mod.contains(&format!("k8s.io/kubernetes v{version}")));
        assert!(module.modules() > 100);
    }
}

#[test]
fn a_kubernetes_program_is_stamped_with_its_version() {
    let flags = module::of(Tool::ApiServer, DEFAULT_VERSION).linker_flags(Tool::ApiServer);
    assert!(flags.contains("component-base/version.gitVersion=v1.36.3"));
    assert!(flags.contains("component-base/version.gitMinor=36"));
}

#[test]
fn an_unknown_version_names_the_known_ones() {
    let error = module::known(KubeVersion::new(1, 20, 0)).unwrap_err().to_string();
    assert!(error.contains("1.36.3, 1.35.4"), "{error}");
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
    assert_eq!(go::first_version("Kubernetes v1.36.3\n").as_deref(), Some("1.36.3"));
    assert_eq!(go::first_version("etcd Version: 3.6.16\nGo Version: go1.26").as_deref(), Some("3.6.16"));
    assert_eq!(go::first_version("go1.26.8").as_deref(), Some("1.26.8"));
    assert_eq!(go::first_version("nothing"), None);
}
