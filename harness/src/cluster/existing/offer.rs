//! A cluster of the user as a provider that can be chosen.

use super::{CAPABILITIES, ClusterConnection, ExistingProvider, Refusal, Survey};
use crate::cluster::contract::{AGENT_IMAGE, Capabilities};
use crate::cluster::provider::{Consent, Costs, Keepable, Made, NotReady, Provider, Ready, Standing, Wish};

/// The provider for a cluster that is there already.
#[derive(Clone, Copy, Debug)]
pub struct Existing;

/// It is up already, and answers so many requests a second and no more; at the end its namespaces go.
const COSTS: Costs = Costs { up_and_down: 30, case: 15, changes: 0, side_by_side: 1, memory: 0 };

impl Provider for Existing {
    fn name(&self) -> &'static str {
        "existing"
    }

    fn capabilities(&self) -> Capabilities {
        CAPABILITIES
    }

    fn costs(&self) -> Costs {
        COSTS
    }

    /// Nothing of ours stays in it.
    fn can_keep(&self) -> Keepable {
        Keepable::Nothing
    }

    fn made(&self) -> Made {
        Made::Before
    }

    /// Looks at the cluster; nothing is made there.
    fn probe(&self, wish: &Wish) -> Result<Ready, NotReady> {
        let executor = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let executor = executor.map_err(|error| NotReady::new(format!("failed to start the runtime: {error}")))?;
        let (connection, survey) = executor.block_on(async {
            let connection = ClusterConnection::open(wish.kubeconfig.as_deref(), wish.context.as_deref()).await?;
            let survey = Survey::take(&connection, wish.api, wish.sharing.as_deref()).await?;
            Ok::<_, Refusal>((connection, survey))
        })?;
        let says = format!("{} by the context {}", connection.server(), connection.context());
        let image = wish.agent_image.clone();
        let standing = standing(&survey, wish);
        let maker = move |_| Ok(Box::new(ExistingProvider::new(connection, survey, image)) as _);
        Ok(Ready::new(says, maker).standing(standing))
    }
}

fn standing(survey: &Survey, wish: &Wish) -> Standing {
    let consent = match survey.confirmed_by(wish.uid.as_deref()) {
        Ok(()) => Consent::Given,
        Err(refusal @ Refusal::Unconfirmed { .. }) => Consent::Open(refusal.into()),
        Err(refusal) => Consent::Elsewhere(refusal.into()),
    };
    Standing {
        uid: survey.uid.clone(),
        version: survey.version,
        emulated: survey.emulated,
        gates: survey.gates.clone(),
        open_nodes: survey.open_nodes,
        described: survey.describe(wish.agent_image.as_deref().unwrap_or(AGENT_IMAGE)),
        consent,
    }
}

impl From<Refusal> for NotReady {
    fn from(refusal: Refusal) -> Self {
        Self { says: refusal.to_string(), help: Some(refusal.help()) }
    }
}
