//! Test tree: controllers that must be rejected. Each is the reference controller, or Volcano's, with a single bug, put around it by a
//! decorator of a few lines; nothing of this is in the controller.
//!
//! A decorator sits between the controller and what it sees, decides, asks and is told ([`Decorator`]). Bugs are decorators
//! ([`bugs`], listed in [`roster`]); so is the network's outage ([`outage`]): faults of the network that the API's contract allows.

pub mod bugs;
pub mod call;
pub mod decorated_core;
pub mod decorator;
mod first;
pub mod flags;
#[cfg(test)]
mod gate_defaults;
pub mod mutant;
pub mod observed;
pub mod outage;
pub mod request_rules;
pub mod roster;
pub mod volcano;
pub mod volcano_roster;
pub mod wire;
mod withheld;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use decorator::{Decorator, Fate, Next};
pub use observed::Observed;

/// What a decorator remembers; a bug that panics must not take it along.
#[derive(Debug, Default)]
pub(crate) struct Notes<T>(Mutex<T>);

impl<T> Notes<T> {
    pub(crate) fn open(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
