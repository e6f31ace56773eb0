//! The bad Volcano controllers: the single bug of each, the invariants that should notice it, and what it is put to.
//!
//! Numbers go on where those of the Job controller have a gap, and after its last: M57 to M62, M84 and on.

use std::sync::Arc;

use crate::decorator::Ask;
use crate::mutant::{Make, Mutant, mutants};
use crate::volcano::bugs::{gangs, kills, news, objects, orders, policies, retries, statuses, times};
use crate::volcano::{Bug, Say, See, Wire};

/// Every bad Volcano controller, in order of its number. This list is the only registry.
pub const MUTANTS: &[Mutant] = mutants! { Volcano;
    M57 policies "lets a policy of the job win over one of the task" []
        See(policies::the_jobs_come_first), Fair "volcano-policies/task-policies-come-first";
    M58 policies "lets a policy on an event win over an earlier one on an exit code" []
        See(policies::events_before_exit_codes), Fair "volcano-policies/exit-codes";
    M59 policies "does not take the completion of a task for any event" []
        See(policies::completion_is_no_event), Fair "volcano-policies/any-event-is-any-event";
    M60 news "acts on the failure of a pod that an earlier restart still takes down" []
        news::EarlierVersions::default(), Fair "volcano-policies/pods-of-an-earlier-version-are-no-news";
    M61 news "takes the end of a pod that it has killed for an eviction" []
        See(news::own_kills), Fair "volcano-policies/own-kills-are-no-losses";
    M62 kills "deletes failed pods, too, when a job is aborted, completed or terminated" []
        Say(kills::failed_pods_go_too), Fair "volcano-kills/what-ended-stays";
    M84 kills "keeps pods that succeeded when their task is restarted" []
        Say(kills::successes_of_a_task_stay), Fair "volcano-kills/a-task-is-restarted-alone";
    M85 kills "deletes the PodGroup when it restarts a single pod" []
        Say(kills::the_group_goes_with_a_pod), Fair "volcano-kills/a-pod-is-restarted-alone";
    M86 kills "does not raise the version when it restarts a job" []
        Say(kills::one_version_for_all_runs), Fair "volcano-kills/a-restart-takes-all";
    M87 retries "allows as many restarts as maxRetry says, one run too many" []
        See(retries::as_many_restarts_as_runs), Fair "volcano-retries/runs-are-counted";
    M88 retries "counts retries anew once the job runs" []
        Say(retries::counted_from_the_last_run), Fair "volcano-retries/runs-are-counted";
    M89 retries "does not count a restart that waited for its time" []
        retries::DelayedRestarts::default(), Fair "volcano-timeouts/a-timed-restart-is-counted";
    M90 times "lets the time of a delayed action begin anew when it starts" []
        times::SinceItsStart::default(), Fair "volcano-timeouts/time-goes-on-without-a-controller";
    M91 times "deletes aborted jobs, too, when their time to live is up" []
        times::AbortedJobsExpire, Fair "volcano-ttl/aborted-jobs-stay";
    M92 orders "leaves Commands on the API that it has carried out" []
        orders::StayThere::default(), Fair "volcano-commands/an-order-waits-for-the-controller";
    M93 orders "forgets Commands that it takes off the API while a job restarts" []
        Say(orders::lost_while_restarting), Fair "volcano-commands/orders-are-heard-while-restarting";
    M94 gangs "does not tell the PodGroup what a scaled gang uses" []
        Say(gangs::what_a_scaled_gang_uses), Fair "volcano-scaling/more-pods";
    M95 gangs "waits for all tasks that a task depends on where any is enough" []
        See(gangs::all_of_several), Fair "volcano-dependencies/one-of-several-may-be-enough";
    M96 gangs "completes a job though a task is below its own least number" []
        See(gangs::what_each_task_needs), Fair "volcano-lifecycle/a-task-below-its-minimum-fails-the-job";
    M97 gangs "asks for minSuccess only when all pods have ended" []
        See(gangs::enough_before_the_end), Fair "volcano-lifecycle/enough-successes-at-once";
    M98 statuses "takes every write of a status for a transition" []
        Say(statuses::each_write_is_a_transition), Fair "volcano-lifecycle/a-job-whose-pods-succeed-is-completed";
    M99 statuses "adds a condition each time a phase is entered again" []
        Say(statuses::a_condition_for_each_time), Fair "volcano-lifecycle/each-phase-is-told-once";
    M100 statuses "counts pods that are being deleted among those that run" []
        Say(statuses::what_goes_still_runs), Fair "volcano-retries/a-restart-waits-for-pods-to-go";
    M101 objects "makes a new pair of ssh keys with each sync of a running job" []
        objects::FreshKeys::default(), Fair "volcano-plugins/ssh-gives-keys";
    M102 objects "leaves the ConfigMap with the hosts when a job is taken down" []
        Say(objects::hosts_of_an_ended_job), Fair "volcano-plugins/all-three-until-the-end";
    M103 objects "names the wrong API where it says whose the objects of plugins are" []
        Wire(Ask(objects::owner_of_another_api)), Fair "volcano-ownership/all-that-is-made-is-owned";
    M104 objects "does not label pods with their queue" []
        Say(objects::queue_as_annotation_only), Fair "volcano-pods/what-a-pod-says-of-itself";
};

/// The bug of this number, ready to be put around a Volcano controller.
#[must_use]
pub fn bug(number: &str) -> Option<Arc<dyn Bug>> {
    let mutant = MUTANTS.iter().find(|mutant| mutant.number == number)?;
    match mutant.make {
        Make::Volcano(make) => Some(make()),
        Make::Job(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_put_to_a_case_of_volcanos() {
        for mutant in MUTANTS {
            assert!(mutant.trial.is_volcanos(), "{}: {}", mutant.number, mutant.trial.scenario);
            assert!(bug(mutant.number).is_some());
        }
    }
    #[test]
    fn numbers_are_in_order() {
        let number = |mutant: &Mutant| mutant.number.trim_start_matches('M').parse::<u32>().unwrap();
        let numbers: Vec<u32> = MUTANTS.iter().map(number).collect();
        let wanted: Vec<u32> = (57..=62).chain(84..=104).collect();
        assert_eq!(numbers, wanted);
    }

    #[test]
    fn a_kind_is_the_file_that_the_bug_is_in() {
        let text = include_str!("volcano_roster.rs");
        for mutant in MUTANTS {
            let after = text.split(&format!("    {} {}", mutant.number, mutant.kind)).nth(1).unwrap_or_default();
            let second = after.lines().nth(1).unwrap_or_default();
            assert!(second.contains(&format!("{}::", mutant.kind)), "{}: {second}", mutant.number);
        }
    }
}
