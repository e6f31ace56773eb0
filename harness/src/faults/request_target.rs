//! What a request is about, read from its method and path: pure.

use http::{Method, Uri, uri::PathAndQuery};
use jobsworth_api::{RequestPath, Resource};

/// What a controller looks at in all namespaces, and is shown of one only.
const NARROWED: [Resource; 5] =
    [Resource::JOBS, Resource::PODS, Resource::VOLCANO_JOBS, Resource::VOLCANO_POD_GROUPS, Resource::VOLCANO_COMMANDS];
/// Both kinds of Event.
const EVENTS: [Resource; 2] = [Resource::EVENTS, Resource::CORE_EVENTS];

/// A request, as far as faults are aimed by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestTarget {
    /// What kind of request it is.
    pub kind: Kind,
    /// Method, resource and subresource, for example `PUT jobs/status`.
    pub what: String,
}

/// Which kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Reads once.
    Read,
    /// Follows changes.
    Watch,
    /// Changes Jobs or pods.
    Write,
    /// Changes a Lease: how instances agree who works.
    Election,
    /// Leaves an Event: for people, and nothing rests on it.
    Notice,
}

impl Kind {
    /// Whether something is changed.
    #[must_use]
    pub const fn changes(self) -> bool {
        matches!(self, Self::Write | Self::Election | Self::Notice)
    }
}

impl RequestTarget {
    /// Reads method and path.
    #[must_use]
    pub fn of(method: &Method, uri: &Uri) -> Self {
        let path = RequestPath::parse(uri.path());
        let is_of = |resource: &Resource| path.as_ref().is_some_and(|path| path.is_of(resource));
        let kind = match *method {
            Method::GET | Method::HEAD if follows(uri) => Kind::Watch,
            Method::GET | Method::HEAD => Kind::Read,
            _ if is_of(&Resource::LEASES) => Kind::Election,
            _ if EVENTS.iter().any(is_of) => Kind::Notice,
            _ => Kind::Write,
        };
        let what = path.map_or_else(|| uri.path().to_owned(), |path| path.words());
        let what = format!("{method} {what}");
        Self { kind, what }
    }
}

/// The same request with its view narrowed to one namespace, if it looked at Jobs, pods, groups or Commands of all
/// of them.
#[must_use]
pub fn narrowed(uri: &Uri, namespace: &str) -> Option<Uri> {
    let path = RequestPath::parse(uri.path())?;
    let is_meant = path.namespace.is_none() && path.name.is_none() && NARROWED.iter().any(|all| path.is_of(all));
    let path = is_meant.then(|| path.within(namespace))?;
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let path: PathAndQuery = format!("{path}{query}").parse().ok()?;
    Some(Uri::from(path))
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
    #[case::a_list("GET", "/api/v1/pods?limit=500", Kind::Read, "GET pods")]
    #[case::a_watch("GET", "/apis/batch/v1/jobs?watch=true&resourceVersion=7", Kind::Watch, "GET jobs")]
    #[case::a_creation("POST", "/api/v1/namespaces/n/pods", Kind::Write, "POST pods")]
    #[case::a_status("PUT", "/apis/batch/v1/namespaces/n/jobs/job/status", Kind::Write, "PUT jobs/status")]
    #[case::an_event("POST", "/api/v1/namespaces/n/events", Kind::Notice, "POST events")]
    #[case::a_newer_event("POST", "/apis/events.k8s.io/v1/namespaces/n/events", Kind::Notice, "POST events")]
    #[case::a_lease("PUT", "/apis/coordination.k8s.io/v1/namespaces/n/leases/l", Kind::Election, "PUT leases")]
    #[case::a_namespace_called_leases("POST", "/api/v1/namespaces/leases/pods", Kind::Write, "POST pods")]
    #[case::events_of_somebody_else("POST", "/apis/example.com/v1/events", Kind::Write, "POST events.example.com")]
    #[case::jobs_of_somebody_else(
        "PUT",
        "/apis/batch.volcano.sh/v1alpha1/namespaces/n/jobs/job/status",
        Kind::Write,
        "PUT jobs.batch.volcano.sh/status"
    )]
    fn a_request_says_what_it_is(#[case] method: &str, #[case] uri: &str, #[case] kind: Kind, #[case] what: &str) {
        let target = RequestTarget::of(&method.parse().unwrap(), &uri.parse().unwrap());
        assert_eq!(target, RequestTarget { kind, what: what.to_owned() });
    }

    #[rstest]
    #[case::all_pods("/api/v1/pods?watch=true", Some("/api/v1/namespaces/one/pods?watch=true"))]
    #[case::all_jobs("/apis/batch/v1/jobs", Some("/apis/batch/v1/namespaces/one/jobs"))]
    #[case::narrow_already("/api/v1/namespaces/other/pods", None)]
    #[case::all_jobs_of_volcano(
        "/apis/batch.volcano.sh/v1alpha1/jobs",
        Some("/apis/batch.volcano.sh/v1alpha1/namespaces/one/jobs")
    )]
    #[case::queues("/apis/scheduling.volcano.sh/v1beta1/queues", None)]
    #[case::jobs_of_somebody_else("/apis/batch.example.com/v1/jobs", None)]
    #[case::something_else("/version", None)]
    fn a_view_of_all_namespaces_is_narrowed_to_one(#[case] uri: &str, #[case] narrow: Option<&str>) {
        assert_eq!(narrowed(&uri.parse().unwrap(), "one"), narrow.map(|text| text.parse().unwrap()));
    }
}
