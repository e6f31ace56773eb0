//! Requests counted from the API server's audit log: the only witness that is the same for every controller.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::budget::Overdraft;
use super::strangers;
use crate::cluster::Rate;
use crate::cluster::audit_line::AuditLine;
pub use crate::cluster::audit_tail::Tail;

impl Tail {
    /// Takes what is new into `count`; how many requests of the users in question that were.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn read(&mut self, count: &mut Count) -> io::Result<u64> {
        Ok(self.whole_lines()?.split(|&byte| byte == b'\n').map(|line| u64::from(count.take(line))).sum())
    }
}

/// Gives back the space that an audit log takes, as far as it is written. Its length stays, and with it every line that comes meanwhile:
/// whoever writes it goes on where it is, and so does whoever reads it from there.
///
/// # Errors
/// When the log is not there, or its file system cannot do that.
pub fn forget(log: &Path) -> io::Result<()> {
    let file = File::options().write(true).open(log)?;
    let written = i64::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
    if written == 0 { Ok(()) } else { punch(&file, written) }
}

#[cfg(target_os = "linux")]
fn punch(file: &File, up_to: i64) -> io::Result<()> {
    use nix::fcntl::{FallocateFlags, fallocate};

    let hole = FallocateFlags::FALLOC_FL_PUNCH_HOLE | FallocateFlags::FALLOC_FL_KEEP_SIZE;
    fallocate(file, hole, 0, up_to).map_err(io::Error::from)
}

#[cfg(not(target_os = "linux"))]
fn punch(_: &File, _: i64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// How many requests of which kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// By `verb resource/subresource`.
    by_kind: BTreeMap<String, u64>,
    /// By status code, those of 400 and more.
    refused: BTreeMap<u16, u64>,
    /// When they came, in microseconds, by user: each has a bucket of its own.
    moments: BTreeMap<String, Vec<i64>>,
    /// When those that are no events came.
    without_events: Vec<i64>,
    /// Requests of those who have no place in a trial and changed Jobs or pods, by user and kind.
    strangers: BTreeMap<String, u64>,
    /// How many watches ended.
    watches: u64,
    /// How many lines are not whole.
    torn: u64,
    /// When the status of each Job was written, in microseconds.
    status_writes: BTreeMap<String, Vec<i64>>,
}

/// The written form of a count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Requests {
    /// All but events and watches.
    pub without_events: u64,
    /// Events, created or updated.
    pub events: u64,
    /// Writes of Jobs' status.
    pub status_writes: u64,
    /// The most that one user made within a second.
    pub busiest_second: u64,
    /// The most writes of one Job's status within ten seconds.
    #[serde(default)]
    pub status_writes_of_a_job: u64,
    /// By `verb resource/subresource`.
    pub by_kind: BTreeMap<String, u64>,
    /// By status code, those of 400 and more.
    pub refused: BTreeMap<u16, u64>,
}

/// A second in microseconds.
const SECOND: i64 = 1_000_000;

impl Count {
    /// Takes a line into account; says whether it is a request of the users in question. A watch is not: it ends when its
    /// client does, and so says nothing about the time in between. It is counted apart.
    pub fn take(&mut self, line: &[u8]) -> bool {
        let Ok(line) = AuditLine::read(line) else {
            let is_torn = !line.is_empty() && serde_json::from_slice::<IgnoredAny>(line).is_err();
            self.torn += u64::from(is_torn);
            return false;
        };
        if !line.is_answered_subject() {
            let request = line.request();
            if line.is_answered() && strangers::is_out_of_place(line.user(), &request) {
                *self.strangers.entry(format!("{} {request}", line.user())).or_default() += 1;
            }
            return false;
        }
        if line.verb == "watch" {
            self.watches += 1;
            return false;
        }
        let at = line.request_received_timestamp.as_microsecond();
        let request = line.request();
        if let Some(job) = line.object().filter(|_| writes_status(&request)) {
            self.status_writes.entry(job).or_default().push(at);
        }
        if !is_event(&request) {
            self.without_events.push(at);
        }
        *self.by_kind.entry(request).or_default() += 1;
        if line.code() >= 400 {
            *self.refused.entry(line.code()).or_default() += 1;
        }
        self.moments.entry(line.user().to_owned()).or_default().push(at);
        true
    }

    /// When requests that are no events came, since this wall-clock time; what came before it counts as then.
    #[must_use]
    pub fn moments(&self, since: jiff::Timestamp) -> Vec<Duration> {
        let since = since.as_microsecond();
        let after = |at: &i64| Duration::from_micros(u64::try_from(at - since).unwrap_or(0));
        self.without_events.iter().map(after).collect()
    }

    /// The stretch of time in which a user was furthest above a bucket of this size, if one was above it at all.
    #[must_use]
    pub fn overdraft(&self, rate: Rate) -> Option<Overdraft> {
        let each = self.moments.iter().filter_map(|(user, moments)| Overdraft::of(user, moments, rate));
        each.max_by(|one, other| one.excess.total_cmp(&other.excess))
    }

    /// How often those who have no place in a trial changed Jobs or pods, by user and kind of request.
    #[must_use]
    pub fn strangers(&self) -> &BTreeMap<String, u64> {
        &self.strangers
    }

    /// How many watches ended.
    #[must_use]
    pub fn watches(&self) -> u64 {
        self.watches
    }

    /// How many lines are not whole, and may have been anybody's: the API server could not write all of them.
    #[must_use]
    pub fn torn(&self) -> u64 {
        self.torn
    }

    /// The sums.
    #[must_use]
    pub fn requests(&self) -> Requests {
        let sum = |wanted: &dyn Fn(&str) -> bool| {
            self.by_kind.iter().filter(|(kind, _)| wanted(kind)).map(|(_, number)| number).sum()
        };
        Requests {
            without_events: sum(&|kind| !is_event(kind)),
            events: sum(&is_event),
            status_writes: sum(&writes_status),
            busiest_second: self.moments.values().map(|moments| busiest(moments, SECOND)).max().unwrap_or(0),
            status_writes_of_a_job: self.status_writes.values().map(|all| busiest(all, 10 * SECOND)).max().unwrap_or(0),
            by_kind: self.by_kind.clone(),
            refused: self.refused.clone(),
        }
    }
}

fn is_event(kind: &str) -> bool {
    kind.ends_with(" events")
}

fn writes_status(kind: &str) -> bool {
    matches!(kind, "update jobs/status" | "patch jobs/status")
}

/// The most that came within so many microseconds.
fn busiest(moments: &[i64], within: i64) -> u64 {
    let mut sorted = moments.to_vec();
    sorted.sort_unstable();
    let mut first = 0;
    let mut most = 0;
    for last in 0..sorted.len() {
        while sorted[last] - sorted[first] >= within {
            first += 1;
        }
        most = most.max(last - first + 1);
    }
    most as u64
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;
    use crate::cluster::audit_line::SUBJECTS as USERS;

    fn line(verb: &str, resource: &str, sub: &str, user: &str, code: u16) -> String {
        let mut object = serde_json::json!({"resource": resource, "namespace": "x", "name": "one"});
        if !sub.is_empty() {
            object["subresource"] = sub.into();
        }
        serde_json::json!({
            "kind": "Event", "level": "Metadata", "stage": "ResponseComplete", "verb": verb,
            "user": {"username": user, "groups": ["g"]}, "objectRef": object, "responseStatus": {"metadata": {}, "code": code},
            "requestReceivedTimestamp": "2026-01-02T03:04:05.678901Z", "stageTimestamp": "2026-01-02T03:04:05.679901Z",
        })
        .to_string()
    }

    #[test]
    fn requests_are_counted_by_verb_and_resource_for_the_controllers_only() {
        let mut count = Count::default();
        for line in [
            line("create", "pods", "", USERS[0], 201),
            line("update", "jobs", "status", USERS[0], 200),
            line("update", "jobs", "status", USERS[0], 409),
            line("delete", "jobs", "", USERS[1], 200),
            line("create", "events", "", USERS[0], 201),
            line("watch", "pods", "", USERS[0], 200),
            line("create", "pods", "", "jobsworth:administrator", 201),
        ] {
            count.take(line.as_bytes());
        }
        let requests = count.requests();
        assert_eq!((requests.without_events, requests.events, requests.status_writes), (4, 1, 2));
        assert_eq!(requests.by_kind["create pods"], 1);
        assert_eq!(requests.refused, BTreeMap::from([(409, 1)]));
        assert_eq!(requests.busiest_second, 4, "the bucket of one user");
        assert_eq!(requests.status_writes_of_a_job, 2);
        assert_eq!(count.watches(), 1);
    }

    #[test]
    fn each_user_has_a_bucket_of_its_own_and_the_one_that_is_furthest_above_it_is_told() {
        let mut count = Count::default();
        // All of them come at the same moment.
        for (user, times) in [(USERS[0], 6), (USERS[1], 9)] {
            for _ in 0..times {
                count.take(line("get", "jobs", "", user, 200).as_bytes());
            }
        }
        let of = |burst: u32| count.overdraft(Rate { qps: 1, burst }).map(|found| (found.identity, found.requests));
        assert_eq!(of(5), Some((USERS[1].to_owned(), 9)));
        assert_eq!(of(9), None, "together they have more, and each has a bucket");
    }

    #[test]
    fn whoever_has_no_place_in_a_trial_and_changes_jobs_or_pods_is_told_of() {
        let mut count = Count::default();
        for line in [
            line("create", "jobs", "", "jobsworth:administrator", 201),
            line("patch", "pods", "status", "somebody", 200),
            line("patch", "pods", "status", "somebody", 200),
            line("list", "pods", "", "somebody", 200),
        ] {
            count.take(line.as_bytes());
        }
        assert_eq!(count.strangers(), &BTreeMap::from([("somebody patch pods/status".to_owned(), 2)]));
        assert_eq!(count.requests().without_events, 0);
    }

    #[test]
    fn a_line_that_was_not_written_to_its_end_is_no_request_and_is_told_of() {
        let mut count = Count::default();
        let whole = line("create", "pods", "", USERS[0], 201);
        // What came after the disk was full follows what was written of the line before.
        let torn = format!("{}{whole}", &whole[..80]);
        for line in [whole.as_str(), torn.as_str(), "", "{\"kind\": \"of something else\"}"] {
            count.take(line.as_bytes());
        }
        assert_eq!((count.requests().without_events, count.torn()), (1, 1));
    }

    #[test]
    fn a_log_that_was_forgotten_keeps_its_length_and_what_comes_after() {
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        file.write_all(&vec![b'\n'; 1 << 20]).expect("written");
        let mut tail = Tail::at_end(file.path()).expect("there");
        match forget(file.path()) {
            Ok(()) => assert_eq!(std::fs::read(file.path()).expect("there")[..9], [0; 9]),
            Err(error) => assert_eq!(error.kind(), io::ErrorKind::Unsupported, "{error}"),
        }
        assert_eq!(file.as_file().metadata().expect("there").len(), 1 << 20);
        writeln!(file, "{}", line("create", "pods", "", USERS[0], 201)).expect("written");
        assert_eq!(tail.read(&mut Count::default()).expect("read"), 1);
    }

    #[test]
    fn a_log_that_is_not_there_cannot_be_forgotten_and_an_empty_one_is() {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        assert!(forget(file.path()).is_ok());
        let nowhere = forget(&file.path().join("audit.log")).expect_err("there is none");
        assert_eq!(nowhere.kind(), io::ErrorKind::NotADirectory);
    }

    #[test]
    fn a_line_that_is_not_whole_yet_waits_for_its_end() {
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        writeln!(file, "{}", line("get", "jobs", "", USERS[0], 200)).expect("written");
        let mut tail = Tail::at_end(file.path()).expect("there");
        let mut count = Count::default();
        let next = line("create", "pods", "", USERS[0], 201);
        let (begin, end) = next.split_at(50);
        write!(file, "{begin}").expect("written");
        assert_eq!(tail.read(&mut count).expect("read"), 0);
        writeln!(file, "{end}").expect("written");
        assert_eq!(tail.read(&mut count).expect("read"), 1);
        assert_eq!(count.requests().by_kind, BTreeMap::from([("create pods".to_owned(), 1)]));
    }

    proptest! {
        #[test]
        fn the_busiest_second_is_that_of_a_naive_search(moments in prop::collection::vec(0_i64..10_000_000, 0..60)) {
            let within = |from: i64| moments.iter().filter(|&&at| (from..from + 1_000_000).contains(&at)).count();
            let naive = moments.iter().map(|&from| within(from)).max().unwrap_or(0);
            prop_assert_eq!(busiest(&moments, SECOND), naive as u64);
        }

        #[test]
        fn sums_do_not_depend_on_the_order_of_lines(verbs in prop::collection::vec(0_usize..4, 0..40)) {
            let kinds = [("create", "pods", ""), ("patch", "pods", ""), ("update", "jobs", "status"), ("create", "events", "")];
            let lines: Vec<String> = verbs.iter().map(|&at| line(kinds[at].0, kinds[at].1, kinds[at].2, USERS[0], 200)).collect();
            let mut forward = Count::default();
            lines.iter().for_each(|line| { forward.take(line.as_bytes()); });
            let mut backward = Count::default();
            lines.iter().rev().for_each(|line| { backward.take(line.as_bytes()); });
            prop_assert_eq!(forward.requests(), backward.requests());
            prop_assert_eq!(forward.requests().without_events + forward.requests().events, verbs.len() as u64);
        }
    }
}
