//! How far behind the machine was while a history was recorded: what every bound on the controller's time allows for.
//!
//! Two things show it: how long the controller waited for answers, and how much later than another a version was heard of after it had
//! been written. A request to which the case did something shows nothing. When a version was written is told by `managedFields`, in whole
//! seconds, and by a clock of which only differences are used.

use crate::{fact::Fact, request::Request};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use std::time::Duration;

/// What was slow once may be slow where it was not seen, and a step of the controller is more than one request.
const TIMES: u32 = 2;
/// Times of writes are told in whole seconds.
const SECOND: Duration = Duration::from_secs(1);

/// What a history shows of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lag {
    slowest: Duration,
    /// The least and the greatest distance between the clock of writes and that of arrivals, in milliseconds.
    heard: Option<(i64, i64)>,
}

impl Lag {
    /// The longest that anything is known to have been late.
    #[must_use]
    pub fn longest(&self) -> Duration {
        let (soonest, latest) = self.heard.unwrap_or_default();
        let apart = Duration::from_millis(u64::try_from(latest.saturating_sub(soonest)).unwrap_or(0));
        self.slowest.max(apart.saturating_sub(SECOND))
    }

    /// What a bound is to be longer by.
    #[must_use]
    pub fn allowance(&self) -> Duration {
        self.longest() * TIMES
    }

    /// Takes in a request of the controller.
    pub(crate) fn waited(&mut self, request: &Request) {
        if request.fault.is_none() && request.code.is_some() {
            self.slowest = self.slowest.max(Duration::from_micros(request.took_us));
        }
    }

    /// Takes in a version that arrived. A write that leaves no time behind is left out, as is the beginning of a deletion.
    pub(crate) fn heard(&mut self, before: Option<&ObjectMeta>, version: &ObjectMeta, at: Duration) {
        let written = written(version).filter(|_| version.deletion_timestamp.is_none());
        let Some(written) = written.filter(|written| before.and_then(self::written).is_none_or(|old| old < *written))
        else {
            return;
        };
        let arrived = i64::try_from(at.as_millis()).unwrap_or(i64::MAX);
        let apart = arrived.saturating_sub(written);
        let (soonest, latest) = self.heard.unwrap_or((apart, apart));
        self.heard = Some((soonest.min(apart), latest.max(apart)));
    }
}

/// When an object was last written, by the API server's clock, in milliseconds.
fn written(metadata: &ObjectMeta) -> Option<i64> {
    let writes = metadata.managed_fields.iter().flatten();
    writes.filter_map(|write| write.time.as_ref()).map(|time| time.0.as_millisecond()).max()
}

/// Whether this fact is of a kind that begins and ends within a case: what was there before was not heard of late.
pub(crate) fn is_telling(fact: &Fact) -> bool {
    use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};
    fact.there_is::<Job>().is_some() || fact.there_is::<Pod>().is_some()
}

#[cfg(test)]
mod tests;
