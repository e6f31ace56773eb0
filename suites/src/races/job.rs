//! The Job to which both reasons apply, and how each is made true.

use super::Reason;
use crate::words::*;
use jobsworth_race_model::Encounter;

/// How many pods an Indexed Job has, all at once.
pub const PODS: u32 = 4;
/// How many pods share a queue of work.
const WORKERS: u32 = 2;
/// How many indexes there are after a scale up; the last one is new.
const MORE: u32 = PODS + 1;

/// A Job to which all of these can happen, and nothing else.
pub fn draft(encounter: Encounter) -> Draft {
    let Encounter { first, second, .. } = encounter;
    let plain = if is_of_workers(encounter) { work_queue(WORKERS) } else { indexed(PODS) };
    // Where both limits are in play, the first alone must not exceed the second.
    let failures = u32::from(first == Reason::MaxFailedIndexes);
    let failed_indexes = u32::from(first == Reason::BackoffLimit);
    [first, second].into_iter().fold(plain.backoff_limit(6), |draft, reason| match reason {
        Reason::FailJob => draft.when_a_pod(exits(&[42]).fail_job()),
        Reason::BackoffLimit => draft.backoff_limit(failures),
        Reason::MaxFailedIndexes => draft.spec("backoffLimitPerIndex", 0).spec("maxFailedIndexes", failed_indexes),
        Reason::FailedIndexes => draft.spec("backoffLimitPerIndex", 0),
        Reason::SuccessRule => draft.succeeds_when(indexes(&winner(encounter).to_string())),
        _ => draft,
    })
}

/// What must be so before the reasons come true.
pub async fn prepare(scene: &mut Scene, encounter: Encounter) -> Result<(), Stop> {
    let pods = if is_of_workers(encounter) { WORKERS } else { PODS };
    scene.wait(job().ready(pods.cast_signed())).await?;
    if has(encounter, Reason::Deadline) {
        scene.linger(Duration::from_secs(2), "a deadline of one second is over when it is set").await?;
    }
    if has(encounter, Reason::ScaleDown) {
        scene.pod(0).exits(0).await?;
        scene.wait(job().completed_indexes("0")).await?;
    }
    Ok(())
}

/// Makes a reason true. A failure or a success has a pod of its own, told to stop already or not.
pub async fn comes_true(scene: &mut Scene, reason: Reason, encounter: Encounter) -> Result<(), Stop> {
    let (spec, is_of_workers) = (|spec| json!({"spec": spec}), is_of_workers(encounter));
    match reason {
        Reason::SuccessRule => scene.pod(winner(encounter)).exits(0).await,
        Reason::FailJob if is_of_workers => scene.some_pod().exits(42).await,
        Reason::FailJob => scene.pod(1).exits(42).await,
        Reason::BackoffLimit if is_of_workers => scene.some_pod().exits(1).await,
        Reason::BackoffLimit => scene.pod(2).exits(1).await,
        Reason::MaxFailedIndexes => scene.pod(3).exits(1).await,
        Reason::FailedIndexes => {
            if index(3).that_are(stopped()).count(0).holds(&scene.world()) {
                scene.pod(3).exits(1).await?;
            }
            all_succeed(scene).await
        }
        Reason::Completions | Reason::AllIndexes => all_succeed(scene).await,
        Reason::Deadline => scene.patch("job", spec(json!({"activeDeadlineSeconds": 1}))).await,
        Reason::Suspend => scene.patch("job", spec(json!({"suspend": true}))).await,
        Reason::ScaleDown => {
            let done = if has(encounter, Reason::SuccessRule) { winner(encounter) + 1 } else { 1 };
            scene.patch("job", spec(json!({"completions": done, "parallelism": done}))).await
        }
        Reason::ScaleUp => scene.patch("job", spec(json!({"completions": MORE, "parallelism": MORE}))).await,
        Reason::Deletion => scene.delete("job", Propagation::Foreground).await,
        Reason::TimeToLive => {
            scene.wait(job().is_finished()).await?;
            scene.patch("job", spec(json!({"ttlSecondsAfterFinished": 0}))).await
        }
        Reason::ManagedBy => Err(Stop::Refused(format!("no script brings about: {reason}"))),
    }
}

/// The condition that tells of it.
pub fn told_by(reason: Reason) -> jobsworth_api::ConditionKind {
    match reason {
        Reason::SuccessRule | Reason::Completions | Reason::AllIndexes | Reason::ScaleDown => SuccessCriteriaMet,
        Reason::Suspend => Suspended,
        _ => FailureTarget,
    }
}

/// That what the reason asks for is stored.
pub fn is_stored(reason: Reason) -> Predicate {
    match reason {
        Reason::ScaleUp => job().ready(MORE.cast_signed()),
        told => job().has(told_by(told)),
    }
}

/// What of the cluster a controller watches to hear of it.
pub const fn heard_of(reason: Reason) -> &'static str {
    if reason.needs_a_pod() { "pods" } else { "jobs" }
}

/// Whether the encounter is one of these two's.
fn has(encounter: Encounter, reason: Reason) -> bool {
    encounter.first == reason || encounter.second == reason
}

/// Only Jobs without a number of completions can have them all while a pod has failed.
fn is_of_workers(encounter: Encounter) -> bool {
    has(encounter, Reason::Completions)
}

/// The index that a success rule names. Index 0 has succeeded before where there is something to scale down to.
fn winner(encounter: Encounter) -> u32 {
    u32::from(has(encounter, Reason::ScaleDown))
}

/// Whatever has not ended ends well.
async fn all_succeed(scene: &mut Scene) -> Result<(), Stop> {
    while pods().that_are(stopped().negated()).at_least(1).holds(&scene.world()) {
        scene.some_pod().exits(0).await?;
    }
    Ok(())
}
