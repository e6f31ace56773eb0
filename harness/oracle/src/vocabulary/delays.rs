//! Words about the time between a failure and what replaces it.

use super::pods::{PodWords, phase};
use crate::predicate::Predicate;
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
        let (these, created) = (self.clone(), self.created());
        let words = format!("{} less than {} s after the latest failure", created.words(), delay.as_secs());
        let delay = SignedDuration::try_from(delay).unwrap_or(SignedDuration::MAX);
        Predicate::new(words, move |world| {
            let Some(added) = world.added::<Pod>() else { return false };
            let birth = added.metadata.creation_timestamp.as_ref();
            let failures = world.pods().filter(|pod| these.picks(pod) && phase(pod) == "Failed");
            let latest = failures.filter_map(|pod| ended_at(pod)).max();
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
