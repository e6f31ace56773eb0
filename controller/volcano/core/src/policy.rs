//! Which action follows from an event (VJ-135 to VJ-145).

use jiff::SignedDuration;
use jobsworth_volcano_api::{Action, Event, Job, LifecyclePolicy};

use crate::{Profile, Request};

/// What is to be done, and how long after the event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The action.
    pub action: Action,
    /// The time to wait before; zero for none.
    pub delay: SignedDuration,
}

impl Choice {
    /// Look, and make what is missing.
    pub const SYNC: Self = Self { action: Action::SyncJob, delay: SignedDuration::ZERO };

    /// An action without delay.
    #[must_use]
    pub const fn now(action: Action) -> Self {
        Self { action, delay: SignedDuration::ZERO }
    }
}

/// The action for a request: the first rule that applies decides (VJ-135 to VJ-145).
#[must_use]
pub fn choose_action(job: &Job, request: &Request, profile: Profile) -> Choice {
    if let Some(action) = &request.action {
        return Choice::now(action.clone());
    }
    if matches!(request.event, Some(Event::OutOfSync | Event::CommandIssued | Event::PodRunning)) {
        return Choice::SYNC;
    }
    let another = request.job_uid.as_deref().is_some_and(|uid| job.metadata.uid.as_deref() != Some(uid));
    if another || is_outdated(job, request, profile) {
        return Choice::SYNC;
    }
    let task = request.task.as_deref().and_then(|name| job.spec.tasks.iter().find(|task| task.name == name));
    let of_task = task.map_or(&[] as &[_], |task| task.policies.as_slice());
    let of_job = match profile.task_policies_replace() && !of_task.is_empty() {
        true => &[],
        false => job.spec.policies.as_slice(),
    };
    of_task.iter().chain(of_job).find_map(|policy| applies(policy, request)).unwrap_or(Choice::SYNC)
}

/// Whether the event is about pods of an earlier version (VJ-138). One about the `PodGroup` has no version; release 1.15
/// takes that for 0 (VJ-140).
fn is_outdated(job: &Job, request: &Request, profile: Profile) -> bool {
    let version = job.status.as_ref().map_or(0, |status| status.version);
    let has_version = request.pod.is_some() || request.task.is_some() || profile.unknown_has_version_zero();
    has_version && request.version < version
}

/// VJ-139, VJ-141 to VJ-143, VJ-145.
fn applies(policy: &LifecyclePolicy, request: &Request) -> Option<Choice> {
    let named = |event: &Event| policy.all_events().into_iter().any(|known| known == event || *known == Event::Any);
    let by_event = request.event.as_ref().is_some_and(|event| {
        // A pod that waits is no event by itself; one that waits too long is (VJ-142).
        named(event) && (*event != Event::PodPending || policy.timeout.is_some())
    });
    let by_code = policy.exit_code.is_some_and(|code| request.exit_codes.contains(&code));
    if !by_event && !by_code {
        return None;
    }
    let delay = policy.timeout.as_ref().map_or(SignedDuration::ZERO, length);
    // An admitted policy has an action (VJ-329); without one it asks for nothing.
    Some(Choice { action: policy.action.clone().unwrap_or(Action::SyncJob), delay })
}

/// A negative time is none (VJ-330), and one that cannot be read is none either.
fn length(timeout: &jobsworth_volcano_api::Duration) -> SignedDuration {
    SignedDuration::from_nanos(timeout.as_nanos().unwrap_or_default()).max(SignedDuration::ZERO)
}
