//! Why a cluster is not used, and what to do about it. Nothing was created when one of these is told.

use std::path::PathBuf;

use super::remains::Remain;
use super::{NODES_MAX, rights};
use crate::cluster::namespace::policy;

/// A run may have many namespaces; so many are named.
const SHOWN: usize = 3;

/// Why a cluster is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No file was named.
    #[error("failed to choose the cluster: no kubeconfig is named")]
    NoFile,
    /// No context was named.
    #[error("failed to choose the cluster: no context of {} is named", .file.display())]
    NoContext {
        /// The kubeconfig.
        file: PathBuf,
        /// The contexts in it.
        there: Vec<String>,
    },
    /// The file is none.
    #[error("failed to read the kubeconfig {}: {why}", .file.display())]
    Unreadable {
        /// The kubeconfig.
        file: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The context is not in it.
    #[error("failed to find the context `{context}` in {}", .file.display())]
    NoSuchContext {
        /// The kubeconfig.
        file: PathBuf,
        /// The context.
        context: String,
        /// The contexts in it.
        there: Vec<String>,
    },
    /// A name has a word that stands for production.
    #[error("refused to use the cluster: its {what} `{name}` looks like production by the word `{word}`")]
    Production {
        /// What has the name, for example `context`.
        what: &'static str,
        /// The name.
        name: String,
        /// The word.
        word: &'static str,
    },
    /// The credentials or certificates are no use.
    #[error("failed to use the context `{context}`: {why}")]
    Unusable {
        /// The context.
        context: String,
        /// What is wrong.
        why: String,
    },
    /// Nobody answers.
    #[error("failed to reach {server}: {why}")]
    Silent {
        /// The server.
        server: String,
        /// What happened.
        why: String,
    },
    /// The server does not know the user.
    #[error("failed to log in to {server} by the context `{context}`: {why}")]
    Unauthorised {
        /// The server.
        server: String,
        /// The context.
        context: String,
        /// What it said.
        why: String,
    },
    /// The user may not do what cases do.
    #[error("failed to use the context `{context}`: its user may not {}", rights::in_words(.missing))]
    MissingRights {
        /// The context.
        context: String,
        /// What it may not.
        missing: Vec<rights::Right>,
    },
    /// Too many machines.
    #[error("refused to use the cluster: it has {0} nodes, and more than {NODES_MAX} are not for experiments")]
    TooLarge(usize),
    /// Volcano is not there, or not as it is known.
    #[error("failed to find a Volcano that can be judged: {0}")]
    NoVolcano(String),
    /// A version of no known form.
    #[error("failed to understand the server's version `{0}`")]
    Version(String),
    /// The user has not said that it is this one.
    #[error("refused to begin: nobody has confirmed that this is the cluster that is meant")]
    Unconfirmed {
        /// The beginning of its uid.
        uid: String,
    },
    /// It is another one.
    #[error("refused to begin: --yes-cluster names {given}, and this cluster is {uid}")]
    AnotherCluster {
        /// What was given.
        given: String,
        /// The beginning of its uid.
        uid: String,
    },
    /// It became another one meanwhile.
    #[error("refused to begin: the cluster was {was} when the plan was made, and is {is} now")]
    Replaced {
        /// The beginning of the uid then.
        was: String,
        /// And now.
        is: String,
    },
    /// Somebody uses it, or did not clean up.
    #[error("refused to begin: namespaces of another run are there, and may be in use: {}", in_words(.remains))]
    InUse {
        /// What is there.
        remains: Vec<Remain>,
        /// How kubectl is called.
        kubectl: String,
    },
    /// The plan asks for something else than what is there.
    #[error("failed to plan for a cluster that is there already: {0}")]
    Differs(String),
}

impl Refusal {
    /// The next step.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::NoFile => "name one with --kubeconfig FILE and a context in it with --context NAME; KUBECONFIG and \
                             the file in your home are not looked at"
                .to_owned(),
            Self::NoContext { there, .. } => {
                format!("name one with --context; the file's current context does not count; {}", contexts(there))
            }
            Self::Unreadable { .. } => "name a kubeconfig that you can read with --kubeconfig FILE".to_owned(),
            Self::NoSuchContext { there, .. } => contexts(there),
            Self::Production { what: "server", .. } => {
                "use a cluster on which nobody relies; no flag overrides this".to_owned()
            }
            Self::Production { what, .. } => format!(
                "use a cluster on which nobody relies; no flag overrides this. If the name misleads, rename the {what} \
                 in a copy of the kubeconfig"
            ),
            Self::Unusable { .. } => "see whether `kubectl --kubeconfig FILE --context NAME version` works".to_owned(),
            Self::Silent { .. } => {
                "see whether it runs, and whether this machine can reach it: `kubectl --kubeconfig FILE --context NAME \
                 version`"
                    .to_owned()
            }
            Self::Unauthorised { .. } => "log in again, or renew the certificate or token in the kubeconfig".to_owned(),
            Self::MissingRights { .. } => {
                "ask for them in all namespaces, since every case has a namespace of its own; docs/existing-clusters.md \
                 has a ClusterRole"
                    .to_owned()
            }
            Self::TooLarge(_) => "use a smaller cluster".to_owned(),
            Self::NoVolcano(_) => {
                "install release 1.15 of Volcano there, with its scheduler; or leave the cluster alone, and name its programs \
                 with --volcano-binaries DIR"
                    .to_owned()
            }
            Self::Version(_) => "use a cluster that is Kubernetes".to_owned(),
            Self::Unconfirmed { uid } => {
                format!("read the plan above; if this is the cluster that you mean, add --yes-cluster {uid}")
            }
            Self::AnotherCluster { .. } | Self::Replaced { .. } => {
                "see whether --kubeconfig and --context name the cluster that you mean; `jobsworth plan` with the same \
                 arguments shows it"
                    .to_owned()
            }
            Self::InUse { remains, kubectl } => in_use(remains, kubectl),
            Self::Differs(_) => "leave it out, or use --provider local or kind, which make what is asked for".to_owned(),
        }
    }
}

fn contexts(there: &[String]) -> String {
    match there {
        [] => "there is none in the file".to_owned(),
        names => format!("there are: {}", names.join(", ")),
    }
}

fn in_words(remains: &[Remain]) -> String {
    let shown: Vec<String> = remains.iter().take(SHOWN).map(ToString::to_string).collect();
    let more = remains.len().saturating_sub(SHOWN);
    shown.join(", ") + &if more > 0 { format!(" and {more} more") } else { String::new() }
}

fn in_use(remains: &[Remain], kubectl: &str) -> String {
    let mut runs: Vec<&str> = remains.iter().map(|remain| remain.run.as_str()).collect();
    runs.sort_unstable();
    runs.dedup();
    let commands: Vec<String> =
        runs.iter().map(|run| format!("`{kubectl} delete namespace -l {}={run}`", policy::RUN)).collect();
    format!(
        "wait for its end; if it is dead, {} removes them, or the next run does once they expired",
        commands.join(" and ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn remain() -> Remain {
        Remain {
            name: "jw-ttl-1".to_owned(),
            uid: "u".to_owned(),
            run: "run-a".to_owned(),
            owner: "jane".to_owned(),
            sharing: None,
            expires: Some("2026-01-01T00:15:00Z".parse().unwrap()),
            going: false,
        }
    }

    #[rstest]
    #[case::no_file(Refusal::NoFile, "no kubeconfig is named", "--kubeconfig FILE")]
    #[case::no_context(
        Refusal::NoContext { file: "k".into(), there: vec!["a".to_owned(), "b".to_owned()] },
        "no context of k is named",
        "there are: a, b"
    )]
    #[case::an_empty_file(
        Refusal::NoSuchContext { file: "k".into(), context: "c".to_owned(), there: Vec::new() },
        "failed to find the context `c` in k",
        "there is none in the file"
    )]
    #[case::production(
        Refusal::Production { what: "context", name: "eu-prod".to_owned(), word: "prod" },
        "its context `eu-prod` looks like production by the word `prod`",
        "rename the context in a copy of the kubeconfig"
    )]
    #[case::a_server_of_production_cannot_be_renamed(
        Refusal::Production { what: "server", name: "api.live.example.com".to_owned(), word: "live" },
        "its server `api.live.example.com`",
        "no flag overrides this"
    )]
    #[case::unconfirmed(
        Refusal::Unconfirmed { uid: "1234abcd".to_owned() },
        "nobody has confirmed",
        "add --yes-cluster 1234abcd"
    )]
    #[case::another(
        Refusal::AnotherCluster { given: "11111111".to_owned(), uid: "1234abcd".to_owned() },
        "--yes-cluster names 11111111, and this cluster is 1234abcd",
        "`jobsworth plan`"
    )]
    #[case::in_use(
        Refusal::InUse { remains: vec![remain(), remain()], kubectl: "kubectl --context c".to_owned() },
        "jw-ttl-1 of run-a by jane until 2026-01-01T00:15:00Z",
        "`kubectl --context c delete namespace -l jobsworth.dev/run=run-a` removes them"
    )]
    #[case::too_large(Refusal::TooLarge(51), "it has 51 nodes, and more than 50", "use a smaller cluster")]
    fn a_refusal_says_the_reason_and_the_next_step(#[case] refusal: Refusal, #[case] says: &str, #[case] help: &str) {
        let (said, helped) = (refusal.to_string(), refusal.help());
        assert!(said.contains(says), "{said}");
        assert!(helped.contains(help), "{helped}");
    }
}
