//! The Volcano controller with a bug: what can be changed in it. The list of what is: [`crate::volcano_roster`].
//!
//! A bug sits between the controller and what it sees, decides and is told ([`Bug`]), or between it and the API server
//! ([`Bug::wire`]: a [`Decorator`], as the Job controller's mutants have one).

pub mod bugs;
pub mod decorated;
pub mod edit;
pub mod look;

use std::sync::Arc;

use jobsworth_volcano::args::ControllerArgs;
use jobsworth_volcano_core::{Decision, Outcome};

use crate::decorator::{Decorator, Nothing};
pub use decorated::DecoratedCore;
pub use look::Look;

/// Something between the Volcano controller and its world. Every hook does nothing unless it is written.
pub trait Bug: Send + Sync {
    /// Changes the flags it was started with.
    fn flags(&self, _args: &mut ControllerArgs) {}

    /// Changes what a sync sees.
    fn see(&self, _look: &mut Look) {}

    /// Changes a decision: the first one of a sync, and those that follow.
    fn say(&self, _look: &Look, _decision: &mut Decision) {}

    /// Changes what a sync is told of its calls.
    fn hear(&self, _look: &Look, _outcomes: &mut Vec<Vec<Outcome>>) {}

    /// What sits between it and the API server.
    fn wire(&self) -> Arc<dyn Decorator> {
        Arc::new(Nothing)
    }
}

/// No bug: the controller as it is.
#[derive(Clone, Copy, Debug)]
pub struct NoBug;

impl Bug for NoBug {}

/// Changes what a sync sees, and nothing else.
#[derive(Clone, Copy, Debug)]
pub struct See(pub fn(&mut Look));

impl Bug for See {
    fn see(&self, look: &mut Look) {
        self.0(look);
    }
}

/// Changes decisions, and nothing else.
#[derive(Clone, Copy, Debug)]
pub struct Say(pub fn(&Look, &mut Decision));

impl Bug for Say {
    fn say(&self, look: &Look, decision: &mut Decision) {
        self.0(look, decision);
    }
}

/// Changes what passes between controller and API server, and nothing else.
#[derive(Clone, Copy, Debug)]
pub struct Wire<D>(pub D);

impl<D: Decorator + Clone + 'static> Bug for Wire<D> {
    fn wire(&self) -> Arc<dyn Decorator> {
        Arc::new(self.0.clone())
    }
}

/// Keeps what flags it is started with, but for these.
#[derive(Clone, Copy, Debug)]
pub struct Flags(pub fn(&mut ControllerArgs));

impl Bug for Flags {
    fn flags(&self, args: &mut ControllerArgs) {
        self.0(args);
    }
}
