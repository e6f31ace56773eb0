//! Decisions of the reference Volcano Job controller and its webhook: values in, values out.
//!
//! Nothing here reads a clock, a random number or the network; whoever calls brings what it needs to know.
//!
//! # How a sync goes
//!
//! ```text
//! requests.extend(event_of(&change, profile, facts));      // for each change that a watch delivers
//!
//! let seen = Snapshot { job, pods, group, queue_exists, claims, priorities, commands, requests, failures };
//! let mut decision = sync(&seen, &memory, now, &limits);
//! loop {
//!     emit(decision.notices);
//!     let outcomes = run(&decision.batches);               // batch after batch, one outcome per call
//!     match decision.awaiting {
//!         Some(awaiting) => decision = awaiting.after(&outcomes, now()),
//!         None => break,
//!     }
//! }
//! memory = decision.memory; requests.drain(..decision.consumed); requeue(decision.requeue);
//! ```
//!
//! A status that decides something is written before it is carried out, and says why in `state.reason`. So a controller that
//! dies in between leaves a record that the next one goes on from, and a write that is refused has changed nothing. Only
//! [`Profile::Compat115`] does it the other way round.
//!
//! # The shell's part
//!
//! - [`PodView::read`] when a pod arrives, not on each sync.
//! - A sync of one job at a time; a call after which later batches are not made is one that
//!   [`call::Verb::is_achieved`] says no to.
//! - [`Call::Ensure`]: [`plugin::Object`] says what is done when there is such an object; for [`plugin::Object::Keys`] it makes
//!   a pair of keys if the job brings none, and posts [`plugin::ssh::secret`].
//! - [`Outcome::Gone`] for NotFound and for another UID under the same name.
//! - `failures` in the snapshot: passes in a row that ended with [`Requeue::Failed`].
//! - TTL: [`ttl::expire`].
//! - A change of the job's status, its pods and its group wakes the job, deletions included. Requests of jobs that are gone are
//!   thrown away with their memory.
//!
//! # Caveats
//!
//! After a restart the first lists have to be consistent: pods that the status tells of and that are not listed were
//! evicted.
// Numbers come from objects that anybody may write: none of them may wrap or panic.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

mod backlog;
pub mod build_pod;
pub mod call;
mod census;
pub mod counters;
pub mod decision;
pub mod defaults;
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
mod steps;
mod supply;
pub mod sync;
mod sync_state;
mod timers;
pub mod transition;
pub mod ttl;
pub mod validate;
pub mod volumes;
mod wind_down;

use std::sync::Arc;

pub use call::{Batch, Call, Failure, NewStatus, Outcome, Requeue};
pub use counters::{Counters, Tally};
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
pub use sync_state::Awaiting;

/// A `metadata.uid`.
pub type Uid = Arc<str>;
