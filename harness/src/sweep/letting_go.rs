//! What a point does when its script waits in vain.

use super::baseline::End;
use crate::{
    cluster::subject_kind::JobApi,
    pod_driver,
    scene::{PATIENCE, Scene, Stop},
};
use jobsworth_oracle::{
    Predicate,
    vocabulary::{
        job_named,
        pods::{pods, terminating},
        volcano,
    },
};
use std::collections::BTreeMap;

/// Exit code of a program that is stopped by a signal that it does not handle.
const STOPPED: i32 = 143;

/// Lets every pod go that is told to stop, until each of these Jobs is over, in whatever way; returns whether they are then, and were not
/// before.
///
/// A controller that is struck may rightly decide otherwise, and what its case waits for then never comes. Pods that linger on the word
/// of a script that has ended would hold the Job's end back for ever, and that is not the controller's doing.
///
/// # Errors
/// When a pod cannot be driven, or the cluster breaks.
pub(super) async fn let_pods_go(scene: &mut Scene, api: JobApi, ends: &BTreeMap<String, End>) -> Result<bool, Stop> {
    let each = ends.iter().map(|(name, end)| is_over(api, name, *end));
    let Some(over) = each.reduce(Predicate::and) else { return Ok(false) };
    let lingers = pods().that_are(terminating()).at_least(1);
    if over.holds(&scene.world()) || !lingers.holds(&scene.world()) {
        return Ok(false);
    }
    scene.mark("the script has waited in vain: pods that are told to stop exit").await?;
    scene.withdraw_vetoes().await;
    let all_go = async {
        while !over.holds(&scene.world()) {
            scene.wait(over.clone().or(lingers.clone())).await?;
            if lingers.holds(&scene.world()) {
                scene.some_pod().is_let_go(pod_driver::End::Exited(STOPPED)).await?;
            }
        }
        Ok(true)
    };
    match tokio::time::timeout(PATIENCE, all_go).await {
        Ok(Err(Stop::Stalled { .. } | Stop::CutShort { .. })) | Err(_) => Ok(false),
        Ok(done) => done,
    }
}

/// Whether it ends no other way any more.
fn is_over(api: JobApi, name: &str, end: End) -> Predicate {
    match (api, end) {
        (JobApi::Batch, End::Gone) => job_named(name).is_gone(),
        (JobApi::Volcano, End::Gone) => volcano::job_named(name).is_gone(),
        (JobApi::Batch, _) => job_named(name).is_finished(),
        (JobApi::Volcano, _) => volcano::job_named(name).is_finished(),
    }
}
