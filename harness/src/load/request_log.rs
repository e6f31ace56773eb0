//! The requests of the controller under test, followed while a trial runs.

use std::path::Path;
use std::time::Duration;

use tokio::time::{Instant, interval};

use super::Trouble;
use super::audit::{Count, Tail};
use crate::cluster::Rate;

/// What the audit log says since it was opened or cleared.
#[derive(Debug)]
pub struct RequestLog {
    tail: Tail,
    count: Count,
    rate: Rate,
}

impl RequestLog {
    /// From the end of this audit log on; `rate` is the controller's bucket.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn open(log: &Path, rate: Rate) -> Result<Self, Trouble> {
        let tail = Tail::at_end(log).map_err(|error| Trouble::of("read the audit log", &error))?;
        Ok(Self { tail, count: Count::default(), rate })
    }

    /// What was counted.
    #[must_use]
    pub fn count(&self) -> &Count {
        &self.count
    }

    /// Forgets what was counted.
    pub fn clear(&mut self) {
        self.count = Count::default();
    }

    /// Waits until the controller has made no request for so long that its bucket is full; when it made the last one.
    ///
    /// # Errors
    /// When it is not silent within `limit`, or the log cannot be read.
    pub async fn silence(&mut self, limit: Duration) -> Result<Instant, Trouble> {
        let refill = Duration::from_secs_f64(f64::from(self.rate.burst) / f64::from(self.rate.qps));
        // Events and status changes are gathered for a second, by both arms.
        let long = refill.max(Duration::from_secs(1)) + Duration::from_millis(500);
        let begun = Instant::now();
        let mut last = begun;
        let mut look = interval(Duration::from_millis(50));
        while last.elapsed() < long {
            look.tick().await;
            if self.tail.read(&mut self.count).map_err(|error| Trouble::of("read the audit log", &error))? > 0 {
                last = Instant::now();
            }
            if begun.elapsed() > limit {
                return Err(Trouble::new(format!("the controller still made requests after {} s", limit.as_secs())));
            }
        }
        Ok(last)
    }
}
