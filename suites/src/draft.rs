//! Jobs as cases ask for them: a builder whose every step names what differs from the plainest Job.

use jobsworth_harness::scene::Write;
use serde_json::{Value, json};

/// A Job that is going to be submitted.
#[derive(Clone, Debug)]
pub struct Draft(Value);

/// An Indexed Job of `completions` indexes that all run at once, without retries.
#[must_use]
pub fn indexed(completions: u32) -> Draft {
    plain().spec("completionMode", "Indexed").spec("completions", completions).spec("parallelism", completions)
}

/// A NonIndexed Job of `completions` pods, `parallelism` of them at once.
#[must_use]
pub fn counted(completions: u32, parallelism: u32) -> Draft {
    plain().spec("completions", completions).spec("parallelism", parallelism)
}

/// A Job without a number of completions: its pods share a queue of work.
#[must_use]
pub fn work_queue(parallelism: u32) -> Draft {
    plain().spec("parallelism", parallelism)
}

fn plain() -> Draft {
    Draft(json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "job"},
        "spec": {
            "backoffLimit": 0,
            "template": {
                "spec": {
                    "restartPolicy": "Never",
                    "terminationGracePeriodSeconds": 30,
                    "containers": [{"name": "main", "image": "jobsworth.invalid/agent:v1"}],
                },
            },
        },
    }))
}

impl Draft {
    /// Under another name than `job`.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.0["metadata"]["name"] = name.into();
        self
    }

    /// With any field of `spec`.
    #[must_use]
    pub fn spec(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.0["spec"][field] = value.into();
        self
    }

    /// Without a field of `spec`.
    #[must_use]
    pub fn without(mut self, field: &str) -> Self {
        if let Some(spec) = self.0["spec"].as_object_mut() {
            spec.remove(field);
        }
        self
    }

    /// With any field of the pod's `spec`.
    #[must_use]
    pub fn pod_spec(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.0["spec"]["template"]["spec"][field] = value.into();
        self
    }

    /// With any field of `metadata`.
    #[must_use]
    pub fn metadata(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.0["metadata"][field] = value.into();
        self
    }

    /// With any field of the pod's `metadata`.
    #[must_use]
    pub fn pod_metadata(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.0["spec"]["template"]["metadata"][field] = value.into();
        self
    }

    /// Claims every pod with the label `app` of this value, by a selector of its own making.
    #[must_use]
    pub fn selects_app(self, app: &str) -> Self {
        self.spec("manualSelector", true)
            .spec("selector", json!({"matchLabels": {"app": app}}))
            .pod_metadata("labels", json!({"app": app}))
    }

    /// So many pods at once.
    #[must_use]
    pub fn parallelism(self, pods: u32) -> Self {
        self.spec("parallelism", pods)
    }

    /// So many counted failures are forgiven.
    #[must_use]
    pub fn backoff_limit(self, failures: u32) -> Self {
        self.spec("backoffLimit", failures)
    }

    /// So many counted failures are forgiven to each index; the limit of the whole Job is left to its default.
    #[must_use]
    pub fn backoff_limit_per_index(self, failures: u32) -> Self {
        self.without("backoffLimit").spec("backoffLimitPerIndex", failures)
    }

    /// Containers are restarted in place.
    #[must_use]
    pub fn restarts_in_place(self) -> Self {
        self.pod_spec("restartPolicy", "OnFailure")
    }

    /// Suspended from the beginning.
    #[must_use]
    pub fn suspended(self) -> Self {
        self.spec("suspend", true)
    }

    /// With a time to live after it is finished.
    #[must_use]
    pub fn ttl(self, seconds: u32) -> Self {
        self.spec("ttlSecondsAfterFinished", seconds)
    }

    /// With a deadline.
    #[must_use]
    pub fn deadline(self, seconds: u32) -> Self {
        self.spec("activeDeadlineSeconds", seconds)
    }

    /// Left to another controller.
    #[must_use]
    pub fn managed_by(self, controller: &str) -> Self {
        self.spec("managedBy", controller)
    }

    /// Pods are replaced only when they are at their end.
    #[must_use]
    pub fn replaces_only_failed(self) -> Self {
        self.spec("podReplacementPolicy", "Failed")
    }

    /// One more rule of the success policy.
    #[must_use]
    pub fn succeeds_when(mut self, rule: SuccessRule) -> Self {
        push(&mut self.0["spec"]["successPolicy"]["rules"], rule.0);
        self
    }

    /// One more rule of the pod failure policy.
    #[must_use]
    pub fn when_a_pod(mut self, rule: FailureRule) -> Self {
        push(&mut self.0["spec"]["podFailurePolicy"]["rules"], rule.0);
        self
    }

    /// One more rule of the pod failure policy: the whole Job fails when a pod has one of these conditions.
    #[must_use]
    pub fn fails_when_a_pod_has(mut self, conditions: impl IntoIterator<Item = String>) -> Self {
        let patterns = conditions.into_iter().map(|kind| json!({"type": kind, "status": "True"}));
        let rule = json!({"action": "FailJob", "onPodConditions": patterns.collect::<Vec<_>>()});
        push(&mut self.0["spec"]["podFailurePolicy"]["rules"], rule);
        self
    }

    /// The Job as JSON.
    #[must_use]
    pub fn json(self) -> Value {
        self.0
    }

    /// The request that creates it.
    #[must_use]
    pub fn create(self) -> Write {
        Write::create_job(self.0)
    }
}

impl From<Draft> for Value {
    fn from(draft: Draft) -> Self {
        draft.0
    }
}

fn push(list: &mut Value, item: Value) {
    match list.as_array_mut() {
        Some(items) => items.push(item),
        None => *list = Value::Array(vec![item]),
    }
}

/// A rule of a success policy.
#[derive(Clone, Debug)]
pub struct SuccessRule(Value);

/// All of these indexes have succeeded.
#[must_use]
pub fn indexes(list: &str) -> SuccessRule {
    SuccessRule(json!({"succeededIndexes": list}))
}

/// So many indexes have succeeded.
#[must_use]
pub fn any(count: u32) -> SuccessRule {
    SuccessRule(json!({"succeededCount": count}))
}

/// So many of these indexes have succeeded.
#[must_use]
pub fn some_of(count: u32, list: &str) -> SuccessRule {
    SuccessRule(json!({"succeededCount": count, "succeededIndexes": list}))
}

/// A rule of a pod failure policy.
#[derive(Clone, Debug)]
pub struct FailureRule(Value);

/// A container exits with one of these codes.
#[must_use]
pub fn exits(codes: &[i32]) -> When {
    When(json!({"onExitCodes": {"operator": "In", "values": codes}}))
}

/// A container exits with none of these codes, and not with 0.
#[must_use]
pub fn exits_otherwise(codes: &[i32]) -> When {
    When(json!({"onExitCodes": {"operator": "NotIn", "values": codes}}))
}

/// The pod has this condition, with status True.
#[must_use]
pub fn has_condition(kind: &str) -> When {
    When(json!({"onPodConditions": [{"type": kind, "status": "True"}]}))
}

/// What a failure rule looks for.
#[derive(Clone, Debug)]
pub struct When(Value);

impl When {
    /// Only in this container.
    #[must_use]
    pub fn in_container(mut self, name: &str) -> Self {
        self.0["onExitCodes"]["containerName"] = name.into();
        self
    }

    /// The whole Job fails.
    #[must_use]
    pub fn fail_job(self) -> FailureRule {
        self.then("FailJob")
    }

    /// The pod's index fails.
    #[must_use]
    pub fn fail_index(self) -> FailureRule {
        self.then("FailIndex")
    }

    /// The failure does not count.
    #[must_use]
    pub fn ignore(self) -> FailureRule {
        self.then("Ignore")
    }

    /// The failure counts, as without a rule.
    #[must_use]
    pub fn count(self) -> FailureRule {
        self.then("Count")
    }

    fn then(mut self, action: &str) -> FailureRule {
        self.0["action"] = action.into();
        FailureRule(self.0)
    }
}
