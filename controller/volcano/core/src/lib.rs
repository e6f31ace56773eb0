//! Decisions of the reference Volcano Job controller: values in, values out.
#![deny(missing_docs)]
// Numbers come from objects that anybody may write: none of them may wrap or panic.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

pub mod build_pod;
pub mod counters;
pub mod event;
pub mod goals;
pub mod hosts;
pub mod min_resources;
pub mod names;
pub mod plugin;
pub mod pod;
pub mod pod_group;
pub mod policy;
pub mod profile;
pub mod progress;
pub mod request;
pub mod transition;
pub mod volumes;

use std::sync::Arc;

pub use counters::{Counters, Tally};
pub use jobsworth_volcano_api::{Action, JobPhase as Phase};
pub use pod::PodView;
pub use profile::Profile;
pub use request::Request;

/// A `metadata.uid`.
pub type Uid = Arc<str>;
