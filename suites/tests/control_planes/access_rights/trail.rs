//! What the controller asked for, as the API server's audit log tells it.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::roles::Grant;

/// Users, and the role that each has.
pub type Identities = [(&'static str, &'static str); 2];

/// Who the harness's outside controllers are, and whose default role is theirs.
pub const OF_JOBS: Identities = [
    ("system:serviceaccount:kube-system:job-controller", "system:controller:job-controller"),
    (
        "system:serviceaccount:kube-system:ttl-after-finished-controller",
        "system:controller:ttl-after-finished-controller",
    ),
];

/// One request.
#[derive(Debug)]
pub struct Request {
    pub grant: Grant,
    pub code: u64,
    /// Refused for what it contains, as by a quota or a missing service account, not for who asks.
    pub by_admission: bool,
}

/// Who Volcano's controller and webhook are under the deployed roles.
pub const OF_VOLCANO: Identities = [
    ("system:serviceaccount:volcano-system:jobsworth-volcano-controller", "jobsworth-volcano-controller"),
    ("system:serviceaccount:volcano-system:jobsworth-volcano-webhook", "jobsworth-volcano-webhook"),
];

/// The requests of these identities.
pub fn read(audit_log: &Path, identities: &Identities) -> Vec<Request> {
    let text = std::fs::read_to_string(audit_log).unwrap();
    let events = text.lines().filter_map(|line| serde_json::from_str(line).ok());
    events.filter_map(|event: Value| request(&event, identities)).collect()
}

/// Those of the grants that none of the requests needed.
pub fn unused<'g>(trail: &[Request], granted: &'g [Grant]) -> Vec<&'g Grant> {
    let used: BTreeSet<&Grant> = trail.iter().map(|request| &request.grant).collect();
    // An admission plugin looks at this one; there is no request for it.
    let is_looked_at = |grant: &Grant| grant.resource == "jobs/finalizers";
    granted.iter().filter(|grant| !used.contains(grant) && !is_looked_at(grant)).collect()
}

/// Requests that authorization refused.
pub fn refused(trail: &[Request]) -> Vec<&Request> {
    trail.iter().filter(|request| request.code == 403 && !request.by_admission).collect()
}

fn request(event: &Value, identities: &Identities) -> Option<Request> {
    let user = event["user"]["username"].as_str()?;
    let role = identities.iter().find(|(name, _)| *name == user)?.1;
    let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let subresource = text("/objectRef/subresource");
    let slash = if subresource.is_empty() { "" } else { "/" };
    let decision = event.pointer("/annotations/authorization.k8s.io~1decision").and_then(Value::as_str);
    Some(Request {
        grant: Grant {
            role,
            group: text("/objectRef/apiGroup"),
            resource: text("/objectRef/resource") + slash + &subresource,
            verb: text("/verb"),
        },
        code: event.pointer("/responseStatus/code").and_then(Value::as_u64).unwrap_or_default(),
        by_admission: decision == Some("allow"),
    })
}
