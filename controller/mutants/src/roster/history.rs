//! Bugs that the Job controller of Kubernetes has had: what is planted for entries of `suites/historical-bugs.txt`. Made from the
//! reports of the bugs and the controller's code, by somebody who had not seen what checks it.

use crate::bugs::{blind, delays, drop, forget, miscount, owners, sizes, verdicts, writes};
use crate::decorator::{Say, See, ShowPod};
use crate::mutant::{Mutant, mutants};

/// In order of their numbers.
pub(super) const MUTANTS: &[Mutant] = mutants! { Job;
    M193 forget "forgets a Job as soon as it has written its end" []
        forget::EndedJobs::default(), Fair "bad-days/an-end-is-known-before-it-is-seen";
    M194 drop "does not try again to free a pod of a deleted Job" []
        drop::FailedCleanUps::default(), Fair "ownership/a-clean-up-is-tried-again";
    M195 owners "takes whoever controls a pod for a Job" []
        ShowPod(owners::kind_of_controllers), Fair "ownership/a-foreign-controllers-pod-keeps-its-finalizer";
    M196 verdicts "lets pods that succeed after a declared failure meet the success policy" []
        verdicts::SuccessesOfAFailedJob::default(), Fair "success-policy/a-declared-failure-outlives-successes";
    M197 miscount "puts -1 into the names of pods without an index" []
        miscount::Names::of_all(miscount::index_in_every_name, "-1"), Fair "parallelism/pods-are-recognisably-the-jobs";
    M198 sizes "panics while more pods stop than are wanted" []
        See(sizes::more_stopping_than_wanted), Fair "pod-replacement/leaving-pods-keep-their-places";
    M199 verdicts "does not read the status of FailureTarget" []
        See(verdicts::status_of_a_failure_target), Fair "failure-policy/false-failure-target-decides-nothing";
    M200 delays "makes no pods of a new Job for seconds" []
        Say(delays::new_jobs), Fair "parallelism/a-change-is-acted-upon-at-once";
    M201 writes "writes the status as each pod ends, not once a second" []
        writes::EachEnd, Fair "status/ends-of-pods-are-gathered";
    M202 blind "does not see the end of a pod that was deleted while it waited" []
        blind::EndsOfWaitingPods::default(), Fair "pod-replacement/replaced-only-when-failed";
    M203 owners "takes pods of other Jobs that its selector selects for its own" []
        owners::PodsOfOtherJobs, Fair "ownership/pods-that-change-hands";
};

#[cfg(test)]
mod tests;
