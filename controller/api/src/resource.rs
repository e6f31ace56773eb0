//! A kind of object and where the API serves it; what a request's path names.
//!
//! Two groups may use one plural and one kind: `jobs` and `Job` are both `batch`'s and `batch.volcano.sh`'s. So neither
//! alone says what an object is, and the group always counts.

mod path;

pub use path::{RequestPath, with_group};

use std::{borrow::Cow, fmt};

/// A kind of object, and where the API serves it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Resource {
    /// API group, for example `batch`; empty for the core.
    pub group: Cow<'static, str>,
    /// Version of the group, for example `v1`.
    pub version: Cow<'static, str>,
    /// Plural of the kind as it stands in paths, for example `jobs`.
    pub plural: Cow<'static, str>,
    /// The kind as it stands in objects, for example `Job`.
    pub kind: Cow<'static, str>,
}

impl Resource {
    /// `batch/v1` Jobs.
    pub const JOBS: Self = Self::new("batch", "v1", "jobs", "Job");
    /// Volcano's Jobs, which are `jobs`, too.
    pub const VOLCANO_JOBS: Self = Self::new("batch.volcano.sh", "v1alpha1", "jobs", "Job");
    /// What Volcano tells its scheduler of a Job.
    pub const VOLCANO_POD_GROUPS: Self = Self::new("scheduling.volcano.sh", "v1beta1", "podgroups", "PodGroup");
    /// Where Volcano's gangs wait; they are in no namespace.
    pub const VOLCANO_QUEUES: Self = Self::new("scheduling.volcano.sh", "v1beta1", "queues", "Queue");
    /// Orders for Volcano's Jobs and queues.
    pub const VOLCANO_COMMANDS: Self = Self::new("bus.volcano.sh", "v1alpha1", "commands", "Command");
    /// Pods.
    pub const PODS: Self = Self::new("", "v1", "pods", "Pod");
    /// Services.
    pub const SERVICES: Self = Self::new("", "v1", "services", "Service");
    /// `ConfigMap`s.
    pub const CONFIG_MAPS: Self = Self::new("", "v1", "configmaps", "ConfigMap");
    /// Secrets.
    pub const SECRETS: Self = Self::new("", "v1", "secrets", "Secret");
    /// Claims of volumes.
    pub const CLAIMS: Self = Self::new("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim");
    /// Who may talk to which pods.
    pub const NETWORK_POLICIES: Self = Self::new("networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy");
    /// Events of the core, the older ones.
    pub const CORE_EVENTS: Self = Self::new("", "v1", "events", "Event");
    /// Events of `events.k8s.io`.
    pub const EVENTS: Self = Self::new("events.k8s.io", "v1", "events", "Event");
    /// Leases, by which instances agree who works.
    pub const LEASES: Self = Self::new("coordination.k8s.io", "v1", "leases", "Lease");
    /// Workloads, as `scheduling.k8s.io` has them since 1.37.
    pub const WORKLOADS: Self = Self::new("scheduling.k8s.io", "v1beta1", "workloads", "Workload");
    /// `PodGroup`s, as `scheduling.k8s.io` has them since 1.37.
    pub const POD_GROUPS: Self = Self::new("scheduling.k8s.io", "v1beta1", "podgroups", "PodGroup");

    /// From its four names; `group` is empty for the core.
    #[must_use]
    pub const fn new(group: &'static str, version: &'static str, plural: &'static str, kind: &'static str) -> Self {
        Self {
            group: Cow::Borrowed(group),
            version: Cow::Borrowed(version),
            plural: Cow::Borrowed(plural),
            kind: Cow::Borrowed(kind),
        }
    }

    /// The same kind in another version of its group.
    #[must_use]
    pub fn in_version(self, version: impl Into<Cow<'static, str>>) -> Self {
        Self { version: version.into(), ..self }
    }

    /// What stands in `apiVersion` of its objects: `v1` or `batch/v1`.
    #[must_use]
    pub fn api_version(&self) -> String {
        match &*self.group {
            "" => self.version.clone().into_owned(),
            group => format!("{group}/{}", self.version),
        }
    }

    /// The path of its API: `/api/v1` or `/apis/batch/v1`.
    #[must_use]
    pub fn api_path(&self) -> String {
        path::of_api(&self.group, &self.version)
    }

    /// The path of all of its objects, in whatever namespace: `/apis/batch/v1/jobs`.
    #[must_use]
    pub fn path(&self) -> String {
        RequestPath::of(self).to_string()
    }

    /// The path of a namespace's list: `/apis/batch/v1/namespaces/N/jobs`.
    #[must_use]
    pub fn list_path(&self, namespace: &str) -> String {
        RequestPath::of(self).within(namespace).to_string()
    }

    /// Whether an object with these two fields is of this kind, in whatever version.
    #[must_use]
    pub fn is_kind_of(&self, api_version: &str, kind: &str) -> bool {
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        self.kind == kind && self.group == group
    }

    /// The plural for people; that of somebody else's API goes with its group: `jobs.batch.volcano.sh`.
    #[must_use]
    pub fn name(&self) -> String {
        with_group(&self.group, &self.plural).into_owned()
    }
}

impl fmt::Display for Resource {
    /// As in `batch/v1 Job`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.api_version(), self.kind)
    }
}

#[cfg(test)]
mod tests {
    use super::Resource;
    use rstest::rstest;

    #[rstest]
    #[case::of_the_core(Resource::PODS, "/api/v1", "/api/v1/pods", "/api/v1/namespaces/n/pods", "v1 Pod", "pods")]
    #[case::of_a_group(
        Resource::JOBS,
        "/apis/batch/v1",
        "/apis/batch/v1/jobs",
        "/apis/batch/v1/namespaces/n/jobs",
        "batch/v1 Job",
        "jobs"
    )]
    #[case::of_a_group_of_the_project(
        Resource::LEASES,
        "/apis/coordination.k8s.io/v1",
        "/apis/coordination.k8s.io/v1/leases",
        "/apis/coordination.k8s.io/v1/namespaces/n/leases",
        "coordination.k8s.io/v1 Lease",
        "leases"
    )]
    #[case::of_somebody_elses_group(
        Resource::VOLCANO_JOBS,
        "/apis/batch.volcano.sh/v1alpha1",
        "/apis/batch.volcano.sh/v1alpha1/jobs",
        "/apis/batch.volcano.sh/v1alpha1/namespaces/n/jobs",
        "batch.volcano.sh/v1alpha1 Job",
        "jobs.batch.volcano.sh"
    )]
    fn a_resource_knows_where_it_is_served(
        #[case] resource: Resource,
        #[case] api: &str,
        #[case] path: &str,
        #[case] list: &str,
        #[case] shown: &str,
        #[case] name: &str,
    ) {
        assert_eq!(resource.api_path(), api);
        assert_eq!(resource.path(), path);
        assert_eq!(resource.list_path("n"), list);
        assert_eq!((resource.to_string().as_str(), resource.name().as_str()), (shown, name));
    }

    #[rstest]
    #[case::its_own("batch/v1", "Job", true)]
    #[case::of_an_older_version("batch/v1beta1", "Job", true)]
    #[case::of_another_group("batch.volcano.sh/v1alpha1", "Job", false)]
    #[case::of_no_group("v1", "Job", false)]
    #[case::of_another_kind("batch/v1", "CronJob", false)]
    #[case::of_no_version("", "Job", false)]
    fn an_object_is_known_by_its_group_and_its_kind(#[case] version: &str, #[case] kind: &str, #[case] is_it: bool) {
        assert_eq!(Resource::JOBS.is_kind_of(version, kind), is_it);
    }

    #[test]
    fn a_kind_has_one_name_in_all_versions_of_its_group() {
        let older = Resource::WORKLOADS.in_version("v1alpha2");
        assert_eq!(older.api_version(), "scheduling.k8s.io/v1alpha2");
        assert_eq!(older.name(), Resource::WORKLOADS.name());
        assert_ne!(older, Resource::WORKLOADS);
    }
}
