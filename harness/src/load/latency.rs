//! How long things took, as distributions of bounded size: every wait of a trial goes into a histogram of three digits.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

use crate::slo::histogram::{ENDLESS, Histogram as Brackets};

/// Micros in a millisecond.
const MICROS: f64 = 1000.0;
/// Digits that are kept: one in a thousand.
const DIGITS: u8 = 3;

/// Distributions by name, for example `last-pod-to-end`.
pub type Latencies = BTreeMap<String, Distribution>;

/// How long something took, again and again; in milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Distribution {
    /// How often it came to an end.
    pub count: u64,
    /// How often it did not: longer than anything that is counted here.
    pub unfinished: u64,
    /// Half of them took no longer.
    pub p50: f64,
    /// 90 of 100 took no longer.
    pub p90: f64,
    /// 99 of 100 took no longer.
    pub p99: f64,
    /// 999 of 1,000 took no longer.
    pub p999: f64,
    /// The longest.
    pub max: f64,
    /// Upper bounds, and how many are at or below each and above the one before.
    pub buckets: Vec<(f64, u64)>,
}

impl Distribution {
    /// Of these waits in milliseconds; nothing stands for one that did not end. What is below zero counts as zero.
    #[must_use]
    pub fn of(waits: impl IntoIterator<Item = Option<f64>>) -> Self {
        let (mut histogram, mut unfinished) = (empty(), 0);
        for wait in waits {
            match wait {
                Some(ms) => put(&mut histogram, ms, 1),
                None => unfinished += 1,
            }
        }
        Self::read(&histogram, unfinished)
    }

    /// Of times in milliseconds, each with how often it came.
    #[must_use]
    pub fn counted(times: impl IntoIterator<Item = (f64, u64)>) -> Self {
        let mut histogram = empty();
        for (ms, count) in times {
            put(&mut histogram, ms, count);
        }
        Self::read(&histogram, 0)
    }

    /// All of them together, as one distribution: percentiles are never averaged.
    #[must_use]
    pub fn together<'a>(parts: impl IntoIterator<Item = &'a Self>) -> Self {
        let (mut histogram, mut unfinished) = (empty(), 0);
        for part in parts {
            unfinished += part.unfinished;
            for &(ms, count) in &part.buckets {
                put(&mut histogram, ms, count);
            }
        }
        Self::read(&histogram, unfinished)
    }

    fn read(histogram: &Histogram<u64>, unfinished: u64) -> Self {
        let buckets =
            histogram.iter_recorded().map(|step| (ms(step.value_iterated_to()), step.count_since_last_iteration()));
        let at = |share: f64| ms(histogram.value_at_quantile(share));
        Self {
            count: histogram.len(),
            unfinished,
            p50: at(0.5),
            p90: at(0.9),
            p99: at(0.99),
            p999: at(0.999),
            max: ms(histogram.max()),
            buckets: buckets.collect(),
        }
    }

    /// Whether nothing was waited for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count + self.unfinished == 0
    }
}

impl From<&Distribution> for Brackets {
    /// In seconds; what did not end is longer than any bound.
    fn from(waits: &Distribution) -> Self {
        let mut sum = 0;
        let buckets = waits.buckets.iter().map(|&(ms, count)| {
            sum += count;
            (ms / 1000.0, sum)
        });
        // Nobody waits longer than the last bound, so no limit can lie beyond it.
        let last = std::iter::once((ENDLESS, waits.count));
        Self { buckets: buckets.chain(last).collect(), count: waits.count + waits.unfinished }
    }
}

fn empty() -> Histogram<u64> {
    Histogram::new(DIGITS).expect("three digits are allowed")
}

/// What is below zero counts as zero.
fn put(histogram: &mut Histogram<u64>, ms: f64, count: u64) {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not below zero, and hours at most")]
    let micros = (ms.max(0.0) * MICROS).round() as u64;
    histogram.record_n(micros, count).expect("it grows with what is put in");
}

#[expect(clippy::cast_precision_loss, reason = "micros of hours are far below 2^53")]
fn ms(micros: u64) -> f64 {
    micros as f64 / MICROS
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::load::quantile::{quantile, sorted};
    use crate::slo::histogram::Within;

    #[test]
    fn what_did_not_end_is_counted_apart() {
        let waits = Distribution::of([Some(1.0), None, Some(-3.0), None]);
        assert_eq!((waits.count, waits.unfinished), (2, 2));
        assert!(waits.max >= 1.0 && waits.max < 1.002, "{waits:?}");
        assert!(Distribution::of([]).is_empty());
    }

    #[test]
    fn parts_together_are_as_the_whole() {
        let (one, other) = ([Some(1.0), None, Some(80.0)], [Some(2.5), Some(900.0)]);
        let whole = Distribution::of(one.into_iter().chain(other));
        assert_eq!(Distribution::together([&Distribution::of(one), &Distribution::of(other)]), whole);
        assert_eq!(Distribution::counted([(1.0, 2), (7.0, 1)]), Distribution::of([1.0, 7.0, 1.0].map(Some)));
        assert!(Distribution::together([]).is_empty());
    }

    #[test]
    fn what_did_not_end_is_longer_than_anything() {
        let waits = Distribution::of((0..98).map(|_| Some(5.0)).chain([None, None]));
        let histogram = Brackets::from(&waits);
        assert_eq!((histogram.count, histogram.within(0.99, 1e9)), (100, Within::No));
        assert_eq!(histogram.within(0.98, 0.006), Within::Yes);
    }

    proptest! {
        #[test]
        fn quantiles_are_those_of_the_samples_to_one_in_a_hundred(
            samples in prop::collection::vec(0.1_f64..1e6, 1..400),
        ) {
            let waits = Distribution::of(samples.iter().copied().map(Some));
            let sorted = sorted(&samples);
            for (share, shown) in [(0.5, waits.p50), (0.9, waits.p90), (0.99, waits.p99), (1.0, waits.max)] {
                let exact = quantile(&sorted, share).expect("there are samples");
                prop_assert!((shown - exact).abs() <= exact * 0.01 + 0.002, "{share}: {shown} {exact}");
            }
            prop_assert_eq!(waits.buckets.iter().map(|bucket| bucket.1).sum::<u64>(), samples.len() as u64);
            prop_assert!(waits.buckets.is_sorted_by(|a, b| a.0 < b.0));
        }
    }
}
