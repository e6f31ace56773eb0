//! Which points of all that there are, by a seed.

use super::{
    baseline::Baseline,
    point::{Fate, Point},
};
use crate::{case::AnyCase, plan::order::shuffle};
use std::collections::BTreeSet;

/// At most `most` points of these cases, but for those that are `done`. The same seed gives the same points in the same order.
#[must_use]
pub fn drawn(
    cases: &[(&'static dyn AnyCase, Baseline)],
    most: usize,
    seed: u64,
    done: &BTreeSet<String>,
) -> Vec<&'static Point> {
    let of_case = |(number, (_, baseline)): (usize, &(&'static dyn AnyCase, Baseline))| {
        let writes = u32::try_from(baseline.writes.len()).unwrap_or(u32::MAX);
        (1..=writes).flat_map(move |write| Fate::ALL.map(|fate| (number, write, fate)))
    };
    let mut places: Vec<(usize, u32, Fate)> = cases.iter().enumerate().flat_map(of_case).collect();
    shuffle(&mut places, seed);
    let points = places.into_iter().take(most).map(|(number, write, fate)| {
        let (case, baseline) = &cases[number];
        Point::new(*case, write, fate, baseline.ends.clone())
    });
    points.filter(|point| !done.contains(point.id())).collect()
}
