//! Objectives as YAML: what is promised, who says so, and what it is measured by.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_yaml::Spanned;

use crate::yaml::{self, FileError, Limits, Place};

/// The schema that a file of objectives names in its first key.
pub const SCHEMA: &str = "jobsworth/objectives/v1";

const LIMITS: Limits = Limits { what: "objectives", largest: 256 * 1024, documents: 1, depth: 16, nodes: 5_000 };

/// What is promised.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Objective {
    /// Its name, for example `SLO-001`.
    pub id: String,
    /// The promise, in a line.
    pub says: String,
    /// Who makes it, for example `KEP-2214`.
    pub source: String,
    /// Where in it.
    pub section: String,
    /// Only of these load profiles; of every one without it.
    #[serde(default)]
    pub profiles: Vec<String>,
    /// Only with a bucket of at least so many requests a second.
    #[serde(default)]
    pub qps_at_least: u32,
    /// Where it is judged.
    #[serde(default)]
    pub judged: Judged,
    /// What it is measured by.
    pub measure: Measure,
}

/// Where an objective is judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Judged {
    /// Everywhere: its limit is far from what any machine takes, or does not depend on machines.
    #[default]
    Anywhere,
    /// Only on a machine that was calibrated: its limit is a number that other machines take longer for.
    Calibrated,
}

/// What an objective is measured by.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// A histogram of a component, by what came to it during trials.
    Histogram(Series),
    /// The share of values of a histogram that have a label.
    Share(Part),
    /// How long the observer saw something take.
    Latency(Wait),
    /// The median of a figure.
    Figure(Single),
    /// The median of a figure in one profile over that in another.
    Between(Pair),
    /// A quantile of a histogram in one profile over that in another.
    Quantiles(Quantiles),
}

/// A histogram of a component, and the limit of a share of its values.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Series {
    /// Whose.
    pub component: Scraped,
    /// Its name.
    pub metric: String,
    /// Which values labels must have; several mean any of them.
    #[serde(default)]
    pub labels: BTreeMap<String, Vec<String>>,
    /// Which share of values, from 0 to 1.
    pub share: f64,
    /// Must be at or below so many seconds.
    pub within_s: f64,
}

/// The share of values that have a label.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Part {
    /// Whose.
    pub component: Scraped,
    /// The histogram.
    pub metric: String,
    /// Which values labels have in the part.
    pub labels: BTreeMap<String, Vec<String>>,
    /// The most that the share may be, from 0 to 1.
    pub at_most: f64,
}

/// A wait that the observer saw.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Wait {
    /// Its name, for example `due-to-deletion`.
    pub name: String,
    /// Which share of waits, from 0 to 1.
    pub share: f64,
    /// Must be at or below so many seconds.
    pub within_s: f64,
}

/// A figure and its limit.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Single {
    /// Its name, for example `makespan`.
    pub name: String,
    /// The most that it may be.
    pub at_most: f64,
}

/// A figure in two profiles.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Pair {
    /// The figure's name.
    pub name: String,
    /// The profile that is compared.
    pub of: String,
    /// The one that it is compared with.
    pub over: String,
    /// The most that the ratio may be.
    pub at_most: f64,
}

/// A quantile of a component's histogram in two profiles.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Quantiles {
    /// Whose.
    pub component: Scraped,
    /// The histogram.
    pub metric: String,
    /// Which share of values, from 0 to 1.
    pub share: f64,
    /// The profile that is compared.
    pub of: String,
    /// The one that it is compared with.
    pub over: String,
    /// The most that the ratio may be; with bounds that double no less than 2 can be told.
    pub at_most: f64,
}

/// A component that is asked for its metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scraped {
    /// The controller under test.
    Controller,
    /// The API server.
    ApiServer,
}

/// Objectives, each with its source.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Objectives")]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct ObjectivesText {
    /// Always `jobsworth/objectives/v1`.
    #[schemars(with = "String", extend("const" = SCHEMA))]
    schema: Spanned<String>,
    /// The objectives.
    #[schemars(with = "Vec<Objective>")]
    objectives: Vec<Spanned<Objective>>,
}

/// Reads and checks objectives; `name` is for messages.
///
/// # Errors
/// All mistakes that were found; mistakes of form alone and at once.
pub fn parse(text: &str, name: &str) -> Result<Vec<Objective>, FileError> {
    let written: ObjectivesText = yaml::one(text, name, &LIMITS)?;
    let mut problems = Vec::new();
    if written.schema.value != SCHEMA {
        let help = format!("this program reads `{SCHEMA}`");
        let says = format!("the schema `{}` is not known", written.schema.value);
        problems.push(Place::of(text, &written.schema.referenced).problem(says, Some(help)));
    }
    for (at, objective) in written.objectives.iter().enumerate() {
        let id = &objective.value.id;
        let mut wrong = |says: String, help: &str| {
            problems.push(Place::of(text, &objective.referenced).problem(says, Some(help.to_owned())));
        };
        if written.objectives.iter().take(at).any(|other| other.value.id == *id) {
            wrong(format!("there are two objectives `{id}`"), "rename one of them");
        }
        let share = match &objective.value.measure {
            Measure::Histogram(Series { share, .. }) | Measure::Latency(Wait { share, .. }) => *share,
            Measure::Quantiles(quantiles) => quantiles.share,
            Measure::Share(part) => part.at_most,
            Measure::Figure(_) | Measure::Between(_) => 0.5,
        };
        if !(share > 0.0 && share < 1.0) {
            wrong(format!("the share of `{id}` is {share}"), "it is above 0 and below 1, for example 0.99");
        }
    }
    if problems.is_empty() {
        return Ok(written.objectives.into_iter().map(|objective| objective.value).collect());
    }
    Err(FileError { what: LIMITS.what, name: name.to_owned(), text: text.to_owned(), problems })
}

/// The JSON schema of objectives.
#[must_use]
pub fn json_schema() -> schemars::Schema {
    schemars::schema_for!(ObjectivesText)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const HEAD: &str = "schema: jobsworth/objectives/v1\nobjectives:\n";
    const ONE: &str = "- {id: A, says: a, source: K, section: s, measure: {figure: {name: makespan, at-most: 5}}}\n";

    #[test]
    fn an_objective_is_read_with_its_measure() {
        let objectives = parse(&format!("{HEAD}{ONE}"), "mine").expect("it is good");
        let [one] = objectives.as_slice() else { panic!("{objectives:?}") };
        assert!(matches!(&one.measure, Measure::Figure(Single { at_most, .. }) if *at_most > 4.0));
    }

    #[rstest]
    #[case::an_unknown_key("- {id: A, sais: a}\n", "there is no key `sais` here")]
    #[case::a_share_of_everything(
        "- {id: A, says: a, source: K, section: s, measure: {latency: {name: x, share: 1.0, within-s: 1}}}\n",
        "the share of `A` is 1"
    )]
    #[case::a_name_twice(ONE, "there are two objectives `A`")]
    fn what_is_wrong_is_told(#[case] more: &str, #[case] says: &str) {
        let error = parse(&format!("{HEAD}{ONE}{more}"), "mine").expect_err("it is wrong");
        assert!(error.to_string().contains(says), "{error}");
    }
}
