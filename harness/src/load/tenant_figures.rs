//! What tenants got who came beside a trial, as `load.json` keeps it and as their program writes it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Trouble;
use super::latency::Distribution;

/// What the program of tenants writes.
pub const FILE: &str = "tenants.json";
/// The schema of that.
const SCHEMA: &str = "jobsworth/tenants/v1";
/// What comes behind the name of a workload that is done beside tenants.
const SUFFIX: &str = "-tenants";

/// What tenants got.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TenantFigures {
    /// How requests come.
    #[serde(rename = "loop")]
    pub kind_of_loop: Loop,
    /// How many tenants there were.
    pub users: u32,
    /// How long they stayed, in seconds.
    pub lasted_s: f64,
    /// The folder with their program's own reports.
    pub reports: String,
    /// By method and name of the request.
    pub requests: BTreeMap<String, TenantRequests>,
    /// The Jobs that tenants waited for, by the kind of tenant; nothing in records of before they were counted.
    #[serde(default)]
    pub jobs: BTreeMap<String, TenantJobs>,
}

/// How requests come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Loop {
    /// Each tenant waits for an answer before it makes its next request: a slow server is asked less, and times of waiting to ask
    /// are in no figure.
    Closed,
}

/// The requests of one name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TenantRequests {
    /// Answers of 400 and more that nobody had to expect, by their code; 0 stands for no answer.
    pub errors: BTreeMap<u16, u64>,
    /// Answers of 429: the server had too much to do.
    pub throttled: u64,
    /// Answers that said when to come again.
    pub retry_after: u64,
    /// From the request to the head of its answer.
    pub times: Distribution,
}

/// The Jobs that tenants of one kind waited for, by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TenantJobs {
    /// Those that have succeeded or failed, or are gone.
    pub ended: u64,
    /// Those whose tenant lost patience before they had ended, or had no answer to a request.
    pub given_up: u64,
    /// Those that had not ended when the time was over. With a controller that works these are the last that were made.
    pub open: u64,
    /// The longest wait for one that had not ended, in seconds; 0 if all have.
    pub longest_without_end_s: f64,
}

impl TenantJobs {
    /// Those of several trials together.
    #[must_use]
    pub fn together<'a>(all: impl IntoIterator<Item = &'a Self>) -> Self {
        all.into_iter().fold(Self::default(), |sum, one| Self {
            ended: sum.ended + one.ended,
            given_up: sum.given_up + one.given_up,
            open: sum.open + one.open,
            longest_without_end_s: sum.longest_without_end_s.max(one.longest_without_end_s),
        })
    }
}

/// The report of the program, as far as it is kept.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    schema: String,
    #[serde(rename = "loop")]
    kind_of_loop: Loop,
    users: u32,
    lasted_s: f64,
    requests: BTreeMap<String, Row>,
    jobs: BTreeMap<String, TenantJobs>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    errors: BTreeMap<u16, u64>,
    throttled: u64,
    retry_after: u64,
    times: Vec<(f64, u64)>,
}

impl TenantFigures {
    /// Of the program's report; `reports` is the folder that it lies in.
    ///
    /// # Errors
    /// When it is something else.
    pub fn read(text: &str, reports: &str) -> Result<Self, Trouble> {
        let written: Written =
            serde_json::from_str(text).map_err(|error| Trouble::of("read the report of the tenants", &error))?;
        if written.schema != SCHEMA {
            return Err(Trouble::new(format!("the report of the tenants is {}, not {SCHEMA}", written.schema)));
        }
        let kept = |(name, row): (String, Row)| {
            let Row { errors, throttled, retry_after, times } = row;
            (name, TenantRequests { errors, throttled, retry_after, times: Distribution::counted(times) })
        };
        Ok(Self {
            kind_of_loop: written.kind_of_loop,
            users: written.users,
            lasted_s: written.lasted_s,
            reports: reports.to_owned(),
            requests: written.requests.into_iter().map(kept).collect(),
            jobs: written.jobs,
        })
    }
}

/// The name of a workload that is done beside tenants. It is another one: figures with and without them are no figures of one
/// workload, and no ratio may be made of both.
#[must_use]
pub fn name_beside(workload: &str) -> String {
    format!("{workload}{SUFFIX}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(schema: &str) -> String {
        serde_json::json!({
            "schema": schema, "program": "0.1.0", "goose": "0.19", "loop": "closed", "users": 3, "lastedS": 9.5,
            "mix": {"batch-user": 3},
            "requests": {"GET job: poll": {
                "count": 3, "errors": {"500": 1}, "expected": {"404": 1}, "throttled": 0, "retryAfter": 0,
                "p50": 1.0, "p90": 2.0, "p99": 2.0, "p999": 2.0, "max": 2.0, "times": [[1.0, 2], [2.0, 1]],
            }},
            "jobs": {"batch-user": {"ended": 4, "givenUp": 1, "open": 2, "longestWithoutEndS": 60.5}},
        })
        .to_string()
    }

    #[test]
    fn the_report_of_the_program_is_read_with_its_times_and_its_jobs() {
        let figures = TenantFigures::read(&written(SCHEMA), "load-tenants/2").expect("it is one");
        assert_eq!(
            (figures.users, figures.reports.as_str(), figures.kind_of_loop),
            (3, "load-tenants/2", Loop::Closed)
        );
        let polls = &figures.requests["GET job: poll"];
        assert_eq!((polls.errors[&500], polls.times.count), (1, 3));
        assert!((polls.times.p50 - 1.0).abs() < 0.01, "{polls:?}");
        let jobs = TenantJobs { ended: 4, given_up: 1, open: 2, longest_without_end_s: 60.5 };
        assert_eq!(figures.jobs, BTreeMap::from([("batch-user".to_owned(), jobs)]));
    }

    #[test]
    fn a_record_of_before_jobs_were_counted_has_none() {
        let earlier = serde_json::json!({"loop": "closed", "users": 3, "lastedS": 9.5, "reports": "", "requests": {}});
        let figures: TenantFigures = serde_json::from_value(earlier).expect("it can be read");
        assert!(figures.jobs.is_empty(), "{figures:?}");
    }

    #[test]
    fn another_report_is_none_of_tenants() {
        let other = TenantFigures::read(&written("jobsworth/tenants/v2"), "x").expect_err("another schema");
        assert!(other.to_string().contains("not jobsworth/tenants/v1"), "{other}");
        assert!(TenantFigures::read("{", "x").is_err());
    }
}
