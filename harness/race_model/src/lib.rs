//! A small executable model of a Job's end: which outcomes are legal when two sources of a verdict meet.
//!
//! It is made from the documents (STA-001, STA-002, SUC-010 to SUC-014, SUC-023, DLN-004, DLN-005, BLI-007, BLI-008, BLI-015, SUS-004,
//! PAR-003, PAR-004, PAR-017, SYN-026, TTL-001, MGB-001), and shares nothing with any controller: no code, and no order of steps.
//!
//! # Guarantees
//! Every pair of different sources in every order has either at least one legal outcome, or a reason why it cannot be.

mod encounter;
mod impossible;
mod order;
mod outcome;
mod source;

pub use encounter::{Encounter, Legal, encounters};
pub use order::Order;
pub use outcome::Outcome;
pub use source::{Kind, Source};
