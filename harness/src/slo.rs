//! Service levels: what KEPs and SIG Scalability promise, and whether what was measured shows that it is kept.
//!
//! An [`objective`] is data with its source. What it is measured by is read from components before and after the work
//! ([`scrape`]), and a [`histogram`] says in which bracket a quantile lies, no more. So there are three [answers](answer): met,
//! missed, and cannot tell. Seconds are about machines: objectives in absolute numbers are judged only where a calibration of the very
//! machine is there, and are told otherwise.

pub mod answer;
pub mod histogram;
pub mod objective;
pub mod scrape;
