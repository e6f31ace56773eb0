//! The bench: brings up control planes, runs cases against a Job controller, records and reports.
//!
//! Stimulus, observation and judgement are three steps: a [`case::Case`] stirs a [`scene::Scene`], the
//! [`recorder`] writes a timeline, and the oracle reads it. The harness never links the controller
//! under test.

pub mod bundle;
pub mod case;
pub mod cli;
pub mod cluster;
pub mod compare;
pub mod container_runtime;
pub mod error_text;
pub mod faults;
pub mod gates;
pub mod history;
pub mod lab;
pub mod load;
pub mod merge;
pub mod nearest;
pub mod plan;
pub mod pod_driver;
pub mod recorder;
pub mod report;
pub mod run;
pub mod scene;
pub mod shard;
pub mod signoff;
pub mod slo;
pub mod statistics;
pub mod subject;
pub mod sweep;
mod whole_file;
pub mod wire;
pub mod yaml;

pub use jobsworth_binaries::{self as binaries, launcher};
pub use jobsworth_node_image as node_image;

pub use case::{
    About, AnyCase, Case, Catalogue, Claim, FaultNeeds, KnownEnd, Needs, Neighbour, PodNeeds, Share, Source,
};
pub use scene::{Scene, Stop};
