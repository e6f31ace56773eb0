//! One invocation: cells one after the other, cases side by side, everything told as events.

pub mod cell;
pub mod dispatcher;
pub mod event;
pub mod execute;

pub use cell::{Cell, CellPlan, Keep, RunPlan, Turn};
pub use dispatcher::{Interrupt, dispatch};
pub use event::{CaseReport, Event, EventKind, Outcome, Sink};
