//! Service levels: what KEPs and SIG Scalability promise, and whether a comparison shows that it is kept.
//!
//! An [`objective`] is data with its source. What it is measured by is read from components before and after each trial
//! ([`scrape`]), and a [`histogram`] says in which bracket a quantile lies, no more. So there are three [answers](super::answer): met, missed, and
//! cannot tell.

pub mod histogram;
pub mod objective;
pub mod scrape;
