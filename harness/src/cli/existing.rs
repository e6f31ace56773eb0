//! The flags of `--provider existing`, and what a user is shown of the cluster.

use super::Failure;
use crate::{
    cluster::provider::{Consent, Standing, Wish},
    report::escape::block,
};
use clap::Args;
use std::path::{Path, PathBuf};

/// Which cluster of the user.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct Way {
    /// The kubeconfig of `--provider existing`; KUBECONFIG and the one at home are not looked at.
    #[arg(long, value_name = "FILE", env = "JOBSWORTH_KUBECONFIG", help_heading = "Existing cluster")]
    kubeconfig: Option<PathBuf>,
    /// The context in it; the current one does not count.
    #[arg(long, value_name = "NAME", env = "JOBSWORTH_CONTEXT", help_heading = "Existing cluster")]
    context: Option<String>,
    /// That the cluster with this uid is meant; `plan` shows the eight characters. Has no variable, on purpose.
    #[arg(long, value_name = "UID", help_heading = "Existing cluster")]
    yes_cluster: Option<String>,
    /// The agent's image where nodes have it under another name; `cluster agent` writes it.
    #[arg(long, value_name = "REF", env = "JOBSWORTH_AGENT_IMAGE", help_heading = "Existing cluster")]
    agent_image: Option<String>,
    /// Runs that say the same word here share the cluster: namespaces of each are no reason for the others to refuse it. Cases
    /// that bear no other beside them are skipped.
    #[arg(long, value_name = "WORD", help_heading = "Existing cluster")]
    sharing: Option<String>,
}

impl Way {
    /// The word under which other runs share the cluster, if they do.
    pub fn sharing(&self) -> Option<&str> {
        self.sharing.as_deref()
    }

    /// The kubeconfig, where one was named.
    pub fn kubeconfig(&self) -> Option<&Path> {
        self.kubeconfig.as_deref()
    }

    /// The same, shared under this word unless another was given.
    pub fn shared_as(self, word: &str) -> Self {
        Self { sharing: Some(self.sharing.unwrap_or_else(|| word.to_owned())), ..self }
    }

    /// The context and the cluster's uid, where both were named.
    pub fn named(&self) -> Option<(&str, &str)> {
        Some((self.context.as_deref()?, self.yes_cluster.as_deref()?))
    }

    /// What of these flags a run needs that finds its own way there.
    pub fn flags_elsewhere(&self) -> Vec<String> {
        let named = [("--agent-image", &self.agent_image), ("--sharing", &self.sharing)];
        named.into_iter().filter_map(|(flag, value)| Some(format!("{flag}={}", value.as_ref()?))).collect()
    }

    /// The flags that lead to the cluster, and no others.
    pub fn flags_there(&self) -> Vec<String> {
        Self { agent_image: None, sharing: None, ..self.clone() }.flags()
    }

    /// The same flags, as one would type them. A file is named by its whole path: the command may be typed elsewhere.
    pub fn flags(&self) -> Vec<String> {
        let Self { kubeconfig, context, yes_cluster, agent_image, sharing } = self;
        let file = kubeconfig.as_ref().map(|file| std::path::absolute(file).unwrap_or_else(|_| file.clone()));
        let named = [
            ("--kubeconfig", file.map(|file| file.display().to_string())),
            ("--context", context.clone()),
            ("--yes-cluster", yes_cluster.clone()),
            ("--agent-image", agent_image.clone()),
            ("--sharing", sharing.clone()),
        ];
        let given = named.into_iter().filter_map(|(flag, value)| Some([flag.to_owned(), value?]));
        given.flatten().collect()
    }

    /// The wish, with what these flags say.
    pub fn added_to(self, wish: Wish) -> Wish {
        let Self { kubeconfig, context, yes_cluster, agent_image, sharing } = self;
        Wish { kubeconfig, context, uid: yes_cluster, agent_image, sharing, ..wish }
    }
}

/// What is there, and what will be done with it.
pub(super) fn described(standing: &Standing) -> String {
    block(&standing.described)
}

/// A cluster of the user is not touched before the user has said that it is meant. `show` shows the plan.
///
/// # Errors
/// When the user has not, or named another one.
pub(super) fn may_begin(standing: &Standing, show: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    match &standing.consent {
        Consent::Given => Ok(()),
        Consent::Open(why) => {
            show()?;
            Err(why.clone().into())
        }
        Consent::Elsewhere(why) => Err(why.clone().into()),
    }
}
