//! Writes of a script to the API server, as values.

use jobsworth_api::{RequestPath, Resource};
use jobsworth_oracle::{Answer, fact::Cause};
use serde_json::{Value, json};
use std::sync::Arc;

/// One request, and the object that goes with it.
#[derive(Clone, Debug)]
pub struct Write {
    method: http::Method,
    /// What it is about.
    target: RequestPath<'static>,
    /// Where that is.
    place: Place,
    /// What else stands in the query, each with its `&`.
    options: String,
    content: &'static str,
    /// What becomes of fields that the API does not know.
    unknown_fields: &'static str,
    body: Value,
}

/// Where the object of a write is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In the namespace of the case.
    OwnNamespace,
    /// In a namespace that every cluster has.
    Namespace(&'static str),
    /// In none.
    Cluster,
}

/// What becomes of a Job's pods when it is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Propagation {
    /// They are deleted after it.
    Background,
    /// They are deleted before it.
    Foreground,
    /// They stay.
    Orphan,
}

impl Propagation {
    fn as_str(self) -> &'static str {
        match self {
            Self::Background => "Background",
            Self::Foreground => "Foreground",
            Self::Orphan => "Orphan",
        }
    }
}

const JSON: &str = "application/json";
const MERGE_PATCH: &str = "application/merge-patch+json";

impl Write {
    /// Creates a Job; unknown fields are refused.
    #[must_use]
    pub fn create_job(job: Value) -> Self {
        Self::of(http::Method::POST, all_jobs(), JSON, job)
    }

    /// Creates a pod.
    #[must_use]
    pub fn create_pod(pod: Value) -> Self {
        Self::of(http::Method::POST, RequestPath::of(&Resource::PODS), JSON, pod)
    }

    /// Merges `patch` into a Job.
    #[must_use]
    pub fn patch_job(name: &str, patch: Value) -> Self {
        Self::of(http::Method::PATCH, job(name), MERGE_PATCH, patch)
    }

    /// Merges `status` into a Job's status.
    #[must_use]
    pub fn patch_job_status(name: &str, status: Value) -> Self {
        let patch = json!({"status": status});
        Self::of(http::Method::PATCH, job(name).part("status"), MERGE_PATCH, patch)
    }

    /// Merges `patch` into a pod.
    #[must_use]
    pub fn patch_pod(name: &str, patch: Value) -> Self {
        Self::of(http::Method::PATCH, pod(name), MERGE_PATCH, patch)
    }

    /// Deletes a Job.
    #[must_use]
    pub fn delete_job(name: &str, propagation: Propagation) -> Self {
        Self::delete_of(&Resource::JOBS, name).leaving(propagation)
    }

    /// Deletes a Job and says nothing of what becomes of its pods.
    #[must_use]
    pub fn delete_job_plainly(name: &str) -> Self {
        let mut write = Self::delete_of(&Resource::JOBS, name);
        if let Some(options) = write.body.as_object_mut() {
            options.remove("propagationPolicy");
        }
        write
    }

    /// Deletes a pod; with 0 seconds of grace it goes at once.
    #[must_use]
    pub fn delete_pod(name: &str, grace_seconds: Option<u32>) -> Self {
        let mut options = json!({"kind": "DeleteOptions", "apiVersion": "v1"});
        if let Some(seconds) = grace_seconds {
            options["gracePeriodSeconds"] = seconds.into();
        }
        Self::of(http::Method::DELETE, pod(name), JSON, options)
    }

    /// Asks for a pod to be evicted.
    #[must_use]
    pub fn evict_pod(name: &str) -> Self {
        let eviction = json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}});
        Self::of(http::Method::POST, pod(name).part("eviction"), JSON, eviction)
    }

    /// Creates any namespaced object: `group` like `apis/batch/v1`, `plural` like `jobs`.
    ///
    /// # Panics
    /// When `group` is no path of an API.
    #[must_use]
    pub fn create(group: &'static str, plural: &str, object: Value) -> Self {
        Self::of(http::Method::POST, target(group, plural), JSON, object)
    }

    /// Merges `patch` into any namespaced object or subresource: `path` like `jobs/job/status`.
    ///
    /// # Panics
    /// When `group` is no path of an API.
    #[must_use]
    pub fn patch(group: &'static str, path: &str, patch: Value) -> Self {
        Self::of(http::Method::PATCH, target(group, path), MERGE_PATCH, patch)
    }

    /// Creates an object of this kind.
    #[must_use]
    pub fn create_of(kind: &Resource, object: Value) -> Self {
        Self::of(http::Method::POST, RequestPath::of(kind), JSON, object)
    }

    /// Merges `patch` into an object of this kind.
    #[must_use]
    pub fn patch_of(kind: &Resource, name: &str, patch: Value) -> Self {
        Self::of(http::Method::PATCH, RequestPath::of(kind).named(name.to_owned()), MERGE_PATCH, patch)
    }

    /// Deletes an object of this kind; what it owns goes after it.
    #[must_use]
    pub fn delete_of(kind: &Resource, name: &str) -> Self {
        let options = json!({"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"});
        Self::of(http::Method::DELETE, RequestPath::of(kind).named(name.to_owned()), JSON, options)
    }

    /// With this to become of what the deleted object owns.
    #[must_use]
    pub fn leaving(mut self, propagation: Propagation) -> Self {
        self.body["propagationPolicy"] = propagation.as_str().into();
        self
    }

    /// On this subresource, for example `status`.
    #[must_use]
    pub fn part(mut self, subresource: &'static str) -> Self {
        self.target = self.target.part(subresource);
        self
    }

    /// In this namespace, not in the case's own.
    #[must_use]
    pub fn in_namespace(mut self, namespace: &'static str) -> Self {
        self.place = Place::Namespace(namespace);
        self
    }

    /// Of an object that is in no namespace.
    #[must_use]
    pub fn of_the_cluster(mut self) -> Self {
        self.place = Place::Cluster;
        self
    }

    /// Fields that the API does not know are dropped and not refused, as for clients of old.
    #[must_use]
    pub fn dropping_unknown_fields(mut self) -> Self {
        self.unknown_fields = "Ignore";
        self
    }

    /// Deletes every Job that a field selector selects, for example `status.successful=1`; their pods go too.
    #[must_use]
    pub fn delete_jobs_where(fields: &str) -> Self {
        let options = json!({"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"});
        let mut write = Self::of(http::Method::DELETE, all_jobs(), JSON, options);
        write.options = format!("&fieldSelector={}", fields.replace('=', "%3D"));
        write
    }

    /// Asked only for show: defaults, validation and warnings as ever, nothing stored.
    ///
    /// A deletion says so in its `DeleteOptions`: where these come as a body, the API server does not look at the query.
    #[must_use]
    pub fn dry_run(mut self) -> Self {
        match self.is_deletion() {
            true => self.body["dryRun"] = json!(["All"]),
            false => self.options.push_str("&dryRun=All"),
        }
        self
    }

    fn of(method: http::Method, target: RequestPath<'static>, content: &'static str, body: Value) -> Self {
        let (place, unknown_fields) = (Place::OwnNamespace, "Strict");
        Self { method, target, place, options: String::new(), content, unknown_fields, body }
    }

    /// What is about to be created, and where, if something is.
    pub(super) fn created(&mut self) -> Option<(&RequestPath<'static>, &mut Value)> {
        (self.method == http::Method::POST).then_some((&self.target, &mut self.body))
    }

    /// What takes the object of this name away that it has made, where that is in no namespace and would stay.
    pub(super) fn undone(&self, name: &str) -> Option<Self> {
        let is_kept = self.method == http::Method::POST && self.place == Place::Cluster && self.options.is_empty();
        let options = json!({"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"});
        let whole = || Self::of(http::Method::DELETE, self.target.clone().named(name.to_owned()), JSON, options);
        is_kept.then(|| whole().of_the_cluster())
    }

    pub(super) fn is_deletion(&self) -> bool {
        self.method == http::Method::DELETE
    }

    /// What it does, in a few words.
    pub(super) fn words(&self) -> String {
        let words = format!("{} {}", self.method.as_str().to_lowercase(), self.target.plural_in_words());
        let parts = [&self.target.name, &self.target.subresource].into_iter().flatten();
        parts.fold(words, |words, part| format!("{words}/{part}"))
    }

    pub(super) fn request(&self, namespace: &str) -> Result<http::Request<Vec<u8>>, http::Error> {
        let validation = match self.method {
            http::Method::DELETE => String::new(),
            _ => format!("&fieldValidation={}", self.unknown_fields),
        };
        let manager = "fieldManager=jobsworth-script";
        let target = match self.place {
            Place::OwnNamespace => self.target.clone().within(namespace.to_owned()),
            Place::Namespace(other) => self.target.clone().within(other),
            Place::Cluster => self.target.clone(),
        };
        let uri = format!("{target}?{manager}{validation}{}", self.options);
        http::Request::builder()
            .method(self.method.clone())
            .uri(uri)
            .header(http::header::CONTENT_TYPE, self.content)
            .header(http::header::ACCEPT, JSON)
            .body(self.body.to_string().into_bytes())
    }
}

fn all_jobs() -> RequestPath<'static> {
    RequestPath::of(&Resource::JOBS)
}

fn job(name: &str) -> RequestPath<'static> {
    all_jobs().named(name.to_owned())
}

fn pod(name: &str) -> RequestPath<'static> {
    RequestPath::of(&Resource::PODS).named(name.to_owned())
}

/// What suites call `api/v1` and `configmaps/name`.
fn target(group: &str, path: &str) -> RequestPath<'static> {
    let path = format!("/{group}/{path}");
    RequestPath::parse(&path).expect("suites name an API and a plural").into_owned()
}

/// The answer in the response to a script's write named `to`.
pub(super) fn answer(to: &str, head: &http::response::Parts, body: &[u8]) -> Answer {
    let body: Value = serde_json::from_slice(body).unwrap_or_else(|_| String::from_utf8_lossy(body).into());
    let accepted = head.status.is_success();
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let cause = |cause: &Value| Cause {
        field: text(cause, "field"),
        reason: text(cause, "reason"),
        message: text(cause, "message"),
    };
    let causes = body.pointer("/details/causes").and_then(Value::as_array);
    let warnings = head.headers.get_all(http::header::WARNING).iter().filter_map(|value| value.to_str().ok());
    Answer {
        to: to.to_owned(),
        code: head.status.as_u16(),
        reason: if accepted { String::new() } else { text(&body, "reason") },
        message: if accepted { String::new() } else { text(&body, "message") },
        causes: causes.into_iter().flatten().map(cause).collect(),
        warnings: warnings.map(str::to_owned).collect(),
        body: Arc::new(if accepted { body } else { Value::Null }),
    }
}

#[cfg(test)]
mod tests {
    use super::{Propagation, Write};
    use jobsworth_api::Resource;
    use rstest::rstest;
    use serde_json::Value;

    const MANAGER: &str = "fieldManager=jobsworth-script";

    #[rstest]
    #[case::a_job(Write::create_job(Value::Null), "post jobs", "/apis/batch/v1/namespaces/n/jobs")]
    #[case::a_status(
        Write::patch_job_status("job", Value::Null),
        "patch jobs/job/status",
        "/apis/batch/v1/namespaces/n/jobs/job/status"
    )]
    #[case::an_eviction(Write::evict_pod("a"), "post pods/a/eviction", "/api/v1/namespaces/n/pods/a/eviction")]
    #[case::a_deletion(
        Write::delete_job("job", Propagation::Orphan),
        "delete jobs/job",
        "/apis/batch/v1/namespaces/n/jobs/job"
    )]
    #[case::another_object(
        Write::patch("api/v1", "resourcequotas/none", Value::Null),
        "patch resourcequotas/none",
        "/api/v1/namespaces/n/resourcequotas/none"
    )]
    #[case::a_job_of_somebody_else(
        Write::create("apis/batch.volcano.sh/v1alpha1", "jobs", Value::Null),
        "post jobs.batch.volcano.sh",
        "/apis/batch.volcano.sh/v1alpha1/namespaces/n/jobs"
    )]
    #[case::in_another_namespace(
        Write::create_of(&Resource::VOLCANO_JOBS, Value::Null).in_namespace("kube-system"),
        "post jobs.batch.volcano.sh",
        "/apis/batch.volcano.sh/v1alpha1/namespaces/kube-system/jobs"
    )]
    #[case::in_no_namespace(
        Write::patch_of(&Resource::VOLCANO_QUEUES, "q", Value::Null).of_the_cluster().part("status"),
        "patch queues.scheduling.volcano.sh/q/status",
        "/apis/scheduling.volcano.sh/v1beta1/queues/q/status"
    )]
    fn a_write_goes_where_its_resource_is_served(#[case] write: Write, #[case] words: &str, #[case] path: &str) {
        assert_eq!(write.words(), words);
        let uri = write.request("n").unwrap().uri().to_string();
        assert!(uri.starts_with(&format!("{path}?{MANAGER}")), "{uri}");
    }

    #[rstest]
    #[case::in_no_namespace(
        Write::create_of(&Resource::VOLCANO_QUEUES, Value::Null).of_the_cluster(),
        Some("delete queues.scheduling.volcano.sh/q")
    )]
    #[case::only_for_show(Write::create_of(&Resource::VOLCANO_QUEUES, Value::Null).of_the_cluster().dry_run(), None)]
    #[case::in_a_namespace(Write::create_job(Value::Null), None)]
    #[case::no_creation(Write::patch_of(&Resource::VOLCANO_QUEUES, "q", Value::Null).of_the_cluster(), None)]
    fn what_would_outlive_its_case_is_taken_away(#[case] write: Write, #[case] words: Option<&str>) {
        assert_eq!(write.undone("q").map(|undo| undo.words()).as_deref(), words);
    }

    #[rstest]
    #[case::a_creation(Write::create_job(Value::Null), false)]
    #[case::a_patch(Write::patch_job_status("job", Value::Null), false)]
    #[case::a_deleted_job(Write::delete_job("job", Propagation::Background), true)]
    #[case::a_deleted_pod(Write::delete_pod("a", Some(0)), true)]
    #[case::many_deleted_jobs(Write::delete_jobs_where("status.successful=1"), true)]
    fn a_dry_run_is_asked_for_where_the_api_server_looks(#[case] write: Write, #[case] in_body: bool) {
        let asked = |write: Write| {
            let request = write.request("n").unwrap();
            let body: Value = serde_json::from_slice(request.body()).unwrap();
            (request.uri().to_string().contains("dryRun=All"), body["dryRun"] == serde_json::json!(["All"]))
        };
        assert_eq!(asked(write.clone()), (false, false));
        assert_eq!(asked(write.dry_run()), (!in_body, in_body));
    }
}
