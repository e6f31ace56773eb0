//! The registry of histories that break an invariant of Volcano's, and of legal ones that nearly do.

mod ends;
mod objects;
mod phases;
mod pods;
mod requests;

pub use crate::telling::{breaks, legal};

use crate::story::Story;

pub type Told = crate::telling::Told<Story>;

/// All histories.
pub fn told() -> impl Iterator<Item = &'static Told> {
    [phases::TOLD, pods::TOLD, objects::TOLD, ends::TOLD, requests::TOLD].into_iter().flatten()
}
