//! placeholder
pub(crate) const START_LOCK: &str = "start.lock";
