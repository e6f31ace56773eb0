//! The registry of histories that break an invariant, and of legal ones that nearly do.

mod audited;
mod conditions;
mod counters;
mod elections;
mod ends;
mod events;
mod found;
mod holes;
mod ledger;
mod limits;
mod liveness;
mod order;
mod others;
mod pods;
mod quiet;
mod reasons;
mod recovery;
mod requests;
mod restarts;
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
        liveness::TOLD,
        quiet::TOLD,
        recovery::TOLD,
        others::TOLD,
        time::TOLD,
        reasons::TOLD,
        requests::TOLD,
        restarts::TOLD,
        order::TOLD,
        found::TOLD,
        holes::TOLD,
        audited::TOLD,
        events::TOLD,
        elections::TOLD,
    ]
    .into_iter()
    .flatten()
}
