//! What pods of a Volcano Job look like, and their volumes.

crate::cases! {
    what_a_pod_says_of_itself,
    what_is_copied_from_the_job,
    claims_are_mounted,
    a_claim_is_made_once,
    a_missing_claim_keeps_a_job_waiting,
    a_quota_is_waited_for,
}
