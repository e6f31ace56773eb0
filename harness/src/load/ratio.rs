//! Head over base, within pairs only.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::arm::Side;
use super::goal::Goals;
use super::interval::Sureness;
use super::quantile::median;
use super::record::Trial;

/// One figure of one workload, head over base.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ratio {
    /// The workload.
    pub workload: String,
    /// The figure.
    pub figure: String,
    /// The median of the pairs' ratios.
    pub median: f64,
    /// The median of the base's values.
    pub base: f64,
    /// The median of the head's values.
    pub head: f64,
    /// The ratio of each pair, by its number.
    pub pairs: BTreeMap<u32, f64>,
    /// How sure the median is, where there are pairs enough to tell.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sureness: Option<Sureness>,
    /// What the median should be at most.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub goal: Option<f64>,
}

impl Ratio {
    /// Whether there is a goal and it is reached.
    #[must_use]
    pub fn reached(&self) -> Option<bool> {
        self.goal.map(|goal| self.median <= goal)
    }
}

/// All ratios of trials that are whole; a figure that is not above zero on both sides has none.
#[must_use]
pub fn all(trials: &[Trial], goals: &Goals) -> Vec<Ratio> {
    let mut workloads: Vec<&str> = Vec::new();
    for trial in trials {
        if !workloads.contains(&trial.workload.as_str()) {
            workloads.push(&trial.workload);
        }
    }
    workloads.into_iter().flat_map(|workload| of_workload(workload, trials, goals)).collect()
}

fn of_workload(workload: &str, trials: &[Trial], goals: &Goals) -> Vec<Ratio> {
    let whole = |side: Side| -> BTreeMap<u32, &Trial> {
        let mine =
            trials.iter().filter(|trial| trial.workload == workload && trial.side == side && trial.void.is_none());
        mine.map(|trial| (trial.pair, trial)).collect()
    };
    let (base, head) = (whole(Side::Base), whole(Side::Head));
    let names: BTreeSet<&String> = base.values().flat_map(|trial| trial.figures.keys()).collect();
    names
        .into_iter()
        .filter_map(|figure| {
            let goal = goals.of(workload, figure);
            one(workload, figure, &base, &head).map(|ratio| Ratio { goal, ..ratio })
        })
        .collect()
}

fn one(workload: &str, figure: &str, base: &BTreeMap<u32, &Trial>, head: &BTreeMap<u32, &Trial>) -> Option<Ratio> {
    let mut pairs = BTreeMap::new();
    let (mut bases, mut heads) = (Vec::new(), Vec::new());
    for (pair, of_base) in base {
        let values = of_base.figures.get(figure).zip(head.get(pair).and_then(|of_head| of_head.figures.get(figure)));
        let Some((&below, &above)) = values else { continue };
        bases.push(below);
        heads.push(above);
        if below > 0.0 && above > 0.0 {
            pairs.insert(*pair, above / below);
        }
    }
    let ratios: Vec<f64> = pairs.values().copied().collect();
    Some(Ratio {
        workload: workload.to_owned(),
        figure: figure.to_owned(),
        median: median(&ratios)?,
        sureness: Sureness::of(&ratios),
        base: median(&bases)?,
        head: median(&heads)?,
        pairs,
        goal: None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::load::goal::Goal;

    fn goals() -> Goals {
        Goals::default().with("indexed-500", vec![Goal { figure: "makespan".to_owned(), at_most: 1.0 }])
    }

    fn trial(pair: u32, side: Side, makespan: f64, void: Option<&str>) -> Trial {
        Trial {
            workload: "indexed-500".to_owned(),
            pair,
            side,
            void: void.map(str::to_owned),
            figures: BTreeMap::from([("makespan".to_owned(), makespan)]),
            ..Trial::default()
        }
    }

    #[test]
    fn ratios_are_made_within_pairs_and_their_median_is_compared_with_the_goal() {
        let trials = [
            trial(0, Side::Base, 100.0, None),
            trial(0, Side::Head, 50.0, None),
            trial(1, Side::Head, 90.0, None),
            trial(1, Side::Base, 100.0, None),
            trial(2, Side::Base, 100.0, None),
            trial(2, Side::Head, 200.0, None),
        ];
        let ratios = all(&trials, &goals());
        assert_eq!(ratios.len(), 1);
        assert_eq!(ratios[0].pairs, BTreeMap::from([(0, 0.5), (1, 0.9), (2, 2.0)]));
        assert!((ratios[0].median - 0.9).abs() < 1e-12);
        assert_eq!(ratios[0].reached(), Some(true));
    }

    #[test]
    fn a_void_trial_takes_its_pair_out() {
        let trials = [
            trial(0, Side::Base, 100.0, Some("noise")),
            trial(0, Side::Head, 50.0, None),
            trial(1, Side::Base, 100.0, None),
            trial(1, Side::Head, 80.0, None),
        ];
        assert_eq!(all(&trials, &goals())[0].pairs, BTreeMap::from([(1, 0.8)]));
    }

    proptest! {
        #[test]
        fn swapping_the_sides_inverts_every_pair(values in prop::collection::vec((0.1_f64..1e3, 0.1_f64..1e3), 1..9)) {
            let pairs = |first: Side, second: Side| {
                let trials: Vec<Trial> = (0_u32..).zip(&values)
                    .flat_map(|(pair, &(a, b))| [trial(pair, first, a, None), trial(pair, second, b, None)]).collect();
                all(&trials, &goals())[0].pairs.clone()
            };
            let (there, back) = (pairs(Side::Base, Side::Head), pairs(Side::Head, Side::Base));
            for (pair, ratio) in there {
                prop_assert!((ratio * back[&pair] - 1.0).abs() < 1e-9);
            }
        }
    }
}
