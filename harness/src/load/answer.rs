//! Whether an objective is met, missed, or cannot be told, with what was measured.

use serde::Serialize;

use super::arm::Side;
use super::comparison::Comparison;
use super::quantile::median;
use super::record::Trial;
use super::slo::histogram::{Bracket, Histogram, Within};
use super::slo::objective::{Measure, Objective};
use super::slo::scrape::Measured;

/// Whether an objective is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// It is.
    Met,
    /// It is not.
    Missed,
    /// It was measured, but the limit lies inside of a bucket.
    CannotTell,
    /// Nothing was measured that it is about.
    NotMeasured,
}

/// An objective, and how one controller keeps it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The objective.
    pub id: String,
    /// What it promises.
    pub says: String,
    /// Who says so, and where.
    pub source: String,
    /// Of which controller.
    pub controller: String,
    /// Whether it is kept.
    pub answer: Answer,
    /// What was measured, or why nothing was.
    pub measured: String,
}

/// Every objective for every controller of a comparison.
#[must_use]
pub fn all(objectives: &[Objective], record: &Comparison) -> Vec<Finding> {
    let mut findings = Vec::new();
    for objective in objectives {
        for (&side, controller) in &record.arms {
            let (answer, measured) = one(objective, record, side);
            findings.push(Finding {
                id: objective.id.clone(),
                says: objective.says.clone(),
                source: format!("{}, {}", objective.source, objective.section),
                controller: controller.clone(),
                answer,
                measured,
            });
        }
    }
    findings
}

fn one(objective: &Objective, record: &Comparison, side: Side) -> (Answer, String) {
    let none = |why: &str| (Answer::NotMeasured, why.to_owned());
    if record.rate.qps < objective.qps_at_least {
        return none(&format!("it is about {} requests a second or more", objective.qps_at_least));
    }
    let about =
        |workload: &str| objective.profiles.is_empty() || objective.profiles.iter().any(|name| name == workload);
    let trials = record.trials.iter().filter(|trial| trial.side == side && trial.void.is_none());
    let trials: Vec<&Trial> = trials.filter(|trial| about(&trial.workload)).collect();
    if trials.is_empty() && !matches!(objective.measure, Measure::Between(_)) {
        return none(&format!("no whole trial of {}", one_of(&objective.profiles)));
    }
    match &objective.measure {
        Measure::Histogram(series) => match measured(&trials, &objective.id) {
            Some(measured) => quantile(&measured.values, series.share, series.within_s),
            None => none("the component has no such metric"),
        },
        Measure::Share(part) => match measured(&trials, &objective.id) {
            Some(measured) => share(&measured, part.at_most),
            None => none("the component has no such metric"),
        },
        Measure::Latency(wait) => {
            let waits = trials.iter().filter_map(|trial| trial.latencies.get(&wait.name)).map(Histogram::from);
            match waits.reduce(|one, other| one.and(&other)) {
                Some(waits) => quantile(&waits, wait.share, wait.within_s),
                None => none(&format!("nothing took a {}", wait.name)),
            }
        }
        Measure::Figure(single) => match of_figure(&trials, &single.name) {
            Some(value) => limited(value, single.at_most, &format!("{} is {value:.2}", single.name)),
            None => none(&format!("there is no figure {}", single.name)),
        },
        Measure::Between(pair) => {
            let of = |workload: &str| {
                let mine: Vec<&Trial> = trials.iter().copied().filter(|trial| trial.workload == workload).collect();
                of_figure(&mine, &pair.name)
            };
            match of(&pair.of).zip(of(&pair.over)).filter(|(_, over)| *over > 0.0) {
                Some((of, over)) => {
                    limited(of / over, pair.at_most, &format!("{} is {:.2} of it", pair.name, of / over))
                }
                None => none(&format!("it takes both {} and {}", pair.of, pair.over)),
            }
        }
    }
}

fn one_of(profiles: &[String]) -> String {
    if profiles.is_empty() { "any profile".to_owned() } else { profiles.join(" or ") }
}

/// Histograms are added over trials; percentiles never are averaged.
fn measured(trials: &[&Trial], id: &str) -> Option<Measured> {
    let each = trials.iter().filter_map(|trial| trial.measured.get(id).cloned());
    each.reduce(|one, other| one.and(&other)).filter(|measured| measured.values.count > 0)
}

fn of_figure(trials: &[&Trial], name: &str) -> Option<f64> {
    median(&trials.iter().filter_map(|trial| trial.figures.get(name).copied()).collect::<Vec<_>>())
}

fn quantile(values: &Histogram, part: f64, limit: f64) -> (Answer, String) {
    let answer = match values.within(part, limit) {
        Within::Yes => Answer::Met,
        Within::No => Answer::Missed,
        Within::Unclear if values.count == 0 => Answer::NotMeasured,
        Within::Unclear => Answer::CannotTell,
    };
    let bracket = values.bracket(part).map(words).unwrap_or_default();
    (answer, format!("{} % {bracket}, of {}", part * 100.0, values.count))
}

fn words(bracket: Bracket) -> String {
    match bracket.at_most {
        Some(most) => format!("between {:.3} and {most:.3} s", bracket.above),
        None => format!("above {:.3} s", bracket.above),
    }
}

fn share(measured: &Measured, at_most: f64) -> (Answer, String) {
    #[expect(clippy::cast_precision_loss, reason = "counts far below 2^53")]
    let share = measured.part as f64 / measured.values.count as f64;
    limited(share, at_most, &format!("{:.2} %, {} of {}", share * 100.0, measured.part, measured.values.count))
}

fn limited(value: f64, at_most: f64, says: &str) -> (Answer, String) {
    (if value <= at_most { Answer::Met } else { Answer::Missed }, says.to_owned())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn series(values: &[(f64, u64)], count: u64) -> Histogram {
        Histogram { buckets: values.to_vec(), count }
    }

    #[rstest]
    #[case::short(&[(8.192, 100), (16.384, 100)], Answer::Met, "99 % between 0.000 and 8.192 s, of 100")]
    #[case::long(&[(8.192, 90), (16.384, 98)], Answer::Missed, "99 % above 16.384 s, of 100")]
    #[case::in_between(&[(8.192, 90), (16.384, 100)], Answer::CannotTell, "99 % between 8.192 and 16.384 s, of 100")]
    fn a_histogram_answers_as_far_as_its_buckets_allow(
        #[case] values: &[(f64, u64)],
        #[case] answer: Answer,
        #[case] says: &str,
    ) {
        assert_eq!(quantile(&series(values, 100), 0.99, 15.0), (answer, says.to_owned()));
    }

    #[test]
    fn a_share_is_met_up_to_its_limit() {
        let of = |part| Measured { values: series(&[], 200), part };
        assert_eq!(share(&of(2), 0.01), (Answer::Met, "1.00 %, 2 of 200".to_owned()));
        assert_eq!(share(&of(3), 0.01).0, Answer::Missed);
    }

    #[test]
    fn no_value_is_no_answer() {
        assert_eq!(quantile(&Histogram::default(), 0.99, 15.0).0, Answer::NotMeasured);
    }
}
