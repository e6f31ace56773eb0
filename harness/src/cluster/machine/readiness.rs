//! How we know that a process is ready, and how that is asked.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::Lease;

use super::access::{self, Access};
use crate::cluster::contract::layout::Layout;
use crate::cluster::contract::{ClusterError, Component};

/// Most bytes of a log that are looked through for a line.
const LOOKED_THROUGH: u64 = 16 * 1024 * 1024;

/// How we know that a process is ready, and when we give up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Readiness {
    /// By what.
    pub sign: Sign,
    /// After how long we give up.
    pub within: Duration,
}

/// By what a process shows that it is ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sign {
    /// An HTTPS path on the component's own port answers 200 and its text has some words.
    Says {
        /// The path, for example `/readyz`.
        path: &'static str,
        /// What the answer must contain; empty for anything.
        contains: &'static str,
    },
    /// This address answers 200.
    Answers(String),
    /// The lease `NAMESPACE/NAME` was taken or renewed since the start.
    LeaseIsHeld(String),
    /// Its log has this text since the start.
    Prints(String),
    /// It was started.
    Started,
}

impl Readiness {
    /// Of a component of Kubernetes: `path` answers, and the text contains `contains`.
    #[must_use]
    pub const fn says(path: &'static str, contains: &'static str, within: Duration) -> Self {
        Self { sign: Sign::Says { path, contains }, within }
    }
}

/// A sign with all that is needed to look for it.
pub(crate) enum Question {
    Says { client: kube::Client, path: &'static str, contains: &'static str },
    Answers { client: kube::Client, path: String },
    LeaseIsHeld { client: kube::Client, path: String, since: Timestamp },
    Prints { log: PathBuf, from: u64, text: String },
    Started,
}

impl Question {
    /// About a process of `component` that has just been started and whose log is at `log`, in which its own words begin at the
    /// byte `from`.
    ///
    /// # Errors
    /// When a certificate cannot be read, or an address is none.
    pub fn of(sign: &Sign, component: Component, site: &Layout, log: &Path, from: u64) -> Result<Self, ClusterError> {
        Ok(match sign {
            Sign::Says { path, contains } => {
                Self::Says { client: Access::component(site, component).once().client()?, path, contains }
            }
            Sign::Answers(url) => {
                let (access, path) = Access::address(site, url)?;
                Self::Answers { client: access.once().client()?, path }
            }
            Sign::LeaseIsHeld(lease) => {
                let (namespace, name) = lease.split_once('/').unwrap_or(("default", lease));
                Self::LeaseIsHeld {
                    client: Access::administrator(site).once().client()?,
                    path: format!("/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/{name}"),
                    since: Timestamp::now(),
                }
            }
            Sign::Prints(text) => Self::Prints { log: log.to_owned(), from, text: text.clone() },
            Sign::Started => Self::Started,
        })
    }

    /// Empty when ready, else why not.
    pub async fn ask(&self) -> String {
        match self {
            Self::Says { client, path, contains } => match access::text(client, "", path).await {
                Ok(text) if text.contains(contains) => String::new(),
                Ok(text) => format!("its answer lacks `{contains}`: {text}"),
                Err(error) => deepest(&error),
            },
            Self::Answers { client, path } => match access::text(client, "", path).await {
                Ok(_) => String::new(),
                Err(error) => deepest(&error),
            },
            Self::LeaseIsHeld { client, path, since } => match access::text(client, "", path).await {
                Ok(text) => held_since(&text, *since),
                Err(error) => deepest(&error),
            },
            Self::Prints { log, from, text } => match printed(log, *from) {
                Ok(words) if words.contains(text) => String::new(),
                Ok(_) => format!("it has not printed `{text}`"),
                Err(error) => format!("failed to read its log: {error}"),
            },
            Self::Started => String::new(),
        }
    }
}

/// Empty when the lease has a holder since then.
fn held_since(text: &str, since: Timestamp) -> String {
    let spec = match serde_json::from_str::<Lease>(text) {
        Ok(lease) => lease.spec.unwrap_or_default(),
        Err(error) => return format!("its lease is unreadable: {error}"),
    };
    match (spec.holder_identity.filter(|holder| !holder.is_empty()), spec.renew_time) {
        (Some(_), Some(renewed)) if renewed.0 >= since => String::new(),
        (Some(holder), _) => format!("its lease is {holder}'s, who has not renewed it since the start"),
        (None, _) => "nobody holds its lease".to_owned(),
    }
}

fn printed(log: &Path, from: u64) -> std::io::Result<String> {
    let mut file = std::fs::File::open(log)?;
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(LOOKED_THROUGH).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn deepest(error: &dyn std::error::Error) -> String {
    let mut deepest = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest.to_string()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::by_nobody(r#"{"spec": {}}"#, "nobody holds its lease")]
    #[case::given_back(
        r#"{"spec": {"holderIdentity": "", "renewTime": "2026-01-01T00:00:02.000000Z"}}"#,
        "nobody holds its lease"
    )]
    #[case::by_one_who_is_gone(
        r#"{"spec": {"holderIdentity": "a", "renewTime": "2026-01-01T00:00:00.000000Z"}}"#,
        "its lease is a's, who has not renewed it since the start"
    )]
    #[case::by_the_one_that_was_started(
        r#"{"spec": {"holderIdentity": "a", "renewTime": "2026-01-01T00:00:02.000000Z"}}"#,
        ""
    )]
    fn a_lease_is_held(#[case] lease: &str, #[case] doubt: &str) {
        assert_eq!(held_since(lease, "2026-01-01T00:00:01Z".parse().unwrap()), doubt);
    }

    #[tokio::test]
    async fn what_an_earlier_start_printed_does_not_count() {
        let log = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(log.path(), "started\n").unwrap();
        let question = |from| Question::Prints { log: log.path().to_owned(), from, text: "started".to_owned() };
        assert_eq!(question(8).ask().await, "it has not printed `started`");
        assert_eq!(question(0).ask().await, "");
    }
}
