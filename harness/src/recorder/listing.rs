//! What the API server has of a resource at one moment.

use super::resource::Watched;
use kube::api::ListParams;
use serde::Deserialize;
use serde_json::Value;

/// Why the recording cannot begin, go on or end.
#[derive(Debug, thiserror::Error)]
pub enum FeedError {
    /// The timeline file cannot be written.
    #[error("failed to write the timeline")]
    File(#[source] std::io::Error),
    /// The API server did not answer.
    #[error("failed to list {resource} of namespace {namespace}")]
    List {
        /// What was asked for.
        resource: String,
        /// Where.
        namespace: String,
        /// What the library said.
        #[source]
        source: Box<kube::Error>,
    },
    /// An object has no shape that we know.
    #[error("failed to read {0} from the API server: {1}")]
    Shape(String, String),
    /// The watch did not deliver what a list had shown.
    #[error("failed to see the watch of {0} catch up")]
    Behind(String),
    /// Without an order between Jobs and their pods nothing can be judged.
    #[error("{0} are kept in another store than jobs, so nothing shows what came first")]
    Apart(String),
    /// Writing had failed before.
    #[error("{0}")]
    Broken(String),
}

#[derive(Deserialize)]
pub(super) struct List {
    pub(super) metadata: ListMeta,
    pub(super) items: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListMeta {
    pub(super) resource_version: String,
}

pub(super) async fn listed(client: &kube::Client, namespace: &str, watched: &Watched) -> Result<List, FeedError> {
    listed_as(client, namespace, watched, &ListParams::default()).await
}

pub(super) async fn listed_as(
    client: &kube::Client,
    namespace: &str,
    watched: &Watched,
    parameters: &ListParams,
) -> Result<List, FeedError> {
    let failed = |source: kube::Error| FeedError::List {
        resource: watched.name(),
        namespace: namespace.to_owned(),
        source: Box::new(source),
    };
    let request = watched.request(namespace).list(parameters);
    let request = request.map_err(|error| FeedError::Shape(watched.name(), error.to_string()))?;
    client.request(request).await.map_err(failed)
}

/// What is kept in another store than Jobs are, which come first in what is watched.
///
/// One store has one clock: what it says between two looks at Jobs lies between what it says at them. A store of its own
/// has a clock of its own, which would have to show the same number by chance.
pub(super) async fn apart<'watched>(
    client: &kube::Client,
    namespace: &str,
    watched: &'watched [Watched],
) -> Result<Vec<(&'watched Watched, u64)>, FeedError> {
    let now = async |watched: &Watched| {
        let list = listed_as(client, namespace, watched, &ListParams::default().limit(1)).await?;
        let revision = list.metadata.resource_version.parse::<u64>();
        revision.map_err(|_| FeedError::Shape(watched.name(), "no revision".to_owned()))
    };
    let mut apart = Vec::new();
    let Some((jobs, others)) = watched.split_first() else { return Ok(apart) };
    let mut before = now(jobs).await?;
    for other in others {
        let between = now(other).await?;
        let after = now(jobs).await?;
        if !share_a_clock(before, between, after) {
            apart.push((other, before));
        }
        before = after;
    }
    Ok(apart)
}

const fn share_a_clock(before: u64, between: u64, after: u64) -> bool {
    before <= between && between <= after
}

#[cfg(test)]
mod tests {
    use super::share_a_clock;
    use rstest::rstest;

    #[rstest]
    #[case::nothing_happened(7, 7, 7, true)]
    #[case::something_happened(7, 8, 9, true)]
    #[case::a_store_of_its_own_that_is_younger(700, 8, 700, false)]
    #[case::a_store_of_its_own_that_is_older(7, 800, 9, false)]
    fn one_store_has_one_clock(#[case] before: u64, #[case] between: u64, #[case] after: u64, #[case] one: bool) {
        assert_eq!(share_a_clock(before, between, after), one);
    }
}
