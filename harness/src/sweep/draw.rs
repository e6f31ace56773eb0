//! Which points of all that there are, by a seed.

use super::{
    baseline::Baseline,
    point::{Fate, Point},
};
use crate::{
    case::{AnyCase, KnownEnd},
    plan::order::shuffle,
};
use std::collections::BTreeSet;

/// At most `most` points of these cases and fates, but for those that are `done`; ends that are `known` are not held against a
/// controller. The same seed gives the same points in the same
/// order.
#[must_use]
pub fn drawn(
    cases: &[(&'static dyn AnyCase, Baseline)],
    known: &'static [KnownEnd],
    fates: &[Fate],
    most: usize,
    seed: u64,
    done: &BTreeSet<String>,
) -> Vec<&'static Point> {
    let mut places: Vec<(usize, u32, Fate)> = Vec::new();
    for (number, (_, baseline)) in cases.iter().enumerate() {
        for (at, write) in (1..).zip(&baseline.writes) {
            places.extend(fates.iter().filter(|fate| fate.can_meet(write)).map(|fate| (number, at, *fate)));
        }
    }
    shuffle(&mut places, seed);
    let points = places.into_iter().take(most).map(|(number, write, fate)| {
        let (case, baseline) = &cases[number];
        Point::new(*case, write, fate, baseline.ends.clone(), known)
    });
    points.filter(|point| !done.contains(point.id())).collect()
}
