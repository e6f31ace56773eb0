//! One controller on both sides: how far ratios of equals are from 1 on this machine, and so what other ratios on it are worth.

use serde::{Deserialize, Serialize};

use super::figures;
use super::goal::Goals;
use super::interval::PAIRS;
use super::ratio::Ratio;

/// How far from 1 the interval of what is counted or used up may reach: requests, processor time, memory.
const COST: f64 = 0.05;
/// The same of times, and of all that follows from them, the largest of many included.
const TIME: f64 = 0.15;

/// How quiet the machine was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Noise {
    /// Every interval lies near 1: the two are shown to be as good as equal.
    Quiet,
    /// One reaches further.
    Noisy,
    /// There are too few pairs for an interval.
    CannotTell,
}

/// What came of comparing a controller with itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Control {
    /// How quiet the machine was for all figures together.
    pub noise: Noise,
    /// Every figure that the profiles have a goal for.
    pub figures: Vec<Equal>,
}

/// A figure of one controller over the same figure of the same controller.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Equal {
    /// The workload.
    pub workload: String,
    /// The figure.
    pub figure: String,
    /// The ends of its 95 % interval, where there are pairs enough.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub interval: Option<(f64, f64)>,
    /// How far the interval may reach from 1: not above 1 and this, and not below one part in so much.
    pub half_width_at_most: f64,
    /// How quiet the machine was for it.
    pub noise: Noise,
}

impl Noise {
    /// For people.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Quiet => "quiet",
            Self::Noisy => "noisy",
            Self::CannotTell => "cannot tell",
        }
    }
}

impl Equal {
    fn of(ratio: &Ratio) -> Self {
        let half_width_at_most = if figures::is_cost(&ratio.figure) { COST } else { TIME };
        let interval = ratio.sureness.map(|sure| (sure.low, sure.high));
        let noise = interval.map_or(Noise::CannotTell, |(low, high)| {
            // Equivalence: an interval beside 1 that is close to it is no noise, and one around 1 that reaches far is.
            let is_quiet = low >= 1.0 / (1.0 + half_width_at_most) && high <= 1.0 + half_width_at_most;
            if is_quiet { Noise::Quiet } else { Noise::Noisy }
        });
        Self { workload: ratio.workload.clone(), figure: ratio.figure.clone(), interval, half_width_at_most, noise }
    }

    fn says(&self) -> String {
        let interval = self.interval.map(|(low, high)| format!("{low:.2}–{high:.2}")).unwrap_or_default();
        let percent = self.half_width_at_most * 100.0;
        format!("{} of {} is {interval}, not within {percent:.0} % of 1", self.figure, self.workload)
    }
}

impl Control {
    /// Of the ratios of a controller to itself: those count for which there is a goal, for it is what they are believed for. Nothing
    /// where there is no such figure.
    #[must_use]
    pub fn of(ratios: &[Ratio], goals: &Goals) -> Option<Self> {
        let counts = |ratio: &&Ratio| goals.of(&ratio.workload, &ratio.figure).is_some();
        let figures: Vec<Equal> = ratios.iter().filter(counts).map(Equal::of).collect();
        let any = |noise: Noise| figures.iter().any(|equal| equal.noise == noise);
        let noise = [Noise::Noisy, Noise::CannotTell, Noise::Quiet].into_iter().find(|noise| any(*noise))?;
        Some(Self { noise, figures })
    }

    /// For people, for example `control: quiet, by the intervals of 10 figures`.
    #[must_use]
    pub fn says(&self) -> String {
        let (noise, word, all) = (self.noise, self.noise.word(), self.figures.len());
        let these = || self.figures.iter().filter(move |equal| equal.noise == noise);
        match noise {
            Noise::Quiet => format!("control: {word}, by the intervals of {all} figures"),
            Noise::Noisy => {
                let those: Vec<String> = these().map(Equal::says).collect();
                format!("control: {word}, {} of {all} figures: {}", those.len(), those.join("; "))
            }
            Noise::CannotTell => {
                format!(
                    "control: {word}, an interval takes {PAIRS} pairs and {} of {all} figures have fewer",
                    these().count()
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rstest::rstest;

    use super::*;
    use crate::load::goal::Goal;
    use crate::load::interval::Sureness;

    fn ratio(figure: &str, interval: Option<(f64, f64)>) -> Ratio {
        Ratio {
            workload: "indexed-500".to_owned(),
            figure: figure.to_owned(),
            median: 1.0,
            base: 1.0,
            head: 1.0,
            pairs: BTreeMap::new(),
            sureness: interval.map(|(low, high)| Sureness { low, high, sign: 1.0 }),
            goal_id: None,
            goal: None,
            interval_goal: None,
            answer: None,
        }
    }

    fn goals() -> Goals {
        let goal = |figure: &str| Goal { id: None, figure: figure.to_owned(), at_most: 0.5, interval_at_most: None };
        Goals::default().with("indexed-500", ["cpu-s", "makespan"].map(goal).into())
    }

    #[rstest]
    #[case::processor_time_that_is_narrow("cpu-s", Some((0.96, 1.05)), Noise::Quiet)]
    #[case::processor_time_that_is_wide("cpu-s", Some((0.93, 1.05)), Noise::Noisy)]
    #[case::as_narrow_and_further_from_1("cpu-s", Some((0.99, 1.08)), Noise::Noisy)]
    #[case::a_time_may_be_wider("makespan", Some((0.88, 1.12)), Noise::Quiet)]
    #[case::a_time_that_is_too_wide("makespan", Some((0.8, 1.12)), Noise::Noisy)]
    #[case::narrow_and_just_below_1("makespan", Some((0.97, 0.99)), Noise::Quiet)]
    #[case::narrow_and_just_above_1("makespan", Some((1.01, 1.02)), Noise::Quiet)]
    #[case::narrow_and_far_from_1("makespan", Some((1.14, 1.16)), Noise::Noisy)]
    #[case::too_few_pairs("makespan", None, Noise::CannotTell)]
    fn a_machine_is_quiet_if_the_interval_of_equals_lies_near_1(
        #[case] figure: &str,
        #[case] interval: Option<(f64, f64)>,
        #[case] noise: Noise,
    ) {
        let control = Control::of(&[ratio(figure, interval)], &goals()).expect("there is a goal for it");
        assert_eq!(control.noise, noise);
    }

    #[rstest]
    #[case::all_are(Some((0.9, 1.1)), "control: quiet, by the intervals of 2 figures")]
    #[case::one_is_not(Some((0.5, 1.1)), "control: noisy, 1 of 2 figures: makespan of indexed-500 is 0.50–1.10, not within 15 % of 1")]
    #[case::one_has_no_interval(None, "control: cannot tell, an interval takes 6 pairs and 1 of 2 figures have fewer")]
    fn all_figures_are_quiet_or_it_is_said_which_are_not(#[case] makespan: Option<(f64, f64)>, #[case] says: &str) {
        let ratios = [ratio("cpu-s", Some((0.99, 1.01))), ratio("makespan", makespan)];
        assert_eq!(Control::of(&ratios, &goals()).map(|control| control.says()).as_deref(), Some(says));
    }

    #[test]
    fn figures_that_no_goal_is_about_do_not_count() {
        let ratios = [ratio("events", Some((0.1, 9.0))), ratio("cpu-s", Some((1.0, 1.0)))];
        assert_eq!(Control::of(&ratios, &goals()).map(|control| control.noise), Some(Noise::Quiet));
        assert_eq!(Control::of(&ratios[..1], &goals()), None);
    }
}
