//! The bugs, one file per kind of decorator.

pub mod blind;
pub mod crowd;
pub mod deaf;
pub mod drop;
pub mod fatal;
pub mod forget;
pub mod gangs;
pub mod impatient;
pub mod miscount;
pub mod reorder;
pub mod repeat;
pub mod rude;
