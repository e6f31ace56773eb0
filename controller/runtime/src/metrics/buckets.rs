//! Bounds of histograms that grow by a factor, as in Prometheus' `ExponentialBuckets`.

use prometheus_client::metrics::family::MetricConstructor;
use prometheus_client::metrics::histogram::Histogram;

/// Upper bounds `first`, `first * factor`, `first * factor^2`, ...; the bucket without a bound comes on top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Buckets {
    /// The lowest upper bound, in the unit of the histogram.
    pub first: f64,
    /// Each bound divided by the one below it.
    pub factor: f64,
    /// How many bounds.
    pub count: u8,
}

impl Buckets {
    /// The bounds, from the lowest on. Each is computed from the first one, so that rounding does not add up.
    pub fn bounds(self) -> impl Iterator<Item = f64> {
        (0..self.count).map(move |k| self.first * self.factor.powi(i32::from(k)))
    }
}

/// So a family makes the histogram of a new series.
impl MetricConstructor<Histogram> for Buckets {
    fn new_metric(&self) -> Histogram {
        Histogram::new(self.bounds())
    }
}
