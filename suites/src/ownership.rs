//! Which pods belong to a Job: adoption and release.

crate::cases! {
    a_matching_orphan_is_adopted,
    an_orphan_that_comes_to_match_is_adopted,
    a_relabelled_pod_is_released,
    a_namesakes_pods_are_strangers,
    a_deleted_job_frees_its_pods,
    freed_though_nobody_watched,
    a_foreign_controllers_pod_keeps_its_finalizer,
    pods_that_change_hands,
    what_a_plain_deletion_leaves,
    a_clean_up_is_tried_again,
}
