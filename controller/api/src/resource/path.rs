//! The path of a request, taken apart and put together.

use super::Resource;
use std::{borrow::Cow, fmt};

/// What the path of a request names: a resource, or an object of it.
///
/// Taken apart as the API server does it; the older paths with `/watch/` in them are not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestPath<'a> {
    /// API group; empty for the core.
    pub group: Cow<'a, str>,
    /// Version of the group.
    pub version: Cow<'a, str>,
    /// Plural of the kind.
    pub plural: Cow<'a, str>,
    /// The namespace, where the path names one; a namespace as an object has its name in `name`, too.
    pub namespace: Option<Cow<'a, str>>,
    /// The object's name, where the path names one.
    pub name: Option<Cow<'a, str>>,
    /// For example `status`.
    pub subresource: Option<Cow<'a, str>>,
}

/// What stands behind a namespace's name and is no plural.
const OF_NAMESPACES: [&str; 2] = ["status", "finalize"];

impl<'a> RequestPath<'a> {
    /// Takes a path apart, without its query; nothing for a path that names no resource, such as `/version`.
    #[must_use]
    pub fn parse(path: &'a str) -> Option<Self> {
        let mut parts = path.trim_matches('/').split('/');
        let group = match parts.next()? {
            "api" => "",
            "apis" => parts.next()?,
            _ => return None,
        };
        let version = parts.next()?;
        let rest: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        let (namespace, rest) = match *rest.as_slice() {
            ["namespaces", namespace, plural, ..] if !OF_NAMESPACES.contains(&plural) => {
                (Some(namespace), rest.get(2..)?)
            }
            ["namespaces", namespace, ..] => (Some(namespace), rest.as_slice()),
            _ => (None, rest.as_slice()),
        };
        Some(Self {
            group: group.into(),
            version: version.into(),
            plural: (*rest.first()?).into(),
            namespace: namespace.map(Cow::Borrowed),
            name: rest.get(1).copied().map(Cow::Borrowed),
            subresource: rest.get(2).copied().map(Cow::Borrowed),
        })
    }

    /// Whether it names this resource, in whatever version.
    #[must_use]
    pub fn is_of(&self, resource: &Resource) -> bool {
        self.group == resource.group && self.plural == resource.plural
    }

    /// The plural for people, with its group where that is somebody else's: `jobs`, `jobs.batch.volcano.sh`.
    #[must_use]
    pub fn plural_in_words(&self) -> Cow<'_, str> {
        with_group(&self.group, &self.plural)
    }

    /// The same with the subresource: `jobs/status`, `jobs.batch.volcano.sh/status`.
    #[must_use]
    pub fn words(&self) -> String {
        let plural = self.plural_in_words();
        self.subresource.iter().fold(plural.into_owned(), |words, part| format!("{words}/{part}"))
    }

    /// The same in this namespace.
    #[must_use]
    pub fn within(self, namespace: impl Into<Cow<'a, str>>) -> Self {
        Self { namespace: Some(namespace.into()), ..self }
    }

    /// The object of this name.
    #[must_use]
    pub fn named(self, name: impl Into<Cow<'a, str>>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// A part of the object, for example `status`.
    #[must_use]
    pub fn part(self, subresource: impl Into<Cow<'a, str>>) -> Self {
        Self { subresource: Some(subresource.into()), ..self }
    }

    /// The same, holding its text.
    #[must_use]
    pub fn into_owned(self) -> RequestPath<'static> {
        let owned = |text: Cow<'a, str>| Cow::Owned(text.into_owned());
        RequestPath {
            group: owned(self.group),
            version: owned(self.version),
            plural: owned(self.plural),
            namespace: self.namespace.map(owned),
            name: self.name.map(owned),
            subresource: self.subresource.map(owned),
        }
    }
}

impl RequestPath<'static> {
    /// All objects of a resource, in whatever namespace.
    #[must_use]
    pub fn of(resource: &Resource) -> Self {
        Self {
            group: resource.group.clone(),
            version: resource.version.clone(),
            plural: resource.plural.clone(),
            namespace: None,
            name: None,
            subresource: None,
        }
    }
}

impl fmt::Display for RequestPath<'_> {
    /// The path as it is asked for.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&of_api(&self.group, &self.version))?;
        if let Some(namespace) = self.namespace.as_deref().filter(|_| self.plural != "namespaces") {
            write!(f, "/namespaces/{namespace}")?;
        }
        write!(f, "/{}", self.plural)?;
        [&self.name, &self.subresource].into_iter().flatten().try_for_each(|part| write!(f, "/{part}"))
    }
}

pub(super) fn of_api(group: &str, version: &str) -> String {
    if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") }
}

/// A plural or a kind for people. Groups without a dot and those of `k8s.io` are Kubernetes' own, and what is theirs needs no
/// group to be understood; what is of others stands with it: `jobs.batch.volcano.sh`.
#[must_use]
pub fn with_group<'a>(group: &str, word: &'a str) -> Cow<'a, str> {
    let is_own = !group.contains('.') || group.ends_with(".k8s.io");
    if is_own { word.into() } else { format!("{word}.{group}").into() }
}

#[cfg(test)]
mod tests {
    use super::{RequestPath, Resource};
    use rstest::rstest;

    /// Group, version, plural, namespace, name and subresource; `-` for nothing.
    fn told(path: &str) -> Option<[String; 6]> {
        let path = RequestPath::parse(path)?;
        let or = |part: Option<std::borrow::Cow<'_, str>>| part.map_or_else(|| "-".to_owned(), Into::into);
        let (group, version, plural) = (path.group.into(), path.version.into(), path.plural.into());
        Some([group, version, plural, or(path.namespace), or(path.name), or(path.subresource)])
    }

    #[rstest]
    #[case::all_of_the_core("/api/v1/pods", ["", "v1", "pods", "-", "-", "-"])]
    #[case::all_of_a_group("/apis/batch/v1/jobs", ["batch", "v1", "jobs", "-", "-", "-"])]
    #[case::of_a_namespace("/api/v1/namespaces/n/pods", ["", "v1", "pods", "n", "-", "-"])]
    #[case::an_object("/apis/batch/v1/namespaces/n/jobs/job", ["batch", "v1", "jobs", "n", "job", "-"])]
    #[case::a_part("/apis/batch/v1/namespaces/n/jobs/job/status", ["batch", "v1", "jobs", "n", "job", "status"])]
    #[case::of_somebody_else(
        "/apis/batch.volcano.sh/v1alpha1/namespaces/n/jobs/job",
        ["batch.volcano.sh", "v1alpha1", "jobs", "n", "job", "-"]
    )]
    #[case::of_no_namespace("/api/v1/nodes/a/status", ["", "v1", "nodes", "-", "a", "status"])]
    #[case::namespaces("/api/v1/namespaces", ["", "v1", "namespaces", "-", "-", "-"])]
    #[case::a_namespace("/api/v1/namespaces/n", ["", "v1", "namespaces", "n", "n", "-"])]
    #[case::a_part_of_a_namespace("/api/v1/namespaces/n/status", ["", "v1", "namespaces", "n", "n", "status"])]
    #[case::jobs_as_a_namespace("/api/v1/namespaces/jobs/pods", ["", "v1", "pods", "jobs", "-", "-"])]
    #[case::a_pod_called_jobs("/api/v1/namespaces/n/pods/jobs", ["", "v1", "pods", "n", "jobs", "-"])]
    #[case::a_slash_too_many("/api/v1/pods/", ["", "v1", "pods", "-", "-", "-"])]
    fn a_path_is_taken_apart(#[case] path: &str, #[case] parts: [&str; 6]) {
        assert_eq!(told(path).unwrap(), parts);
    }

    #[rstest]
    #[case::the_version("/version")]
    #[case::metrics("/metrics")]
    #[case::the_core("/api")]
    #[case::a_version_of_the_core("/api/v1")]
    #[case::groups("/apis")]
    #[case::a_group("/apis/batch")]
    #[case::a_version_of_a_group("/apis/batch/v1")]
    #[case::nothing("")]
    fn a_path_without_a_resource_is_none(#[case] path: &str) {
        assert_eq!(told(path), None);
    }

    #[rstest]
    #[case::of_the_core("/api/v1/namespaces/n/pods/a/eviction")]
    #[case::of_a_group("/apis/batch/v1/namespaces/n/jobs/job/status")]
    #[case::everywhere("/apis/batch.volcano.sh/v1alpha1/jobs")]
    #[case::a_namespace("/api/v1/namespaces/n/status")]
    fn what_is_taken_apart_can_be_put_together(#[case] path: &str) {
        let parsed = RequestPath::parse(path).unwrap();
        assert_eq!(parsed.to_string(), path);
        assert_eq!(parsed.into_owned().to_string(), path);
    }

    #[rstest]
    #[case::its_own("/apis/batch/v1/jobs", true, "jobs")]
    #[case::in_an_older_version("/apis/batch/v1beta1/namespaces/n/jobs/job/status", true, "jobs/status")]
    #[case::of_another_group(
        "/apis/batch.volcano.sh/v1alpha1/namespaces/n/jobs/j/status",
        false,
        "jobs.batch.volcano.sh/status"
    )]
    #[case::of_another_plural("/apis/batch/v1/cronjobs", false, "cronjobs")]
    #[case::with_jobs_for_a_name("/api/v1/namespaces/jobs/pods/jobs", false, "pods")]
    fn a_path_is_of_a_resource_by_group_and_plural(#[case] path: &str, #[case] is_it: bool, #[case] words: &str) {
        let parsed = RequestPath::parse(path).unwrap();
        assert_eq!((parsed.is_of(&Resource::JOBS), parsed.words().as_str()), (is_it, words));
    }

    #[test]
    fn a_path_is_built_from_a_resource() {
        let path = RequestPath::of(&Resource::JOBS).within("n").named("job").part("status");
        assert_eq!(path.to_string(), "/apis/batch/v1/namespaces/n/jobs/job/status");
    }
}
