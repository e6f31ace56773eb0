//! What the controller asked for, as the API server's audit log tells it.

use std::path::Path;

use serde_json::Value;

use super::roles::Grant;

/// Who the harness's outside controllers are, and whose default role is theirs.
const IDENTITIES: [(&str, &str); 2] = [
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

/// The requests of the controller's two identities.
pub fn read(audit_log: &Path) -> Vec<Request> {
    let text = std::fs::read_to_string(audit_log).unwrap();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).filter_map(|event: Value| request(&event)).collect()
}

fn request(event: &Value) -> Option<Request> {
    let user = event["user"]["username"].as_str()?;
    let role = IDENTITIES.iter().find(|(name, _)| *name == user)?.1;
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
