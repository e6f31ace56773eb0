//! Faults between a controller and the API server: a gate that both talk through, and the process behind it.
//!
//! A [`Lane`] is one controller process with a [`Gate`] of its own. The gate shows it one namespace as if that were the
//! whole cluster, so many lanes share a control plane without knowing of each other. It numbers the controller's writes,
//! and at one of them it does what a [`Fault`] says: kill, lose the answer, answer something else. Rules F01 to F20 of the
//! fault matrix that need no more than this are covered; nothing is delayed or reordered.

mod aim;
mod gate;
mod ground;
mod instance;
mod lane;
mod ledger;
mod upstream;

pub use aim::{Aim, Kind};
pub use gate::Gate;
pub use ground::Ground;
pub use instance::Instance;
pub use lane::{Lane, Started};
pub use ledger::{Fault, Ledger, Passage, Weather};
