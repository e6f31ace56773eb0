//! What one controller did by itself: absolute figures, which are facts about this machine and no goals.

use std::collections::BTreeMap;

use super::comparison::Comparison;
use super::efficiency;
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
    record.profiles.iter().flat_map(|profile| of_workload(record, &profile.name)).collect()
}

fn of_workload(record: &Comparison, workload: &str) -> Vec<Absolute> {
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
            floor: efficiency::floor(record, workload, figure),
            trials: values.len(),
        })
    };
    values.into_iter().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::sample;

    #[test]
    fn figures_are_those_of_whole_trials_with_their_floor() {
        let mut record = sample::record_alone("builtin", "wide", &[10_000.0, 99.0, 12_000.0]);
        record.trials[1].void = Some("noise".to_owned());
        assert_eq!(record.alone(), Some("builtin"));
        let all = all(&record);
        assert_eq!(all.iter().map(|one| one.figure.as_str()).collect::<Vec<_>>(), ["makespan", "requests"]);
        assert_eq!((all[0].median, all[0].least, all[0].most, all[0].trials), (11_000.0, 10_000.0, 12_000.0, 2));
        assert_eq!((all[0].floor, all[1].floor), (Some(9_030.0), None));
    }

    #[test]
    fn without_a_whole_trial_there_is_no_figure() {
        let mut record = sample::record_alone("builtin", "wide", &[1.0]);
        record.trials[0].void = Some("noise".to_owned());
        assert!(all(&record).is_empty());
    }
}
