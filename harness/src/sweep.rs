//! Crash sweeps: cases played again and again, with the controller struck at one of its writes each time.
//!
//! A case is first played without a fault. What it wrote then are the places, and how its Jobs ended is how they must end wherever
//! it is struck. Each point is a case of its own, with the script of the one that it is made of, judged by the invariants.

mod baseline;
mod draw;
mod point;
mod record;

pub use baseline::{Baseline, End};
pub use draw::drawn;
pub use point::{Fate, Point};
pub use record::{Outcome, PointRecord, SWEEP, SweepRecord};
