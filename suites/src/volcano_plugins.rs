//! What plugins make for a Volcano Job, and what they put into its pods.

crate::cases! {
    env_tells_the_index,
    svc_gives_names,
    svc_without_a_policy,
    a_foreign_service_is_left_alone,
    ssh_gives_keys,
    objects_come_before_pods_again,
    mpi_tells_the_master,
    pytorch_tells_ranks,
    tensorflow_tells_the_cluster,
    ray_starts_head_and_workers,
    hcclrank_tells_ranks,
    all_three_until_the_end,
}
