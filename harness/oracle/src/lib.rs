//! Judges recorded histories of Kubernetes Jobs.
//!
//! A recorder writes a [`Timeline`]; this crate reads it and says whether the
//! claims of a case ([`Expectations`]) and the [`invariants`] of the API held.
//! It does no I/O of its own, has no clock and no randomness, and knows
//! nothing of the controller it judges: a stored timeline judged again gives
//! the same [`Judgement`].

mod delay;
pub mod deviation;
pub mod explain;
pub mod fact;
pub mod history;
pub mod import;
pub mod invariants;
pub mod judge;
pub mod lag;
pub mod narrate;
pub mod owed;
pub mod predicate;
pub mod property;
mod reading;
pub mod recorded;
pub mod regime;
pub mod regimes;
pub mod request;
pub mod setting;
mod starved;
mod success_rule;
pub mod timeline;
pub mod vocabulary;
pub mod wire;
pub mod world;

pub use deviation::{Deviation, KnownDeviation};
pub use fact::{Answer, Entry, Fact};
pub use history::ObjectHistory;
pub use invariants::Invariant;
pub use judge::{Expectations, Judgement, Verdict, judge};
pub use lag::Lag;
pub use predicate::Predicate;
pub use property::{Breach, Check, Property};
pub use recorded::{Recorded, Seen, Sighting};
pub use regime::{Phase, Regime, RegimeMark};
pub use request::{AuditLevel, Request, Tenure};
pub use setting::{Ownership, Setting};
pub use timeline::{Death, Ending, Timeline};
pub use world::World;
