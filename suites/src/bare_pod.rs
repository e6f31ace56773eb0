//! Pods that the script makes itself, as no Job controller would.

use jobsworth_harness::scene::Write;
use jobsworth_oracle::Answer;
use serde_json::{Value, json};

/// A pod that is going to be created.
#[derive(Clone, Debug)]
pub struct BarePod(Value);

/// A pod without owner, labels or finalizers.
#[must_use]
pub fn bare_pod(name: &str) -> BarePod {
    BarePod(json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {
            "restartPolicy": "Never",
            "terminationGracePeriodSeconds": 30,
            "containers": [{"name": "main", "image": "jobsworth.invalid/agent:v1"}],
        },
    }))
}

impl BarePod {
    /// With the label `app` of this value.
    #[must_use]
    pub fn app(mut self, value: &str) -> Self {
        self.0["metadata"]["labels"] = json!({"app": value});
        self
    }

    /// With the finalizer by which Jobs track their pods.
    #[must_use]
    pub fn tracked(mut self) -> Self {
        self.0["metadata"]["finalizers"] = json!(["batch.kubernetes.io/job-tracking"]);
        self
    }

    /// With the object in this answer as its controller.
    #[must_use]
    pub fn controlled_by(mut self, owner: &Answer) -> Self {
        self.0["metadata"]["ownerReferences"] = json!([reference(owner, true)]);
        self
    }

    /// With this annotation.
    #[must_use]
    pub fn annotated(mut self, key: &str, value: &str) -> Self {
        self.0["metadata"]["annotations"][key] = value.into();
        self
    }

    /// As the controller makes pods of this owner, an owner reference: with its labels, and tracked.
    #[must_use]
    pub fn made_for(mut self, owner: &Value) -> Self {
        let (name, uid) = (&owner["name"], &owner["uid"]);
        self.0["metadata"]["labels"] = json!({
            "controller-uid": uid, "batch.kubernetes.io/controller-uid": uid,
            "job-name": name, "batch.kubernetes.io/job-name": name,
        });
        self.0["metadata"]["ownerReferences"] = json!([owner]);
        self.tracked()
    }

    /// The request that creates it.
    #[must_use]
    pub fn create(self) -> Write {
        Write::create_pod(self.0)
    }
}

/// An owner reference to the object in an answer.
#[must_use]
pub fn reference(owner: &Answer, controller: bool) -> Value {
    json!({
        "apiVersion": owner.body["apiVersion"],
        "kind": owner.body["kind"],
        "name": owner.body["metadata"]["name"],
        "uid": owner.body["metadata"]["uid"],
        "controller": controller,
    })
}
