//! Clusters of local processes as a provider that can be chosen.

use super::{CAPABILITIES, LocalProvider, at_hand};
use crate::cluster::contract::Capabilities;
use crate::cluster::provider::{Costs, Keepable, Keeping, NotReady, Provider, Ready, Wish};

/// The provider whose components are processes on this machine.
#[derive(Clone, Copy, Debug)]
pub struct Local;

/// 250 cases took 174 s, eight side by side and others in two clusters more; a switch of a gate 4 s and three of them a case. Of the
/// memory an API server has most: 1,000 MiB at the end of all cases that share a cluster, half as much in the others.
pub(crate) const COSTS: Costs = Costs { up_and_down: 6, case: 6, changes: 20, side_by_side: 3, memory: 900 };

impl Provider for Local {
    fn name(&self) -> &'static str {
        "local"
    }

    fn capabilities(&self) -> Capabilities {
        CAPABILITIES
    }

    fn costs(&self) -> Costs {
        COSTS
    }

    fn can_keep(&self) -> Keepable {
        Keepable::Whole
    }

    fn comes_unasked(&self) -> bool {
        true
    }

    fn probe(&self, wish: &Wish) -> Result<Ready, NotReady> {
        let (source, says) = at_hand::find(self.name(), wish)?;
        let programs = source.clone();
        let ready = Ready::new(says, move |making| {
            Ok(match making.keeping {
                Keeping::Delete => Box::new(LocalProvider::new(source, making.registry)),
                // Clusters that may stay belong to a process of their own; the others die with this one, however it ends.
                Keeping::Keep => (making.holder)(source, making.registry),
            })
        });
        Ok(ready.running(programs))
    }
}
