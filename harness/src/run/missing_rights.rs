//! What the controller under test asked for and had no right to: a verdict on it would otherwise look like the controller's fault.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use memchr::memmem;

use crate::cluster::audit_line::AuditLine;

/// Most that are told.
const TOLD: usize = 8;

/// Requests of the controller that authorization refused, each kind once with its number, as `create leases
/// (3 times)`; the most frequent first.
///
/// # Errors
/// When the log cannot be read.
pub(super) fn in_audit_log(log: &Path) -> io::Result<Vec<String>> {
    let mut refused: BTreeMap<String, u64> = BTreeMap::new();
    for line in BufReader::new(File::open(log)?).split(b'\n') {
        if let Some(request) = refusal(&line?) {
            *refused.entry(request).or_default() += 1;
        }
    }
    let mut refused: Vec<(String, u64)> = refused.into_iter().collect();
    refused.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    let words = |(request, times): (String, u64)| match times {
        1 => format!("{request} (once)"),
        times => format!("{request} ({times} times)"),
    };
    Ok(refused.into_iter().take(TOLD).map(words).collect())
}

fn refusal(line: &[u8]) -> Option<String> {
    // Almost no line has the word: reading each as JSON would take a second for every 100 MB.
    memmem::find(line, FORBIDDEN)?;
    AuditLine::of_subject(line).filter(AuditLine::is_forbidden).map(|line| line.request())
}

const FORBIDDEN: &[u8] = b"forbid";

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use serde_json::{Value, json};

    use super::*;
    use crate::cluster::audit_line::SUBJECTS as USERS;

    fn line(user: &str, decision: &str, resource: &str) -> Value {
        json!({
            "stage": "ResponseComplete", "verb": "create", "user": {"username": user},
            "objectRef": {"apiGroup": "coordination.k8s.io", "resource": resource},
            "responseStatus": {"code": 403},
            "requestReceivedTimestamp": "2026-01-02T03:04:05.678901Z",
            "annotations": {"authorization.k8s.io/decision": decision},
        })
    }

    #[test]
    fn what_the_subject_had_no_right_to_is_told_once_with_its_number() {
        let mut log = tempfile::NamedTempFile::new().unwrap();
        let lines = [
            line(USERS[0], "forbid", "leases"),
            line(USERS[0], "forbid", "leases"),
            line(USERS[1], "forbid", "others"),
            // Refused by a quota, not for want of a right.
            line(USERS[0], "allow", "pods"),
            line("somebody", "forbid", "leases"),
        ];
        lines.iter().for_each(|line| writeln!(log, "{line}").unwrap());
        let told = in_audit_log(log.path()).unwrap();
        assert_eq!(told, ["create leases (2 times)", "create others (once)"]);
    }
}
