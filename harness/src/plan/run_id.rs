//! Ids of runs: sorted by name they are sorted by time.

use jiff::{Timestamp, tz::TimeZone};

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const RANDOM_LETTERS: u32 = 5;

/// An id from the time (UTC, to the second) and chance, for example `20261120-100003-4k7qz`.
#[must_use]
pub fn run_id(now: Timestamp, chance: u64) -> String {
    let time = now.to_zoned(TimeZone::UTC).strftime("%Y%m%d-%H%M%S").to_string();
    let letters = (0..RANDOM_LETTERS).map(|at| char::from(ALPHABET[(chance >> (at * 5)) as usize % ALPHABET.len()]));
    time + "-" + &letters.collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_time() {
        let early = run_id("2026-11-20T10:00:03Z".parse().unwrap(), u64::MAX);
        let late = run_id("2026-11-20T10:00:04Z".parse().unwrap(), 0);
        assert_eq!((early.as_str(), late.as_str()), ("20261120-100003-zzzzz", "20261120-100004-00000"));
        assert!(early < late);
    }
}
