//! Decisions of the reference Volcano Job controller: values in, values out.
#![deny(missing_docs)]
// Numbers come from objects that anybody may write: none of them may wrap or panic.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

mod backlog;
pub mod build_pod;
pub mod call;
mod census;
pub mod counters;
mod course;
pub mod decision;
pub mod event;
pub mod goals;
pub mod hosts;
mod kill;
pub mod limits;
pub mod memory;
pub mod min_resources;
pub mod names;
pub mod notice;
mod occasion;
pub mod plugin;
pub mod pod;
pub mod pod_group;
pub mod policy;
pub mod profile;
pub mod progress;
pub mod request;
mod scaling;
pub mod snapshot;
mod spent;
mod status;
mod supply;
pub mod sync;
mod timers;
pub mod transition;
pub mod ttl;
pub mod volumes;
mod wind_down;

use std::sync::Arc;

pub use call::{Batch, Call, Failure, NewStatus, Outcome, Requeue};
pub use counters::{Counters, Tally};
pub use course::Rest;
pub use decision::Decision;
pub use event::{Change, event_of};
pub use jobsworth_volcano_api::{Action, JobPhase as Phase};
pub use limits::Limits;
pub use memory::Memory;
pub use notice::Notice;
pub use pod::PodView;
pub use policy::choose_action;
pub use profile::Profile;
pub use request::Request;
pub use snapshot::{Order, Snapshot};
pub use sync::sync;

/// A `metadata.uid`.
pub type Uid = Arc<str>;
