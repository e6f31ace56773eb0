//! How we know that a controller in a cluster is ready.

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use kube::Api;

use crate::cluster::contract::subject_kind::{DeployedController, ReadyInCluster, Values};
use crate::cluster::machine::access;

/// A sign with all that is needed to look for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// The API server answers this path.
    Answers(String),
    /// The lease is held by somebody who took or renewed it after it was like this.
    LeaseIsHeld { namespace: String, name: String },
    /// These Deployments, with their namespaces, are available.
    Available(Vec<(String, String)>),
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

    /// The lease as it is before a start, if one is looked at. Times are those of the cluster's clocks, so a lease is compared
    /// with itself and never with ours.
    pub async fn before(&self, client: &kube::Client) -> Option<LeaseSpec> {
        let Self::LeaseIsHeld { namespace, name } = self else { return None };
        let leases: Api<Lease> = Api::namespaced(client.clone(), namespace);
        leases.get_opt(name).await.ok().flatten().and_then(|lease| lease.spec)
    }

    /// Empty when ready, else why not.
    pub async fn doubt(&self, client: &kube::Client, before: Option<&LeaseSpec>) -> String {
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

/// Empty when somebody holds the lease who took or renewed it after it was like `before`.
fn held(now: Option<&LeaseSpec>, before: Option<&LeaseSpec>) -> String {
    let holder = now.and_then(|now| now.holder_identity.as_deref()).filter(|holder| !holder.is_empty());
    let Some(holder) = holder else { return "nobody holds its lease".to_owned() };
    let moved = |spec: &LeaseSpec| (spec.holder_identity.clone(), spec.renew_time.clone());
    match now.map(moved) != before.map(moved) {
        true => String::new(),
        false => format!("its lease is {holder}'s, who has not renewed it since the start"),
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

    #[rstest]
    #[case::none(None, None, "nobody holds its lease")]
    #[case::given_back(Some(spec("", 2)), None, "nobody holds its lease")]
    #[case::of_one_who_is_gone(
        Some(spec("a", 1)),
        Some(spec("a", 1)),
        "its lease is a's, who has not renewed it since the start"
    )]
    #[case::that_was_not_there_before(Some(spec("a", 1)), None, "")]
    #[case::that_was_renewed(Some(spec("a", 2)), Some(spec("a", 1)), "")]
    #[case::that_was_taken_over(Some(spec("b", 1)), Some(spec("a", 1)), "")]
    fn a_lease_is_held(#[case] now: Option<LeaseSpec>, #[case] before: Option<LeaseSpec>, #[case] doubt: &str) {
        assert_eq!(held(now.as_ref(), before.as_ref()), doubt);
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
