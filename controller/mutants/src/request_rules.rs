//! What the wire log must show of any controller: rules that leave no trace in the history of objects.
//!
//! Numbers are those of the safety (S) and liveness (L) rules that the universal invariants go by, too.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use jobsworth_api::{RequestPath, Resource};
use serde_json::Value;

use crate::call::is_status_of_a_job;

/// Creations of one namespace that may be refused within [`WINDOW_MS`]. A controller that starts slowly and waits after
/// each failure makes one a second at most, and fewer later.
const REFUSED_AT_MOST: usize = 10;
/// In milliseconds.
const WINDOW_MS: u64 = 5000;
/// How much earlier than asked a request may leave: it was on its way, or clocks are coarse.
const TOLERANCE_MS: u64 = 250;

/// A rule that was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// Its number.
    pub rule: &'static str,
    /// What was seen.
    pub says: String,
}

/// One request.
#[derive(Clone, Debug, Default)]
struct Line {
    asked: u64,
    told: u64,
    verb: String,
    path: String,
    code: u64,
    retry_after_ms: u64,
    sent: String,
    answered: String,
}

impl Line {
    /// `None` for a request that is not answered yet.
    fn read(text: &str) -> Option<Self> {
        let line: Value = serde_json::from_str(text).ok()?;
        let words = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
        Some(Self {
            asked: line["askedMs"].as_u64()?,
            told: line["toldMs"].as_u64()?,
            verb: words("verb"),
            path: words("path"),
            code: line["code"].as_u64()?,
            retry_after_ms: words("retryAfter").parse::<u64>().unwrap_or(0) * 1000,
            sent: words("sentVersion"),
            answered: words("answeredVersion"),
        })
    }

    fn writes_a_status(&self) -> bool {
        self.verb == "PUT" && is_status_of_a_job(&self.path)
    }

    fn creates_a_pod(&self) -> bool {
        let is_of_pods = |path: RequestPath<'_>| path.name.is_none() && path.is_of(&Resource::PODS);
        self.verb == "POST" && RequestPath::parse(&self.path).is_some_and(is_of_pods)
    }
}

/// Judges the requests about one namespace.
///
/// # Errors
/// When the log cannot be read.
pub fn judge(log: &Path, namespace: &str) -> io::Result<Vec<Breach>> {
    Ok(judge_text(&std::fs::read_to_string(log)?, namespace))
}

fn judge_text(log: &str, namespace: &str) -> Vec<Breach> {
    let place = format!("/namespaces/{namespace}/");
    let lines: Vec<Line> = log.lines().filter_map(Line::read).filter(|line| line.path.contains(&place)).collect();
    let mut breaches = Vec::new();
    each_write_changes_something(&lines, &mut breaches);
    nothing_is_malformed(&lines, &mut breaches);
    pauses_are_kept(&lines, &mut breaches);
    refusals_are_not_stormed(&lines, &mut breaches);
    breaches
}

fn each_write_changes_something(lines: &[Line], breaches: &mut Vec<Breach>) {
    let written: Vec<&Line> = lines.iter().filter(|line| line.writes_a_status() && line.code == 200).collect();
    let idle = written.iter().filter(|line| !line.sent.is_empty() && line.sent == line.answered).count();
    if idle > 0 {
        breaches
            .push(Breach { rule: "L3", says: format!("{idle} of {} status writes changed nothing", written.len()) });
    }
    if let Some(blind) = lines.iter().find(|line| line.writes_a_status() && line.sent.is_empty()) {
        breaches
            .push(Breach { rule: "S29", says: format!("a status write without a version, answered {}", blind.code) });
    }
}

fn nothing_is_malformed(lines: &[Line], breaches: &mut Vec<Breach>) {
    let refused: Vec<&Line> = lines.iter().filter(|line| matches!(line.code, 400 | 422)).collect();
    if let Some(first) = refused.first() {
        let says = format!("{} requests earned 400 or 422, the first one {} {}", refused.len(), first.verb, first.path);
        breaches.push(Breach { rule: "S29", says });
    }
}

/// Whoever is told to wait waits with such requests; others go on.
fn pauses_are_kept(lines: &[Line], breaches: &mut Vec<Breach>) {
    for asked in lines.iter().filter(|line| line.retry_after_ms > 0) {
        let until = asked.told + asked.retry_after_ms;
        // What left before the answer came could not know.
        let same = |line: &&Line| line.verb == asked.verb && line.path == asked.path;
        let early = lines.iter().filter(same).filter(|line| line.asked > asked.told + TOLERANCE_MS);
        if let Some(line) = early.filter(|line| line.asked + TOLERANCE_MS < until).min_by_key(|line| line.asked) {
            let after = line.asked - asked.told;
            let says = format!("asked to wait {} ms, sent {} after {after} ms", asked.retry_after_ms, line.verb);
            breaches.push(Breach { rule: "L7", says });
            return;
        }
    }
}

fn refusals_are_not_stormed(lines: &[Line], breaches: &mut Vec<Breach>) {
    let mut by_place: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for line in lines.iter().filter(|line| line.creates_a_pod() && line.code == 403) {
        by_place.entry(&line.path).or_default().push(line.asked);
    }
    for times in by_place.values_mut() {
        times.sort_unstable();
        let within = |start: &u64| times.iter().filter(|time| (*start..start + WINDOW_MS).contains(time)).count();
        let most = times.iter().map(within).max().unwrap_or(0);
        if most > REFUSED_AT_MOST {
            let says = format!("{most} refused creations within {} s", WINDOW_MS / 1000);
            breaches.push(Breach { rule: "L7", says });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(log: &str) -> Vec<&'static str> {
        judge_text(log, "ns").into_iter().map(|breach| breach.rule).collect()
    }

    fn line(asked: u64, verb: &str, path: &str, code: u16, more: &str) -> String {
        let api = if path.starts_with("jobs") { "apis/batch/v1" } else { "api/v1" };
        format!(
            "{{\"askedMs\":{asked},\"toldMs\":{asked},\"verb\":\"{verb}\",\"path\":\"/{api}/namespaces/ns/{path}\",\"code\":{code}{more}}}\n"
        )
    }

    #[test]
    fn a_status_write_that_changes_something_is_right() {
        let more = ",\"sentVersion\":\"1\",\"answeredVersion\":\"2\"";
        assert!(rules(&line(1, "PUT", "jobs/job/status", 200, more)).is_empty());
    }

    #[test]
    fn a_status_write_that_changes_nothing_is_not() {
        let more = ",\"sentVersion\":\"1\",\"answeredVersion\":\"1\"";
        assert_eq!(rules(&line(1, "PUT", "jobs/job/status", 200, more)), ["L3"]);
    }

    #[test]
    fn a_status_write_without_a_version_is_blind() {
        assert_eq!(rules(&line(1, "PUT", "jobs/job/status", 200, ",\"answeredVersion\":\"1\"")), ["S29"]);
    }

    #[test]
    fn a_malformed_request_is_noticed() {
        assert_eq!(rules(&line(1, "PATCH", "pods/a", 422, "")), ["S29"]);
    }

    #[test]
    fn a_pause_is_kept_to_its_end() {
        let pause = line(1000, "POST", "pods", 429, ",\"retryAfter\":\"4\"");
        assert_eq!(rules(&(pause.clone() + &line(3000, "POST", "pods", 201, ""))), ["L7"]);
        assert!(rules(&(pause.clone() + &line(4900, "POST", "pods", 201, ""))).is_empty());
        assert!(rules(&(pause + &line(3000, "PATCH", "pods/a", 200, ""))).is_empty(), "other requests go on");
    }

    #[test]
    fn refused_creations_come_slowly() {
        let refused = |count: u64| (0..count).map(|at| line(at * 400, "POST", "pods", 403, "")).collect::<String>();
        assert!(rules(&refused(10)).is_empty());
        assert_eq!(rules(&refused(11)), ["L7"]);
    }

    #[test]
    fn requests_of_other_namespaces_are_not_judged() {
        assert!(judge_text(&line(1, "PATCH", "pods/a", 422, ""), "other").is_empty());
    }
}
