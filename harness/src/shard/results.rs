//! How results get to the API server and from there.

use super::{LABEL, ShardError, missing, parts::Part};
use k8s_openapi::api::{
    batch::v1::Job,
    core::v1::{ConfigMap, Pod},
};
use kube::{
    Api, Resource, ResourceExt as _,
    api::{ListParams, PostParams},
};
use serde::de::DeserializeOwned;
use std::{fmt::Debug, time::Duration};
use tokio::time::{Instant, MissedTickBehavior};

/// So many objects at a time: together they are no more than a few mebibytes.
const PAGE: u32 = 8;
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// How long an API server that is away or busy is asked again to store a result: less than a pod has to end.
const PATIENCE: Duration = Duration::from_secs(4 * 60);
const PAUSE: Duration = Duration::from_secs(3);

/// What is there of a sharded run.
#[derive(Clone, Debug)]
pub struct Results {
    /// Its Job.
    pub job: Job,
    /// How many slices it has.
    pub slices: u32,
    /// Its pods.
    pub pods: Vec<Pod>,
    /// What its slices left.
    pub parts: Vec<ConfigMap>,
}

/// Stores a slice's result in the Job with this uid; it goes with the Job. An API server that is away or busy is asked again for some
/// minutes: what a slice did in an hour is not lost for a moment.
///
/// # Errors
/// When there is no such Job, or another one of its name, or the API server refuses a part.
pub async fn store(
    client: &kube::Client,
    namespace: &str,
    name: &str,
    uid: &str,
    parts: Vec<Part>,
) -> Result<(), ShardError> {
    let until = Instant::now() + PATIENCE;
    let job = patiently(until, || job(client, namespace, name)).await?;
    if job.metadata.uid.as_deref() != Some(uid) {
        return Err(ShardError::OtherJob(name.to_owned()));
    }
    let objects: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    for part in parts {
        let what = format!("store a part of {}", part.slice());
        let object = part.object(&job);
        patiently(until, async || create(&objects, &object).await.map_err(failed(what.clone()))).await?;
    }
    Ok(())
}

/// Stores a part, unless it is there: an answer that was lost on its way says nothing of what was stored.
async fn create(objects: &Api<ConfigMap>, object: &ConfigMap) -> Result<(), kube::Error> {
    match objects.create(&PostParams::default(), object).await {
        Err(kube::Error::Api(status)) if status.code == 409 => {
            let there = objects.get(&object.name_any()).await?;
            if is_same(&there, object) { Ok(()) } else { Err(kube::Error::Api(status)) }
        }
        created => created.map(drop),
    }
}

/// Whether both are one part of one slice's bundle, and of one Job.
fn is_same(there: &ConfigMap, object: &ConfigMap) -> bool {
    let owners = |map: &ConfigMap| map.owner_references().iter().map(|owner| owner.uid.clone()).collect::<Vec<_>>();
    owners(there) == owners(object)
        && Part::of(object).is_ok_and(|part| Part::of(there).is_ok_and(|found| found == part))
}

/// Asks until there is an answer that stays, or the time is over.
async fn patiently<T>(until: Instant, ask: impl AsyncFn() -> Result<T, ShardError>) -> Result<T, ShardError> {
    let mut pause = tokio::time::interval(PAUSE);
    pause.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        pause.tick().await;
        match ask().await {
            Err(error) if may_pass(&error) && Instant::now() < until => {}
            answer => return answer,
        }
    }
}

/// Whether it may go well the next time: nobody answered, or the server could not or had no time. What it refused, it refuses again.
fn may_pass(error: &ShardError) -> bool {
    let ShardError::Request { source, .. } = error else { return false };
    match &**source {
        kube::Error::Api(status) => status.code == 429 || status.code >= 500,
        _ => true,
    }
}

/// Waits until no slice runs any more, for so long at most. An API server that is away for a while does not end the wait: the last
/// that went wrong is returned.
///
/// # Errors
/// When there is no such Job, or it may not be read.
pub async fn ended(
    client: &kube::Client,
    namespace: &str,
    name: &str,
    limit: Duration,
) -> Result<Option<String>, ShardError> {
    let mut trouble = None;
    // What did not end in time is told with what is missing.
    let wait = until_it_ends(client, namespace, name, &mut trouble);
    tokio::time::timeout(limit, wait).await.unwrap_or(Ok(()))?;
    Ok(trouble)
}

async fn until_it_ends(
    client: &kube::Client,
    namespace: &str,
    name: &str,
    trouble: &mut Option<String>,
) -> Result<(), ShardError> {
    let mut look = tokio::time::interval(LOOK_EVERY);
    loop {
        look.tick().await;
        match job(client, namespace, name).await {
            Ok(job) if missing::has_ended(&job) => return Ok(()),
            Ok(_) => {}
            Err(error) if may_pass(&error) => *trouble = Some(error.to_string()),
            Err(error) => return Err(error),
        }
    }
}

/// Fetches everything that is there.
///
/// # Errors
/// When there is no such Job, it is none of slices, or the API server does not answer.
pub async fn fetch(client: &kube::Client, namespace: &str, name: &str) -> Result<Results, ShardError> {
    let job = job(client, namespace, name).await?;
    let slices = missing::slices_of(&job).ok_or_else(|| ShardError::ForeignJob(name.to_owned()))?;
    let pods: Vec<Pod> = all(&Api::namespaced(client.clone(), namespace), name, "list the pods").await?;
    let parts: Vec<ConfigMap> = all(&Api::namespaced(client.clone(), namespace), name, "list the results").await?;
    let (pods, parts) = (of_job(&job, pods), of_job(&job, parts));
    Ok(Results { job, slices, pods, parts })
}

/// Without what has the run's label and is of another Job: one of that name which was deleted, or none.
fn of_job<K: Resource>(job: &Job, mut objects: Vec<K>) -> Vec<K> {
    let is_owner = |uid: &String| job.metadata.uid.as_ref() == Some(uid);
    objects.retain(|object| object.owner_references().iter().any(|owner| is_owner(&owner.uid)));
    objects
}

async fn job(client: &kube::Client, namespace: &str, name: &str) -> Result<Job, ShardError> {
    let jobs: Api<Job> = Api::namespaced(client.clone(), namespace);
    let found = jobs.get_opt(name).await.map_err(failed(format!("read the Job {name}")))?;
    found.ok_or_else(|| ShardError::NoJob { name: name.to_owned(), namespace: namespace.to_owned() })
}

/// All objects of a sharded run, page by page.
async fn all<K>(api: &Api<K>, name: &str, what: &str) -> Result<Vec<K>, ShardError>
where
    K: Clone + Debug + DeserializeOwned,
{
    let mut wanted = ListParams::default().labels(&format!("{LABEL}={name}")).limit(PAGE);
    let mut found = Vec::new();
    loop {
        let page = api.list(&wanted).await.map_err(failed(format!("{what} of {name}")))?;
        found.extend(page.items);
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => wanted = wanted.continue_token(&token),
            None => return Ok(found),
        }
    }
}

fn failed(what: String) -> impl FnOnce(kube::Error) -> ShardError {
    move |source| ShardError::Request { what, source: Box::new(source) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shard::{parts::split, slice};
    use kube::core::Status;
    use rstest::rstest;
    use serde_json::json;

    fn job(uid: &str) -> Job {
        serde_json::from_value(json!({"metadata": {"name": "nightly", "namespace": "jobsworth", "uid": uid}})).unwrap()
    }

    fn part(shard: u32, bundle: &[u8], uid: &str) -> ConfigMap {
        split(slice(shard, 3).unwrap(), bundle).remove(0).object(&job(uid))
    }

    #[rstest]
    #[case::the_same(part(2, b"bundle", "u"), true)]
    #[case::of_a_job_of_that_name_before(part(2, b"bundle", "before"), false)]
    #[case::of_another_slice(part(3, b"bundle", "u"), false)]
    #[case::of_another_bundle(part(2, b"other", "u"), false)]
    #[case::that_is_no_part(ConfigMap { metadata: part(2, b"bundle", "u").metadata, ..ConfigMap::default() }, false)]
    fn a_part_that_is_there_already(#[case] there: ConfigMap, #[case] same: bool) {
        assert_eq!(is_same(&there, &part(2, b"bundle", "u")), same);
    }

    #[test]
    fn what_is_of_another_job_is_no_result_of_this_one() {
        let mut orphan = part(3, b"bundle", "u");
        orphan.metadata.owner_references = None;
        let found = of_job(&job("u"), vec![part(1, b"bundle", "u"), part(2, b"bundle", "before"), orphan]);
        assert_eq!(found.iter().map(ConfigMap::name_any).collect::<Vec<_>>(), ["nightly-slice-1-part-1"]);
    }

    #[rstest]
    #[case::a_server_that_ends(503, true)]
    #[case::a_server_that_has_no_time(429, true)]
    #[case::a_right_that_is_missing(403, false)]
    #[case::what_is_there_already(409, false)]
    fn an_answer_is_asked_for_again_if_it_may_be_another(#[case] code: u16, #[case] again: bool) {
        let source = Box::new(kube::Error::Api(Box::new(Status { code, ..Status::default() })));
        assert_eq!(may_pass(&ShardError::Request { what: "store".to_owned(), source }), again);
        assert!(!may_pass(&ShardError::ForeignJob("nightly".to_owned())));
    }
}
