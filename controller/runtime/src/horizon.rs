//! Points in time that no delay can push off the end of the clock.
//!
//! Delays come from objects, and a number of seconds in one may be 9223372036854775807: added to a moment, that is a panic. Here
//! it is a year. Whoever waits for a year looks again then, and finds that there is more to wait for.

use std::time::Duration;

use tokio::time::Instant;

/// The longest wait for anything: a year.
pub const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// The moment that is `delay` after `from`, at most a year: no number in an object can stop what counts with it (SYN-031).
#[must_use]
pub fn later(from: Instant, delay: Duration) -> Instant {
    // A clock that is a year from its own end stands still.
    from.checked_add(delay.min(LONGEST)).unwrap_or(from)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::nothing(Duration::ZERO, Duration::ZERO)]
    #[case::a_second(Duration::from_secs(1), Duration::from_secs(1))]
    #[case::the_largest_number_of_an_object(Duration::from_secs(i64::MAX as u64), LONGEST)]
    #[case::the_end_of_the_clock(Duration::MAX, LONGEST)]
    fn a_moment_is_never_more_than_a_year_away(#[case] delay: Duration, #[case] away: Duration) {
        let now = Instant::now();
        assert_eq!(later(now, delay).duration_since(now), away);
    }
}
