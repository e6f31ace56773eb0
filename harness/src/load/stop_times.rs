//! How long containers take to stop once they are told to.
//!
//! Those of a real cluster do not all exit in the same moment, least of all a hundred that were told so together. Here each takes a part
//! of the grace, evenly spread whatever their number, and the n-th that is told takes as long in every trial.

use std::time::Duration;

use super::workload::GRACE_S;

/// Multiples of this, without their whole part, cover the interval from 0 to 1 evenly at every length of the sequence (Weyl).
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// The times of those that are told to stop, one after the other.
#[derive(Debug, Default)]
pub struct StopTimes {
    /// What the last one took, as a part of the grace.
    part: f64,
}

impl StopTimes {
    /// How long the next one takes: less than the grace.
    pub fn draw(&mut self) -> Duration {
        self.part = (self.part + GOLDEN).fract();
        Duration::from_secs(GRACE_S).mul_f64(self.part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nth_takes_as_long_in_every_trial_and_none_longer_than_its_grace() {
        let draw = || {
            let mut times = StopTimes::default();
            (0..500).map(|_| times.draw()).collect::<Vec<_>>()
        };
        assert_eq!(draw(), draw());
        assert!(draw().iter().all(|time| *time < Duration::from_secs(GRACE_S)));
    }

    #[test]
    fn of_those_that_are_told_together_no_more_than_a_few_stop_together() {
        let mut times = StopTimes::default();
        let mut in_each_tenth = [0_u32; 10];
        for _ in 0..100 {
            let tenth = times.draw().as_millis() * 10 / (u128::from(GRACE_S) * 1000);
            in_each_tenth[usize::try_from(tenth).expect("a small number")] += 1;
        }
        assert!(in_each_tenth.iter().all(|number| (9..=11).contains(number)), "{in_each_tenth:?}");
    }
}
