//! What a cluster is to everybody else: what one should be like, what it can do, what it is asked and told, and what may go
//! wrong. Nothing here knows how a cluster is made.

pub mod attest;
mod attestation;
mod capabilities;
pub mod change;
mod cluster;
mod component;
mod error;
mod instances;
pub mod layout;
pub(crate) mod marks;
pub mod pace;
mod provider;
mod reading;
mod running_subject;
pub mod spec;
pub mod subject_kind;
mod unexpected_exit;

pub use capabilities::{Ability, Capabilities, Pods, Proxied};
pub use change::{Change, ChangeReport};
pub use cluster::Cluster;
pub use component::Component;
pub use error::ClusterError;
pub use instances::Instances;
pub(crate) use marks::marks_of;
pub use provider::{ClusterProvider, Progress, Step};
pub use running_subject::RunningSubject;
pub use spec::{Audit, ClusterSpec, Rate, Route};
pub use subject_kind::{ControllerProgram, DeployedController, SubjectKind};
pub use unexpected_exit::UnexpectedExit;
pub(crate) use unexpected_exit::unexpected;

/// The image that cases name. No registry has it: a kubelet runs the one that was loaded into its node.
pub const AGENT_IMAGE: &str = "jobsworth.invalid/agent:v1";
