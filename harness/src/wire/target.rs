//! What a request is about, read from its method and path: pure.

use http::{Method, Uri};
use jobsworth_api::{RequestPath, Resource};

/// What people are told by and elections are held with: nothing of a Job's life rests on it.
const ASIDE: [Resource; 3] = [Resource::EVENTS, Resource::CORE_EVENTS, Resource::LEASES];

/// What a request is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// As in audit logs.
    pub verb: &'static str,
    /// Resource and subresource, for example `jobs/status`; the path where that names none.
    pub on: String,
    /// The namespace, where the path names one.
    pub namespace: Option<String>,
    /// The object, where the path names one.
    pub name: String,
    /// Whether it is an Event or a Lease.
    pub is_aside: bool,
}

impl Target {
    /// Reads method and path.
    #[must_use]
    pub fn of(method: &Method, uri: &Uri) -> Self {
        let path = RequestPath::parse(uri.path());
        let name = path.as_ref().and_then(|path| path.name.as_deref()).unwrap_or_default().to_owned();
        let verb = match *method {
            Method::POST => "create",
            Method::PUT => "update",
            Method::PATCH => "patch",
            Method::DELETE if name.is_empty() => "deletecollection",
            Method::DELETE => "delete",
            _ if follows(uri) => "watch",
            _ if name.is_empty() => "list",
            _ => "get",
        };
        Self {
            verb,
            on: path.as_ref().map_or_else(|| uri.path().to_owned(), RequestPath::words),
            namespace: path.as_ref().and_then(|path| path.namespace.as_deref()).map(str::to_owned),
            name,
            is_aside: path.is_some_and(|path| ASIDE.iter().any(|aside| path.is_of(aside))),
        }
    }

    /// Whether it is to delete something.
    #[must_use]
    pub fn deletes(&self) -> bool {
        matches!(self.verb, "delete" | "deletecollection")
    }

    /// Whether it is to change something.
    #[must_use]
    pub fn writes(&self) -> bool {
        !matches!(self.verb, "watch" | "list" | "get")
    }
}

fn follows(uri: &Uri) -> bool {
    let pairs = uri.query().unwrap_or_default().split('&');
    pairs.into_iter().any(|pair| matches!(pair, "watch=true" | "watch=1"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::a_list("GET", "/api/v1/pods?limit=500", "list", "pods", None)]
    #[case::a_watch("GET", "/apis/batch/v1/jobs?allowWatchBookmarks=true&watch=true", "watch", "jobs", None)]
    #[case::a_look("GET", "/apis/batch/v1/namespaces/n/jobs/job", "get", "jobs", Some("n"))]
    #[case::a_creation("POST", "/api/v1/namespaces/n/pods", "create", "pods", Some("n"))]
    #[case::a_status("PUT", "/apis/batch/v1/namespaces/n/jobs/job/status", "update", "jobs/status", Some("n"))]
    #[case::a_deletion("DELETE", "/apis/batch/v1/namespaces/n/jobs/job", "delete", "jobs", Some("n"))]
    #[case::of_many("DELETE", "/api/v1/namespaces/n/pods", "deletecollection", "pods", Some("n"))]
    #[case::of_somebody_else(
        "PATCH",
        "/apis/batch.volcano.sh/v1alpha1/namespaces/n/jobs/j/status",
        "patch",
        "jobs.batch.volcano.sh/status",
        Some("n")
    )]
    #[case::of_nothing("GET", "/version", "list", "/version", None)]
    fn a_request_says_what_it_is_about(
        #[case] method: &str,
        #[case] uri: &str,
        #[case] verb: &str,
        #[case] on: &str,
        #[case] namespace: Option<&str>,
    ) {
        let target = Target::of(&method.parse().unwrap(), &uri.parse().unwrap());
        assert_eq!((target.verb, target.on.as_str(), target.namespace.as_deref()), (verb, on, namespace));
    }

    #[rstest]
    #[case::an_event("/apis/events.k8s.io/v1/namespaces/n/events", true)]
    #[case::an_older_event("/api/v1/namespaces/n/events", true)]
    #[case::a_lease("/apis/coordination.k8s.io/v1/namespaces/n/leases/l", true)]
    #[case::a_pod("/api/v1/namespaces/leases/pods", false)]
    fn what_stands_aside_is_told_apart(#[case] uri: &str, #[case] is_aside: bool) {
        assert_eq!(Target::of(&Method::POST, &uri.parse().unwrap()).is_aside, is_aside);
    }
}
