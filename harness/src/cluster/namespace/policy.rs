//! What holds in the namespace of a case where the cluster is not ours: whose it is and when it may be removed, how many
//! pods fit in, and that they talk to nobody.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::ResourceQuota;
use k8s_openapi::api::networking::v1::NetworkPolicy;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::json;

/// The label that names the run; what has it is ours.
pub const RUN: &str = "jobsworth.dev/run";
/// The label that names the user who runs it.
pub const OWNER: &str = "jobsworth.dev/owner";
/// The label with the word of runs that share a cluster knowingly.
pub const SHARING: &str = "jobsworth.dev/sharing";
/// The annotation with the time after which nobody can be using it.
pub const EXPIRES: &str = "jobsworth.dev/expires";
/// The name of the quota and of the policy.
pub const NAME: &str = "jobsworth";

/// How many pods there may be in a namespace that have not ended. The case with the most has nine, and each may
/// have a successor while it stops; so no claim is about this limit.
pub const PODS_MAX: u32 = 30;
/// A case ends after five minutes, and its clean-up after less than one.
pub const LIFETIME: Duration = Duration::from_secs(15 * 60);
/// The longest value of a label.
const LONGEST: usize = 63;

/// Whose the namespaces of a run are, and what holds in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamespacePolicy {
    run: String,
    owner: String,
    pods_max: u32,
    lifetime: Duration,
    sharing: Option<String>,
}

impl NamespacePolicy {
    /// For the namespaces of `run`, which `owner` started.
    #[must_use]
    pub fn of(run: &str, owner: &str) -> Self {
        Self { run: label(run), owner: label(owner), pods_max: PODS_MAX, lifetime: LIFETIME, sharing: None }
    }

    /// The same for a namespace in which there are so many pods at the same time, each with a successor while it stops, and work
    /// goes on for so long before it is cleaned up.
    #[must_use]
    pub fn holding(&self, pods: u32, work: Duration) -> Self {
        let pods_max = pods.saturating_mul(2).max(PODS_MAX);
        Self { pods_max, lifetime: LIFETIME.saturating_add(work), ..self.clone() }
    }

    /// The same for a run that others share the cluster with, all under this word.
    #[must_use]
    pub fn sharing(self, word: Option<&str>) -> Self {
        Self { sharing: word.map(label), ..self }
    }

    /// The value of the label [`RUN`].
    #[must_use]
    pub fn run(&self) -> &str {
        &self.run
    }

    /// The labels that make a namespace ours.
    #[must_use]
    pub fn labels(&self) -> BTreeMap<String, String> {
        let shared = self.sharing.as_ref().map(|word| (SHARING, word));
        let all = [(RUN, &self.run), (OWNER, &self.owner)].into_iter().chain(shared);
        all.map(|(key, value)| (key.to_owned(), value.clone())).collect()
    }

    /// How long it is ours, from now on.
    #[must_use]
    pub fn annotations(&self, now: Timestamp) -> BTreeMap<String, String> {
        let expires = now.checked_add(self.lifetime).unwrap_or(Timestamp::MAX);
        BTreeMap::from([(EXPIRES.to_owned(), format!("{expires:.0}"))])
    }

    /// A limit to the pods.
    #[must_use]
    pub fn quota(&self) -> ResourceQuota {
        let mut quota: ResourceQuota =
            serde_json::from_value(json!({"spec": {"hard": {"pods": self.pods_max.to_string()}}}))
                .expect("a fixed quota");
        quota.metadata = self.metadata();
        quota
    }

    /// No traffic to or from any pod. What the agent is told comes through its kubelet.
    #[must_use]
    pub fn network_policy(&self) -> NetworkPolicy {
        let spec = json!({"spec": {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}});
        let mut policy: NetworkPolicy = serde_json::from_value(spec).expect("a fixed policy");
        policy.metadata = self.metadata();
        policy
    }

    fn metadata(&self) -> ObjectMeta {
        ObjectMeta { name: Some(NAME.to_owned()), labels: Some(self.labels()), ..ObjectMeta::default() }
    }
}

/// Text as the value of a label.
#[must_use]
pub fn label(text: &str) -> String {
    let fit = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let fitting: String = text.chars().map(fit).take(LONGEST).collect();
    fitting.trim_matches(['-', '_', '.']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::as_it_is("run-ab12-1-36-3", "run-ab12-1-36-3")]
    #[case::with_a_domain("jane@example.com", "jane-example.com")]
    #[case::with_marks_at_its_ends("_jane doe_", "jane-doe")]
    #[case::empty("", "")]
    fn any_text_becomes_the_value_of_a_label(#[case] text: &str, #[case] value: &str) {
        assert_eq!(label(text), value);
    }

    #[test]
    fn a_namespace_says_whose_it_is_and_until_when() {
        let policy = NamespacePolicy::of("run-1", "jane");
        assert_eq!(policy.labels().into_values().collect::<Vec<_>>(), ["jane", "run-1"]);
        let shared = policy.clone().sharing(Some("the nightly"));
        assert_eq!(shared.labels()[SHARING], "the-nightly");
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        assert_eq!(policy.annotations(now)[EXPIRES], "2026-01-01T00:15:00Z");
    }

    #[rstest]
    #[case::a_few_pods(4, "30")]
    #[case::many_pods(400, "800")]
    fn a_namespace_for_a_load_has_room_for_successors_and_lives_as_long_as_the_work(
        #[case] pods: u32,
        #[case] hard: &str,
    ) {
        let policy = NamespacePolicy::of("run-1", "jane").holding(pods, Duration::from_secs(300));
        let quota = serde_json::to_value(policy.quota()).unwrap();
        assert_eq!(quota["spec"]["hard"], json!({"pods": hard}));
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        assert_eq!(policy.annotations(now)[EXPIRES], "2026-01-01T00:20:00Z");
        assert_eq!(policy.run(), "run-1");
    }

    #[test]
    fn pods_are_few_and_talk_to_nobody() {
        let policy = NamespacePolicy::of("run-1", "jane");
        let quota = serde_json::to_value(policy.quota()).unwrap();
        assert_eq!(quota["spec"]["hard"], json!({"pods": "30"}));
        let network = serde_json::to_value(policy.network_policy()).unwrap();
        assert_eq!(network["spec"], json!({"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}));
    }
}
