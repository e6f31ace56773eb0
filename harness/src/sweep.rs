//! Crash sweeps: cases played again and again, with the controller struck at one of its writes each time.
//!
//! A case is first played without a fault. What it wrote then are the places, and how its Jobs ended is how they must end wherever
//! it is struck. Each point is a case of its own, with the script of the one that it is made of, judged by the invariants. Another end
//! is no failure where a case says that it is known of the controller and the version; nothing else is excused.
//!
//! Nothing that was to be played goes missing: a case that does not hold without faults, a point without a verdict and a controller
//! that broke down are in the record, and a sweep with one of them does not end as if every point had held.

mod baseline;
mod draw;
mod letting_go;
mod markdown;
mod parts;
mod played;
mod point;
mod record;
#[cfg(test)]
mod sample;

pub use baseline::{Baseline, End};
pub use draw::drawn;
pub use parts::{baseline_name, part_name, parts, points_of};
pub use played::Played;
pub use point::{Fate, Point};
pub use record::{BaselessCase, Outcome, PartBreakdown, PointRecord, SWEEP, SweepRecord, UnjudgedPoint};
