//! Words about the time between a failure and what replaces it.

use super::pods::{PodWords, phase};
use crate::{delay::stopped_since, predicate::Predicate};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::Pod;
use std::time::Duration;

impl PodWords {
    /// One was created just now, sooner than `delay` after the latest failure among them.
    ///
    /// Both times are the objects' own (`creationTimestamp`, the containers' `finishedAt`), in whole seconds: a
    /// controller that counts from the latter (BKO-009) is never seen to be too early, however late a failure is told.
    #[must_use]
    pub fn created_sooner_than(&self, delay: Duration) -> Predicate {
        self.created_sooner(delay, "failure", |pod| ended_at(pod).filter(|_| phase(pod) == "Failed"))
    }

    /// One was created just now, sooner than `delay` after the latest deletion among them; also where the deleted one has not
    /// stopped. Both times are the objects' own, and the deletion's is the beginning of the grace period.
    #[must_use]
    pub fn created_sooner_after_a_deletion_than(&self, delay: Duration) -> Predicate {
        self.created_sooner(delay, "deletion", stopped_since)
    }

    fn created_sooner(&self, delay: Duration, than: &str, since: fn(&Pod) -> Option<Timestamp>) -> Predicate {
        let (these, created) = (self.clone(), self.created());
        let words = format!("{} less than {} s after the latest {than}", created.words(), delay.as_secs());
        let delay = SignedDuration::try_from(delay).unwrap_or(SignedDuration::MAX);
        Predicate::new(words, move |world| {
            let Some(added) = world.added::<Pod>() else { return false };
            let birth = added.metadata.creation_timestamp.as_ref();
            let latest = world.pods().filter(|pod| these.picks(pod)).filter_map(|pod| since(pod)).max();
            created.holds(world)
                && birth.zip(latest).is_some_and(|(birth, latest)| birth.0.duration_since(latest) < delay)
        })
    }
}

/// When the last of the containers ended, if they have.
fn ended_at(pod: &Pod) -> Option<Timestamp> {
    let containers = pod.status.as_ref()?.container_statuses.as_deref()?;
    let ended =
        |state: &k8s_openapi::api::core::v1::ContainerState| Some(state.terminated.as_ref()?.finished_at.as_ref()?.0);
    containers.iter().filter_map(|container| container.state.as_ref().and_then(ended)).max()
}

#[cfg(test)]
mod tests {
    use crate::{Seen, World, fact::Fact, vocabulary::pods};
    use k8s_openapi::api::core::v1::Pod;
    use rstest::rstest;
    use serde_json::{Value, json};
    use std::time::Duration;

    const TEN: Duration = Duration::from_secs(10);

    /// First `before` was there, then another pod is created at this second.
    fn created(before: Value, at: &str) -> World {
        let after = json!({"metadata": {"name": "b", "uid": "b", "creationTimestamp": at}});
        let mut world = World::default();
        for (revision, pod) in [(1, before), (2, after)] {
            world.apply(revision, Duration::ZERO, &Fact::there::<Pod>(Seen::new(pod).unwrap()));
        }
        world
    }

    #[rstest]
    #[case::to_the_second("2026-01-01T00:00:20Z", false)]
    #[case::too_soon("2026-01-01T00:00:19Z", true)]
    fn a_pod_ten_seconds_after_a_deletion(#[case] at: &str, #[case] sooner: bool) {
        let leaving = json!({"metadata": {"name": "a", "uid": "a", "deletionTimestamp": "2026-01-01T00:00:40Z",
            "deletionGracePeriodSeconds": 30}, "status": {"phase": "Running"}});
        let world = created(leaving, at);
        assert_eq!(pods().created_sooner_after_a_deletion_than(TEN).holds(&world), sooner);
        assert!(!pods().created_sooner_than(TEN).holds(&world), "nothing has failed");
    }

    #[rstest]
    #[case::to_the_second("2026-01-01T00:00:20Z", false)]
    #[case::too_soon("2026-01-01T00:00:19Z", true)]
    fn a_pod_ten_seconds_after_a_failure(#[case] at: &str, #[case] sooner: bool) {
        let ended = json!({"name": "main", "image": "", "imageID": "", "ready": false, "restartCount": 0,
            "state": {"terminated": {"exitCode": 1, "finishedAt": "2026-01-01T00:00:10Z"}}});
        let failed = json!({"metadata": {"name": "a", "uid": "a"},
            "status": {"phase": "Failed", "containerStatuses": [ended]}});
        let world = created(failed, at);
        assert_eq!(pods().created_sooner_than(TEN).holds(&world), sooner);
        assert!(!pods().created_sooner_after_a_deletion_than(TEN).holds(&world), "nothing was deleted");
    }
}
