//! How Jobs are known to end whose controller stops pods because of a success, and counts them as failures before the success is stored.

use crate::words::*;

/// Where a write after the first deletion does not come about, the built-in controller counts the pods that it has stopped as failures of
/// theirs, though what the success policy asks for is stored, and was never declared.
pub const KNOWN_END: KnownEnd = KnownEnd {
    subject: "builtin",
    since: Minor::new(1, 35),
    until: Minor::new(1, 37),
    gate: "JobSuccessPolicy",
    instead_of: Complete,
    shows: fails_though_it_has_succeeded,
    source: "docs/differences.md#done-before-it-is-told",
};

/// Limits that pods may exceed which were stopped.
const EXCEEDED: [&str; 3] = ["BackoffLimitExceeded", "FailedIndexes", "MaxFailedIndexesExceeded"];

fn fails_though_it_has_succeeded(name: &str) -> Predicate {
    let job = job_named(name);
    let fails = EXCEEDED.map(|reason| job.has(Failed.because(reason))).into_iter().reduce(Predicate::or);
    fails
        .into_iter()
        .fold(job.meets_its_success_policy(), Predicate::and)
        .and(job.failed_at_least(1))
        .and(job.has(SuccessCriteriaMet).negated())
}

#[cfg(test)]
mod tests {
    use super::*;
    use jobsworth_oracle::{Fact, Seen, World};
    use k8s_openapi::api::batch::v1::Job;
    use rstest::rstest;
    use serde_json::Value;

    const INDEX_0: [&str; 1] = ["0"];

    #[rstest]
    #[case::stopped_pods_exceed_the_limit("Failed", "BackoffLimitExceeded", &INDEX_0, json!({}), true)]
    #[case::the_limit_of_indexes("Failed", "MaxFailedIndexesExceeded", &INDEX_0, json!({}), true)]
    #[case::it_completes("Complete", "SuccessPolicy", &INDEX_0, json!({}), false)]
    #[case::another_reason("Failed", "DeadlineExceeded", &INDEX_0, json!({}), false)]
    #[case::the_policy_is_not_met("Failed", "BackoffLimitExceeded", &INDEX_0, json!({"completedIndexes": "1"}), false)]
    #[case::it_has_no_policy("Failed", "BackoffLimitExceeded", &[], json!({}), false)]
    #[case::no_pod_has_failed("Failed", "BackoffLimitExceeded", &INDEX_0, json!({"failed": 0}), false)]
    fn a_job_that_fails_though_it_has_succeeded(
        #[case] kind: &str,
        #[case] reason: &str,
        #[case] rules: &[&str],
        #[case] status: Value,
        #[case] holds: bool,
    ) {
        let rules: Vec<Value> = rules.iter().map(|indexes| json!({"succeededIndexes": indexes})).collect();
        let conditions = json!([{"type": kind, "status": "True", "reason": reason}]);
        assert_eq!(fails_though_it_has_succeeded("job").holds(&world(&rules, conditions, &status)), holds);
    }

    #[test]
    fn a_success_that_was_declared_is_another_matter() {
        let condition = |kind: &str, reason: &str| json!({"type": kind, "status": "True", "reason": reason});
        let declared =
            json!([condition("SuccessCriteriaMet", "SuccessPolicy"), condition("Failed", "BackoffLimitExceeded")]);
        let world = world(&[json!({"succeededIndexes": "0"})], declared, &json!({}));
        assert!(!fails_though_it_has_succeeded("job").holds(&world));
    }

    /// A Job of three with index 0 completed and two failures, but for what `status` says.
    fn world(rules: &[Value], conditions: Value, status: &Value) -> World {
        let mut object = json!({
            "metadata": {"name": "job", "uid": "u"},
            "spec": {"completionMode": "Indexed", "completions": 3, "successPolicy": {"rules": rules}, "template": {}},
            "status": {"completedIndexes": "0", "succeeded": 1, "failed": 2, "conditions": conditions},
        });
        for (key, value) in status.as_object().into_iter().flatten() {
            object["status"][key] = value.clone();
        }
        let mut world = World::default();
        world.apply(1, Duration::ZERO, &Fact::there::<Job>(Seen::new(object).unwrap()));
        world
    }
}
