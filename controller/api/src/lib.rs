//! Nouns of the Kubernetes Job API that the judge and the judged share.
//!
//! Names, formats and keys only: which rule wins and what follows what is
//! judgement, and lives elsewhere. No I/O, no clock, no randomness.
// Numbers and times come from objects that anybody may write: none of them may wrap or panic.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

pub mod condition;
pub mod index_set;
pub mod kube_version;
pub mod resource;
pub mod well_known;

pub use condition::ConditionKind;
pub use index_set::IndexSet;
pub use kube_version::{KubeVersion, Minor};
pub use resource::{RequestPath, Resource};
