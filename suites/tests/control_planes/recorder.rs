//! What the recorder builds on: which revision a DELETED frame carries.

use jobsworth_harness::{cluster::ClusterSpec, lab::Lab};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api,
    api::{DeleteParams, ObjectMeta, PostParams, WatchEvent, WatchParams},
};
use rstest::rstest;

const FOLDER: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/recorder");

/// The order of a timeline rests on it: an object's removal must come after its last change, and
/// before whatever was written next.
#[rstest]
#[case::on_1_37("1.37.1")]
#[case::on_1_35("1.35.4")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deleted_frame_carries_the_revision_of_the_deletion(#[case] version: &str) {
    let lab = Lab::new(env!("CARGO_BIN_EXE_jobsworth"), FOLDER);
    let (stage, _turn) = lab.stage(&ClusterSpec::of(version.parse().unwrap())).await.unwrap();
    let maps: Api<ConfigMap> = Api::namespaced(stage.cluster.client(), "default");
    let map = |name: &str| ConfigMap {
        metadata: ObjectMeta { generate_name: Some(format!("{name}-")), ..ObjectMeta::default() },
        ..ConfigMap::default()
    };
    let doomed = maps.create(&PostParams::default(), &map("doomed")).await.unwrap();
    let before = maps.create(&PostParams::default(), &map("before")).await.unwrap();
    let name = doomed.metadata.name.as_deref().unwrap();
    maps.delete(name, &DeleteParams::default()).await.unwrap();
    let after = maps.create(&PostParams::default(), &map("after")).await.unwrap();

    let only = WatchParams::default().fields(&format!("metadata.name={name}"));
    let from = doomed.metadata.resource_version.as_deref().unwrap();
    let mut frames = Box::pin(maps.watch(&only, from).await.unwrap());
    let deleted = loop {
        match futures::StreamExt::next(&mut frames).await.unwrap().unwrap() {
            WatchEvent::Deleted(deleted) => break deleted,
            WatchEvent::Bookmark(_) => {}
            other => panic!("a frame that nobody asked for: {other:?}"),
        }
    };
    let number = |map: &ConfigMap| map.metadata.resource_version.as_deref().unwrap().parse::<u64>().unwrap();
    assert!(number(&deleted) > number(&before), "it is later than what was written before the deletion");
    assert!(number(&deleted) < number(&after), "it is earlier than what was written after the deletion");
    for map in [&before, &after] {
        maps.delete(map.metadata.name.as_deref().unwrap(), &DeleteParams::default()).await.unwrap();
    }
}
