//! The registry of histories that break an invariant, and of legal ones that nearly do.

mod conditions;
mod counters;
mod ends;
mod found;
mod holes;
mod ledger;
mod limits;
mod order;
mod others;
mod pods;
mod reasons;
mod requests;
mod template;
mod time;

pub use crate::telling::{breaks, legal};

use crate::timelines::Story;

pub type Told = crate::telling::Told<Story>;

/// All histories.
pub fn told() -> impl Iterator<Item = &'static Told> {
    [
        conditions::TOLD,
        ends::TOLD,
        counters::TOLD,
        ledger::TOLD,
        pods::TOLD,
        template::TOLD,
        limits::TOLD,
        others::TOLD,
        time::TOLD,
        reasons::TOLD,
        requests::TOLD,
        order::TOLD,
        found::TOLD,
        holes::TOLD,
    ]
    .into_iter()
    .flatten()
}
