//! Clusters that outlive the command that asked for them, and clusters that several users share.

pub mod attached;
pub mod control;
pub mod daemon;
pub mod kept;
pub mod shared;
