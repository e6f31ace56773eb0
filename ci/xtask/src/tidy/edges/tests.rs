//! Tables and graphs in short form.

use rstest::rstest;

use super::super::sample::tree;
use super::*;

const TABLE: &str = "# Architecture\n\n| crate | folder | depends on | never reaches |\n|---|---|---|---|\n| `api` | `a` | | `tokio` |\n| `oracle` | `o` | `api` | `kube`, `tokio` |\n";

fn set(words: &[&str]) -> BTreeSet<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn package(name: &str, folder: &str, edges: &[&str], reaches: &[&str]) -> Package {
    Package { name: name.into(), folder: folder.into(), edges: set(edges), reaches: set(reaches) }
}

fn says(oracle: Package) -> Vec<String> {
    let packages = [package("api", "a", &[], &[]), oracle];
    check(&tree(&[(PAGE, TABLE)]), &packages).into_iter().map(|finding| finding.says).collect()
}

#[rstest]
#[case::what_the_table_says_passes(package("oracle", "o", &["api"], &["serde"]), &[])]
#[case::a_new_edge_is_found(
    package("oracle", "o", &["api", "core"], &[]),
    &["`oracle` depends on `core`, which the table does not allow"]
)]
#[case::a_stale_edge_is_found(package("oracle", "o", &[], &[]), &["`oracle` does not depend on `api`; the table says it does"])]
#[case::a_package_reached_through_others_is_found(
    package("oracle", "o", &["api"], &["kube"]),
    &["`oracle` must never reach `kube`"]
)]
#[case::a_moved_crate_is_found(package("oracle", "p", &["api"], &[]), &["`oracle` is in `p`"])]
#[case::a_crate_without_a_row_is_found(
    package("sim", "s", &[], &[]),
    &["the table of crates lacks `sim`", "there is no crate `oracle`"]
)]
fn tables(#[case] oracle: Package, #[case] found: &[&str]) {
    assert_eq!(says(oracle), found);
}

#[test]
fn a_missing_page_is_found() {
    assert_eq!(check(&tree(&[]), &[]).len(), 1);
}

const METADATA: &str = r#"{
  "packages": [
    {"id": "1", "name": "oracle", "manifest_path": "/r/harness/oracle/Cargo.toml",
     "dependencies": [{"name": "api"}, {"name": "serde"}, {"name": "proptest"}]},
    {"id": "2", "name": "api", "manifest_path": "/r/controller/api/Cargo.toml", "dependencies": []},
    {"id": "3", "name": "serde", "manifest_path": "/s/Cargo.toml", "dependencies": []},
    {"id": "4", "name": "proptest", "manifest_path": "/p/Cargo.toml", "dependencies": []},
    {"id": "5", "name": "rand", "manifest_path": "/x/Cargo.toml", "dependencies": []}
  ],
  "workspace_members": ["1", "2"],
  "resolve": {"nodes": [
    {"id": "1", "deps": [
      {"pkg": "2", "dep_kinds": [{"kind": null}]},
      {"pkg": "3", "dep_kinds": [{"kind": null}, {"kind": "dev"}]},
      {"pkg": "4", "dep_kinds": [{"kind": "dev"}]}]},
    {"id": "4", "deps": [{"pkg": "5", "dep_kinds": [{"kind": null}]}]}
  ]}
}"#;

#[test]
fn what_only_tests_need_is_not_reached() {
    let metadata: Metadata = serde_json::from_str(METADATA).unwrap();
    let found = packages(Path::new("/r"), &metadata);
    assert_eq!(found[0].reaches, set(&["api", "serde"]));
    assert_eq!(found[0].edges, set(&["api"]));
    assert_eq!(found[0].folder, "harness/oracle");
}

#[test]
fn the_host_is_read_from_the_compiler() {
    assert_eq!(host_of("rustc 1.95.0\nhost: x86_64-unknown-linux-gnu\n").unwrap(), "x86_64-unknown-linux-gnu");
    assert!(host_of("rustc 1.95.0\n").is_err());
}
