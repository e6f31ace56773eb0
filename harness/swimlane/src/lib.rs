//! Draws recorded histories of Kubernetes Jobs: time to the right, a lane for everything that changes.
//!
//! A [`Swimlane`] is made of a [`Timeline`](jobsworth_oracle::Timeline) and knows no pixels: lanes with segments and
//! points, each with the change that made it. [`picture`] places what is in a [`Window`] of time on its [`Scale`], [`svg`] writes the
//! picture down, [`pack`] puts it in few bytes, [`text`] draws the same lanes for a terminal. Nothing here does I/O or reads a clock.

pub mod diff;
mod labels;
pub mod lane;
pub mod lanes;
mod lanes_of_job;
mod lanes_of_pod;
pub mod pack;
pub mod picture;
pub mod plain;
mod room;
pub mod scale;
mod shape;
mod step;
pub mod svg;
pub mod text;
pub mod window;
mod writer;

pub use lane::{Change, Lane, LaneKind, Point, Segment, Sign, Tone};
pub use lanes::{Mark, Swimlane};
pub use picture::{Picture, Shape};
pub use scale::Scale;
pub use window::Window;
