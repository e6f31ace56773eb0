//! Namespaces of ours in a cluster that is not ours: found by their label, removed by their uid.

use std::fmt;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Namespace;
use kube::api::ListParams;
use kube::{Api, ResourceExt as _};

use super::ExistingError;
use crate::cluster::contract::ClusterError;
use crate::cluster::namespace::{policy, removal};

/// How long namespaces may take to go; their pods are killed, and their finalizers taken.
const GONE_WITHIN: Duration = Duration::from_secs(120);
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// A namespace of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remain {
    /// Its name.
    pub name: String,
    /// Its uid: another namespace of that name is not ours.
    pub uid: String,
    /// The run that made it.
    pub run: String,
    /// Who started that run.
    pub owner: String,
    /// The word under which that run shares the cluster, if it does.
    pub sharing: Option<String>,
    /// From when on nobody uses it; without it that is not known.
    pub expires: Option<Timestamp>,
    /// Whether it is on its way out.
    pub going: bool,
}

impl fmt::Display for Remain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} by {}", self.name, self.run, self.owner)?;
        self.expires.map_or(Ok(()), |expires| write!(f, " until {expires:.0}"))
    }
}

impl Remain {
    /// A namespace that has the label of a run.
    #[must_use]
    pub fn of(namespace: &Namespace) -> Option<Self> {
        let labels = namespace.labels();
        let expires = namespace.annotations().get(policy::EXPIRES).and_then(|text| text.parse().ok());
        Some(Self {
            run: labels.get(policy::RUN)?.clone(),
            owner: labels.get(policy::OWNER).cloned().unwrap_or_default(),
            sharing: labels.get(policy::SHARING).cloned(),
            name: namespace.name_any(),
            uid: namespace.uid()?,
            expires,
            going: namespace.metadata.deletion_timestamp.is_some(),
        })
    }

    /// Whether its run and one that shares the cluster under this word know of each other.
    #[must_use]
    pub fn is_shared_with(&self, word: Option<&str>) -> bool {
        word.is_some() && self.sharing.as_deref() == word
    }

    /// Whether nobody can be using it any more.
    #[must_use]
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires.is_some_and(|expires| expires < now)
    }
}

/// The namespaces that runs have made, or one of them.
///
/// # Errors
/// When the server does not answer.
pub async fn all(client: &kube::Client, run: Option<&str>) -> Result<Vec<Remain>, kube::Error> {
    let selector = run.map_or_else(|| policy::RUN.to_owned(), |run| format!("{}={run}", policy::RUN));
    let list = Api::<Namespace>::all(client.clone()).list(&ListParams::default().labels(&selector)).await?;
    Ok(list.items.iter().filter_map(Remain::of).collect())
}

/// Removes these, and returns when they are gone. What fails is tried again, and keeps nothing else from being removed.
///
/// # Errors
/// When they do not go in time; says what failed last.
pub async fn remove(client: &kube::Client, remains: Vec<Remain>) -> Result<(), ClusterError> {
    let begun = Instant::now();
    let mut look = tokio::time::interval(LOOK_EVERY);
    let mut left = remains;
    while !left.is_empty() {
        look.tick().await;
        let mut trouble = None;
        for remain in &left {
            if let Err(error) = empty(client, remain).await {
                trouble = Some(failed("remove the namespace", remain)(error));
            }
        }
        match all(client, None).await {
            Ok(there) => left.retain(|remain| there.iter().any(|now| now.uid == remain.uid)),
            Err(error) => trouble = Some(failed("look for the namespace", &left[0])(error)),
        }
        if !left.is_empty() && begun.elapsed() > GONE_WITHIN {
            let names = left.iter().map(|remain| remain.name.as_str()).collect::<Vec<_>>().join(", ");
            let late = || ExistingError::Left { names, within: GONE_WITHIN.as_secs() }.into();
            return Err(trouble.unwrap_or_else(late));
        }
    }
    Ok(())
}

/// Deletes what a run has made, and does not wait until it is gone.
///
/// # Errors
/// When the server does not answer, or something could not be deleted; the rest is.
pub async fn let_go(client: &kube::Client, run: &str) -> Result<(), kube::Error> {
    let mut done = Ok(());
    for remain in all(client, Some(run)).await? {
        done = empty(client, &remain).await.and(done);
    }
    done
}

/// Deletes what is in it and the namespace itself, if it is still that one. Jobs of other managers, and pods of
/// Jobs that are gone, may have finalizers that nobody takes: the namespace is ours, so we do.
async fn empty(client: &kube::Client, remain: &Remain) -> Result<(), kube::Error> {
    let Some(now) = Api::<Namespace>::all(client.clone()).get_opt(&remain.name).await? else { return Ok(()) };
    if Remain::of(&now).is_none_or(|now| now.uid != remain.uid) {
        return Ok(());
    }
    removal::delete_all(client, &remain.name, &remain.uid).await
}

fn failed(what: &'static str, remain: &Remain) -> impl FnOnce(kube::Error) -> ClusterError {
    let what = format!("{what} {}", remain.name);
    move |source| ClusterError::Request { what, source: Box::new(source) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    fn namespace(run: Option<&str>, expires: Option<&str>) -> Namespace {
        let mut metadata = json!({"name": "jw-a", "uid": "u", "labels": {}, "annotations": {}});
        if let Some(run) = run {
            metadata["labels"] = json!({"jobsworth.dev/run": run, "jobsworth.dev/owner": "jane"});
        }
        if let Some(expires) = expires {
            metadata["annotations"] = json!({"jobsworth.dev/expires": expires});
        }
        serde_json::from_value(json!({"metadata": metadata})).unwrap()
    }

    #[test]
    fn a_namespace_without_the_label_of_a_run_is_not_ours_whatever_its_name() {
        assert_eq!(Remain::of(&namespace(None, Some("2020-01-01T00:00:00Z"))), None);
    }

    #[rstest]
    #[case::before_its_time(Some("2026-01-01T00:15:00Z"), false)]
    #[case::after_it(Some("2025-12-31T23:59:59Z"), true)]
    #[case::when_nobody_knows_its_time(None, false)]
    #[case::when_its_time_is_no_time(Some("soon"), false)]
    fn a_namespace_is_expired_only_after_its_time(#[case] expires: Option<&str>, #[case] expired: bool) {
        let remain = Remain::of(&namespace(Some("run-a"), expires)).unwrap();
        assert_eq!(remain.is_expired("2026-01-01T00:00:00Z".parse().unwrap()), expired);
    }

    #[rstest]
    #[case::the_same_word(Some("nightly"), Some("nightly"), true)]
    #[case::another_word(Some("nightly"), Some("weekly"), false)]
    #[case::a_run_that_shares_with_nobody(None, Some("nightly"), false)]
    #[case::nobody_who_would_share(Some("nightly"), None, false)]
    #[case::two_that_say_nothing(None, None, false)]
    fn runs_know_of_each_other_by_their_word(
        #[case] theirs: Option<&str>,
        #[case] ours: Option<&str>,
        #[case] shared: bool,
    ) {
        let mut namespace = namespace(Some("run-a"), None);
        let labels = namespace.metadata.labels.as_mut().unwrap();
        labels.extend(theirs.map(|word| (policy::SHARING.to_owned(), word.to_owned())));
        assert_eq!(Remain::of(&namespace).unwrap().is_shared_with(ours), shared);
    }
}
