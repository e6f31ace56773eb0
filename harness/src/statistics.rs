//! What numbers allow to be said: shares with their interval, two samples side by side, many tests at once, what
//! grows.
//!
//! Everything here is a function of values. Each test says by how few samples it can be satisfied at all, so that
//! nobody takes silence for a result.

mod fisher;
mod holm;
mod rank_sum;
mod theil_sen;
mod wilson;

pub use fisher::p_of_fewer;
pub use holm::adjusted;
pub use rank_sum::{least_p, p_of_more};
pub use theil_sen::{Slope, slope};
pub use wilson::Share;

/// The level at which something is told as found: one chance in twenty that it is none.
pub const LEVEL: f64 = 0.05;
