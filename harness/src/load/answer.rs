//! Whether a comparison shows that objectives are met, missed, or that it cannot be told.

use super::arm::Side;
use super::calibration::Calibration;
use super::comparison::Comparison;
use super::quantile::median;
use super::record::Trial;
use crate::slo::answer::{Answer, Finding, limited, quantile, share, times, unjudged};
use crate::slo::histogram::Histogram;
use crate::slo::objective::{Judged, Measure, Objective};
use crate::slo::scrape::Measured;

/// Every objective for every controller of a comparison; with a calibration that [fits](Calibration::fits) also those in absolute
/// numbers, and what was calibrated.
#[must_use]
pub fn all(objectives: &[Objective], record: &Comparison, calibration: Option<&Calibration>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for objective in objectives {
        for (&side, controller) in &record.arms {
            let answer = one(objective, record, side);
            let is_open = objective.judged == Judged::Calibrated && calibration.is_none();
            let answer = if is_open { unjudged(answer) } else { answer };
            findings.push(Finding::of(objective, controller, answer));
        }
    }
    findings.extend(calibration.into_iter().flat_map(|calibration| calibration.findings(record)));
    findings
}

fn one(objective: &Objective, record: &Comparison, side: Side) -> (Answer, String) {
    let none = |why: &str| (Answer::NotMeasured, why.to_owned());
    if record.rate.map_or(0, |rate| rate.qps) < objective.qps_at_least {
        return none(&format!("it is about {} requests a second or more", objective.qps_at_least));
    }
    let about =
        |workload: &str| objective.profiles.is_empty() || objective.profiles.iter().any(|name| name == workload);
    let is_whole = |trial: &&Trial| trial.side == side && trial.void.is_none() && trial.tenants.is_none();
    let trials = record.trials.iter().filter(is_whole);
    let trials: Vec<&Trial> = trials.filter(|trial| about(&trial.workload)).collect();
    let is_of_two = matches!(objective.measure, Measure::Between(_) | Measure::Quantiles(_));
    if trials.is_empty() && !is_of_two {
        return none(&format!("no whole trial of {}", one_of(&objective.profiles)));
    }
    let of =
        |workload: &str| -> Vec<&Trial> { trials.iter().copied().filter(|trial| trial.workload == workload).collect() };
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
            let figure = |workload: &str| of_figure(&of(workload), &pair.name);
            match figure(&pair.of).zip(figure(&pair.over)).filter(|(_, over)| *over > 0.0) {
                Some((of, over)) => {
                    limited(of / over, pair.at_most, &format!("{} is {:.2} of it", pair.name, of / over))
                }
                None => none(&format!("it takes both {} and {}", pair.of, pair.over)),
            }
        }
        Measure::Quantiles(pair) => {
            match measured(&of(&pair.of), &objective.id).zip(measured(&of(&pair.over), &objective.id)) {
                Some((of, over)) => times(&of.values, &over.values, pair.share, pair.at_most),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::sample;
    use crate::slo::objective;

    #[test]
    fn trials_beside_tenants_meet_and_miss_no_objective_and_calibrate_nothing() {
        let text = "schema: jobsworth/objectives/v1\nobjectives:\n\
            - {id: A, says: a, source: K, section: s, measure: {figure: {name: makespan, at-most: 9000}}}\n";
        let objectives = objective::parse(text, "test").expect("it is good");
        let mut record = sample::record_beside_tenants();
        record.trials.retain(|trial| trial.tenants.is_some());
        assert_eq!(all(&objectives, &record, None)[0].answer, Answer::NotMeasured);
        record.server = Some(sample::capacity(1000.0));
        for trial in &mut record.trials {
            trial.void = None;
        }
        let more = record.trials.clone();
        record.trials.extend(more);
        assert!(Calibration::of(&record).is_err(), "four whole trials, all beside tenants");
    }

    #[test]
    fn seconds_are_judged_only_on_a_machine_that_was_calibrated() {
        let text = "schema: jobsworth/objectives/v1\nobjectives:\n\
            - {id: A, says: a, source: K, section: s, judged: calibrated, measure: {figure: {name: makespan, at-most: 9000}}}\n\
            - {id: B, says: b, source: K, section: s, measure: {figure: {name: requests, at-most: 9000}}}\n";
        let objectives = objective::parse(text, "test").expect("it is good");
        let mut record = sample::record_alone("reference", "indexed-500", &[8000.0; 3]);
        record.server = Some(sample::capacity(1000.0));
        let answers = |calibration: Option<&Calibration>| -> Vec<Answer> {
            all(&objectives, &record, calibration).iter().map(|finding| finding.answer).collect()
        };
        assert_eq!(answers(None), [Answer::NotJudged, Answer::Met]);
        let calibration = Calibration::of(&record).expect("three trials");
        assert_eq!(answers(Some(&calibration)), [Answer::Met; 4], "both, and makespan and requests as calibrated");
    }
}
