//! *Fatal*: the controller ends or panics when a Job of a certain name is there.
//!
//! No mutant of the list: no invariant should notice it. It shows what becomes of a run whose controller dies.

use std::process;

use crate::Observed;

/// Does what the Job's name says: `exits`, `exits-once`, `aborts` or `panics`.
pub fn as_named(observed: &mut Observed) {
    let job = &observed.job;
    match &*job.name {
        "exits" => process::exit(3),
        // Whoever tries again does so in another namespace.
        "exits-once" if !job.namespace.contains("-take-") => process::exit(3),
        "aborts" => process::abort(),
        "panics" => panic!("a Job of this name cannot be"),
        _ => {}
    }
}
