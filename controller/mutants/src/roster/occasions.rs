//! Bugs of what seldom comes together: causes that meet, lists in another form, limits of numbers, Jobs that come back, writes
//! that are refused. Made from the requirements and the controller's code, by somebody who had not seen what checks it.

use crate::bugs::{
    accounts, births, blind, deaf, delays, drop, indexes, lives, owners, pauses, rules, sizes, tales, verdicts, writes,
};
use crate::decorator::{Ask, Say, See, ShowJob, ShowPod, Told};
use crate::mutant::{Mutant, mutants};

/// In order of their numbers.
pub(super) const MUTANTS: &[Mutant] = mutants! { Job;
    M204 verdicts "lets completions that are reached beat a FailJob rule that applies" []
        See(verdicts::completions_before_fail_job), Fair "failure-policy/a-match-beats-completions";
    M205 verdicts "lets the success policy beat failed indexes when every index has ended" []
        See(verdicts::success_rule_before_failed_indexes), Fair "races/failed-indexes-with-success-rule";
    M206 verdicts "lets failed indexes beat their limit when every index has ended" []
        See(verdicts::all_indexes_before_their_limit), Fair "races/failed-index-limit-with-failed-indexes";
    M207 verdicts "gives a Job that fails for something else the reason of a FailJob rule that applies later" []
        See(verdicts::fail_job_of_a_failed_job), Fair "failure-policy/a-late-match-changes-no-reason";
    M208 verdicts "notes the suspension of a finished Job" []
        Say(verdicts::suspension_of_a_finished_job), Fair "suspend/no-effect-on-a-finished-job";
    M209 verdicts "sets Complete while pods still stop" []
        See(verdicts::stopping_pods_of_a_success), Fair "success-policy/lingering-pods-hold-the-end-back";
    M210 rules "does not want the last index of an interval in a success rule" []
        See(rules::last_of_an_interval), Fair "success-policy/a-list-has-gaps-and-intervals";
    M211 rules "leaves indexes with a sign or a leading zero out of a success rule" []
        See(rules::indexes_in_another_form), Fair "success-policy/a-sign-or-a-zero-changes-no-index";
    M212 rules "tells of the last success rule that is met, not of the first" []
        Say(rules::all_but_the_last_rule_that_is_met), Fair "success-policy/first-matching-rule-wins";
    M213 rules "reads exit codes above 127 as negative numbers" []
        ShowPod(rules::exit_codes_above_127), Fair "hostile/policies-at-their-limits";
    M214 accounts "takes as many failed indexes as are allowed for too many" []
        See(accounts::last_permitted_failed_index), Fair "index-backoff/too-many-failed-indexes-end-the-job";
    M215 accounts "does not count pods as failed whose index is given up by a rule" []
        accounts::FailuresOfGivenUpIndexes::default(), Fair "index-backoff/fail-index-gives-up-at-once";
    M216 accounts "does not count restarts of a pod that does not run yet" []
        See(accounts::restarts_of_waiting_pods), Fair "backoff/restarts-of-init-containers-count";
    M217 delays "lets a Job wait for the failures of a namesake that is gone" []
        delays::Namesakes::default(), Fair "backoff/a-namesake-has-no-record";
    M218 sizes "makes and removes more than 500 pods in one sync" []
        See(sizes::bounds_of_a_sync), Fair "parallelism/surplus-goes-in-parts";
    M219 sizes "runs one pod less at a time for each index that failed" []
        See(sizes::places_of_failed_indexes), Fair "index-backoff/every-index-has-its-try";
    M220 sizes "removes pods first that restarted least" []
        See(sizes::restarted_often), Fair "parallelism/the-least-far-go-first";
    M221 sizes "wants as many successes of a work queue as it has pods at a time" []
        See(sizes::successes_of_a_queue), Fair "parallelism/a-queue-ends-with-its-first-success";
    M222 pauses "stops at most 500 pods of a suspended Job at once" []
        pauses::ManyPodsAtOnce::default(), Fair "suspend/all-pods-go-at-once";
    M223 pauses "resumes a Job only when its last pod has stopped" []
        See(pauses::resumption_beside_stopping_pods), Fair "suspend/resumed-while-pods-stop";
    M224 pauses "gives a start time to a Job that is created suspended" []
        Say(pauses::start_of_a_job_created_suspended), Fair "suspend/created-suspended-then-resumed";
    M225 pauses "takes a deadline of 0 for none" []
        See(pauses::deadline_of_zero), Fair "deadline/zero-fails-before-any-pod";
    M226 lives "counts times to live anew when it starts" []
        lives::EndsBeforeTheStart, Fair "ttl/restart-rebuilds-timers";
    M227 lives "takes an end in the future for one that is now" []
        ShowJob(lives::ends_in_the_future), Fair "ttl/a-clock-that-is-wrong";
    M228 lives "does not try again to remove an expired Job" []
        Told(lives::refused_removals), Fair "refused-writes/a-time-to-live-is-tried-again";
    M229 owners "adopts pods that do not hold back the deletion of their Job" []
        Ask(owners::adoption_without_a_block), Fair "ownership/a-matching-orphan-is-adopted";
    M230 owners "leaves the finalizer on pods of a deleted Job until they have ended" []
        owners::UnendedPodsOfADeletedJob::default(), Fair "ownership/a-deleted-job-frees-its-pods";
    M231 indexes "gives out indexes in the order of their texts" []
        Say(indexes::indexes_as_texts), Fair "indexed-job/lowest-indexes-run-first";
    M232 indexes "takes an index that failed, was dropped and comes back for failed" []
        indexes::ReturningFailures::default(), Fair "indexed-job/a-dropped-failure-is-forgotten";
    M233 indexes "does not see that an Indexed Job gets more completions" []
        indexes::LaterCompletions::default(), Fair "races/scale-up-then-all-indexes-done";
    M234 births "cuts the host names of pods as it cuts their names" []
        Ask(births::host_names_of_long_names), Fair "hostile/names-at-their-limits";
    M235 births "does not carry ignored failures of an index on" []
        Ask(births::ignored_failures_of_an_index), Fair "index-backoff/failure-count-travels-with-the-index";
    M236 births "leaves out the labels without a prefix" []
        Ask(births::old_labels), Fair "parallelism/pods-are-recognisably-the-jobs";
    M237 writes "counts pods as ready that still stop" []
        See(writes::ready_pods_that_stop), Fair "pod-replacement/a-stopping-pod-is-not-ready";
    M238 writes "lists succeeded pods of an Indexed Job as uncounted" []
        Say(writes::listed_successes_of_indexes), Fair "indexed-job/complete-when-every-index-succeeded";
    M239 drop "takes a finalizer for gone when its removal was refused" []
        Told(drop::refused_releases), Fair "refused-writes/a-release-is-tried-again";
    M240 deaf "waits to see pods whose creation was refused" []
        Told(deaf::to_refused_creations), Fair "backoff/refused-creations-are-no-failures";
    M241 tales "does not tell of creations that are refused" []
        Ask(tales::refused_creations), Fair "parallelism/an-error-ends-a-batch";
    M242 tales "swaps the limits of indexes in the metrics" []
        Say(tales::limits_of_indexes), Fair "metrics/ends-are-counted-once";
    M243 blind "takes the reserved value of managedBy for another manager" []
        ShowJob(blind::reserved_manager), Fair "managed-by/the-reserved-value-means-built-in";
};
