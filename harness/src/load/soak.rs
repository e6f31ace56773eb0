//! What a long time showed: samples of what a controller and its API server hold, how fast each grows, and whether memory grows too
//! fast.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::arm::Side;
use super::quantile::median;
use crate::slo::answer::Answer;
use crate::statistics;

/// The figure that goals are about.
pub const MEMORY: &str = "memory-mib";
/// A soak that lasted less long says nothing about an hour, in seconds.
const LONG_S: f64 = 1800.0;

/// One controller for a long time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Soak {
    /// Which side.
    pub side: Side,
    /// The profile whose Jobs came.
    pub profile: String,
    /// How long it was to last, in seconds.
    pub asked_s: f64,
    /// Whether it ended before.
    pub partial: bool,
    /// How far samples are apart, in seconds.
    pub step_s: f64,
    /// How much of the beginning says nothing about growth, in seconds.
    pub warm_up_s: f64,
    /// By how many MiB an hour memory may grow.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub at_most: Option<f64>,
    /// Whether it does; nothing where the profile names no goal.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub answer: Option<Answer>,
    /// How fast each figure grows after the warm-up, by its name.
    pub growth: BTreeMap<String, Growth>,
    /// What was seen, in the order of time.
    pub samples: Vec<Sample>,
}

/// What there was at one moment; what nobody told is not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Sample {
    /// When, in seconds since the beginning.
    pub at_s: f64,
    /// Resident memory of the controller, in MiB.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub memory_mib: Option<f64>,
    /// Files, sockets and the like that it had open.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub open_files: Option<f64>,
    /// Its threads.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub threads: Option<f64>,
    /// Its goroutines, where it tells of them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub goroutines: Option<f64>,
    /// etcd's database file, in MiB.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub database_mib: Option<f64>,
    /// Objects of all kinds in the API server, as it counts them once a minute.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub objects: Option<f64>,
}

impl Sample {
    /// Every figure with its name.
    #[must_use]
    pub const fn figures(&self) -> [(&'static str, Option<f64>); 6] {
        [
            (MEMORY, self.memory_mib),
            ("open-files", self.open_files),
            ("threads", self.threads),
            ("goroutines", self.goroutines),
            ("database-mib", self.database_mib),
            ("objects", self.objects),
        ]
    }
}

/// How fast a figure grows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Growth {
    /// By how much an hour: the median slope of all pairs of samples (Theil and Sen).
    pub per_hour: f64,
    /// The lower end of the interval of 95 %.
    pub low: f64,
    /// The upper end of it.
    pub high: f64,
    /// The median of the first tenth of the samples.
    pub from: f64,
    /// The median of the last tenth.
    pub to: f64,
}

impl Growth {
    /// Of seconds and values.
    #[must_use]
    pub fn of(points: &[(f64, f64)]) -> Option<Self> {
        let slope = statistics::slope(points)?;
        let values: Vec<f64> = points.iter().map(|point| point.1).collect();
        let tenth = (values.len() / 10).max(1);
        let (from, to) = (median(&values[..tenth])?, median(&values[values.len() - tenth..])?);
        let hour = |each_second: f64| each_second * 3600.0;
        Some(Self { per_hour: hour(slope.median), low: hour(slope.low), high: hour(slope.high), from, to })
    }

    /// Whether that is at most so much an hour, after so many seconds. Minutes say nothing about hours: in less than half an hour
    /// only what has really grown can be too much.
    #[must_use]
    pub fn answer(&self, at_most: f64, lasted_s: f64) -> Answer {
        let is_too_much = if lasted_s < LONG_S { self.to - self.from > at_most } else { self.low > at_most };
        match (is_too_much, self.high <= at_most) {
            (true, _) => Answer::Missed,
            (false, true) => Answer::Met,
            (false, false) => Answer::CannotTell,
        }
    }
}

impl Soak {
    /// Works out what the samples say so far.
    pub fn conclude(&mut self) {
        let mut points: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
        for sample in self.samples.iter().filter(|sample| sample.at_s >= self.warm_up_s) {
            for (name, value) in sample.figures() {
                points.entry(name).or_default().extend(value.map(|value| (sample.at_s, value)));
            }
        }
        let growth = points.into_iter().filter_map(|(name, points)| Some((name.to_owned(), Growth::of(&points)?)));
        let growth: BTreeMap<String, Growth> = growth.collect();
        let memory = growth.get(MEMORY).copied();
        let lasted = self.lasted_s();
        self.answer = self.at_most.map(|most| memory.map_or(Answer::CannotTell, |growth| growth.answer(most, lasted)));
        self.growth = growth;
    }

    /// How long it has lasted, in seconds.
    #[must_use]
    pub fn lasted_s(&self) -> f64 {
        self.samples.last().map_or(0.0, |sample| sample.at_s)
    }

    /// For people, in a line.
    #[must_use]
    pub fn says(&self) -> String {
        let lasted = format!("{:.1} min, {} samples", self.lasted_s() / 60.0, self.samples.len());
        let partial = if self.partial { " (partial)" } else { "" };
        let grown = self.growth.get(MEMORY).map_or_else(
            || "too few samples after the warm-up to tell how memory grows".to_owned(),
            |it| {
                let Growth { per_hour, low, high, from, to } = it;
                format!("memory {from:.1} to {to:.1} MiB, {per_hour:+.2} MiB/h (95 %: {low:+.2} to {high:+.2})")
            },
        );
        let goal = self.at_most.zip(self.answer);
        let goal = goal.map(|(most, answer)| format!("; at most {most} MiB/h: {}", answer.word()));
        format!("{lasted}{partial}: {grown}{}", goal.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    fn growth(low: f64, high: f64, grown: f64) -> Growth {
        Growth { per_hour: f64::midpoint(low, high), low, high, from: 50.0, to: 50.0 + grown }
    }

    #[rstest]
    #[case::an_hour_that_grows(9.0, 11.0, 10.0, 3600.0, Answer::Missed)]
    #[case::an_hour_that_does_not(-1.0, 2.0, 0.5, 3600.0, Answer::Met)]
    #[case::an_hour_of_noise(2.0, 12.0, 6.0, 3600.0, Answer::CannotTell)]
    #[case::minutes_that_would_grow_too_much_in_an_hour(90.0, 110.0, 1.0, 600.0, Answer::CannotTell)]
    #[case::minutes_that_grew_too_much(90.0, 110.0, 8.1, 600.0, Answer::Missed)]
    #[case::minutes_that_did_not_grow(-3.0, 1.0, 0.0, 600.0, Answer::Met)]
    fn eight_mebibytes_an_hour_are_met_or_missed(
        #[case] low: f64,
        #[case] high: f64,
        #[case] grown: f64,
        #[case] lasted_s: f64,
        #[case] wanted: Answer,
    ) {
        assert_eq!(growth(low, high, grown).answer(8.0, lasted_s), wanted);
    }

    fn soak(samples: Vec<Sample>) -> Soak {
        Soak {
            side: Side::Head,
            profile: "soak".to_owned(),
            asked_s: 3600.0,
            partial: false,
            step_s: 30.0,
            warm_up_s: 600.0,
            at_most: Some(8.0),
            answer: None,
            growth: BTreeMap::new(),
            samples,
        }
    }

    /// Memory that doubles in the warm-up, then grows by so many MiB an hour.
    fn samples(per_hour: f64) -> Vec<Sample> {
        let at = |number: u32| f64::from(number) * 30.0;
        let memory = |at_s: f64| 30.0 + at_s.min(600.0) / 20.0 + (at_s - 600.0).max(0.0) * per_hour / 3600.0;
        (0..=120).map(at).map(|at_s| Sample { at_s, memory_mib: Some(memory(at_s)), ..Sample::default() }).collect()
    }

    #[test]
    fn the_warm_up_is_no_growth() {
        let mut soak = soak(samples(2.0));
        soak.conclude();
        assert_eq!((soak.answer, soak.growth.len()), (Some(Answer::Met), 1));
        assert!((soak.growth[MEMORY].per_hour - 2.0).abs() < 1e-6, "{soak:?}");
        let says = soak.says();
        assert!(says.contains("+2.00 MiB/h") && says.ends_with("at most 8 MiB/h: met"), "{says}");
    }

    #[test]
    fn a_soak_that_ended_in_its_warm_up_tells_nothing() {
        let mut soak = soak(samples(100.0).into_iter().take(20).collect());
        soak.partial = true;
        soak.conclude();
        assert_eq!((soak.answer, soak.growth.is_empty()), (Some(Answer::CannotTell), true));
        assert!(soak.says().contains("(partial): too few samples"), "{}", soak.says());
    }

    proptest! {
        #[test]
        fn an_hour_of_steady_growth_is_met_below_the_goal_and_missed_above(per_hour in -50.0_f64..50.0) {
            prop_assume!((per_hour - 8.0).abs() > 1e-3);
            let mut soak = soak(samples(per_hour));
            soak.conclude();
            let wanted = if per_hour < 8.0 { Answer::Met } else { Answer::Missed };
            prop_assert_eq!(soak.answer, Some(wanted));
        }
    }
}
