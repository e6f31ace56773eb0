//! The controller's requests of one case from the API server's audit log, where no proxy has seen them.
//!
//! The log is there where the API server is a process of ours. Its backend is blocking, so a request whose answer the controller has is in it.

use jobsworth_oracle::Request;
use memchr::{memchr, memmem::Finder, memrchr};
use std::{io, iter, path::Path};

use crate::{
    cluster::{SubjectKind, audit_line::AuditLine, audit_tail::Tail},
    recorder::Recorder,
};

/// What a case is told of its controller's requests by the audit log, from the beginning of its recording on.
pub(super) struct AuditTrail {
    tail: Tail,
    users: Vec<String>,
    namespace: String,
}

impl AuditTrail {
    /// From now on; nothing where there is no log, or where it does not tell the subject from others.
    pub(super) fn begin(log: &Path, subject: &SubjectKind, namespace: &str) -> Option<Self> {
        let users = subject.users();
        let tail = Tail::at_end(log).ok().filter(|_| !users.is_empty())?;
        Some(Self { tail, users, namespace: namespace.to_owned() })
    }

    /// Puts what came since onto the timeline.
    pub(super) async fn tell(self, recorder: &Recorder) {
        let Some(began) = recorder.began() else {
            return recorder.book().mark("the clock was set, so the audit log cannot be placed");
        };
        let read = tokio::task::spawn_blocking(move || self.requests_since(began)).await;
        match read.map_err(io::Error::other).and_then(|read| read) {
            Ok(requests) => recorder.enter_audited(requests),
            Err(error) => recorder.book().mark(&format!("the audit log was not read: {error}")),
        }
    }

    fn requests_since(mut self, began: jiff::Timestamp) -> io::Result<Vec<Request>> {
        let lines = self.tail.whole_lines()?;
        // Most lines are other cases', and reading each as JSON would take longer than the search.
        let mut asked: Vec<Request> =
            lines_with(&self.namespace, &lines).filter_map(|line| self.request(line, began)).collect();
        // Lines are written as answers are complete.
        asked.sort_by_key(|request| request.sent_us.saturating_add(request.took_us));
        Ok(asked)
    }

    fn request(&self, line: &[u8], began: jiff::Timestamp) -> Option<Request> {
        let line = AuditLine::read(line).ok().filter(|line| self.users.iter().any(|user| user == line.user()))?;
        line.asked(began).filter(|(namespace, _)| *namespace == self.namespace).map(|(_, request)| request)
    }
}

/// The lines in which this text stands, without their line breaks. No other line is looked at byte by byte: with many cases side by side
/// most are others'.
fn lines_with<'a>(text: &str, lines: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    let finder = Finder::new(text).into_owned();
    let mut rest = lines;
    iter::from_fn(move || {
        let (before, from_there) = rest.split_at(finder.find(rest)?);
        let begin = memrchr(b'\n', before).map_or(0, |at| at + 1);
        let end = before.len() + memchr(b'\n', from_there).unwrap_or(from_there.len());
        let line = rest.get(begin..end);
        rest = rest.get(end..).unwrap_or_default();
        line
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::{Value, json};
    use std::io::Write as _;

    fn line(user: &str, namespace: &str, second: u32) -> Value {
        let came = format!("2026-01-02T03:04:{second:02}.5Z");
        json!({
            "level": "Metadata", "stage": "ResponseComplete", "verb": "get", "user": {"username": user},
            "requestURI": format!("/apis/batch/v1/namespaces/{namespace}/jobs/job"), "responseStatus": {"code": 200},
            "objectRef": {"resource": "jobs", "namespace": namespace, "name": "job"},
            "requestReceivedTimestamp": came, "stageTimestamp": came,
        })
    }

    #[test]
    fn requests_of_the_subject_about_the_namespace_are_read_from_where_the_case_began() {
        let users = SubjectKind::BuiltIn.users();
        let mut log = tempfile::NamedTempFile::new().unwrap();
        writeln!(log, "{}", line(&users[0], "one", 1)).unwrap();
        let trail = AuditTrail::begin(log.path(), &SubjectKind::BuiltIn, "one").unwrap();
        let later = [
            line(&users[1], "one", 9),
            line(&users[0], "one", 3),
            line(&users[0], "one-more", 4),
            line("somebody", "one", 5),
        ];
        later.iter().for_each(|line| writeln!(log, "{line}").unwrap());
        let asked = trail.requests_since("2026-01-02T03:04:00Z".parse().unwrap()).unwrap();
        let sent: Vec<u64> = asked.iter().map(|request| request.sent_us).collect();
        assert_eq!(sent, [3_500_000, 9_500_000]);
    }

    #[rstest]
    #[case::nothing("", &[])]
    #[case::every_line("a1\na2\n", &["a1", "a2"])]
    #[case::not_every_line("b\na1\n\nb\n1a", &["a1", "1a"])]
    #[case::a_line_that_has_it_twice("aa\nb\n", &["aa"])]
    #[case::none("b\nb", &[])]
    fn lines_in_which_an_a_stands(#[case] lines: &str, #[case] found: &[&str]) {
        assert!(lines_with("a", lines.as_bytes()).eq(found.iter().map(|line| line.as_bytes())));
    }

    #[test]
    fn a_subject_that_shares_its_name_with_the_built_in_controller_is_not_told_apart() {
        let log = tempfile::NamedTempFile::new().unwrap();
        let beside = SubjectKind::beside("x", "example.com/x");
        assert!(AuditTrail::begin(log.path(), &beside, "one").is_none());
        assert!(AuditTrail::begin(&log.path().join("none"), &SubjectKind::BuiltIn, "one").is_none());
    }
}
