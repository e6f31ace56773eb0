//! The words in which cases state their claims about Volcano's Jobs.

mod job;
mod objects;
mod pods;

pub use job::{JobWord, job, job_named};
pub use objects::{
    GroupWord, claims, commands, config_maps, group, group_of, network_policies, pod_groups, queue_is, secrets,
    services,
};
pub use pods::{held_by, killed, member_of, of_attempt, of_task, of_version, pod, pods, pods_of, task_name};
