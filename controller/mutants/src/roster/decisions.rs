//! Bugs of what is decided: how a Job ends, what counts, how long it waits, how many pods it has. Made from the requirements and the
//! controller's code, by somebody who had not seen what checks it.

use crate::bugs::{accounts, delays, pauses, rules, sizes, verdicts};
use crate::decorator::{Say, See, ShowPod};
use crate::mutant::{Mutant, mutants};

/// In order of their numbers.
pub(super) const MUTANTS: &[Mutant] = mutants! { Job;
    M105 verdicts "lets the deadline beat the backoff limit when both are passed" []
        See(verdicts::deadline_before_backoff_limit), Fair "races/backoff-limit-with-deadline";
    M106 verdicts "lets failed indexes beat the deadline when both are passed" []
        See(verdicts::failed_indexes_before_deadline), Fair "races/deadline-with-failed-index-limit";
    M107 verdicts "lets the deadline beat a FailJob rule when both apply" []
        See(verdicts::deadline_before_fail_job), Fair "races/fail-job-rule-with-deadline";
    M108 verdicts "gives a failed Job whose pods still stop the reason of a deadline that passes meanwhile" []
        See(verdicts::deadline_of_a_failed_job), Fair "races/backoff-limit-then-deadline";
    M109 verdicts "notes the suspension of a Job that is decided" []
        Say(verdicts::suspension_of_a_decided_job), Fair "suspend/no-effect-after-success";
    M110 rules "does not read the status of pod conditions in the failure policy" []
        See(rules::status_of_conditions), Fair "failure-policy/disruptions-do-not-count";
    M111 rules "lets exit code 0 match a failure rule with NotIn" []
        rules::ZeroExits, Fair "failure-policy/exit-codes-are-read-per-container";
    M112 rules "does not read the container name of an exit-code rule" []
        See(rules::container_names), Fair "failure-policy/exit-codes-are-read-per-container";
    M113 rules "does not read the exit codes of init containers" []
        ShowPod(rules::init_containers), Fair "failure-policy/init-containers-are-heard-too";
    M114 rules "reads the exit code of the first container that failed, and no other" []
        See(rules::all_exits_but_the_first), Fair "failure-policy/exit-codes-are-read-per-container";
    M115 rules "takes a pod that still stops for failed where there is a failure policy" []
        See(rules::stopping_pods), Fair "failure-policy/ignored-pods-that-still-stop-do-not-count";
    M116 rules "counts an ignored failure against the limit of its index" []
        Say(rules::ignored_failures_of_an_index), Fair "index-backoff/failure-count-travels-with-the-index";
    M117 rules "wants one index more than a success rule counts" []
        See(rules::enough_indexes), Fair "success-policy/any-count-decides";
    M118 rules "reads the first rule of the success policy, and no other" []
        See(rules::all_success_rules_but_the_first), Fair "success-policy/leader-or-quorum";
    M119 rules "wants all listed indexes of a success rule that has a count, too" []
        See(rules::count_beside_a_list), Fair "success-policy/only-listed-indexes-count";
    M120 rules "numbers the rules of the success policy from 1" []
        Say(rules::rules_from_one), Fair "success-policy/first-matching-rule-wins";
    M121 accounts "counts failures of dropped indexes" []
        See(accounts::failures_of_dropped_indexes), Fair "indexed-job/a-dropped-failure-ends-nothing";
    M122 accounts "does not count the pods that it stops when the Job fails" []
        accounts::PodsStoppedByAFailure::default(), Fair "backoff/stopped-pods-count-as-failed";
    M123 accounts "counts the pods that it stops as failed when the success policy is met" []
        accounts::PodsStoppedByASuccess::default(), Fair "success-policy/leader-index-decides";
    M124 accounts "does not compare failures that are recorded but not counted with the backoff limit" []
        See(accounts::recorded_failures), Fair "refused-writes/a-listed-failure-counts-for-the-limit";
    M125 accounts "takes the restarts of the worst pod for those of all pods" []
        See(accounts::restarts_of_other_pods), Fair "backoff/restarts-in-place-reach-the-limit";
    M126 accounts "does not count restarts of init containers" []
        ShowPod(accounts::restarts_of_init_containers), Fair "backoff/restarts-of-init-containers-count";
    M127 delays "waits 30 % too long after a failure" []
        See(delays::a_third_more), Fair "backoff/the-delay-goes-on-doubling";
    M128 delays "waits 20 % too short after the failure of an index" []
        See(delays::a_fifth_less_for_indexes), Fair "index-backoff/indexes-back-off-apart";
    M129 delays "doubles the delay once, and no further" []
        See(delays::at_most_twice_the_first), Fair "backoff/the-delay-goes-on-doubling";
    M130 delays "keeps the delay of failures after a success" []
        delays::Successes::default(), Fair "backoff/success-resets-the-delay";
    M131 delays "forgets failures after a success that is seen together with them" []
        See(delays::failures_after_a_success), Fair "backoff/failures-before-a-success-are-forgotten";
    M132 delays "counts the delay from the first of several failures" []
        See(delays::the_last_of_several_failures), Fair "backoff/failures-at-once-add-up";
    M133 delays "takes failures at once for one failure when it waits" []
        delays::FailuresAtOnce::default(), Fair "backoff/failures-at-once-add-up";
    M134 delays "lets the failure of an index hold back other failed indexes" []
        See(delays::one_time_for_all_indexes), Fair "index-backoff/an-old-failure-waits-for-no-other-index";
    M135 delays "does not wait after a failure that the failure policy ignores" []
        See(delays::ignored_failures), Fair "failure-policy/ignored-failures-cost-time-only";
    M136 sizes "removes pods first that are ready for the longest time" []
        See(sizes::ready_for_long), Fair "parallelism/the-least-far-go-first";
    M137 sizes "reuses the index of a pod that still stops where only failed pods are replaced" []
        Say(sizes::indexes_of_stopping_pods), Fair "pod-replacement/leaving-pods-keep-their-places";
    M138 sizes "takes podReplacementPolicy TerminatingOrFailed for Failed" []
        See(sizes::terminating_or_failed), Fair "pod-replacement/replaced-while-it-still-stops";
    M139 sizes "makes a pod in place of one that has just succeeded" []
        See(sizes::new_successes), Fair "parallelism/no-more-pods-than-are-missing";
    M140 sizes "replaces failed pods of a work queue after its first success" []
        sizes::FailuresInADrainedQueue::default(), Fair "parallelism/a-queue-ends-with-its-first-success";
    M141 sizes "stops the other pods of a work queue after its first success" []
        sizes::PodsOfADrainedQueue, Fair "parallelism/a-queue-ends-with-its-first-success";
    M142 sizes "takes a parallelism of 0 for 1" []
        See(sizes::no_parallelism), Fair "parallelism/parallelism-can-change";
    M143 pauses "goes on with the deadline that a Job started with" []
        pauses::FirstDeadline::default(), Fair "deadline/follows-the-field";
    M144 pauses "leaves the start time of a Job that is suspended" []
        Say(pauses::start_of_a_suspended_job), Fair "suspend/start-time-is-cleared";
    M145 pauses "counts the deadline of a resumed Job from its first start" []
        pauses::FirstStart::default(), Fair "deadline/a-suspended-job-has-none";
    M146 pauses "leaves reason and message of the suspension when a Job is resumed" []
        Say(pauses::words_of_a_resumption), Fair "suspend/created-suspended-then-resumed";
    M147 pauses "leaves the time of the suspension when a Job is resumed" []
        Say(pauses::time_of_a_resumption), Fair "suspend/created-suspended-then-resumed";
    M148 pauses "enforces no deadline while a Job has no pods" []
        See(pauses::deadline_without_pods), Fair "deadline/fires-while-creations-are-refused";
    M149 pauses "does not complete a suspended Job that has nothing to do" []
        See(pauses::nothing_to_do_while_suspended), Fair "parallelism/zero-completions-while-suspended";
};
