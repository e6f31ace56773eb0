//! Which part of a recording is drawn.

use crate::lanes::{Mark, Swimlane};

/// Changes that are shown before and after a breach.
const BEFORE: usize = 12;
const AFTER: usize = 6;
/// So few changes are seen also where most of the time nothing happens.
const FEW: usize = 3;
/// The shortest time that is drawn, in microseconds.
const SHORTEST: u64 = 100_000;

/// A time from `from` to `to`, in microseconds since the recording's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Where it begins.
    pub from: u64,
    /// Where it ends; later than `from`.
    pub to: u64,
}

impl Window {
    /// The whole recording.
    #[must_use]
    pub fn whole(swimlane: &Swimlane) -> Self {
        Self { from: 0, to: swimlane.end.max(SHORTEST) }
    }

    /// The time around a mark: some changes before it, some after it.
    #[must_use]
    pub fn around(swimlane: &Swimlane, mark: &Mark) -> Self {
        let whole = Self::whole(swimlane);
        let Some(centre) = swimlane.change_at(mark) else { return whole };
        let (first, last) = (centre.saturating_sub(BEFORE), (centre + AFTER).min(swimlane.changes.len() - 1));
        let times = swimlane.changes[first..=last].iter().map(|change| change.at).chain([mark.at]);
        let (from, to) = times.fold((u64::MAX, 0), |(from, to), at| (from.min(at), to.max(at)));
        let air = ((to - from) / 20).max(SHORTEST.saturating_sub(to - from) / 2);
        // What had not come by the last change: the time in which it did not come is what there is to see.
        let is_last = swimlane.changes.iter().all(|change| change.at <= mark.at);
        let is_absence = is_last && swimlane.changes.len() <= FEW;
        let to = if is_absence { whole.to } else { (to + air).min(whole.to) };
        Self { from: from.saturating_sub(air), to: to.max(from + 1) }
    }

    /// How long it is.
    #[must_use]
    pub const fn length(&self) -> u64 {
        self.to - self.from
    }

    /// Whether it leaves so little out that the whole may be shown as well.
    #[must_use]
    pub const fn is_nearly(&self, whole: &Self) -> bool {
        self.length() * 10 >= whole.length() * 8
    }

    /// Round times within the window, as far from each other as `wanted` of them in a time of `length`, and the words for each.
    pub(crate) fn ticks_of(&self, length: u64, wanted: u64) -> Vec<(u64, String)> {
        let rough = (length / wanted.max(1)).max(1);
        let power = 10_u64.saturating_pow(rough.ilog10());
        let step = [1, 2, 5, 10].into_iter().map(|factor| factor * power).find(|step| *step >= rough);
        let step = step.unwrap_or(rough);
        let first = self.from.div_ceil(step) * step;
        (first..=self.to).step_by(usize::try_from(step).unwrap_or(usize::MAX)).map(|at| (at, words(at, step))).collect()
    }
}

/// A time on an axis with this distance between its ticks.
fn words(at: u64, step: u64) -> String {
    let seconds = at / 1_000_000;
    match step {
        1_000_000.. => format!("{seconds} s"),
        100_000.. => format!("{seconds}.{} s", at / 100_000 % 10),
        10_000.. => format!("{seconds}.{:02} s", at / 10_000 % 100),
        _ => format!("{seconds}.{:03} s", at / 1_000 % 1_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::seconds(0, 10_000_000, 5, &["0 s", "2 s", "4 s", "6 s", "8 s", "10 s"])]
    #[case::tenths(3_050_000, 3_950_000, 5, &["3.2 s", "3.4 s", "3.6 s", "3.8 s"])]
    #[case::minutes(0, 146_000_000, 3, &["0 s", "50 s", "100 s"])]
    #[case::next_to_nothing(0, 1, 8, &["0.000 s", "0.000 s"])]
    fn ticks_are_round(#[case] from: u64, #[case] to: u64, #[case] wanted: u64, #[case] words: &[&str]) {
        let ticks: Vec<String> =
            Window { from, to }.ticks_of(to - from, wanted).into_iter().map(|(_, words)| words).collect();
        assert_eq!(ticks, words);
    }
}
