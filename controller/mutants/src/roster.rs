//! The mutants: the single bug of each, the invariants that should notice it, and what it is put to.
//!
//! Numbers 57 to 62 of the same list are bugs of Volcano's controller, see [`crate::volcano_roster`]. Those from 63 on were made from a
//! requirement alone, those from 76 on from the controller's code, by somebody who had not seen what checks it. Those
//! from 105 on are in files of their own; those from 193 to 203 are bugs of Kubernetes' history.

mod decisions;
mod history;
mod occasions;
mod recovery;
mod traces;

use std::sync::Arc;

use jobsworth_core::Why;

use crate::bugs::{blind, crowd, deaf, drop, fatal, forget, gangs, impatient, miscount, reorder, repeat, rude};
use crate::decorator::{Ask, Decorator, Say, See, ShowJob, ShowPod, Told};
use crate::mutant::mutants;
pub use crate::mutant::{Make, Mutant, Trial};
use crate::volcano_roster;

/// All bad controllers that are put to a case on the newest server, those of Volcano's Jobs last.
pub fn all() -> impl Iterator<Item = &'static Mutant> {
    PARTS.into_iter().flatten().chain(volcano_roster::MUTANTS)
}

/// The mutant of this number.
#[must_use]
pub fn mutant(number: &str) -> Option<&'static Mutant> {
    all().find(|mutant| mutant.number == number)
}

/// Not on the list, as no invariant should notice it: a controller that dies when a Job's name says so.
pub const FATAL: &str = "fatal";

/// What is put around a Job controller under this name: the bug of a mutant, one that shows in a [crowd], or [`FATAL`].
#[must_use]
pub fn decorator(name: &str) -> Option<Arc<dyn Decorator>> {
    if name == FATAL {
        return Some(Arc::new(See(fatal::as_named)));
    }
    match mutant(name).map(|mutant| mutant.make) {
        Some(Make::Job(make)) => Some(make()),
        Some(Make::Volcano(_)) => None,
        None => crowd::bug(name).map(crowd::Bug::make),
    }
}

/// Every mutant of the Job controller, in order of its number. These lists are the only registry.
const PARTS: [&[Mutant]; 6] =
    [MUTANTS, decisions::MUTANTS, traces::MUTANTS, history::MUTANTS, occasions::MUTANTS, recovery::MUTANTS];

/// The first of them.
const MUTANTS: &[Mutant] = mutants! { Job;
    M01 forget "acts on its cache right after writing" [S17 S18 S19]
        forget::OwnWrites, PodsLate "parallelism/no-more-pods-than-are-missing";
    M02 forget "counts a pod again when the cache is behind its release" [S13]
        forget::ReleasedPods, PodsLate "parallelism/no-more-pods-than-are-missing";
    M03 miscount "counts without the ledger" [S13 S15]
        Say(miscount::without_a_ledger), Fair "parallelism/no-more-pods-than-are-missing";
    M04 reorder "takes finalizers off before the ledger is written" [S14 S15 S13]
        reorder::ReleaseBeforeLedger::default(), LedgerRefused "parallelism/no-more-pods-than-are-missing";
    M05 drop "declares the Job finished while finalizers remain" [S05 S26]
        Ask(drop::releases), Fair "parallelism/no-more-pods-than-are-missing";
    M06 drop "leaves the finalizer on pods of a deleted Job" [S26 L4]
        drop::OrphansReleases::default(), Fair "ownership/freed-though-nobody-watched";
    M07 miscount "records a pod that failed and then succeeded in both lists" [S12 S29 L1]
        Say(miscount::in_both_lists), ReleasesRefused "bench/a-stopping-pod-succeeds-late";
    M08 blind "sets Failed while pods still stop" [S05]
        See(blind::stopping_pods), Fair "pod-replacement/the-end-waits-for-stopping-pods";
    M09 miscount "reports no active pods while it waits out a backoff" [S29 L1]
        Say(miscount::idle_in_backoff), Fair "backoff/failures-are-counted-while-others-run";
    M10 miscount "lets a resumed Job start at its creation" [S31 S29]
        Say(miscount::start_of_a_resumed_job), Fair "bench/a-resumed-job-starts-anew";
    M11 forget "keeps expectations when a Job is recreated under its name" [L2]
        forget::WhoseExpectations::default(), PodsLate "bench/a-namesake-starts-afresh";
    M12 blind "takes ownership by name, not by UID" [S25 S13]
        blind::OwnerUid, Fair "ownership/a-namesakes-pods-are-strangers";
    M13 miscount "counts failed syncs towards the backoff limit" [S22]
        miscount::FailedSyncs::default(), Fair "backoff/refused-creations-are-no-failures";
    M14 blind "never enforces the backoff limit" [S22 L2]
        See(blind::backoff_limit), Fair "backoff/limit-allows-one-failure-more";
    M15 blind "is off by one with OnFailure and limit 0" [S22]
        See(blind::first_restart), Fair "backoff/limit-zero-bears-no-restart";
    M16 blind "takes reaching the backoff limit for exceeding it" [S22]
        See(blind::last_permitted_failure), Fair "backoff/limit-allows-one-failure-more";
    M17 reorder "counts its own scale-down as failures" [S13 S22]
        reorder::DeleteBeforeRelease::of(Why::Surplus), Fair "parallelism/parallelism-can-change";
    M18 deaf "loses the deadline's timer with the next event" [L2]
        Say(deaf::to_the_deadlines_timer), Fair "deadline/survives-a-restart";
    M19 blind "lets the deadline run while the Job is suspended" [S31]
        blind::SuspensionForTheDeadline, Fair "deadline/a-suspended-job-has-none";
    M20 blind "panics on an exit-code rule while a container runs" [L6]
        See(blind::running_containers), Fair "failure-policy/fail-job-rule-ends-the-job";
    M21 blind "lets the last matching rule of the failure policy decide" [S22]
        See(blind::first_match), Fair "failure-policy/first-matching-rule-decides";
    M22 blind "counts ignored failures" [S22 S13]
        See(blind::ignore), Fair "failure-policy/disruptions-do-not-count";
    M23 blind "takes FailIndex for Count" [S11]
        See(blind::fail_index), Fair "index-backoff/fail-index-gives-up-at-once";
    M24 miscount "counts succeeded pods, not indexes" [S10 S16]
        Say(miscount::pods_for_indexes), Fair "indexed-job/scaling-down-drops-indexes";
    M25 miscount "keeps completed indexes that are out of range" [S09 S29]
        miscount::IndexesOutOfRange::default(), Fair "indexed-job/scaling-down-drops-indexes";
    M26 forget "forgets completed indexes with a restart" [S09]
        forget::CompletedIndexes::default(), Fair "indexed-job/progress-survives-a-crash";
    M27 miscount "writes two indexes as a range" [S09]
        Ask(miscount::pairs_as_ranges), Fair "indexed-job/completed-indexes-are-compressed";
    M28 reorder "of two pods with one index, deletes the older" [S19 L3]
        reorder::OlderOfTwo::default(), Fair "bench/a-duplicate-index-goes";
    M29 blind "creates pods while the Job is suspended" [S20]
        See(blind::suspend), Fair "suspend/created-suspended-then-resumed";
    M30 reorder "counts suspended pods as failed" [S20 S13]
        reorder::DeleteBeforeRelease::of(Why::Suspended), Fair "suspend/running-pods-go-uncounted";
    M31 deaf "notices another parallelism only with the next pod event" [L1 S17]
        deaf::ToParallelism::default(), Fair "parallelism/parallelism-can-change";
    M32 blind "ignores podReplacementPolicy Failed" [S24]
        See(blind::replacement_policy), Fair "pod-replacement/replaced-only-when-failed";
    M33 blind "judges the success policy before failures" [S02 S32]
        See(blind::failures_beside_success), Fair "success-policy/backoff-limit-beats-success";
    M34 blind "counts indexes that a success rule does not list" [S32]
        See(blind::listed_indexes), Fair "success-policy/only-listed-indexes-count";
    M35 drop "leaves lingering pods running after the success policy is met" [S08 S05 L4]
        Say(drop::deletions_after_the_decision), Fair "success-policy/lingering-pods-hold-the-end-back";
    M36 repeat "makes conditions new with every write" [S03 L3]
        Say(repeat::transitions), Fair "success-policy/lingering-pods-hold-the-end-back";
    M37 repeat "writes the status when nothing changed" [L3]
        Say(repeat::unchanged_status), Fair "parallelism/no-more-pods-than-are-missing";
    M38 rude "writes the status whatever version it has" [S29 S08 S13]
        Ask(rude::status_without_version), JobsLate "status/conditions-of-others-stay";
    M39 deaf "gives the Job up after a conflict" [L1]
        deaf::AfterAConflict::default(), Contested "indexed-job/complete-when-every-index-succeeded";
    M40 deaf "drops the Job after an error" [L1 L2]
        Say(deaf::to_errors), ReleasesRefused "bench/a-stopping-pod-succeeds-late";
    M41 impatient "repeats a failed sync at once" [L7]
        impatient::AfterAFailure::default(), Fair "bench/refusals-slow-creations-down";
    M42 impatient "does not leave the API server alone when asked to" [L7]
        Told(impatient::when_told_to_wait), TooManyRequests "parallelism/no-more-pods-than-are-missing";
    M43 impatient "creates all pods at once against a closed quota" [L7]
        impatient::WithoutSlowStart::default(), Fair "bench/refusals-slow-creations-down";
    M44 deaf "goes on writing after losing the lease" [S30]
        deaf::ToTheLease::default(), Fair "leader-election/a-leader-that-cannot-renew-steps-down";
    M45 rude "takes the lease whatever version it has" [S30]
        Ask(rude::lease_without_version), Fair "leader-election/a-late-renewal-takes-nothing-away";
    M46 blind "ignores managedBy" [S28]
        blind::ManagedBy, Fair "managed-by/a-foreign-job-is-left-alone";
    M47 rude "counts the time to live from the Job's creation" [S27]
        ShowJob(rude::life_from_creation), Fair "ttl/counted-from-the-finish";
    M48 rude "removes an expired Job without a fresh look" [S27]
        Ask(rude::removal_of_another_version), JobsVeryLate "bench/an-extension-nobody-saw-counts";
    M49 rude "removes an expired Job without its pods" [S27 L4]
        Ask(rude::removal_without_pods), Fair "ttl/pods-go-first";
    M50 rude "removes the namesake of an expired Job" [S27 S25]
        Ask(rude::removal_by_name), JobsVeryLate "bench/the-namesake-of-an-expired-job-stays";
    M51 rude "never removes a Job with a time to live of 0" [S27 L2]
        ShowJob(rude::no_life_at_all), Fair "ttl/zero-removes-at-once";
    M52 repeat "sends a creation again when its answer is lost" [S17 S18]
        repeat::AmbiguousCreations, AnswersLost "parallelism/no-more-pods-than-are-missing";
    M53 deaf "does not list again after 410" [L8 L1]
        Told(deaf::to_lost_history), HistoryLost "parallelism/no-more-pods-than-are-missing";
    M54 deaf "waits for an answer for ever" [L6 L8]
        deaf::ToSilence, BlackHole "parallelism/no-more-pods-than-are-missing";
    M55 forget "counts only failures that it has seen happen" [L1 L2]
        forget::UnseenFailures::default(), Fair "bench/failed-while-nobody-watched";
    M56 blind "never replaces a pod that was deleted" [L2]
        See(blind::deletions), Fair "pod-replacement/replaced-while-it-still-stops";
    M63 forget "tells of the end again after a restart" []
        forget::ToldEnds::default(), Fair "status/events-tell-the-story";
    M64 repeat "makes the terminal condition new when a finished Job is changed" [S03]
        repeat::Ends::default(), Fair "status/events-tell-the-story";
    M65 reorder "lets pods go before it says that the success policy is met" []
        reorder::ReleaseBeforeAnnouncement::default(), Fair "success-policy/lingering-pods-hold-the-end-back";
    M66 drop "does not count a finished pod that was deleted before it was accounted" []
        drop::AccountsOfDeletedPods::default(), Fair "indexed-job/progress-survives-a-crash";
    M67 blind "counts a succeeded pod as failed when it was deleted before it was accounted" []
        See(blind::success_of_deleted_pods), Fair "indexed-job/progress-survives-a-crash";
    M68 miscount "counts pods as terminating one sync after it stopped them" []
        miscount::PodsJustStopped::default(), Fair "success-policy/lingering-pods-hold-the-end-back";
    M69 miscount "loses the index in the names of pods of a Job with a long name" [S21]
        miscount::Names::with(miscount::index_behind_a_long_name), Fair "hostile/names-at-their-limits";
    M70 miscount "leaves index 0 out of the names of pods" [S21]
        miscount::Names::with(miscount::no_index_zero), Fair "indexed-job/pods-carry-their-index";
    M71 blind "counts the backoff from the first end of a container" [S23]
        ShowPod(blind::all_ends_but_the_first), Fair "backoff/the-delay-counts-from-the-end-of-the-pod";
    M72 blind "counts the backoff from when it saw the failure" []
        blind::TimesOfFailures::default(), Fair "backoff/the-delay-counts-from-the-end-of-the-pod";
    M73 deaf "goes on scaling a Job that is being deleted" []
        deaf::ToTheJobsDeletion::default(), Fair "ownership/a-deleted-job-frees-its-pods";
    M74 repeat "writes the status of an idle Job every few seconds" [L3]
        repeat::Resyncs::default(), Fair "status/a-quiet-job-is-left-alone";
    M75 rude "gives a Job of another manager its start time" [S28]
        rude::StartOfForeignJobs::default(), Fair "managed-by/a-foreign-job-is-left-alone";
    M76 gangs "wants a gang of 0 when its parallelism is 0" [S29]
        ShowJob(gangs::gang_of_none), Fair "scheduling/a-gang-counts-what-may-run";
    M77 gangs "takes an Indexed Job whose pods all run at once for a gang" []
        ShowJob(gangs::as_in_1_36), Fair "scheduling/no-job-is-a-gang-unasked";
    M78 gangs "creates pods without a group when the group is refused" []
        gangs::RefusedGroups::default(), Fair "scheduling/a-refused-group-holds-pods-back";
    M79 gangs "takes any Workload that names the Job for its own" []
        gangs::WhoseWorkload::default(), Fair "scheduling/a-workload-of-another-stays";
    M80 gangs "makes no group for a Job while it is suspended" []
        ShowJob(gangs::nothing_while_suspended), Fair "scheduling/a-suspended-job-has-its-group-first";
    M81 gangs "makes only the first pods of a Job members of its group" []
        gangs::LaterPods::default(), Fair "scheduling/a-gang-counts-what-may-run";
    M82 gangs "takes any owner of a Job for its controller" []
        gangs::AnyOwner, Fair "scheduling/an-owner-is-no-parent";
    M83 gangs "lets the parent's Workload own a delegated group" []
        gangs::ParentsWorkload::default(), Fair "scheduling/a-parent-delegates-the-pod-group";
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_there_once() {
        let of_jobs = PARTS.into_iter().flatten();
        let numbers: Vec<&str> = of_jobs.map(|mutant| mutant.number).collect();
        let wanted: Vec<String> =
            (1..=56).chain(63..=83).chain(105..=259).map(|number| format!("M{number:02}")).collect();
        assert_eq!(numbers, wanted);
    }

    #[test]
    fn no_number_is_of_two_controllers() {
        let mut numbers = std::collections::BTreeSet::new();
        for mutant in all() {
            assert!(numbers.insert(mutant.number), "{} is there twice", mutant.number);
        }
    }

    #[test]
    fn a_kind_is_the_file_that_the_bug_is_in() {
        let text = concat!(
            include_str!("roster.rs"),
            include_str!("roster/decisions.rs"),
            include_str!("roster/history.rs"),
            include_str!("roster/occasions.rs"),
            include_str!("roster/recovery.rs"),
            include_str!("roster/traces.rs")
        );
        for mutant in PARTS.into_iter().flatten() {
            let after = text.split(&format!("    {} {}", mutant.number, mutant.kind)).nth(1).unwrap_or_default();
            let second = after.lines().nth(1).unwrap_or_default();
            assert!(second.contains(&format!("{}::", mutant.kind)), "{}: {second}", mutant.number);
        }
    }
}
