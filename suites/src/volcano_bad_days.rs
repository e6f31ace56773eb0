//! What happens between a controller of Volcano's Jobs and the API server: refusals, lost answers, watches that are behind.

crate::cases! {
    conflicts_are_solved_by_another_look,
    a_status_waits_while_the_job_changes,
    a_pod_made_without_an_answer_is_no_loss,
    what_is_made_without_an_answer_is_found,
    a_restart_without_an_answer_counts_once,
    an_order_that_stays_is_obeyed_once,
    an_order_without_an_answer_is_obeyed_at_most_once,
    kills_that_are_seen_late_are_no_losses,
    a_group_that_is_seen_late_lets_nobody_in,
    a_restart_that_is_seen_late_counts_once,
}
