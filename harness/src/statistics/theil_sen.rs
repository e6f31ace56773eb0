//! How fast something grows, whatever a few outliers do: the slope of Theil and Sen, with its interval.

/// The quantile of the normal distribution for 95 %, both sides.
const Z: f64 = 1.959_963_984_540_054;
/// Of fewer points no slope is told.
const POINTS: usize = 8;

/// A slope, and how far the true one may be from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// The median of the slopes of all pairs of points (Theil 1950).
    pub median: f64,
    /// The lower end of the interval that holds the true slope in 95 of 100 such samples (Sen 1968).
    pub low: f64,
    /// The upper end of it.
    pub high: f64,
}

/// The slope of points, each with its place and its value; nothing for fewer than eight, or where all have one place. The interval
/// supposes that what a point is off by is independent of the others.
#[must_use]
pub fn slope(points: &[(f64, f64)]) -> Option<Slope> {
    if points.len() < POINTS {
        return None;
    }
    let pairs = points.iter().enumerate().flat_map(|(at, one)| points[at + 1..].iter().map(move |other| (one, other)));
    let mut slopes: Vec<f64> = pairs
        .filter(|(one, other)| (other.0 - one.0).abs() > 0.0)
        .map(|(one, other)| (other.1 - one.1) / (other.0 - one.0))
        .collect();
    slopes.sort_by(f64::total_cmp);
    let last = slopes.len().checked_sub(1)?;
    #[expect(clippy::cast_precision_loss, reason = "hundreds of points have 10^5 pairs")]
    let (n, all) = (points.len() as f64, slopes.len() as f64);
    // The variance of Kendall's S without ties; with ties it is smaller, and the interval wider than it must be.
    let spread = Z * (n * (n - 1.0) * (2.0 * n + 5.0) / 18.0).sqrt();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and the number of slopes")]
    let place = |rank: f64| (rank.max(0.0) as usize).min(last);
    let (low, high) = (place(((all - spread) / 2.0).floor()), place(((all + spread) / 2.0).ceil()));
    let median = f64::midpoint(slopes[last / 2], slopes[last.div_ceil(2)]);
    Some(Slope { median, low: slopes[low], high: slopes[high] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand::{Rng as _, SeedableRng as _, rngs::StdRng};

    fn line(number: u32, slope: f64) -> Vec<(f64, f64)> {
        (0..number).map(f64::from).map(|x| (x, 7.0 + slope * x)).collect()
    }

    #[test]
    fn few_points_and_points_in_one_place_have_no_slope() {
        assert_eq!(slope(&line(7, 1.0)), None);
        assert_eq!(slope(&[(1.0, 2.0); 20]), None);
    }

    #[test]
    fn outliers_do_not_move_it() {
        let mut points = line(40, 0.5);
        for at in [3, 17, 18, 30] {
            points[at].1 += 10_000.0;
        }
        let slope = slope(&points).expect("there are points enough");
        assert!((slope.median - 0.5).abs() < 1e-9, "{slope:?}");
    }

    /// 95 of 100 by definition; the bound leaves room for chance in 300 samples.
    #[test]
    fn the_interval_holds_the_true_slope_about_as_often_as_it_says() {
        let mut random = StdRng::seed_from_u64(1);
        let mut held = 0;
        for _ in 0..300 {
            let noisy: Vec<(f64, f64)> =
                line(30, 0.3).into_iter().map(|(x, y)| (x, y + random.random_range(-2.0..2.0))).collect();
            let slope = slope(&noisy).expect("there are points enough");
            held += u32::from(slope.low <= 0.3 && 0.3 <= slope.high);
        }
        assert!((270..=299).contains(&held), "{held} of 300");
    }

    proptest! {
        #[test]
        fn a_line_has_its_own_slope(of in -50.0_f64..50.0, number in 8_u32..60) {
            let slope = slope(&line(number, of)).unwrap();
            prop_assert!((slope.median - of).abs() < 1e-9);
            prop_assert!((slope.low - of).abs() < 1e-9 && (slope.high - of).abs() < 1e-9);
        }

        #[test]
        fn the_median_is_within_the_interval_and_turns_with_the_points(
            values in prop::collection::vec(-100.0_f64..100.0, 8..40),
        ) {
            let points: Vec<(f64, f64)> = values.iter().zip(0_u32..).map(|(y, x)| (f64::from(x), *y)).collect();
            let turned: Vec<(f64, f64)> = points.iter().map(|(x, y)| (*x, -y)).collect();
            let (one, other) = (slope(&points).unwrap(), slope(&turned).unwrap());
            prop_assert!(one.low <= one.median && one.median <= one.high);
            prop_assert!((one.median + other.median).abs() < 1e-9);
        }
    }
}
