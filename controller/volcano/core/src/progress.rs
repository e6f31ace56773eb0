//! What a phase makes of the pods that there are: the functions of section 2.4 (VJ-168 to VJ-174).

use crate::goals::Goals;
use crate::pod::PodPhase;
use crate::{Phase, Profile, Tally};

/// The phase that follows from the counters; the same one when it stays.
#[must_use]
pub fn after(profile: Profile, phase: Phase, goals: &Goals, tally: &Tally, retries: i32) -> Phase {
    match phase {
        Phase::Pending => after_pending(profile, goals, tally),
        Phase::Running if profile == Profile::Seed => after_running_in_seed(goals, tally),
        Phase::Running => after_running(goals, tally),
        Phase::Restarting => after_restarting(goals, tally, retries),
        _ => phase,
    }
}

/// Where the function of a phase can lead, itself left out.
#[must_use]
pub const fn leads_to(profile: Profile, phase: Phase) -> &'static [Phase] {
    match (profile, phase) {
        (_, Phase::Pending) => &[Phase::Running],
        (Profile::Seed, Phase::Running) => &[Phase::Completed, Phase::Terminated],
        (_, Phase::Running) => &[Phase::Completed, Phase::Failed, Phase::Pending],
        (_, Phase::Restarting) => &[Phase::Failed, Phase::Pending],
        _ => &[],
    }
}

/// Enough pods have come as far as to run (VJ-168). In the design document those that failed do not count: Running
/// means that the least number of pods runs.
fn after_pending(profile: Profile, goals: &Goals, tally: &Tally) -> Phase {
    let all = &tally.all;
    let failed = if profile == Profile::Seed { 0 } else { all.failed };
    let started = all.running.saturating_add(all.succeeded).saturating_add(failed);
    if started >= goals.min_available { Phase::Running } else { Phase::Pending }
}

/// VJ-169 to VJ-173, in this order.
fn after_running(goals: &Goals, tally: &Tally) -> Phase {
    let (all, total) = (&tally.all, goals.total);
    if total == 0 {
        return Phase::Running;
    }
    if goals.min_success.is_some_and(|least| all.succeeded >= least) {
        return Phase::Completed;
    }
    if all.ended() == total {
        return verdict(goals, tally);
    }
    if all.pending > total.saturating_sub(goals.min_available) { Phase::Pending } else { Phase::Running }
}

/// The end of a job whose pods have all ended (VJ-171, VJ-172).
fn verdict(goals: &Goals, tally: &Tally) -> Phase {
    let sum = goals.tasks.iter().fold(0i32, |sum, task| sum.saturating_add(task.needed()));
    let falls_short = |task: &crate::goals::TaskGoal| {
        let succeeded = tally.of_task(&task.name, PodPhase::Succeeded);
        task.min_available.zip(succeeded).is_some_and(|(least, succeeded)| succeeded < least)
    };
    if goals.min_available >= sum && goals.tasks.iter().any(falls_short) {
        return Phase::Failed;
    }
    if goals.min_success.is_some() || tally.all.succeeded < goals.min_available {
        return Phase::Failed;
    }
    Phase::Completed
}

/// Completed means that all tasks completed successfully; Terminated that the job finished otherwise (VJ-172).
fn after_running_in_seed(goals: &Goals, tally: &Tally) -> Phase {
    match tally.all.ended() == goals.total {
        _ if goals.total == 0 => Phase::Running,
        true if tally.all.failed == 0 => Phase::Completed,
        true => Phase::Terminated,
        false => Phase::Running,
    }
}

/// VJ-174, VJ-186.
fn after_restarting(goals: &Goals, tally: &Tally, retries: i32) -> Phase {
    if retries >= goals.max_retry {
        return Phase::Failed;
    }
    let free = goals.total.saturating_sub(tally.all.terminating);
    if free >= goals.min_available { Phase::Pending } else { Phase::Restarting }
}
