//! Bugs of what is left behind: Jobs, pods, indexes, statuses, events and metrics. Made from the requirements and the
//! controller's code, by somebody who had not seen what checks it.

use crate::bugs::{births, indexes, lives, owners, tales, writes};
use crate::decorator::{Ask, Say, See, ShowJob, ShowPod};
use crate::mutant::{Mutant, mutants};

/// In order of their numbers.
pub(super) const MUTANTS: &[Mutant] = mutants! { Job;
    M150 lives "does not see that the time to live of a finished Job gets longer" []
        lives::FirstLife::or(lives::shorter), Fair "ttl/extended-at-the-last-moment";
    M151 lives "does not see that the time to live of a finished Job gets shorter" []
        lives::FirstLife::or(lives::longer), Fair "ttl/set-late";
    M152 lives "counts the time to live from the decision" []
        ShowJob(lives::life_from_the_decision), Fair "ttl/counted-from-the-finish";
    M153 lives "removes an expired Job before its pods" []
        Ask(lives::pods_after_the_job), Fair "ttl/pods-go-first";
    M154 lives "never removes a failed Job" []
        ShowJob(lives::failed_jobs), Fair "ttl/a-failed-job-goes-too";
    M155 lives "never removes a Job that has an owner" []
        ShowJob(lives::jobs_with_an_owner), Fair "ttl/an-owner-is-no-protection";
    M156 lives "never removes a Job of another manager" []
        ShowJob(lives::foreign_jobs), Fair "managed-by/time-to-live-holds-for-foreign-jobs";
    M157 owners "adopts a pod without putting the finalizer on it" []
        Ask(owners::adoption_without_a_finalizer), Fair "ownership/a-matching-orphan-is-adopted";
    M158 owners "keeps pods whose labels do not match any more" []
        See(owners::labels_of_owned_pods), Fair "ownership/a-relabelled-pod-is-released";
    M159 owners "frees the pods of a finished Job of another manager" []
        ShowJob(owners::pods_of_foreign_jobs), Fair "managed-by/foreign-pods-stay-tracked";
    M160 owners "takes the finalizers of others off a pod, too" []
        Ask(owners::finalizers_of_others), Fair "hostile/every-field-of-a-template";
    M161 owners "leaves the finalizer on pods that nobody controls" []
        ShowPod(owners::pods_without_a_controller), Fair "ownership/a-foreign-controllers-pod-keeps-its-finalizer";
    M162 indexes "reads the index of a pod from its label" []
        ShowPod(indexes::label_for_annotation), Fair "hostile/strange-indexes-on-pods";
    M163 indexes "reads an index up to the first character that is no digit" []
        ShowPod(indexes::leading_digits), Fair "hostile/strange-indexes-on-pods";
    M164 indexes "writes three indexes in a row one by one" []
        indexes::ThreeInARow, Fair "indexed-job/completed-indexes-are-compressed";
    M165 indexes "lets pods of dropped indexes go on" []
        indexes::DroppedIndexes::default(), Fair "indexed-job/scaling-down-drops-indexes";
    M166 indexes "takes an index that was completed, dropped and comes back for completed" []
        indexes::ReturningIndexes::default(), Fair "indexed-job/a-dropped-index-runs-anew";
    M167 indexes "tries failed indexes again after all others" []
        Say(indexes::failed_indexes_last), Fair "indexed-job/a-failed-index-is-tried-again";
    M168 indexes "of two pods with one index, deletes both" []
        Say(indexes::both_of_two), Fair "hostile/strange-indexes-on-pods";
    M169 writes "leaves the message out of terminal conditions" []
        Say(writes::message_of_the_end), Fair "status/a-failure-is-announced-with-its-reason";
    M170 writes "takes the time of the decision for the time of completion" []
        Say(writes::completion_at_the_decision), Fair "success-policy/lingering-pods-hold-the-end-back";
    M171 writes "puts the terminal condition before the interim one" []
        Say(writes::last_condition_first), Fair "status/events-tell-the-story";
    M172 writes "takes running pods for ready" []
        See(writes::running_for_ready), Fair "parallelism/the-least-far-go-first";
    M173 writes "does not write that only the number of ready pods changed" []
        writes::Unwritten::but_for(writes::ready), Fair "status/a-quiet-job-is-left-alone";
    M174 writes "does not write that only the number of terminating pods changed" []
        writes::Unwritten::but_for(writes::terminating), Fair "pod-replacement/the-end-waits-for-stopping-pods";
    M175 writes "leaves lastProbeTime out of conditions" []
        Say(writes::time_of_the_probe), Fair "status/events-tell-the-story";
    M176 writes "drops conditions of others when the Job ends" []
        Say(writes::conditions_of_others_at_the_end), Fair "status/conditions-of-others-stay";
    M177 writes "writes no list of failed indexes while it is empty" []
        writes::NoFailedIndexes, Fair "index-backoff/every-index-has-its-try";
    M178 writes "counts pods as active one sync after it created them" []
        writes::PodsJustCreated::default(), Fair "parallelism/no-more-pods-than-are-missing";
    M179 tales "tells of created pods under the pod, not under the Job" []
        Ask(tales::creations_of_the_pod), Fair "status/events-tell-the-story";
    M180 tales "tells of failures as of something normal" []
        Say(tales::failures_as_normal), Fair "status/a-failure-is-announced-with-its-reason";
    M181 tales "tells of the end before it is written" []
        Say(tales::the_end_before_it_is_written), Fair "refused-writes/the-end-is-told-late";
    M182 tales "warns of too many successes when there are just enough" []
        Say(tales::enough_for_too_many), Fair "status/events-tell-the-story";
    M183 tales "tells of a suspension with every write about the suspended Job" []
        Say(tales::the_suspension_with_every_write), Fair "suspend/running-pods-go-uncounted";
    M184 tales "leaves the reason of failures out of the metrics" []
        Say(tales::reasons_of_failures), Fair "metrics/ends-are-counted-once";
    M185 tales "counts finished pods twice in the metrics" []
        Say(tales::finished_pods_twice), Fair "metrics/ends-are-counted-once";
    M186 tales "takes replacements for new pods in the metrics" []
        Say(tales::replacements_as_new), Fair "metrics/creations-tell-their-reason";
    M187 births "overwrites the index variable that a container brings" []
        Ask(births::variables_of_containers), Fair "indexed-job/a-variable-of-ones-own-stays";
    M188 births "does not tell init containers the index" []
        Ask(births::variables_of_init_containers), Fair "indexed-job/pods-carry-their-index";
    M189 births "makes pods that do not hold back the deletion of their Job" []
        Ask(births::block_of_the_owners_deletion), Fair "parallelism/pods-are-recognisably-the-jobs";
    M190 births "drops the template's annotations from pods with an index" []
        Ask(births::annotations_beside_the_index), Fair "indexed-job/pods-carry-their-index";
    M191 births "drops the template's finalizers from pods" []
        Ask(births::finalizers_of_the_template), Fair "hostile/every-field-of-a-template";
    M192 births "makes pods from the template that it saw first" []
        births::FirstTemplate::default(), Fair "suspend/edited-template-is-used";
};
