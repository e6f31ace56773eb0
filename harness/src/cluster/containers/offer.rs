//! Clusters whose components are containers as a provider that can be chosen.

use super::{CAPABILITIES, ContainersProvider, EngineError};
use crate::cluster::contract::Capabilities;
use crate::cluster::local;
use crate::cluster::provider::{Costs, Keepable, NotReady, Provider, Ready, Wish};
use crate::container_runtime::socket::Socket;

/// The provider whose components are containers of this machine.
#[derive(Clone, Copy, Debug)]
pub struct Containers;

/// As processes, and a container more to start for each.
const COSTS: Costs = Costs { up_and_down: 12, changes: 30, ..local::COSTS };

impl Provider for Containers {
    fn name(&self) -> &'static str {
        "containers"
    }

    fn capabilities(&self) -> Capabilities {
        CAPABILITIES
    }

    fn costs(&self) -> Costs {
        COSTS
    }

    /// They end with their run.
    fn can_keep(&self) -> Keepable {
        Keepable::Nothing
    }

    fn probe(&self, wish: &Wish) -> Result<Ready, NotReady> {
        let (source, programs) = local::at_hand::find(self.name(), wish)?;
        let socket = Socket::find().map_err(|error| NotReady::new(EngineError::from(error).to_string()))?;
        let (says, own) = (format!("{socket}; {programs}"), source.clone());
        let ready =
            Ready::new(says, move |making| Ok(Box::new(ContainersProvider::new(&socket, source, making.registry)?)));
        Ok(ready.running(own))
    }
}
