//! Nouns of the Volcano Job API (release 1.15): `Job`, `PodGroup`, `Queue`, `Command`, and what they are made of.
//!
//! Shapes, words and keys, and the definitions that an API server is given for them. What a value means and which rule wins is
//! decided elsewhere. Decoding is lenient where one odd object must not hide all others of its kind: an unknown event or action is
//! kept as it is written, a duration stays a text until somebody asks for its length.
//!
//! Zero means absent where the API has no way to tell them apart: `minAvailable: 0` of a job and no `minAvailable` are one value.
// Numbers and times come from objects that anybody may write: none of them may wrap or panic.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

pub mod bus;
pub mod command;
pub mod crds;
pub mod duration;
pub mod job;
pub mod pod_group;
pub mod quantity;
pub mod queue;
pub mod topology;
pub mod well_known;
mod wire;
mod words;

pub use bus::{Action, Event};
pub use command::{Command, CommandFields, CommandList};
pub use duration::Duration;
pub use job::{Job, JobList, JobSpec, VolumeSpec};
pub use job::{policy::LifecyclePolicy, status::JobCondition, status::JobPhase, status::JobState, status::JobStatus};
pub use job::{status::TaskState, task::DependsOn, task::NumaPolicy, task::PartitionPolicy, task::TaskSpec};
pub use pod_group::{
    PodGroup, PodGroupCondition, PodGroupList, PodGroupPhase, PodGroupSpec, PodGroupStatus, SubGroupPolicy,
};
pub use queue::{Queue, QueueList, QueueSpec, QueueState, QueueStatus};
pub use topology::{NetworkTopology, TopologyMode};
