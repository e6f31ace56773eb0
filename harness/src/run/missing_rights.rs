//! What the controller under test asked for and had no right to: a verdict on it would otherwise look like the controller's fault.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use serde::Deserialize;

/// Whom the kubeconfigs of a subject name.
const USERS: [&str; 2] = [
    "system:serviceaccount:kube-system:job-controller",
    "system:serviceaccount:kube-system:ttl-after-finished-controller",
];
/// Most that are told.
const TOLD: usize = 8;

/// A line of the audit log, as far as it matters.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    stage: String,
    verb: String,
    user: User,
    #[serde(default)]
    object_ref: Object,
    #[serde(default)]
    annotations: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct User {
    username: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Object {
    api_group: String,
    resource: String,
    subresource: String,
}

/// Requests of the controller that authorization refused, each kind once with its number, as `create leases.coordination.k8s.io
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
    if !line.windows(FORBIDDEN.len()).any(|part| part == FORBIDDEN.as_bytes()) {
        return None;
    }
    let line: Line = serde_json::from_slice(line).ok()?;
    let is_forbidden =
        line.annotations.get("authorization.k8s.io/decision").is_some_and(|decision| decision == FORBIDDEN);
    let is_subject = USERS.contains(&line.user.username.as_str());
    (is_forbidden && is_subject && line.stage == "ResponseComplete").then(|| {
        let Object { api_group, resource, subresource } = line.object_ref;
        let resource = if subresource.is_empty() { resource } else { format!("{resource}/{subresource}") };
        let resource = if api_group.is_empty() { resource } else { format!("{resource}.{api_group}") };
        format!("{} {resource}", line.verb)
    })
}

const FORBIDDEN: &str = "forbid";

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use serde_json::{Value, json};

    use super::*;

    fn line(user: &str, decision: &str, resource: &str) -> Value {
        json!({
            "stage": "ResponseComplete", "verb": "create", "user": {"username": user},
            "objectRef": {"apiGroup": "coordination.k8s.io", "resource": resource},
            "responseStatus": {"code": 403},
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
        assert_eq!(told, ["create leases.coordination.k8s.io (2 times)", "create others.coordination.k8s.io (once)"]);
    }
}
