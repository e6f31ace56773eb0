//! The flags of `--provider existing`, and the look that they allow.

use super::Failure;
use crate::{
    cluster::{
        AGENT_IMAGE,
        existing::{ClusterConnection, ExistingProvider, Refusal, Survey},
    },
    plan::provider::Choice,
    report::escape::block,
};
use clap::Args;
use std::path::PathBuf;

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
}

/// A cluster of the user, looked at and not yet used.
pub(super) struct Existing {
    door: ClusterConnection,
    pub survey: Survey,
    confirmed: Result<(), Refusal>,
    image: Option<String>,
}

/// Looks at the cluster; nothing is made there.
///
/// # Errors
/// When it cannot or may not be used.
pub(super) fn look(way: Way) -> Result<Existing, Failure> {
    let seen = super::session::block_on(async {
        let door = ClusterConnection::open(way.kubeconfig.as_deref(), way.context.as_deref()).await?;
        let survey = Survey::take(&door).await?;
        Ok::<_, Refusal>((door, survey))
    })?;
    let (door, survey) = seen?;
    let confirmed = survey.confirmed_by(way.yes_cluster.as_deref());
    Ok(Existing { door, survey, confirmed, image: way.agent_image })
}

impl Existing {
    /// The provider, and why.
    pub fn choice(&self) -> Choice {
        let because = format!("asked for; {} by the context {}", self.door.server(), self.door.context());
        Choice { name: "existing", because }
    }

    /// What is there, and what will be done with it.
    pub fn describe(&self) -> String {
        block(&self.survey.describe(self.image.as_deref().unwrap_or(AGENT_IMAGE)))
    }

    /// Whether the user said that this is the cluster.
    pub fn confirmed(&self) -> Result<(), Refusal> {
        self.confirmed.clone()
    }

    /// Takes it into use.
    pub fn provider(self) -> ExistingProvider {
        ExistingProvider::new(self.door, self.survey, self.image)
    }
}
