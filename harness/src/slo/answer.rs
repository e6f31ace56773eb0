//! Whether an objective is met, missed, or cannot be told, with what was measured.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::histogram::{Bracket, Histogram, Within};
use super::objective::{Judged, Measure, Objective};
use super::scrape::{Measured, MeasuredByObjective};

/// Whether an objective is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// It was measured, but its limit is about another machine.
    NotJudged,
}

impl Answer {
    /// For people.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::Missed => "missed",
            Self::CannotTell => "cannot tell",
            Self::NotMeasured => "not measured",
            Self::NotJudged => "not judged",
        }
    }
}

/// The source of what was calibrated. That of an objective has a comma before its section, so it is never this.
pub const CALIBRATION: &str = "calibration of this machine";

/// An objective, and how one controller keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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

impl Finding {
    /// What `controller` does about `objective`.
    #[must_use]
    pub fn of(objective: &Objective, controller: &str, (answer, measured): (Answer, String)) -> Self {
        Self {
            id: objective.id.clone(),
            says: objective.says.clone(),
            source: format!("{}, {}", objective.source, objective.section),
            controller: controller.to_owned(),
            answer,
            measured,
        }
    }

    /// Whether it is about what a machine took when it was calibrated. Who asks for that wants an answer, so that none is open.
    #[must_use]
    pub fn is_calibrated(&self) -> bool {
        self.source == CALIBRATION
    }
}

/// What a component said of itself while something ran that is no load profile: objectives that name profiles, or a faster bucket than
/// this one, are not about it, and are left out, as is what it has no metric for.
#[must_use]
pub fn aside(objectives: &[Objective], controller: &str, qps: u32, said: &MeasuredByObjective) -> Vec<Finding> {
    let about = objectives.iter().filter(|one| one.profiles.is_empty() && one.qps_at_least <= qps);
    let found = about.filter_map(|objective| {
        let measured = said.get(&objective.id).filter(|measured| measured.values.count > 0)?;
        let answer = match &objective.measure {
            Measure::Histogram(series) => quantile(&measured.values, series.share, series.within_s),
            Measure::Share(part) => share(measured, part.at_most),
            Measure::Latency(_) | Measure::Figure(_) | Measure::Between(_) | Measure::Quantiles(_) => return None,
        };
        let answer = if objective.judged == Judged::Calibrated { unjudged(answer) } else { answer };
        Some(Finding::of(objective, controller, answer))
    });
    found.collect()
}

/// The same measurement where nobody knows what the machine takes.
#[must_use]
pub fn unjudged((answer, measured): (Answer, String)) -> (Answer, String) {
    match answer {
        Answer::Met | Answer::Missed | Answer::CannotTell => {
            (Answer::NotJudged, format!("{measured}; there is no calibration of this machine"))
        }
        Answer::NotMeasured | Answer::NotJudged => (answer, measured),
    }
}

/// Whether this share of values is within the limit, with the bracket in which they lie.
#[must_use]
pub fn quantile(values: &Histogram, part: f64, limit: f64) -> (Answer, String) {
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

/// Whether the part is small enough.
#[must_use]
pub fn share(measured: &Measured, at_most: f64) -> (Answer, String) {
    #[expect(clippy::cast_precision_loss, reason = "counts far below 2^53")]
    let share = measured.part as f64 / measured.values.count as f64;
    limited(share, at_most, &format!("{:.2} %, {} of {}", share * 100.0, measured.part, measured.values.count))
}

/// Whether a number is small enough.
#[must_use]
pub fn limited(value: f64, at_most: f64, says: &str) -> (Answer, String) {
    (if value <= at_most { Answer::Met } else { Answer::Missed }, says.to_owned())
}

/// Whether a quantile of one histogram is at most so many times that of another, as far as their buckets allow to tell.
#[must_use]
pub fn times(of: &Histogram, over: &Histogram, share: f64, at_most: f64) -> (Answer, String) {
    let (Some(mine), Some(theirs)) = (of.bracket(share), over.bracket(share)) else {
        return (Answer::NotMeasured, "nothing was measured in one of the profiles".to_owned());
    };
    // In one bucket nothing shows a difference.
    let same = mine == theirs;
    let most = mine.at_most.filter(|_| theirs.above > 0.0).map(|most| most / theirs.above);
    let least = theirs.at_most.map(|most| mine.above / most);
    let answer = match (least, most) {
        _ if same => Answer::Met,
        (_, Some(most)) if most <= at_most => Answer::Met,
        (Some(least), _) if least >= at_most => Answer::Missed,
        _ => Answer::CannotTell,
    };
    (answer, format!("{} % {}, against {}", share * 100.0, words(mine), words(theirs)))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::slo::objective;

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
        assert_eq!(times(&Histogram::default(), &series(&[(1.0, 9)], 9), 0.99, 2.0).0, Answer::NotMeasured);
    }

    #[rstest]
    #[case::the_same_bucket(2.0, Answer::Met)]
    #[case::a_bucket_less(1.0, Answer::Met)]
    #[case::the_next_bucket(4.0, Answer::CannotTell)]
    #[case::two_buckets_more(8.0, Answer::CannotTell)]
    #[case::three_buckets_more(16.0, Answer::Missed)]
    fn two_quantiles_are_told_apart_by_whole_buckets(#[case] bound: f64, #[case] answer: Answer) {
        let bounds = [1.0, 2.0, 4.0, 8.0, 16.0];
        let all_at = |at: f64| series(&bounds.map(|bound| (bound, if bound >= at { 50 } else { 0 })), 50);
        assert_eq!(times(&all_at(bound), &all_at(2.0), 0.99, 3.0).0, answer);
    }

    #[test]
    fn beside_other_work_objectives_of_no_profile_are_told_and_seconds_of_other_machines_are_not_judged() {
        let text = "schema: jobsworth/objectives/v1\nobjectives:\n\
            - {id: A, says: a, source: K, section: s, measure: {histogram: {component: controller, metric: m, share: 0.9, within-s: 2}}}\n\
            - {id: B, says: b, source: K, section: s, judged: calibrated, measure: {histogram: {component: controller, metric: m, share: 0.9, within-s: 2}}}\n\
            - {id: C, says: c, source: K, section: s, profiles: [x], measure: {histogram: {component: controller, metric: m, share: 0.9, within-s: 2}}}\n\
            - {id: D, says: d, source: K, section: s, qps-at-least: 500, measure: {histogram: {component: controller, metric: m, share: 0.9, within-s: 2}}}\n\
            - {id: E, says: e, source: K, section: s, measure: {figure: {name: makespan, at-most: 5}}}\n";
        let objectives = objective::parse(text, "test").expect("it is good");
        let values = series(&[(1.0, 9), (2.0, 9)], 10);
        let said = ["A", "B", "C", "D"].map(|id| (id.to_owned(), Measured { values: values.clone(), part: 0 })).into();
        let found = aside(&objectives, "mine", 100, &said);
        let answers: Vec<_> = found.iter().map(|finding| (finding.id.as_str(), finding.answer)).collect();
        assert_eq!(answers, [("A", Answer::Met), ("B", Answer::NotJudged)]);
    }
}
