//! The bugs, one file per kind of decorator.

pub mod accounts;
pub mod births;
pub mod blind;
pub mod crowd;
pub mod deaf;
pub mod delays;
pub mod drop;
pub mod fatal;
pub mod forget;
pub mod gangs;
pub mod impatient;
pub mod indexes;
pub mod lives;
pub mod miscount;
pub mod owners;
pub mod pauses;
pub mod reorder;
pub mod repeat;
pub mod rude;
pub mod rules;
pub mod sizes;
pub mod tales;
pub mod verdicts;
pub mod writes;
