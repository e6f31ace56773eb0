//! The roles of `controller/deploy`, put in the place of those that the built-in controllers have by default.

use std::path::Path;

use k8s_openapi::api::rbac::v1::{ClusterRole, PolicyRule, Role};
use kube::Client;
use kube::api::{Api, Patch, PatchParams};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

/// What is deployed for Kubernetes' own Jobs, and for Volcano's.
const OF_JOBS: &str = "roles.yaml";
const OF_VOLCANO: &str = "volcano/roles.yaml";

/// A deployed role, and the default one of the identity that the harness gives to the controller.
const PAIRS: [(&str, &str); 2] = [
    ("jobsworth-job-controller", "system:controller:job-controller"),
    ("jobsworth-ttl-controller", "system:controller:ttl-after-finished-controller"),
];

/// Of Volcano's controller and webhook.
const VOLCANO: [&str; 2] = ["jobsworth-volcano-controller", WEBHOOK];
const WEBHOOK: &str = "jobsworth-volcano-webhook";

/// A role of either kind.
#[derive(Deserialize)]
struct Ruled {
    rules: Vec<PolicyRule>,
}

/// One verb on one resource.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Grant {
    /// The default role's name.
    pub role: &'static str,
    pub group: String,
    /// With its subresource: `jobs/status`.
    pub resource: String,
    pub verb: String,
}

/// The rules of both roles.
#[derive(Clone)]
pub struct Roles(Vec<(&'static str, Vec<PolicyRule>)>);

impl Roles {
    /// As they are deployed.
    pub fn deployed() -> Self {
        Self(PAIRS.map(|(deployed, default)| (default, cluster_role(deployed).rules.unwrap())).into())
    }

    /// Those of Volcano's controller and webhook, without what only an election and a Prometheus ask for; the webhook's right in one
    /// namespace is one of its rights.
    pub fn of_volcano() -> Self {
        let roles = ["ClusterRole", "Role"].into_iter().flat_map(|kind| {
            VOLCANO.into_iter().filter_map(move |name| {
                let rules = find::<Ruled>(OF_VOLCANO, kind, name).map(|role| role.rules);
                rules.filter(|_| kind == "ClusterRole" || name == WEBHOOK).map(|rules| (name, rules))
            })
        });
        Self(roles.collect())
    }

    /// Every verb on every resource, one by one.
    pub fn grants(&self) -> Vec<Grant> {
        let mut grants = Vec::new();
        for (role, rules) in &self.0 {
            for rule in rules {
                let (groups, resources) = (rule.api_groups.iter().flatten(), rule.resources.iter().flatten());
                let targets = groups.flat_map(|group| resources.clone().map(move |resource| (group, resource)));
                for (group, resource) in targets {
                    let of = |verb: &String| Grant {
                        role,
                        group: group.clone(),
                        resource: resource.clone(),
                        verb: verb.clone(),
                    };
                    grants.extend(rule.verbs.iter().map(of));
                }
            }
        }
        grants
    }

    /// All but this one.
    pub fn without(&self, grant: &Grant) -> Self {
        let mut less = self.clone();
        for (_, rules) in less.0.iter_mut().filter(|(role, _)| *role == grant.role) {
            let names = |names: &Option<Vec<String>>, name: &str| names.iter().flatten().any(|known| known == name);
            let meant =
                |rule: &PolicyRule| names(&rule.api_groups, &grant.group) && names(&rule.resources, &grant.resource);
            for rule in rules.iter_mut().filter(|rule| meant(rule)) {
                rule.verbs.retain(|verb| *verb != grant.verb);
            }
            // A rule without verbs is refused.
            rules.retain(|rule| !rule.verbs.is_empty());
        }
        less
    }

    /// Writes them over the default ones. The API server restores those only when it starts.
    pub async fn put_in_force(&self, client: &Client) {
        let api: Api<ClusterRole> = Api::all(client.clone());
        for (role, rules) in &self.0 {
            let patch = Patch::Merge(json!({"rules": rules}));
            api.patch(role, &PatchParams::default(), &patch).await.unwrap();
        }
    }
}

/// The deployed role of this name.
pub fn cluster_role(name: &str) -> ClusterRole {
    find(OF_JOBS, "ClusterRole", name).unwrap()
}

/// The deployed role for the lease.
pub fn for_the_lease() -> Role {
    let documents = documents(OF_JOBS);
    Role::deserialize(documents.iter().find(|document| document["kind"] == "Role").unwrap()).unwrap()
}

/// A document of this kind and name in a file that is deployed.
fn find<T: DeserializeOwned>(file: &str, kind: &str, name: &str) -> Option<T> {
    let documents = documents(file);
    let is_it = |document: &&serde_json::Value| document["kind"] == kind && document["metadata"]["name"] == name;
    documents.iter().find(is_it).map(|document| T::deserialize(document).unwrap())
}

/// Everything in a file of `controller/deploy`.
fn documents(file: &str) -> Vec<serde_json::Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../controller/deploy").join(file);
    serde_yaml::from_multiple(&std::fs::read_to_string(path).unwrap()).unwrap()
}
