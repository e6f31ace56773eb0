//! Steps of a long build, told now and then instead of a thousand times.

use super::Step;
use crate::binaries::Progress;
use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Between two lines about the same build.
const SILENCE: Duration = Duration::from_secs(10);

/// Remembers when a build was told of.
#[derive(Debug, Default)]
pub struct Pace(Mutex<Option<Instant>>);

impl Pace {
    /// One for a place that lives as long as the program.
    #[must_use]
    pub const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Whether a step is told now: every one but those of a build, which come once per package.
    pub fn tells(&self, step: &Step) -> bool {
        self.tells_at(step, Instant::now())
    }

    fn tells_at(&self, step: &Step, now: Instant) -> bool {
        let Step::Binaries(Progress::Downloading { .. } | Progress::Compiling { .. }) = step else { return true };
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let due = last.is_none_or(|last| now.saturating_duration_since(last) >= SILENCE);
        if due {
            *last = Some(now);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_is_told_every_ten_seconds_and_its_end_at_once() {
        let (pace, begun) = (Pace::default(), Instant::now());
        let elapsed = Duration::from_secs(1);
        let package = Step::Binaries(Progress::Downloading { what: "etcd".to_owned(), modules: 1, about: 9, elapsed });
        let built = Step::Binaries(Progress::Built { what: "etcd".to_owned(), elapsed });
        let told = |step, second| pace.tells_at(step, begun + Duration::from_secs(second));
        assert_eq!([0, 1, 9, 10, 19, 20].map(|second| told(&package, second)), [true, false, false, true, false, true]);
        assert!(told(&built, 21) && told(&built, 21));
    }
}
