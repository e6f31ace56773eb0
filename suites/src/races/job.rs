//! The Job to which both reasons apply, and how each is made true.

use super::Reason;
use crate::words::*;

/// How many pods the Job has, all at once.
pub const PODS: u32 = 4;

/// An Indexed Job to which all of these can happen, and nothing else.
pub fn draft(reasons: [Reason; 2]) -> Draft {
    reasons.into_iter().fold(indexed(PODS).backoff_limit(6), |draft, reason| match reason {
        Reason::FailJob => draft.when_a_pod(exits(&[42]).fail_job()),
        Reason::BackoffLimit => draft.backoff_limit(0),
        Reason::MaxFailedIndexes => draft.spec("backoffLimitPerIndex", 0).spec("maxFailedIndexes", 0),
        Reason::SuccessRule => draft.succeeds_when(indexes("0")),
        _ => draft,
    })
}

/// What must be so before the reasons come true.
pub async fn prepare(scene: &mut Scene, reasons: [Reason; 2]) -> Result<(), Stop> {
    if reasons.contains(&Reason::Deadline) {
        scene.linger(Duration::from_secs(2), "a deadline of one second is over when it is set").await?;
    }
    Ok(())
}

/// Makes a reason true: each has a pod of its own, told to stop already or not.
pub async fn comes_true(scene: &mut Scene, reason: Reason) -> Result<(), Stop> {
    match reason {
        Reason::SuccessRule => scene.pod(0).exits(0).await,
        Reason::FailJob => scene.pod(1).exits(42).await,
        Reason::BackoffLimit => scene.pod(2).exits(1).await,
        Reason::MaxFailedIndexes => scene.pod(3).exits(1).await,
        Reason::Deadline => scene.patch("job", json!({"spec": {"activeDeadlineSeconds": 1}})).await,
        Reason::Suspend => scene.patch("job", json!({"spec": {"suspend": true}})).await,
        other => Err(Stop::Refused(format!("no script brings about: {other}"))),
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
