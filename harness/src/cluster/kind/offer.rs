//! Clusters by kind as a provider that can be chosen.

use super::{CAPABILITIES, KindError, KindProvider};
use crate::cluster::contract::Capabilities;
use crate::cluster::provider::{Costs, Keepable, NotReady, Provider, Ready, Wish};
use crate::container_runtime::Runtime;

/// The provider whose nodes are containers made by kind.
#[derive(Clone, Copy, Debug)]
pub struct Kind;

/// A switch of a gate takes a minute: kubelets restart static pods in their own time.
const COSTS: Costs = Costs { up_and_down: 45, case: 12, changes: 180, side_by_side: 1, memory: 1_500 };

impl Provider for Kind {
    fn name(&self) -> &'static str {
        "kind"
    }

    fn capabilities(&self) -> Capabilities {
        CAPABILITIES
    }

    fn costs(&self) -> Costs {
        COSTS
    }

    /// Its containers run on; programs of ours beside them end with the command.
    fn can_keep(&self) -> Keepable {
        Keepable::WithoutProcesses
    }

    fn comes_unasked(&self) -> bool {
        true
    }

    fn probe(&self, wish: &Wish) -> Result<Ready, NotReady> {
        let runtime = Runtime::find().map_err(|error| NotReady::new(KindError::from(error).to_string()))?;
        let (engine, image) = (runtime.engine(), wish.node_image.clone());
        Ok(Ready::new(format!("{engine} works"), move |making| {
            let mut provider = KindProvider::new(engine, making.keeping, image, making.registry);
            if let Some(folder) = making.evidence {
                provider = provider.leaving_evidence_in(folder);
            }
            Ok(Box::new(provider))
        }))
    }
}
