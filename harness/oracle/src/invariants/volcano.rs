//! What must hold in every recorded history of Volcano's Jobs (VJ-189).

mod alive_after_the_end;
mod alive_at_the_end;
mod conditions;
mod counts_never_fall;
mod counts_of_pods;
mod current_version;
mod ends_stay;
mod gang_first;
mod gang_history;
mod kills_raise_the_version;
mod made_for_the_living;
mod made_in_order;
mod one_owner;
mod one_pass_at_a_time;
mod one_pod_per_place;
mod retries;
mod time_to_live;
mod transitions;

use super::{Invariant, universal};

/// Phases that are left no more (VJ-182). An aborted Job can be resumed.
const END_PHASES: [&str; 3] = ["Completed", "Failed", "Terminated"];

/// Every invariant of Volcano's Jobs, those of whatever API first, in order of its number. This list is the only registry.
pub const ALL: &[&dyn Invariant] = &[
    &universal::NoReturn,
    &universal::ObservedGeneration,
    &transitions::Transitions,
    &counts_never_fall::CountsNeverFall,
    &ends_stay::EndsStay,
    &one_pod_per_place::OnePodPerPlace,
    &current_version::CurrentVersion,
    &one_owner::OneOwner,
    &alive_after_the_end::AliveAfterTheEnd,
    &alive_at_the_end::AliveAtTheEnd,
    &made_in_order::MadeInOrder,
    &gang_first::GangFirst,
    &made_for_the_living::MadeForTheLiving,
    &conditions::Conditions,
    &retries::Retries,
    &kills_raise_the_version::KillsRaiseTheVersion,
    &time_to_live::TimeToLive,
    &one_pass_at_a_time::OnePassAtATime,
    &counts_of_pods::CountsOfPods,
];
