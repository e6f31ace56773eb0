//! What happens between the controller and the API server: refusals, lost answers, watches that are behind or end.

use crate::words::*;

/// The built-in controller stops pods before it has told why, and counts them as failures when it looks again. The Job may fail for
/// that; these sentences are broken then.
const fn counts_its_own_stops(breaks: &'static [&'static str]) -> KnownDeviation {
    let (since, until) = (Minor::new(1, 35), Some(Minor::new(1, 37)));
    KnownDeviation {
        subject: "builtin",
        since,
        until,
        mended_in: &[],
        unless: None,
        breaks,
        source: "docs/differences.md#done-before-it-is-told",
    }
}

/// Without a gate that came with 1.36 the built-in controller looks at Jobs of which it has not seen its own decision yet, and makes pods.
const UNDECIDED_IN_ITS_EYES: KnownDeviation = KnownDeviation {
    subject: "builtin",
    since: Minor::new(1, 31),
    until: None,
    mended_in: &[],
    unless: Some("StaleControllerConsistencyJob"),
    breaks: &["no pod is started any more", "S07", "S16", "S18"],
    source: "https://github.com/kubernetes/kubernetes/issues/130683",
};

crate::cases! {
    conflicts_are_solved_by_another_look,
    a_decision_without_an_answer_is_made_once,
    a_success_is_declared_after_an_outage,
    a_pod_made_without_an_answer_is_no_second_one,
    a_creation_that_is_lost_is_asked_for_again,
    a_full_server_is_given_its_time,
    a_finalizer_that_went_unanswered_counts_once,
    a_finalizer_that_stays_keeps_its_pod_from_counting,
    pods_are_stopped_after_an_outage,
    pods_that_are_seen_late_are_made_once,
    a_change_that_is_seen_late_is_followed,
    watches_that_are_cut_are_taken_up_again,
    history_that_is_compacted_is_listed_again,
    a_status_waits_while_the_job_changes,
    a_success_outlives_its_controller,
    an_expired_job_goes_after_an_outage,
    a_release_is_not_asked_for_twice,
    a_vanished_pod_is_no_trouble,
    an_end_is_known_before_it_is_seen,
    a_decision_is_known_before_it_is_seen,
    a_creation_that_times_out_is_made_once,
    a_status_that_is_stored_and_answered_with_an_error_counts_once,
    what_is_refused_without_a_time_is_asked_for_again,
    a_suspended_pod_that_is_not_let_go_is_no_failure,
    a_listed_failure_is_not_listed_again,
    one_pod_that_is_seen_late_is_made_once,
}
