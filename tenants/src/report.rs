//! `tenants.json`: what tenants got, by the name of each request, and what became of their Jobs.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use goose::metrics::{GooseMetrics, GooseRequestMetricAggregate};
use serde::Serialize;

use crate::Trouble;
use crate::mix::Kind;
use crate::percentile::Counts;
use crate::tally::{Jobs, Noted, Tally};

/// The schema of `tenants.json`.
pub const SCHEMA: &str = "jobsworth/tenants/v1";
/// Our report.
pub const FILE: &str = "tenants.json";
/// Goose's report for people.
pub const GOOSE_HTML: &str = "goose.html";
/// Goose's report for programs.
pub const GOOSE_JSON: &str = "goose.json";
/// The release of goose, as the workspace asks for it.
const GOOSE: &str = "0.19";
/// Micros in a millisecond.
const MICROS: f64 = 1000.0;

/// What tenants got.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Always [`SCHEMA`].
    pub schema: &'static str,
    /// The version of the program.
    pub program: &'static str,
    /// The release of goose.
    pub goose: &'static str,
    /// Always `closed`: each tenant waits for an answer before it makes its next request, so a slow server is asked less.
    #[serde(rename = "loop")]
    pub kind_of_loop: &'static str,
    /// How many tenants there were.
    pub users: u32,
    /// How many of each kind.
    pub mix: BTreeMap<&'static str, u32>,
    /// How long all of it took, in seconds.
    pub lasted_s: f64,
    /// By method and name.
    pub requests: BTreeMap<String, Row>,
    /// The Jobs that were waited for, by the kind of who made them.
    pub jobs: BTreeMap<&'static str, Jobs>,
    /// Why they went, for people.
    #[serde(skip)]
    pub went: String,
}

/// The requests of one name. Times are in milliseconds, until the head of the answer was there.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// How many there were.
    pub count: u64,
    /// Answers of 400 and more that nobody had to expect, by their code; 0 stands for no answer.
    pub errors: BTreeMap<u16, u64>,
    /// Those that had to be expected, for example 404 of a Job that has expired meanwhile.
    pub expected: BTreeMap<u16, u64>,
    /// Answers of 429: the server had too much to do.
    pub throttled: u64,
    /// Answers that said when to come again.
    pub retry_after: u64,
    /// Half of them took no longer.
    pub p50: f64,
    /// 90 of 100 took no longer.
    pub p90: f64,
    /// 99 of 100 took no longer.
    pub p99: f64,
    /// 999 of 1,000 took no longer.
    pub p999: f64,
    /// The longest.
    pub max: f64,
    /// Times, to one in a hundred, and how often each came.
    pub times: Vec<(f64, u64)>,
}

impl Report {
    /// Of what goose counted and what it did not.
    #[must_use]
    pub fn of(metrics: &GooseMetrics, tally: &Tally, shares: &[(Kind, u32)], lasted: Duration, went: String) -> Self {
        let row = |(key, counted): (&String, &GooseRequestMetricAggregate)| {
            (key.clone(), Row::of(&Counted::of(counted), &tally.of(key)))
        };
        Self {
            schema: SCHEMA,
            program: env!("CARGO_PKG_VERSION"),
            goose: GOOSE,
            kind_of_loop: "closed",
            users: shares.iter().map(|(_, users)| users).sum(),
            mix: shares.iter().map(|&(kind, users)| (kind.word(), users)).collect(),
            lasted_s: lasted.as_secs_f64(),
            requests: metrics.requests.iter().map(row).collect(),
            jobs: tally.jobs().into_iter().map(|(kind, jobs)| (kind.word(), jobs)).collect(),
            went,
        }
    }

    /// Writes it into this folder.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), Trouble> {
        let path = folder.join(FILE);
        let failed = |why: String| Trouble::File { what: "write", path: path.display().to_string(), why };
        let text = serde_json::to_string_pretty(self).map_err(|error| failed(error.to_string()))?;
        fs::write(&path, text + "\n").map_err(|error| failed(error.to_string()))
    }

    /// One line for people.
    #[must_use]
    pub fn says(&self) -> String {
        let sum = |of: fn(&Row) -> u64| self.requests.values().map(of).sum::<u64>();
        let errors = sum(|row| row.errors.values().sum());
        let jobs = |of: fn(&Jobs) -> u64| self.jobs.values().map(of).sum::<u64>();
        format!(
            "{} tenants (closed loop) made {} requests in {:.0} s: {errors} errors, {} throttled; \
             of {} Jobs that they waited for {} had not ended; they went {}",
            self.users,
            sum(|row| row.count),
            self.lasted_s,
            sum(|row| row.throttled),
            jobs(Jobs::all),
            jobs(Jobs::without_end),
            self.went
        )
    }
}

/// What goose counted of the requests of one name.
struct Counted {
    by_code: BTreeMap<u16, u64>,
    times: Counts,
    slowest: u64,
}

impl Counted {
    fn of(counted: &GooseRequestMetricAggregate) -> Self {
        let data = &counted.raw_data;
        let buckets = data.times_us.iter().map(|(bucket, count)| (*bucket, *count as u64));
        Self {
            by_code: counted.status_code_counts.iter().map(|(code, count)| (*code, *count as u64)).collect(),
            times: Counts::of(buckets, data.maximum_time_us),
            slowest: data.maximum_time_us,
        }
    }
}

impl Row {
    fn of(counted: &Counted, noted: &Noted) -> Self {
        let refused = counted.by_code.iter().filter(|(code, _)| **code == 0 || **code >= 400);
        let unexpected = refused.map(|(code, count)| {
            let expected = noted.expected.get(code).copied().unwrap_or_default();
            (*code, count.saturating_sub(expected))
        });
        let at = |per_mille| ms(counted.times.at(per_mille).unwrap_or_default());
        Self {
            count: counted.times.total(),
            errors: unexpected.filter(|(_, count)| *count > 0).collect(),
            expected: noted.expected.clone(),
            throttled: counted.by_code.get(&429).copied().unwrap_or_default(),
            retry_after: noted.retry_after,
            p50: at(500),
            p90: at(900),
            p99: at(990),
            p999: at(999),
            max: ms(counted.slowest),
            times: counted.times.iter().map(|(time, count)| (ms(time), count)).collect(),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "micros of an hour are far below 2^53")]
fn ms(micros: u64) -> f64 {
    micros as f64 / MICROS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::Outcome;

    #[test]
    fn what_had_to_be_expected_is_no_error_and_what_had_no_answer_is_one() {
        let counted = Counted {
            by_code: BTreeMap::from([(200, 5), (404, 3), (429, 2), (0, 1)]),
            times: Counts::of([(100, 10), (120, 1)], 120),
            slowest: 120,
        };
        let noted = Noted { expected: BTreeMap::from([(404, 2)]), retry_after: 2 };
        let row = Row::of(&counted, &noted);
        assert_eq!(row.errors, BTreeMap::from([(0, 1), (404, 1), (429, 2)]));
        assert_eq!((row.count, row.throttled, row.retry_after), (11, 2, 2));
        assert_eq!([row.p50, row.p90, row.p99, row.max], [0.1, 0.1, 0.12, 0.12]);
        assert_eq!(row.times, [(0.1, 10), (0.12, 1)]);
    }

    #[test]
    fn a_report_says_that_the_loop_is_closed_and_sums_up() {
        let row = Row { count: 7, errors: BTreeMap::from([(500, 1)]), throttled: 2, ..Row::default() };
        let (lasted, went) = (Duration::from_secs(9), "because they were told to".to_owned());
        let tally = Tally::default();
        tally.waited(Kind::Editor, Outcome::Ended, Duration::from_secs(2));
        tally.waited(Kind::Editor, Outcome::Open, Duration::from_secs(4));
        tally.waited(Kind::LargeJob, Outcome::GivenUp, Duration::from_secs(60));
        let empty = Report::of(&GooseMetrics::default(), &tally, &[(Kind::Editor, 3)], lasted, went);
        let report = Report { requests: BTreeMap::from([("GET job".to_owned(), row)]), ..empty };
        let folder = tempfile::tempdir().expect("there is a place for temporary folders");
        report.write(folder.path()).expect("it can be written");
        let text = fs::read_to_string(folder.path().join(FILE)).expect("it was written");
        let read: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!((&read["schema"], &read["loop"]), (&SCHEMA.into(), &"closed".into()));
        assert_eq!((&read["mix"]["editor"], &read["requests"]["GET job"]["errors"]["500"]), (&3.into(), &1.into()));
        assert!(read["went"].is_null(), "{read}");
        let editor = serde_json::json!({"ended": 1, "givenUp": 0, "open": 1, "longestWithoutEndS": 4.0});
        assert_eq!((&read["jobs"]["editor"], &read["jobs"]["large-job"]["givenUp"]), (&editor, &1.into()));
        let says = "3 tenants (closed loop) made 7 requests in 9 s: 1 errors, 2 throttled; \
                    of 3 Jobs that they waited for 2 had not ended; they went because they were told to";
        assert_eq!(report.says(), says);
    }
}
