//! What is to be acted on, request by request, as release 1.15 does (VJ-135, VJ-190 to VJ-200).

use jiff::{SignedDuration, Timestamp};
use jobsworth_volcano_api::Action;

use crate::occasion::{Findings, Occasion};
use crate::policy::choose_action;
use crate::{Limits, Memory, Notice, Request, Snapshot};

/// The next thing to do: an order, a delayed action, a request. None of them: nothing.
pub(crate) fn next(seen: &Snapshot<'_>, memory: &mut Memory, now: Timestamp, limits: &Limits) -> Findings {
    let explicit = |action: Action| Some(Occasion { request: Request::command(action.clone()), action });
    if let Some(action) = memory.issued.clone() {
        return Findings { occasion: explicit(action), ..Findings::default() };
    }
    let request = seen.requests.first();
    if limits.requeues.is_some_and(|most| seen.failures >= most) && limits.profile.gives_up() {
        let failed = request.map_or(Action::SyncJob, |request| choose_action(seen.job, request, limits.profile).action);
        return Findings {
            occasion: explicit(Action::TerminateJob),
            notices: vec![Notice::gives_up(&failed)],
            consumed: seen.requests.len().min(1),
            ..Findings::default()
        };
    }
    if let Some((request, action)) = memory.timers.take_due(now) {
        return Findings {
            occasion: Some(Occasion { request, action }),
            wake: Some(SignedDuration::ZERO),
            ..Findings::default()
        };
    }
    let Some(request) = request else {
        return Findings { idle: true, wake: memory.timers.next(now), ..Findings::default() };
    };
    memory.timers.call_off(request);
    // The queue goes on as soon as this one is done.
    let wake = match seen.requests.len() {
        0 | 1 => memory.timers.next(now),
        _ => Some(SignedDuration::ZERO),
    };
    let choice = choose_action(seen.job, request, limits.profile);
    if choice.delay > SignedDuration::ZERO {
        let due = now.saturating_add(choice.delay).unwrap_or(Timestamp::MAX);
        let new = memory.timers.start(request, &choice.action, due);
        let notices = if new { vec![Notice::waits(&choice.action, choice.delay)] } else { Vec::new() };
        let wake = if seen.requests.len() > 1 { Some(SignedDuration::ZERO) } else { memory.timers.next(now) };
        return Findings { notices, wake, consumed: 1, idle: true, ..Findings::default() };
    }
    let occasion = Some(Occasion { request: request.clone(), action: choice.action });
    Findings { occasion, wake, consumed: 1, ..Findings::default() }
}
