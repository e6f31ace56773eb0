//! Where a time of a window is drawn: in proportion, but for long stretches in which nothing happened.
//!
//! A script that waits a minute in vain would leave the two seconds in which everything happened an inch of the picture.

use crate::{lanes::Swimlane, window::Window};
use std::ops::Range;

/// A stretch is folded from this part of the window's length on: at most two can be.
const LONG: u64 = 3;
/// What a folded stretch takes of the width, as a part of it.
const FOLDED: u64 = 12;
/// Shorter stretches are read as they are, in microseconds.
const SHORTEST: u64 = 1_000_000;

/// Places of times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scale {
    window: Window,
    /// What is folded, in microseconds, the earliest first.
    folds: Vec<Range<u64>>,
    /// What a fold takes, as if it were so many microseconds.
    fold: u64,
}

impl Scale {
    /// The scale of a window.
    #[must_use]
    pub fn of(swimlane: &Swimlane, window: Window) -> Self {
        let changes = swimlane.changes.iter().map(|change| change.at);
        let moments = changes.chain(swimlane.marks.iter().map(|mark| mark.at));
        Self::between(moments.collect(), window)
    }

    fn between(mut moments: Vec<u64>, window: Window) -> Self {
        moments.retain(|at| (window.from..=window.to).contains(at));
        moments.extend([window.from, window.to]);
        moments.sort_unstable();
        let quiet = moments.windows(2).map(|pair| pair[0]..pair[1]).filter(|quiet| {
            let length = quiet.end - quiet.start;
            length >= SHORTEST && length * LONG > window.length()
        });
        // Something is to be seen before and after it.
        let air = |quiet: Range<u64>, all: u64| quiet.start + all / 40..quiet.end - all / 40;
        let folds: Vec<Range<u64>> = quiet.collect();
        let open = window.length() - folds.iter().map(|quiet| quiet.end - quiet.start).sum::<u64>();
        if folds.is_empty() || open == 0 {
            return Self { window, folds: Vec::new(), fold: 0 };
        }
        let folds: Vec<Range<u64>> = folds.into_iter().map(|quiet| air(quiet, open)).collect();
        let open = window.length() - folds.iter().map(|quiet| quiet.end - quiet.start).sum::<u64>();
        let fold = (open / (FOLDED - folds.len() as u64)).max(1);
        Self { window, folds, fold }
    }

    /// What it shows.
    #[must_use]
    pub const fn window(&self) -> Window {
        self.window
    }

    /// The stretches that are folded, in microseconds, the earliest first.
    #[must_use]
    pub fn folds(&self) -> &[Range<u64>] {
        &self.folds
    }

    /// Where a time is drawn, in a width of so many units; a time outside is at the edge.
    #[must_use]
    pub fn place(&self, at: u64, width: u64) -> u64 {
        let at = at.clamp(self.window.from, self.window.to);
        let place = u128::from(self.drawn(at)) * u128::from(width) / u128::from(self.drawn(self.window.to).max(1));
        u64::try_from(place).unwrap_or(width)
    }

    /// A time's distance from the beginning, as if each fold were as short as it is drawn.
    fn drawn(&self, at: u64) -> u64 {
        let saved = self.folds.iter().filter(|fold| fold.start < at).map(|fold| {
            let (length, inside) = (fold.end - fold.start, at.min(fold.end) - fold.start);
            let drawn = u128::from(self.fold) * u128::from(inside) / u128::from(length);
            inside.saturating_sub(u64::try_from(drawn).unwrap_or(0))
        });
        at - self.window.from - saved.sum::<u64>()
    }

    /// Round times that are drawn in proportion, about `wanted` of them, and the words for each.
    #[must_use]
    pub fn ticks(&self, wanted: u64) -> Vec<(u64, String)> {
        let shown = self.drawn(self.window.to).max(1);
        let mut from = self.window.from;
        let mut ticks = Vec::new();
        for fold in &self.folds {
            ticks.extend(Window { from, to: fold.start }.ticks_of(shown, wanted));
            from = fold.end;
        }
        ticks.extend(Window { from, to: self.window.to }.ticks_of(shown, wanted));
        ticks
    }
}

/// A folded stretch in words, for example `⋯ 58 s ⋯`, or `⋯ 1.4 s ⋯` where it is short.
#[must_use]
pub fn folded(fold: &Range<u64>) -> String {
    let tenths = (fold.end - fold.start) / 100_000;
    match (tenths / 10, tenths % 10) {
        (seconds, rest) if seconds < 10 => format!("⋯ {seconds}.{rest} s ⋯"),
        (seconds, _) => format!("⋯ {seconds} s ⋯"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SECOND: u64 = 1_000_000;

    fn scale(moments: &[u64], to: u64) -> Scale {
        Scale::between(moments.iter().map(|at| at * SECOND / 10).collect(), Window { from: 0, to: to * SECOND / 10 })
    }

    #[test]
    fn a_minute_in_which_nothing_happened_leaves_room_for_what_did() {
        let scale = scale(&[1, 5, 10, 15, 800], 800);
        assert!(scale.place(15 * SECOND / 10, 1000) > 800, "{scale:?}");
        assert_eq!(scale.place(80 * SECOND, 1000), 1000);
        assert_eq!(scale.folds().len(), 1);
        assert_eq!(folded(&scale.folds()[0]), "⋯ 78 s ⋯");
        let ticks: Vec<String> = scale.ticks(4).into_iter().map(|(_, words)| words).collect();
        assert_eq!(ticks, ["0.0 s", "0.5 s", "1.0 s", "1.5 s", "80.0 s"]);
    }

    #[test]
    fn a_short_fold_does_not_last_for_no_time() {
        assert_eq!(folded(&(500_000..1_475_000)), "⋯ 0.9 s ⋯");
    }

    #[test]
    fn what_happens_all_the_time_is_in_proportion() {
        let scale = scale(&[10, 20, 30, 40, 50, 60, 70, 80, 90], 100);
        assert_eq!(scale.folds(), []);
        assert_eq!(scale.place(5 * SECOND, 1000), 500);
    }

    #[test]
    fn where_nothing_happened_at_all_nothing_is_folded() {
        assert_eq!(scale(&[], 100).folds(), []);
    }

    #[test]
    fn half_a_second_is_read_as_it_is() {
        assert_eq!(scale(&[1, 6], 6).folds(), []);
    }

    proptest! {
        /// What is later is drawn further to the right, and all of it within the width.
        #[test]
        fn order_is_kept(moments in proptest::collection::vec(0_u64..10_000_000_000, 0..20), length in 1_u64..10_000_000_000, from in 0_u64..1_000_000) {
            let scale = Scale::between(moments.clone(), Window { from, to: from + length });
            let mut times = moments;
            times.sort_unstable();
            let places: Vec<u64> = times.iter().map(|at| scale.place(*at, 800)).collect();
            prop_assert!(places.is_sorted(), "{:?}", places);
            prop_assert!(places.iter().all(|place| *place <= 800));
            prop_assert_eq!(scale.place(from, 800), 0);
            prop_assert_eq!(scale.place(from + length, 800), 800);
            prop_assert!(scale.folds().len() <= 2);
        }
    }
}
