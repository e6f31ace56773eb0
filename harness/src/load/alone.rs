//! What one controller did by itself: absolute figures, which are facts about this machine and no goals.

use std::collections::BTreeMap;

use super::comparison::Comparison;
use super::quantile::median;

/// One figure of one workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Absolute {
    /// The workload.
    pub workload: String,
    /// The figure.
    pub figure: String,
    /// The median of the trials.
    pub median: f64,
    /// The smallest.
    pub least: f64,
    /// The largest.
    pub most: f64,
    /// What no controller could be better than, where that can be told.
    pub floor: Option<f64>,
    /// How many trials that were whole have it.
    pub trials: usize,
}

/// All figures of trials that are whole, by workload in the order of the profiles.
#[must_use]
pub fn all(record: &Comparison) -> Vec<Absolute> {
    record.profiles.iter().flat_map(|profile| of_workload(record, &profile.name, profile.floor_ms)).collect()
}

fn of_workload(record: &Comparison, workload: &str, floor_ms: Option<f64>) -> Vec<Absolute> {
    let whole = record.trials.iter().filter(|trial| trial.workload == workload && trial.void.is_none());
    let mut values: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (figure, value) in whole.flat_map(|trial| &trial.figures) {
        values.entry(figure).or_default().push(*value);
    }
    let one = |(figure, values): (&str, Vec<f64>)| {
        Some(Absolute {
            workload: workload.to_owned(),
            figure: figure.to_owned(),
            median: median(&values)?,
            least: values.iter().copied().reduce(f64::min)?,
            most: values.iter().copied().reduce(f64::max)?,
            floor: floor_ms.filter(|floor| figure == "makespan" && *floor > 0.0),
            trials: values.len(),
        })
    };
    values.into_iter().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{ClusterSpec, Rate};
    use crate::load::arm::{Arm, LineUp, Side};
    use crate::load::{bench::Plan, profile, record::Trial};

    fn record(trials: &[(f64, Option<&str>)]) -> Comparison {
        let text =
            "schema: jobsworth/load-profile/v1\nname: wide\nsays: x\nmix: [{name: wide, jobs: 1, completions: 500}]\n";
        let plan = Plan {
            profiles: vec![profile::parse(text, "wide").expect("a profile")],
            line_up: LineUp::Alone(Arm::named("builtin").expect("it is known")),
            rounds: None,
            spec: Plan::spec(ClusterSpec::of("1.37.1".parse().expect("a version")), Rate::default()),
            objectives: Vec::new(),
            lag_limit_ms: 500,
            scale_percent: 100,
        };
        let trial = |&(makespan, void): &(f64, Option<&str>)| Trial {
            workload: "wide".to_owned(),
            side: Side::Head,
            void: void.map(str::to_owned),
            figures: BTreeMap::from([("makespan".to_owned(), makespan), ("cpu-s".to_owned(), 1.0)]),
            ..Trial::default()
        };
        Comparison { trials: trials.iter().map(trial).collect(), ..plan.record() }
    }

    #[test]
    fn figures_are_those_of_whole_trials_with_their_floor() {
        let record = record(&[(10_000.0, None), (99.0, Some("noise")), (12_000.0, None)]);
        assert_eq!(record.alone(), Some("builtin"));
        let all = all(&record);
        assert_eq!(all.iter().map(|one| one.figure.as_str()).collect::<Vec<_>>(), ["cpu-s", "makespan"]);
        assert_eq!((all[1].median, all[1].least, all[1].most, all[1].trials), (11_000.0, 10_000.0, 12_000.0, 2));
        assert_eq!((all[0].floor, all[1].floor), (None, Some(9_030.0)));
    }

    #[test]
    fn without_a_whole_trial_there_is_no_figure() {
        assert!(all(&record(&[(1.0, Some("noise"))])).is_empty());
    }
}
