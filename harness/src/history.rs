//! Many stored runs: how often each case held, how sure that is, and which cases are flaky.
//!
//! [`gather`] finds and reads the runs, one at a time; [`count`] turns them into the books of each case; the rest writes them.

pub mod count;
pub mod gather;
mod page;
mod text;
pub mod wire;

#[cfg(test)]
mod tests;

pub use page::render as html;
pub use text::render as text;
pub use wire::History;
