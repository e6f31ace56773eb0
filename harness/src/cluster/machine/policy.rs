//! The API server's policy files: what is audited, and who may ask anything without credentials.

use crate::cluster::contract::ClusterError;
use crate::cluster::contract::layout::{Layout, write_private};
use crate::cluster::contract::spec::Audit;

/// The audit policy's file name.
pub const AUDIT: &str = "audit-policy.yaml";
/// The authentication configuration's file name.
pub const AUTHENTICATION: &str = "authentication.yaml";

/// Who called what, for everything; and the whole request where a controller writes, since the
/// order of its writes is what Job tracking is about. Reads and leases would only make noise.
const AUDIT_POLICY: &str = "\
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  resources:
  - group: coordination.k8s.io
    resources: [leases]
- level: None
  nonResourceURLs: ['/healthz*', '/livez*', '/readyz*', /version, /metrics, '/openapi/*']
- level: Request
  verbs: [create, update, patch, delete, deletecollection]
  resources:
  - group: batch
    resources: [jobs, jobs/status, jobs/finalizers]
  - group: ''
    resources: [pods, pods/status]
- level: Metadata
";

/// One line a request, written when its answer is complete: cheap, the same for every controller, and
/// enough to count by user, verb and resource.
const COUNTING_POLICY: &str = "\
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
- level: None
  resources:
  - group: coordination.k8s.io
    resources: [leases]
- level: None
  nonResourceURLs: ['/healthz*', '/livez*', '/readyz*', /version, /metrics, '/openapi/*']
- level: Metadata
";

/// Nothing without credentials, but health. The field exists since 1.31 and is on by default
/// since 1.32 (`AnonymousAuthConfigurableEndpoints`), the oldest version that we know.
const AUTHENTICATION_CONFIGURATION: &str = "\
apiVersion: apiserver.config.k8s.io/v1beta1
kind: AuthenticationConfiguration
anonymous:
  enabled: true
  conditions:
  - path: /livez
  - path: /readyz
  - path: /healthz
";

/// Writes both files.
///
/// # Errors
/// When a file is there already or cannot be written.
pub fn write(site: &Layout, audit: Audit) -> Result<(), ClusterError> {
    write_private(&site.setting(AUDIT), audit_policy(audit).as_bytes())?;
    write_private(&site.setting(AUTHENTICATION), AUTHENTICATION_CONFIGURATION.as_bytes())
}

fn audit_policy(audit: Audit) -> &'static str {
    match audit {
        Audit::Evidence => AUDIT_POLICY,
        Audit::Counting => COUNTING_POLICY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_audit_policies_say_what_is_written_down() {
        let both = [audit_policy(Audit::Evidence), audit_policy(Audit::Counting)].join("\n");
        insta::assert_snapshot!("audit_policies", both);
    }
}
