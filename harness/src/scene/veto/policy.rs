//! Which writes are refused, as the objects that make the API server do so.
//!
//! A `ValidatingAdmissionPolicy` is heard of by every API server of every provider, needs no process of ours between subject and
//! server, and refuses with 403, which no validation of a status does: so it is never taken for a bad write of the subject.

use jobsworth_api::{
    ConditionKind,
    well_known::{COMPLETION_INDEX, TRACKING_FINALIZER},
};
use k8s_openapi::api::admissionregistration::v1::{ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding};
use serde_json::{Value, json};

/// How often each policy refused something, in the API server's metrics.
const CHECKS: &str = "apiserver_validating_admission_policy_check_total{";

/// A kind of write, and when one of that kind is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Veto {
    words: String,
    group: &'static str,
    resource: &'static str,
    operation: &'static str,
    /// CEL over `object` and `oldObject`.
    when: String,
}

impl Veto {
    /// Status writes by which a Job gets this condition.
    #[must_use]
    pub fn of_condition(kind: ConditionKind) -> Self {
        let has = |object: &str| {
            format!("({object}.status.?conditions.orValue([]).exists(c, c.type == '{kind}' && c.status == 'True'))")
        };
        Self::of_status(format!("a status that tells of {kind}"), format!("{} && !{}", has("object"), has("oldObject")))
    }

    /// Status writes that move listed pods into the counters.
    #[must_use]
    pub fn of_counting() -> Self {
        let listed =
            |object: &str, list: &str| format!("{object}.status.?uncountedTerminatedPods.?{list}.orValue([]).size()");
        let fewer = |list: &str| format!("{} < {}", listed("object", list), listed("oldObject", list));
        let when = format!("{} || {}", fewer("succeeded"), fewer("failed"));
        Self::of_status("a status that counts listed pods".to_owned(), when)
    }

    /// Status writes by which `active` falls: pods were stopped, or ended.
    #[must_use]
    pub fn of_fewer_active() -> Self {
        let active = |object: &str| format!("{object}.status.?active.orValue(0)");
        Self::of_status(
            "a status with fewer active pods".to_owned(),
            format!("{} < {}", active("object"), active("oldObject")),
        )
    }

    /// Patches of pods that take the finalizer of Job tracking off.
    #[must_use]
    pub fn of_release() -> Self {
        let tracked = |object: &str| format!("('{TRACKING_FINALIZER}' in {object}.metadata.?finalizers.orValue([]))");
        Self {
            words: "a pod's release".to_owned(),
            group: "",
            resource: "pods",
            operation: "UPDATE",
            when: format!("!{} && {}", tracked("object"), tracked("oldObject")),
        }
    }

    /// Deletions of Jobs.
    #[must_use]
    pub fn of_job_deletion() -> Self {
        let (words, when) = ("the Job's deletion".to_owned(), "true".to_owned());
        Self { words, group: "batch", resource: "jobs", operation: "DELETE", when }
    }

    /// Deletions of the pods of this completion index.
    #[must_use]
    pub fn of_pod_deletion(index: u32) -> Self {
        Self {
            words: format!("the deletion of the pod of index {index}"),
            group: "",
            resource: "pods",
            operation: "DELETE",
            when: format!("oldObject.metadata.?annotations[?'{COMPLETION_INDEX}'].orValue('') == '{index}'"),
        }
    }

    fn of_status(words: String, when: String) -> Self {
        Self { words, group: "batch", resource: "jobs/status", operation: "UPDATE", when }
    }

    /// What is refused, in words.
    pub(super) fn words(&self) -> &str {
        &self.words
    }

    /// The policy of this name; it goes with its namespace, should nobody take it down. A `ConfigMap` called `probe` is refused, too.
    pub(super) fn policy(&self, name: &str, probe: &str, owner: &Value) -> ValidatingAdmissionPolicy {
        let is_probe = format!("object.metadata.?name.orValue('') == '{probe}'");
        let refused = format!("request.resource.resource == 'configmaps' ? {is_probe} : ({})", self.when);
        fixed(json!({
            "metadata": {"name": name, "ownerReferences": [owner]},
            "spec": {
                "failurePolicy": "Fail",
                "matchConstraints": {"resourceRules": [
                    rule(self.group, self.resource, self.operation),
                    rule("", "configmaps", "CREATE"),
                ]},
                "validations": [{
                    "expression": format!("!({refused})"),
                    "reason": "Forbidden",
                    "message": format!("jobsworth: {} is refused for a while", self.words),
                }],
            },
        }))
    }
}

/// A kind of write, as a policy names it.
fn rule(group: &str, resource: &str, operation: &str) -> Value {
    json!({"apiGroups": [group], "apiVersions": ["v1"], "operations": [operation], "resources": [resource]})
}

/// Puts the policy in force in the namespaces with these labels.
pub(super) fn binding(name: &str, labels: &Value, owner: &Value) -> ValidatingAdmissionPolicyBinding {
    fixed(json!({
        "metadata": {"name": name, "ownerReferences": [owner]},
        "spec": {
            "policyName": name,
            "validationActions": ["Deny"],
            "matchResources": {"namespaceSelector": {"matchLabels": labels}},
        },
    }))
}

/// How often a policy has refused something, by the API server's metrics. `invalid_error` is the word for an expression that said no.
pub(super) fn refusals(metrics: &str, policy: &str) -> u64 {
    let of_policy = format!(r#"policy="{policy}""#);
    let labels = [r#"enforcement_action="deny""#, r#"error_type="invalid_error""#, of_policy.as_str()];
    let counted = |line: &str| line.rsplit_once(' ').and_then(|(_, count)| count.parse::<u64>().ok());
    let lines =
        metrics.lines().filter(|line| line.starts_with(CHECKS) && labels.iter().all(|label| line.contains(label)));
    lines.filter_map(counted).sum()
}

fn fixed<T: serde::de::DeserializeOwned>(object: Value) -> T {
    serde_json::from_value(object).expect("an object that is written down here")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    const METRICS: &str = r#"# TYPE apiserver_validating_admission_policy_check_total counter
apiserver_validating_admission_policy_check_total{enforcement_action="allow",error_type="no_error",policy="a",policy_binding="a"} 7
apiserver_validating_admission_policy_check_total{enforcement_action="deny",error_type="invalid_error",policy="a",policy_binding="a"} 2
apiserver_validating_admission_policy_check_total{enforcement_action="deny",error_type="compile_error",policy="a",policy_binding="a"} 40
apiserver_validating_admission_policy_check_total{enforcement_action="deny",error_type="invalid_error",policy="b",policy_binding="b"} 3
apiserver_validating_admission_policy_check_duration_seconds_sum{enforcement_action="deny",error_type="invalid_error",policy="a"} 9
"#;

    #[rstest]
    #[case::what_it_let_through_and_what_it_could_not_judge_do_not_count("a", 2)]
    #[case::of_another("b", 3)]
    #[case::one_that_refused_nothing_yet("c", 0)]
    fn refusals_are_counted_by_policy(#[case] policy: &str, #[case] count: u64) {
        assert_eq!(refusals(METRICS, policy), count);
    }

    #[rstest]
    #[case::of_a_condition(
        Veto::of_condition(ConditionKind::SuccessCriteriaMet),
        "batch",
        "jobs/status",
        "UPDATE",
        "(object.status.?conditions.orValue([]).exists(c, c.type == 'SuccessCriteriaMet' && c.status == 'True')) && \
         !(oldObject.status.?conditions.orValue([]).exists(c, c.type == 'SuccessCriteriaMet' && c.status == 'True'))"
    )]
    #[case::of_fewer_pods(
        Veto::of_fewer_active(),
        "batch",
        "jobs/status",
        "UPDATE",
        "object.status.?active.orValue(0) < oldObject.status.?active.orValue(0)"
    )]
    #[case::of_a_release(
        Veto::of_release(),
        "",
        "pods",
        "UPDATE",
        "!('batch.kubernetes.io/job-tracking' in object.metadata.?finalizers.orValue([])) && \
         ('batch.kubernetes.io/job-tracking' in oldObject.metadata.?finalizers.orValue([]))"
    )]
    #[case::of_a_deletion(
        Veto::of_pod_deletion(2),
        "",
        "pods",
        "DELETE",
        "oldObject.metadata.?annotations[?'batch.kubernetes.io/job-completion-index'].orValue('') == '2'"
    )]
    fn a_policy_refuses_its_writes_and_the_probe(
        #[case] veto: Veto,
        #[case] group: &str,
        #[case] resource: &str,
        #[case] operation: &str,
        #[case] when: &str,
    ) {
        let owner = json!({"apiVersion": "v1", "kind": "Namespace", "name": "n", "uid": "u"});
        let policy = serde_json::to_value(veto.policy("n-1", "jobsworth-probe-1", &owner)).unwrap();
        let rules = policy.pointer("/spec/matchConstraints/resourceRules").unwrap();
        assert_eq!(*rules, json!([rule(group, resource, operation), rule("", "configmaps", "CREATE")]));
        let probe = "object.metadata.?name.orValue('') == 'jobsworth-probe-1'";
        let expression = format!("!(request.resource.resource == 'configmaps' ? {probe} : ({when}))");
        assert_eq!(policy.pointer("/spec/validations/0/expression").unwrap(), &json!(expression));
        assert_eq!(policy.pointer("/metadata/ownerReferences/0/kind").unwrap(), "Namespace");
    }
}
