//! Decisions of the reference Job controller, without any I/O, clock or chance.
//!
//! # How a sync goes
//!
//! ```text
//! role.reconciles(&job.spec, gates)?                        // managedBy: before anything else
//! let mut decision = reconcile(&Snapshot { job, pods, pods_revision }, &memory, now, &gates, &limits);
//! loop {
//!     emit(decision.notices); record(decision.samples);
//!     let outcomes = run(&decision.batches);                // batch after batch, one outcome per action
//!     match decision.awaiting {
//!         Some(awaiting) => decision = awaiting.after(&outcomes, now()),
//!         None => break,
//!     }
//! }
//! memory = decision.memory; requeue(decision.requeue);
//! ```
//!
//! A sync has up to three decisions, because what is written depends on what went through: the pods created or deleted;
//! the status that tells so and records ended pods, followed by the release of those pods; the status that counts them.
//!
//! # The shell's part
//!
//! - [`job::read`], and [`pod::skim`] or [`pod::skim_what_can_be_read`] with [`PodView::parse`], when an object arrives, not on each
//!   sync. No object is dropped for one field.
//! - Batches of [`Action::CreatePod`] go out in slow start (PAR-011); the pods come from [`new_pod::pod`].
//! - A [`Action::WriteStatus`] carries `notices` and `samples` for the case that it goes through; [`Notice::about`] and
//!   [`Sample::about`] say what a pod call leaves.
//! - [`Outcome::Gone`] for NotFound and for another UID under the same name. [`Outcome::Unknown`] only for creations
//!   whose fate could not be found out; call [`Memory::pods_were_listed`] after a consistent list.
//! - The time between two syncs: [`Requeue`], and [`Limits::batch_period`] for bursts of pod events (SYN-003).
//! - Pods of Jobs that are gone: [`orphans::is_to_be_released`].
//! - TTL: [`ttl::due`].
//!
//! # Caveats
//!
//! After a restart the first pod list has to be consistent (not from a cache of the API server that may lag): a pod
//! that was counted and released before the restart must not be shown with its finalizer again.
//!
//! Workloads and `PodGroup`s (SCH, alpha): ask [`scheduling::next`] and make its calls before a sync creates pods.
// Numbers and times come from objects that anybody may write: none of them may wrap or panic.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

pub mod action;
pub mod backoff;
mod backoff_limit;
mod census;
pub mod claims;
mod counting;
mod deadline;
pub mod decision;
pub mod failure_policy;
pub mod gates;
mod index_backoff;
mod indexed;
pub mod job;
pub mod lifecycle;
pub mod limits;
pub mod managed_by;
pub mod memory;
pub mod new_pod;
pub mod notice;
pub mod orphans;
pub mod pod;
mod ranking;
pub mod reconcile;
mod refusal;
mod ruling;
pub mod sample;
mod scaling;
pub mod scheduling;
pub mod selector;
pub mod snapshot;
pub mod status;
mod steps;
pub mod success_policy;
mod suspend;
pub mod sync_state;
mod traces;
pub mod ttl;
mod unparsable;

use std::sync::Arc;

pub use action::{Action, Batch, CreatePod, Effort, Failure, NewStatus, OnFailure, Outcome, Requeue, Why};
pub use decision::Decision;
pub use gates::Gates;
pub use job::{JobSpec, JobView, Mode};
pub use limits::Limits;
pub use managed_by::Role;
pub use memory::Memory;
pub use notice::Notice;
pub use pod::PodView;
pub use reconcile::reconcile;
pub use sample::Sample;
pub use snapshot::Snapshot;
pub use status::{Condition, Status, Uncounted};
pub use sync_state::Awaiting;
pub use unparsable::Unparsable;

/// A `metadata.uid`.
pub type Uid = Arc<str>;
