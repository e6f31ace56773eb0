//! What is watched, and what becomes of it in the timeline.

use jobsworth_api::Resource;
use jobsworth_oracle::{
    Setting,
    recorded::{KINDS, Kind, Scope},
};
use kube::core::Request;

/// A resource that is watched.
#[derive(Clone, Debug)]
pub(super) struct Watched {
    /// Where it is served.
    pub(super) resource: Resource,
    /// What is written down of it.
    pub(super) kept: Kept,
}

/// What is written down of an object.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kept {
    /// Every version.
    Versions(&'static Kind),
    /// That it was there: Events.
    Notice,
}

impl Watched {
    /// What is watched on a control plane like this: every kind that it serves, and Events.
    pub(super) fn of(setting: &Setting) -> Vec<Self> {
        let kinds = KINDS.iter().filter_map(|kind| {
            let resource = kind.served(setting)?;
            Some(Self { resource, kept: Kept::Versions(kind) })
        });
        kinds.chain([Self { resource: Resource::EVENTS, kept: Kept::Notice }]).collect()
    }

    /// What it is called in timelines and messages.
    pub(super) fn name(&self) -> String {
        self.resource.name()
    }

    pub(super) fn request(&self, namespace: &str) -> Request {
        Request::new(match self.kept {
            Kept::Versions(kind) if kind.scope() == Scope::Cluster => self.resource.path(),
            Kept::Versions(_) | Kept::Notice => self.resource.list_path(namespace),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Watched;
    use jobsworth_api::Resource;
    use jobsworth_oracle::{Ownership, Setting};
    use kube::api::ListParams;
    use rstest::rstest;
    use std::collections::BTreeMap;

    fn setting(version: &str, judged: Resource) -> Setting {
        Setting {
            case: "a/case".to_owned(),
            namespace: "jw-1".to_owned(),
            started: jiff::Timestamp::UNIX_EPOCH,
            kubernetes: version.parse().unwrap(),
            emulated: None,
            gates: BTreeMap::new(),
            subject: "builtin".to_owned(),
            judged,
            ownership: Ownership::BuiltIn,
            shared: false,
        }
    }

    /// Where each of them is read.
    fn paths(watched: &[Watched]) -> Vec<String> {
        watched
            .iter()
            .map(|one| one.request("jw-1").list(&ListParams::default()).unwrap().uri().path().to_owned())
            .collect()
    }

    #[test]
    fn volcanos_objects_are_watched_where_its_jobs_are_judged() {
        let watched = Watched::of(&setting("1.37.1", Resource::VOLCANO_JOBS));
        let paths = paths(&watched);
        for path in [
            "/apis/batch.volcano.sh/v1alpha1/namespaces/jw-1/jobs",
            "/apis/scheduling.volcano.sh/v1beta1/namespaces/jw-1/podgroups",
            "/apis/scheduling.volcano.sh/v1beta1/queues",
            "/apis/bus.volcano.sh/v1alpha1/namespaces/jw-1/commands",
            "/api/v1/namespaces/jw-1/secrets",
            "/apis/networking.k8s.io/v1/namespaces/jw-1/networkpolicies",
        ] {
            assert!(paths.iter().any(|found| found == path), "{path} is not in {paths:#?}");
        }
    }

    const SCHEDULING: &[&str] = &["workloads", "podgroups"];

    #[rstest]
    #[case::with_the_gate("1.37.1", None, Some(true), SCHEDULING, "scheduling.k8s.io/v1beta1")]
    #[case::with_the_gate_before("1.36.3", None, Some(true), SCHEDULING, "scheduling.k8s.io/v1alpha2")]
    #[case::as_an_older_one("1.37.1", Some("1.36"), Some(true), SCHEDULING, "scheduling.k8s.io/v1alpha2")]
    #[case::before_there_was_the_gate("1.35.4", None, Some(true), &[], "")]
    #[case::without_the_gate("1.37.1", None, Some(false), &[], "")]
    #[case::where_nobody_knows_the_gate("1.37.1", None, None, &[], "")]
    fn what_is_watched_is_what_is_served(
        #[case] version: &str,
        #[case] emulated: Option<&str>,
        #[case] gate: Option<bool>,
        #[case] more: &[&str],
        #[case] api: &str,
    ) {
        let setting = Setting {
            emulated: emulated.map(|minor| minor.parse().unwrap()),
            gates: gate.map(|on| ("GenericWorkload".to_owned(), on)).into_iter().collect(),
            ..setting(version, Resource::JOBS)
        };
        let watched = Watched::of(&setting);
        let names: Vec<String> = watched.iter().map(Watched::name).collect();
        assert_eq!(names, [&["jobs", "pods"], more, &["events"]].concat());
        let of_scheduling = watched.iter().filter(|one| more.contains(&one.name().as_str()));
        assert!(of_scheduling.into_iter().all(|one| one.resource.api_version() == api), "{watched:?}");
    }
}
