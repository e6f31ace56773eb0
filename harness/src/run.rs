//! One invocation: cells one after the other, their clusters and cases side by side, everything told as events.

mod audit_trail;
mod breakdowns;
pub mod cell;
mod changed;
mod death;
pub mod dispatcher;
mod emitter;
mod enough;
pub mod event;
pub mod execute;
mod interrupt;
mod lanes;
mod missing_rights;
mod ongoing;
mod play;
pub mod prepared_cell;
mod rest;
mod service_levels;

pub use cell::{Cell, CellPlan, Keep, RunPlan, Turn};
pub use dispatcher::dispatch;
pub use enough::Flaky;
pub use event::{Breakdown, CaseReport, Event, EventKind, Outcome, Sink};
pub use interrupt::{Interrupt, asked};
pub(crate) use lanes::Lanes;
