//! A look at a cluster that is not ours, before anything is made there.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use jiff::Timestamp;
use jobsworth_api::{KubeVersion, Minor};
use k8s_openapi::api::core::v1::{Namespace, Node};
use kube::api::ListParams;
use kube::{Api, ResourceExt as _};

use super::connection::{ClusterConnection, REQUESTS_PER_SECOND};
use super::refusal::Refusal;
use super::remains::{self, Remain};
use super::{NODES_MAX, rights, volcano};
use crate::cluster::contract::Component;
use crate::cluster::contract::attest::{Found, Reading};
use crate::cluster::contract::subject_kind::JobApi;
use crate::cluster::machine::access;
use crate::cluster::namespace::policy::{self, LIFETIME, PODS_MAX};
use crate::gates::GateTable;

/// How long a server may take to answer everything.
const ANSWERS_WITHIN: Duration = Duration::from_secs(30);
/// So much of a uid tells clusters apart.
const UID_SHOWN: usize = 8;

/// What was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survey {
    /// The way that was taken: file, context, server.
    pub way: [String; 3],
    /// The uid of the namespace kube-system, which is the cluster's.
    pub uid: String,
    /// The version of the API server.
    pub version: KubeVersion,
    /// The version that it emulates, if it is another.
    pub emulated: Option<Minor>,
    /// Job gates that are not as by default.
    pub gates: BTreeMap<String, bool>,
    /// What it says about itself.
    pub found: Found,
    /// All nodes.
    pub nodes: usize,
    /// Those that take any pod.
    pub open_nodes: u32,
    /// Namespaces that nobody uses any more.
    pub expired: Vec<Remain>,
    /// The word under which other runs share the cluster, if they do.
    pub sharing: Option<String>,
}

impl Survey {
    /// Looks around; writes nothing. Namespaces of runs that share the cluster under the same word are no reason to refuse it.
    ///
    /// # Errors
    /// When the cluster cannot or may not be used.
    pub async fn take(connection: &ClusterConnection, api: JobApi, sharing: Option<&str>) -> Result<Self, Refusal> {
        let client = connection.client()?;
        let late = || Refusal::Silent {
            server: connection.server().to_owned(),
            why: format!("no answer within {} s", ANSWERS_WITHIN.as_secs()),
        };
        let sharing = sharing.map(policy::label);
        tokio::time::timeout(ANSWERS_WITHIN, look(connection, &client, api, sharing)).await.map_err(|_| late())?
    }

    /// The part of the uid that the user must name.
    #[must_use]
    pub fn short_uid(&self) -> &str {
        short(&self.uid)
    }

    /// Whether this is the cluster that the user means.
    ///
    /// # Errors
    /// When it is not, or nobody said so.
    pub fn confirmed_by(&self, given: Option<&str>) -> Result<(), Refusal> {
        let uid = self.short_uid().to_owned();
        match given {
            None => Err(Refusal::Unconfirmed { uid }),
            Some(given) if given == uid || given == self.uid => Ok(()),
            Some(given) => Err(Refusal::AnotherCluster { given: given.to_owned(), uid }),
        }
    }

    /// What is there, and what will be done with it.
    #[must_use]
    pub fn describe(&self, image: &str) -> String {
        let [file, context, server] = &self.way;
        let mut text = String::new();
        let mut line = |head: &str, says: String| {
            let _ = writeln!(text, "{head:<10}{says}");
        };
        line("server", format!("{server} by the context {context} of {file}"));
        let emulated = self.emulated.map(|minor| format!(" as {minor}")).unwrap_or_default();
        line(
            "cluster",
            format!(
                "Kubernetes {}{emulated} · nodes: {}, open to pods: {} · uid {}",
                self.found.version,
                self.nodes,
                self.open_nodes,
                self.short_uid()
            ),
        );
        match &self.found.says {
            Some(reading) => line("gates", format!("{}, as its API server says", gates(&reading.gates))),
            None => line("gates", "as by default in this version: its API server may not be asked".to_owned()),
        }
        for mark in &self.found.marks {
            line("volcano", format!("{} of {}: {}", mark.what, mark.component, mark.says));
        }
        line(
            "makes",
            format!(
                "a namespace jw-<case>-<hash> for each case and jw-probe-<hash> before them, labelled {}",
                policy::RUN
            ),
        );
        line(
            "limits",
            format!(
                "{PODS_MAX} pods in each, no traffic, deleted after its case, expired after {} min · {REQUESTS_PER_SECOND} requests \
                 a second · {NODES_MAX} nodes",
                LIFETIME.as_secs() / 60
            ),
        );
        if let Some(word) = &self.sharing {
            line("shares", format!("the cluster with runs that say --sharing {word}, each with limits of its own"));
        }
        line("pods", format!("run {image}, which every node must have or be able to pull"));
        if !self.expired.is_empty() {
            let names: Vec<&str> = self.expired.iter().map(|remain| remain.name.as_str()).collect();
            line("removes", format!("{}: expired, of runs that are dead", names.join(", ")));
        }
        line("never", "writes anything else, acts on nodes, or restarts, pauses or changes any component".to_owned());
        for (component, why) in &self.found.unasked {
            line("unasked", format!("{component}: {why}"));
        }
        line("confirm", format!("--yes-cluster {}", self.short_uid()));
        text
    }
}

fn gates(reading: &BTreeMap<String, bool>) -> String {
    let table = GateTable::embedded();
    let known = table.gates().filter_map(|gate| Some((gate.name.as_str(), *reading.get(&gate.name)?)));
    let words: Vec<String> = known.map(|(name, on)| format!("{name} {}", if on { "on" } else { "off" })).collect();
    if words.is_empty() { "no Job gates".to_owned() } else { words.join(", ") }
}

pub(super) fn short(uid: &str) -> &str {
    uid.get(..UID_SHOWN).unwrap_or(uid)
}

async fn look(
    connection: &ClusterConnection,
    client: &kube::Client,
    api: JobApi,
    sharing: Option<String>,
) -> Result<Survey, Refusal> {
    let failed = |error: kube::Error| trouble(connection, &error);
    let git_version = client.apiserver_version().await.map_err(failed)?.git_version;
    let missing = rights::missing(client, api).await.map_err(failed)?;
    if !missing.is_empty() {
        return Err(Refusal::MissingRights { context: connection.context().to_owned(), missing });
    }
    let uid = uid(client).await.map_err(failed)?;
    let nodes = Api::<Node>::all(client.clone()).list(&ListParams::default()).await.map_err(failed)?.items;
    if nodes.len() > NODES_MAX as usize {
        return Err(Refusal::TooLarge(nodes.len()));
    }
    let now = Timestamp::now();
    let (expired, others): (Vec<_>, Vec<_>) =
        remains::all(client, None).await.map_err(failed)?.into_iter().partition(|remain| remain.is_expired(now));
    let is_in_the_way = |remain: &Remain| !remain.going && !remain.is_shared_with(sharing.as_deref());
    let used: Vec<Remain> = others.into_iter().filter(is_in_the_way).collect();
    if !used.is_empty() {
        return Err(Refusal::InUse { remains: used, kubectl: connection.kubectl() });
    }
    let version = version(&git_version)?;
    let marks = match api {
        JobApi::Batch => Vec::new(),
        JobApi::Volcano => volcano::look(client).await.map_err(failed)?.map_err(Refusal::NoVolcano)?,
    };
    let (says, unasked) = match access::text(client, connection.server(), "/metrics").await {
        Ok(text) => (Some(Reading::of(&text)), None),
        Err(error) => (None, Some((Component::ApiServer, crate::error_text::in_full(&error)))),
    };
    let emulated = says.as_ref().and_then(|says| says.emulation.as_ref()?.parse().ok());
    let emulated = emulated.filter(|minor: &Minor| *minor != version.minor_version());
    let behind = "its metrics are only to be had inside of the cluster".to_owned();
    let unasked = unasked.into_iter().chain([(Component::Base, behind)]).collect();
    Ok(Survey {
        way: [connection.file().display().to_string(), connection.context().to_owned(), connection.server().to_owned()],
        uid,
        version,
        emulated,
        gates: says.as_ref().map(|says| unusual(version, emulated, &says.gates)).unwrap_or_default(),
        found: Found { version: git_version, says, unasked, marks },
        nodes: nodes.len(),
        open_nodes: u32::try_from(nodes.iter().filter(|node| is_open(node)).count()).unwrap_or(u32::MAX),
        expired,
        sharing,
    })
}

/// The uid of the namespace kube-system: it lives as long as the cluster.
pub(super) async fn uid(client: &kube::Client) -> Result<String, kube::Error> {
    let system = Api::<Namespace>::all(client.clone()).get("kube-system").await?;
    Ok(system.uid().unwrap_or_default())
}

/// Vendors add to the version: `v1.33.2+k3s1`, `v1.34.1-gke.1829001`.
fn version(git_version: &str) -> Result<KubeVersion, Refusal> {
    let plain = git_version.split(['+', '-']).next().unwrap_or_default();
    plain.parse().map_err(|_| Refusal::Version(git_version.to_owned()))
}

/// The Job gates whose state is not the default one.
fn unusual(version: KubeVersion, emulated: Option<Minor>, found: &BTreeMap<String, bool>) -> BTreeMap<String, bool> {
    let table = GateTable::embedded();
    let usual = |gate: &str| table.effective(version, emulated, &BTreeMap::new(), gate);
    let differs = |(gate, on): &(&String, &bool)| usual(gate).is_some_and(|usual| usual != **on);
    found.iter().filter(differs).map(|(gate, on)| (gate.clone(), *on)).collect()
}

fn is_open(node: &Node) -> bool {
    let Some(spec) = &node.spec else { return true };
    let closes = |effect: &str| ["NoSchedule", "NoExecute"].contains(&effect);
    spec.unschedulable != Some(true) && !spec.taints.iter().flatten().any(|taint| closes(&taint.effect))
}

fn trouble(connection: &ClusterConnection, error: &kube::Error) -> Refusal {
    let (server, context) = (connection.server().to_owned(), connection.context().to_owned());
    let why = match error {
        kube::Error::Api(status) => format!("{} ({})", status.message, status.code),
        error => crate::error_text::in_full(error),
    };
    match error {
        kube::Error::Api(status) if status.code == 401 => Refusal::Unauthorised { server, context, why },
        kube::Error::Auth(_) => Refusal::Unusable { context, why },
        kube::Error::Api(status) if status.code == 403 => Refusal::Unusable { context, why },
        _ => Refusal::Silent { server, why },
    }
}

#[cfg(test)]
mod tests;
