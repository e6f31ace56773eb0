//! What nearly every case about Volcano's Jobs needs in scope.

pub use crate::case_id;
pub use crate::volcano::{
    Gang, about, about_as_scheduler, about_faults, about_restarts, containers, gang, kept, known, no_queue, on,
    on_after, on_exit, queue, queue_order, task, tasks, variable,
};
pub use jobsworth_api::Resource;
pub use jobsworth_harness::{
    About, Case, FaultNeeds, Needs, PodNeeds, Scene, Stop,
    scene::{End, Look, Mishap, Propagation, When, Write, change_of, creation_of, deletion_of},
};
pub use jobsworth_oracle::{
    Expectations, Predicate,
    property::{after, always, before, eventually, eventually_within, never, never_within, stable, whenever},
    vocabulary::{
        answer, notice, passed,
        pods::{annotated, failed, live, running, stopping, succeeded, terminating, word},
        volcano::{
            claims, commands, config_maps, group, group_of, held_by, job, job_named, killed, member_of,
            network_policies, of_attempt, of_task, of_version, pod, pod_groups, pods, pods_of, queue_is, secrets,
            services,
        },
    },
};
pub use serde_json::json;
pub use std::time::Duration;
