//! Percentiles of times that were counted in buckets, by nearest rank.

/// Micros below which goose keeps each one apart.
const EXACT: u64 = 128;

/// Times in microseconds, and how often each came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// In ascending order of times.
    times: Vec<(u64, u64)>,
}

impl Counts {
    /// Of goose's buckets, each named by its fastest time: what is in one counts as its middle, but never as more than the slowest
    /// that came.
    #[must_use]
    pub fn of(buckets: impl IntoIterator<Item = (u64, u64)>, slowest: u64) -> Self {
        let middles = buckets.into_iter().map(|(bucket, count)| (middle(bucket).min(slowest), count));
        let mut times: Vec<(u64, u64)> = middles.filter(|(_, count)| *count > 0).collect();
        times.sort_unstable();
        Self { times }
    }

    /// How many there are.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.times.iter().map(|(_, count)| count).sum()
    }

    /// So many of a thousand took no longer; nothing where there are none.
    #[must_use]
    pub fn at(&self, per_mille: u64) -> Option<u64> {
        let rank = (self.total() * per_mille).div_ceil(1000).max(1);
        let mut sum = 0;
        self.times.iter().find_map(|&(time, count)| {
            sum += count;
            (sum >= rank).then_some(time)
        })
    }

    /// Each time and how often it came.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        self.times.iter().copied()
    }
}

/// The middle of a bucket: above [`EXACT`] each power of two is split into 64.
fn middle(bucket: u64) -> u64 {
    if bucket < EXACT {
        return bucket;
    }
    let width = 1_u64 << (bucket.ilog2() - 6);
    bucket + width / 2
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::exact(127, 127)]
    #[case::the_first_that_is_wide(128, 129)]
    #[case::four_wide(256, 258)]
    #[case::a_second(983_040, 987_136)]
    fn a_bucket_counts_as_its_middle(#[case] bucket: u64, #[case] time: u64) {
        assert_eq!(middle(bucket), time);
    }

    #[rstest]
    #[case::half(500, 2)]
    #[case::nine_of_ten(900, 3)]
    #[case::almost_all(999, 100)]
    #[case::all(1000, 100)]
    #[case::none_is_the_first(0, 1)]
    fn ranks_are_the_nearest(#[case] per_mille: u64, #[case] time: u64) {
        let counts = Counts::of([(100, 1), (1, 3), (3, 3), (2, 3)], 100);
        assert_eq!((counts.total(), counts.at(per_mille)), (10, Some(time)));
    }

    #[test]
    fn nothing_took_longer_than_the_slowest() {
        assert_eq!(Counts::of([(256, 1)], 257).at(500), Some(257));
        assert_eq!(Counts::of([], 0).at(500), None);
    }
}
