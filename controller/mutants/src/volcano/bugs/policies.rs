//! *Policies*: another rule applies than the one that ought to.

use jobsworth_volcano_api::Event;

use crate::volcano::Look;

/// Asks the policies of the job before those of the task (VJ-139). Both lists are there and both are asked, so it takes an
/// event that both name; to somebody who wants rules for the whole job first, this order even looks right.
pub fn the_jobs_come_first(look: &mut Look) {
    let spec = &mut look.job_mut().spec;
    let of_job = spec.policies.clone();
    for task in &mut spec.tasks {
        task.policies.splice(0..0, of_job.iter().cloned());
    }
}

/// Looks for the event in the whole list before it looks for the exit code (VJ-143): two loops where one has to be. A rule
/// for an exit code is never reached when a later one names the failure as such.
pub fn events_before_exit_codes(look: &mut Look) {
    // A stable sort: rules of one kind keep their order.
    look.each_list_of_policies(|policies| policies.sort_by_key(|policy| policy.exit_code.is_some()));
}

/// Takes `*` for everything that may go wrong, as the seed's text speaks of it: that a task is done is no such thing
/// (VJ-141).
pub fn completion_is_no_event(look: &mut Look) {
    look.each_list_of_policies(|policies| {
        for policy in policies {
            if policy.all_events().into_iter().any(|event| *event == Event::Any) {
                policy.event = None;
                policy.events =
                    vec![Event::PodPending, Event::PodFailed, Event::PodEvicted, Event::Unknown, Event::TaskFailed];
            }
        }
    });
}
