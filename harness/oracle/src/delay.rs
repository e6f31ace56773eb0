//! The back-off of pods: when one ended by its own account, and how long its replacement waits (BKO-006 to BKO-009).

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::Pod;

const FIRST: i64 = 10;
const MOST: i64 = 600;
/// Enough to be above [`MOST`], and too few to overflow.
const MOST_DOUBLINGS: u32 = 6;

/// How long the next pod waits after so many failures in a row; the first failure is 1.
pub(crate) fn after(failures: u32) -> SignedDuration {
    let doublings = failures.saturating_sub(1).min(MOST_DOUBLINGS);
    SignedDuration::from_secs((FIRST << doublings).min(MOST))
}

/// When the pod ended: the last of its containers, else when it was no longer ready, was told to stop, or was created.
pub(crate) fn finish_time(pod: &Pod) -> Option<Timestamp> {
    let status = pod.status.as_ref()?;
    let containers = status.container_statuses.as_deref().unwrap_or_default();
    let ends: Option<Vec<Timestamp>> = containers
        .iter()
        .map(|container| Some(container.state.as_ref()?.terminated.as_ref()?.finished_at.as_ref()?.0))
        .collect();
    let last = ends.and_then(|ends| ends.into_iter().max());
    let ready = status.conditions.iter().flatten().find(|c| c.type_ == "Ready" && c.status == "False");
    last.or_else(|| ready.and_then(|condition| condition.last_transition_time.as_ref().map(|time| time.0)))
        .or_else(|| stopped_since(pod))
        .or_else(|| created(pod))
}

/// When the pod was told to stop, if it was.
pub(crate) fn stopped_since(pod: &Pod) -> Option<Timestamp> {
    let deleted = pod.metadata.deletion_timestamp.as_ref()?.0;
    let grace = SignedDuration::from_secs(pod.metadata.deletion_grace_period_seconds.unwrap_or(0));
    // A grace period may be longer than time.
    deleted.checked_sub(grace).ok()
}

pub(crate) fn created(pod: &Pod) -> Option<Timestamp> {
    pod.metadata.creation_timestamp.as_ref().map(|time| time.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::the_first(1, 10)]
    #[case::the_second(2, 20)]
    #[case::the_sixth(6, 320)]
    #[case::the_seventh(7, 600)]
    #[case::without_end(u32::MAX, 600)]
    fn the_delay_doubles_up_to_ten_minutes(#[case] failures: u32, #[case] seconds: i64) {
        assert_eq!(after(failures), SignedDuration::from_secs(seconds));
    }
}
