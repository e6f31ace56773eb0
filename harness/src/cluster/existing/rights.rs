//! What the user of a context must be allowed to do, and which of it is missing.

use std::collections::BTreeMap;
use std::fmt;

use futures::{StreamExt as _, TryStreamExt as _, stream};
use jobsworth_api::resource::with_group;
use k8s_openapi::api::authorization::v1::{ResourceAttributes, SelfSubjectAccessReview, SelfSubjectAccessReviewSpec};
use k8s_openapi::api::rbac::v1::PolicyRule;
use kube::Api;
use kube::api::PostParams;

use crate::cluster::contract::subject_kind::JobApi;

/// How many questions are on their way side by side.
const AT_A_TIME: usize = 8;

/// A group, a resource of it, and verbs.
type Entry = (&'static str, &'static str, &'static [&'static str]);

/// Cases have namespaces of their own, which are not there yet: so all are asked for in every one.
const NEEDED: [Entry; 16] = [
    ("", "namespaces", &["create", "delete", "get", "list"]),
    ("", "nodes", &["list"]),
    ("", "resourcequotas", &["create", "get", "list", "watch"]),
    ("networking.k8s.io", "networkpolicies", &["create"]),
    ("", "serviceaccounts", &["create", "list", "watch"]),
    ("batch", "jobs", &["create", "delete", "deletecollection", "get", "list", "patch", "watch"]),
    ("batch", "jobs/status", &["patch"]),
    ("batch", "cronjobs", &["create", "get", "patch"]),
    ("batch", "cronjobs/status", &["patch"]),
    ("", "pods", &["create", "delete", "deletecollection", "get", "list", "patch", "watch"]),
    ("", "pods/status", &["patch"]),
    ("", "pods/exec", &["create", "get"]),
    ("", "pods/eviction", &["create"]),
    // The recorder reads Events of this group; those of the core group are the same objects, and another right.
    ("events.k8s.io", "events", &["list", "watch"]),
    ("", "configmaps", &["create"]),
    ("", "services", &["list"]),
];

/// The same for cases about Volcano's Jobs, besides.
const NEEDED_FOR_VOLCANO: [Entry; 11] = [
    // Of which release it is.
    ("apps", "deployments", &["list"]),
    ("batch.volcano.sh", "jobs", &["create", "delete", "deletecollection", "get", "list", "patch", "watch"]),
    ("batch.volcano.sh", "jobs/status", &["patch"]),
    ("bus.volcano.sh", "commands", &["create", "list", "patch", "watch"]),
    ("scheduling.volcano.sh", "podgroups", &["delete", "list", "patch", "watch"]),
    ("scheduling.volcano.sh", "queues", &["list", "watch"]),
    ("", "services", &["create", "watch"]),
    ("", "configmaps", &["list", "watch"]),
    ("", "secrets", &["list", "watch"]),
    ("", "persistentvolumeclaims", &["create", "list", "watch"]),
    ("networking.k8s.io", "networkpolicies", &["list", "watch"]),
];

/// The same where Workloads and `PodGroup`s are recorded, too; nobody is refused for want of these.
const NEEDED_FOR_WORKLOADS: [Entry; 2] = [
    ("scheduling.k8s.io", "workloads", &["create", "list", "watch"]),
    ("scheduling.k8s.io", "podgroups", &["create", "list", "watch"]),
];
/// The gate that makes them.
const WORKLOADS: &str = "GenericWorkload";

/// One verb on one resource.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Right {
    /// API group; empty for the core.
    pub group: &'static str,
    /// For example `pods/exec`.
    pub resource: &'static str,
    /// For example `create`.
    pub verb: &'static str,
}

impl fmt::Display for Right {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb, self.name())
    }
}

impl Right {
    /// What it is on, for people: `pods/exec`, `jobs.batch.volcano.sh/status`.
    fn name(&self) -> String {
        let (plural, part) = self.resource.split_once('/').unwrap_or((self.resource, ""));
        let slash = if part.is_empty() { "" } else { "/" };
        format!("{}{slash}{part}", with_group(self.group, plural))
    }
}

/// Everything that cases about Jobs of this API do, resource by resource.
fn listed(api: JobApi) -> impl Iterator<Item = &'static Entry> {
    let more: &'static [Entry] = match api {
        JobApi::Batch => &[],
        JobApi::Volcano => &NEEDED_FOR_VOLCANO,
    };
    NEEDED.iter().chain(more)
}

/// Everything that cases about Jobs of this API do.
pub fn needed(api: JobApi) -> impl Iterator<Item = Right> {
    listed(api).flat_map(|(group, resource, verbs)| verbs.iter().map(move |verb| Right { group, resource, verb }))
}

/// The rules of a role for whoever runs such cases, on a cluster with these gates; with the right to read which gates are on.
#[must_use]
pub fn role(api: JobApi, gates: &BTreeMap<String, bool>) -> Vec<PolicyRule> {
    let recorded: &'static [Entry] = match gates.get(WORKLOADS) {
        Some(true) => &NEEDED_FOR_WORKLOADS,
        _ => &[],
    };
    let texts = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let rule = |(group, resource, verbs): &Entry| PolicyRule {
        api_groups: Some(texts(&[*group])),
        resources: Some(texts(&[*resource])),
        verbs: texts(verbs),
        ..PolicyRule::default()
    };
    let metrics =
        PolicyRule { non_resource_urls: Some(texts(&["/metrics"])), verbs: texts(&["get"]), ..PolicyRule::default() };
    listed(api).chain(recorded).map(rule).chain([metrics]).collect()
}

/// Rights as a list: `create, delete namespaces; create pods/exec`.
#[must_use]
pub fn in_words(rights: &[Right]) -> String {
    let mut resources: Vec<String> = Vec::new();
    let mut verbs: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for right in rights {
        let resource = right.name();
        if !resources.contains(&resource) {
            resources.push(resource.clone());
        }
        verbs.entry(resource).or_default().push(right.verb);
    }
    let words = resources.iter().map(|resource| format!("{} {resource}", verbs[resource].join(", ")));
    words.collect::<Vec<_>>().join("; ")
}

/// Asks the server which rights are missing.
///
/// # Errors
/// When it does not answer.
pub async fn missing(client: &kube::Client, api: JobApi) -> Result<Vec<Right>, kube::Error> {
    let reviews: Api<SelfSubjectAccessReview> = Api::all(client.clone());
    let asked = stream::iter(needed(api)).map(|right| {
        let reviews = reviews.clone();
        async move {
            let answer = reviews.create(&PostParams::default(), &review(&right)).await?;
            let allowed = answer.status.is_some_and(|status| status.allowed);
            Ok::<_, kube::Error>((!allowed).then_some(right))
        }
    });
    let answers: Vec<Option<Right>> = asked.buffered(AT_A_TIME).try_collect().await?;
    Ok(answers.into_iter().flatten().collect())
}

fn review(right: &Right) -> SelfSubjectAccessReview {
    let (resource, subresource) = match right.resource.split_once('/') {
        Some((resource, subresource)) => (resource, Some(subresource.to_owned())),
        None => (right.resource, None),
    };
    let attributes = ResourceAttributes {
        group: Some(right.group.to_owned()),
        resource: Some(resource.to_owned()),
        subresource,
        verb: Some(right.verb.to_owned()),
        ..ResourceAttributes::default()
    };
    SelfSubjectAccessReview {
        spec: SelfSubjectAccessReviewSpec { resource_attributes: Some(attributes), non_resource_attributes: None },
        ..SelfSubjectAccessReview::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jobsworth_api::Resource;
    use rstest::rstest;
    use std::collections::BTreeSet;

    const PAGE: &str = include_str!("../../../../docs/existing-clusters.md");

    /// Group, resource and verb.
    type Grant = (String, String, String);

    fn asked_for(api: JobApi) -> BTreeSet<Grant> {
        needed(api).map(|right| (right.group.to_owned(), right.resource.to_owned(), right.verb.to_owned())).collect()
    }

    /// What the roles in this text grant.
    fn granted(text: &str) -> BTreeSet<Grant> {
        let list = |line: &str, key: &str| -> Vec<String> {
            let (_, rest) = line.split_once(&format!("{key}: [")).unwrap();
            let (all, _) = rest.split_once(']').unwrap();
            all.split(", ").map(|one| one.trim_matches('"').to_owned()).collect()
        };
        let mut grants = BTreeSet::new();
        for line in text.lines().filter(|line| line.starts_with("- {apiGroups:")) {
            for resource in list(line, "resources") {
                for verb in list(line, "verbs") {
                    let groups = list(line, "apiGroups");
                    grants.extend(groups.into_iter().map(|group| (group, resource.clone(), verb.clone())));
                }
            }
        }
        grants
    }

    #[test]
    fn who_has_the_rights_of_the_page_has_all_that_are_asked_for_and_no_others() {
        let (before, _) = PAGE.split_once("## Volcano in a cluster").unwrap();
        assert_eq!(granted(before), asked_for(JobApi::Batch));
        assert_eq!(granted(PAGE), asked_for(JobApi::Volcano));
    }

    #[rstest]
    #[case::of_kubernetes(JobApi::Batch)]
    #[case::of_volcano(JobApi::Volcano)]
    fn who_has_the_role_may_do_what_is_asked_for_and_nothing_else(#[case] api: JobApi) {
        let mut grants = BTreeSet::new();
        for rule in role(api, &BTreeMap::new()) {
            for (group, resource) in rule.api_groups.iter().flatten().zip(rule.resources.iter().flatten()) {
                grants.extend(rule.verbs.iter().map(|verb| (group.clone(), resource.clone(), verb.clone())));
            }
        }
        assert_eq!(grants, asked_for(api));
    }

    #[test]
    fn workloads_are_in_the_role_where_their_gate_is_on() {
        let gates = |on| BTreeMap::from([(WORKLOADS.to_owned(), on)]);
        let added = role(JobApi::Batch, &gates(true)).len() - role(JobApi::Batch, &gates(false)).len();
        assert_eq!(added, NEEDED_FOR_WORKLOADS.len());
    }

    #[test]
    fn what_the_recorder_watches_may_be_watched() {
        let asked = asked_for(JobApi::Batch);
        for resource in [Resource::JOBS, Resource::PODS, Resource::EVENTS] {
            for verb in ["list", "watch"] {
                let right = (resource.group.to_string(), resource.plural.to_string(), verb.to_owned());
                assert!(asked.contains(&right), "{right:?}");
            }
        }
    }

    fn of(texts: &[&str]) -> Vec<Right> {
        needed(JobApi::Batch).filter(|right| texts.contains(&right.to_string().as_str())).collect()
    }

    #[rstest]
    #[case::none(&[], "")]
    #[case::one(&["create pods/exec"], "create pods/exec")]
    #[case::several_of_one(&["create namespaces", "delete namespaces"], "create, delete namespaces")]
    #[case::of_several(&["delete jobs", "list events", "watch events"], "delete jobs; list, watch events")]
    fn missing_rights_are_told_by_resource(#[case] missing: &[&str], #[case] words: &str) {
        assert_eq!(in_words(&of(missing)), words);
    }

    #[test]
    fn two_groups_with_one_plural_are_told_apart() {
        let right = |group, resource| Right { group, resource, verb: "create" };
        let rights =
            [right("batch", "jobs"), right("batch.volcano.sh", "jobs"), right("batch.volcano.sh", "jobs/status")];
        let words = "create jobs; create jobs.batch.volcano.sh; create jobs.batch.volcano.sh/status";
        assert_eq!(in_words(&rights), words);
    }

    #[test]
    fn nothing_cluster_scoped_is_written_but_namespaces() {
        let scoped = |right: &Right| ["namespaces", "nodes", "queues"].contains(&right.resource);
        let writes: Vec<String> = needed(JobApi::Volcano)
            .filter(|right| scoped(right) && !["get", "list", "watch"].contains(&right.verb))
            .map(|r| r.to_string())
            .collect();
        assert_eq!(writes, ["create namespaces", "delete namespaces"]);
    }

    #[test]
    fn a_subresource_is_asked_for_apart() {
        let review = review(&of(&["create pods/exec"])[0]);
        let asked = review.spec.resource_attributes.unwrap();
        assert_eq!((asked.resource.as_deref(), asked.subresource.as_deref()), (Some("pods"), Some("exec")));
    }
}
