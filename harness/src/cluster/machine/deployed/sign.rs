//! How we know that a controller in a cluster is ready.

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use kube::Api;

use crate::cluster::contract::ClusterError;
use crate::cluster::contract::subject_kind::{DeployedController, ReadyInCluster, Values};
use crate::cluster::machine::access;

/// A sign with all that is needed to look for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// The API server answers this path.
    Answers(String),
    /// The lease is held, and not only by somebody who is gone.
    LeaseIsHeld { namespace: String, name: String },
    /// These Deployments, with their namespaces, are available.
    Available(Vec<(String, String)>),
}

/// Which start is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// The first: nothing of the controller ran before.
    First,
    /// One after its pods were killed. A container lives on until its kubelet hears of that, and renews its lease until then; so
    /// only another holder is a new one.
    Again,
}

/// What was so before a start.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Before {
    start: Start,
    /// The lease, if one is looked at. Times are those of the cluster's clocks, so a lease is compared with itself and never
    /// with ours.
    lease: Option<LeaseSpec>,
}

impl Sign {
    /// Of a controller whose Deployments are these, as `NAMESPACE/NAME`.
    pub fn of(ready: &ReadyInCluster, values: &Values, deployments: &[String]) -> Self {
        let filled =
            |text: &String| values.fill_only(&DeployedController::PLACEHOLDERS, text).unwrap_or_else(|| text.clone());
        match ready {
            ReadyInCluster::Answers(path) => Self::Answers(filled(path)),
            ReadyInCluster::LeaseIsHeld(lease) => {
                let (namespace, name) = place(&filled(lease));
                Self::LeaseIsHeld { namespace, name }
            }
            ReadyInCluster::IsAvailable(deployment) => Self::Available(vec![place(&filled(deployment))]),
            ReadyInCluster::AllAvailable => Self::Available(deployments.iter().map(|text| place(text)).collect()),
        }
    }

    /// What is so before a start.
    ///
    /// # Errors
    /// When the lease cannot be read: any holder would look like a new one.
    pub async fn before(&self, client: &kube::Client, start: Start) -> Result<Before, ClusterError> {
        let Self::LeaseIsHeld { namespace, name } = self else { return Ok(Before { start, lease: None }) };
        let leases: Api<Lease> = Api::namespaced(client.clone(), namespace);
        let lease = leases.get_opt(name).await.map_err(|source| ClusterError::Request {
            what: format!("read the lease {namespace}/{name}"),
            source: Box::new(source),
        })?;
        Ok(Before { start, lease: lease.and_then(|lease| lease.spec) })
    }

    /// Empty when ready, else why not.
    pub async fn doubt(&self, client: &kube::Client, before: &Before) -> String {
        match self {
            Self::Answers(path) => access::text(client, "the API server's ", path)
                .await
                .map_or_else(|error| crate::error_text::in_full(&error), |_| String::new()),
            Self::LeaseIsHeld { namespace, name } => {
                let leases: Api<Lease> = Api::namespaced(client.clone(), namespace);
                match leases.get_opt(name).await {
                    Ok(lease) => held(lease.and_then(|lease| lease.spec).as_ref(), before),
                    Err(error) => error.to_string(),
                }
            }
            Self::Available(deployments) => {
                for (namespace, name) in deployments {
                    let all: Api<Deployment> = Api::namespaced(client.clone(), namespace);
                    let doubt = match all.get_opt(name).await {
                        Ok(Some(found)) => unavailable(&found),
                        Ok(None) => format!("there is no Deployment {namespace}/{name}"),
                        Err(error) => error.to_string(),
                    };
                    if !doubt.is_empty() {
                        return doubt;
                    }
                }
                String::new()
            }
        }
    }
}

fn place(text: &str) -> (String, String) {
    let (namespace, name) = text.split_once('/').unwrap_or(("default", text));
    (namespace.to_owned(), name.to_owned())
}

/// Empty when somebody holds the lease who did not before, or, at the first start, has renewed it since.
fn held(now: Option<&LeaseSpec>, before: &Before) -> String {
    let holder = now.and_then(|now| now.holder_identity.as_deref()).filter(|holder| !holder.is_empty());
    let Some(holder) = holder else { return "nobody holds its lease".to_owned() };
    let was = before.lease.as_ref();
    if was.and_then(|was| was.holder_identity.as_deref()) != Some(holder) {
        return String::new();
    }
    let is_renewed = now.and_then(|now| now.renew_time.as_ref()) != was.and_then(|was| was.renew_time.as_ref());
    match before.start {
        Start::First if is_renewed => String::new(),
        Start::First => format!("its lease is {holder}'s, who has not renewed it since the start"),
        Start::Again => format!("its lease is still {holder}'s, who held it before its pods were killed"),
    }
}

/// Empty when the Deployment is available as it was written last; else what it says of itself.
fn unavailable(deployment: &Deployment) -> String {
    let name = deployment.metadata.name.as_deref().unwrap_or_default();
    let Some(status) = &deployment.status else { return format!("nobody has taken notice of the Deployment {name}") };
    if status.observed_generation < deployment.metadata.generation {
        return format!("nobody has taken notice of the Deployment {name} as it is now");
    }
    let conditions = status.conditions.iter().flatten();
    let of = |kind: &str| conditions.clone().find(|condition| condition.type_.as_deref() == Some(kind));
    if of("Available").is_some_and(|condition| condition.status.as_deref() == Some("True")) {
        return String::new();
    }
    // Why there is no pod, as when a quota or a missing account forbids it.
    let failure = of("ReplicaFailure")
        .filter(|condition| condition.status.as_deref() == Some("True"))
        .or_else(|| of("Available"));
    let why = failure.and_then(|condition| condition.message.clone()).map(|message| format!(": {message}"));
    format!("the Deployment {name} is not available{}", why.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::{Value, json};

    use super::*;
    use crate::cluster::contract::subject_kind::Placeholder;

    fn spec(holder: &str, seconds: u32) -> LeaseSpec {
        let time = format!("2026-01-01T00:00:{seconds:02}.000000Z");
        serde_json::from_value(json!({"holderIdentity": holder, "renewTime": time})).unwrap()
    }

    const GONE: &str = "its lease is a's, who has not renewed it since the start";
    const KILLED: &str = "its lease is still a's, who held it before its pods were killed";

    #[rstest]
    #[case::by_nobody(None, None, "nobody holds its lease", "nobody holds its lease")]
    #[case::by_one_who_gave_it_back(Some(spec("", 2)), None, "nobody holds its lease", "nobody holds its lease")]
    #[case::by_one_who_is_gone(Some(spec("a", 1)), Some(spec("a", 1)), GONE, KILLED)]
    #[case::by_one_where_it_was_not_there_before(Some(spec("a", 1)), None, "", "")]
    #[case::by_one_who_has_renewed_it(Some(spec("a", 2)), Some(spec("a", 1)), "", KILLED)]
    #[case::by_one_who_took_it_over(Some(spec("b", 1)), Some(spec("a", 1)), "", "")]
    #[case::by_one_who_took_it_when_it_was_free(Some(spec("b", 2)), Some(spec("", 1)), "", "")]
    fn a_lease_is_held(
        #[case] now: Option<LeaseSpec>,
        #[case] lease: Option<LeaseSpec>,
        #[case] at_first: &str,
        #[case] again: &str,
    ) {
        for (start, doubt) in [(Start::First, at_first), (Start::Again, again)] {
            let before = Before { start, lease: lease.clone() };
            assert_eq!(held(now.as_ref(), &before), doubt, "{start:?}");
        }
    }

    #[tokio::test]
    async fn a_lease_that_cannot_be_read_is_no_lease_that_was_not_there() {
        let refusing = tower::service_fn(|_request: http::Request<kube::client::Body>| {
            let status =
                br#"{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403}"#;
            let answer = http::Response::builder().status(403).body(kube::client::Body::from(status.to_vec()));
            std::future::ready(answer)
        });
        let client = kube::Client::new(refusing, "default");
        let lease = Sign::LeaseIsHeld { namespace: "mine".to_owned(), name: "it".to_owned() };
        let refused = lease.before(&client, Start::First).await.unwrap_err().to_string();
        assert_eq!(refused, "failed to read the lease mine/it");
        let without = Sign::Available(Vec::new()).before(&client, Start::Again).await.unwrap();
        assert_eq!(without, Before { start: Start::Again, lease: None });
    }

    #[rstest]
    #[case::as_it_is(json!({"observedGeneration": 2, "conditions": [{"type": "Available", "status": "True"}]}), "")]
    #[case::as_it_was(
        json!({"observedGeneration": 1, "conditions": [{"type": "Available", "status": "True"}]}),
        "nobody has taken notice of the Deployment mine as it is now"
    )]
    #[case::without_a_pod(
        json!({"observedGeneration": 2, "conditions": [
            {"type": "Available", "status": "False", "message": "too few"},
            {"type": "ReplicaFailure", "status": "True", "message": "exceeded quota"},
        ]}),
        "the Deployment mine is not available: exceeded quota"
    )]
    fn a_deployment_is_available(#[case] status: Value, #[case] doubt: &str) {
        let object = json!({"metadata": {"name": "mine", "generation": 2}, "status": status});
        assert_eq!(unavailable(&serde_json::from_value(object).unwrap()), doubt);
    }

    #[test]
    fn a_sign_has_values_in_it_and_without_one_every_deployment_counts() {
        let values = Values::default().with(Placeholder::Namespace, "jw-1");
        let lease = Sign::of(&ReadyInCluster::LeaseIsHeld("{namespace}/mine".to_owned()), &values, &[]);
        assert_eq!(lease, Sign::LeaseIsHeld { namespace: "jw-1".to_owned(), name: "mine".to_owned() });
        let all = Sign::of(&ReadyInCluster::AllAvailable, &values, &["jw-1/a".to_owned(), "b/c".to_owned()]);
        let named = [("jw-1", "a"), ("b", "c")].map(|(namespace, name)| (namespace.to_owned(), name.to_owned()));
        assert_eq!(all, Sign::Available(named.to_vec()));
    }
}
