//! Decisions about Volcano Jobs: values in, values out.
//!
//! Nothing here reads a clock, a random number or the network; whoever calls brings what it needs to know.
#![deny(missing_docs)]
// Numbers come from objects that anybody may write: none of them may wrap or panic.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

pub mod defaults;
pub mod validate;
