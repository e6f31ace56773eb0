//! What may be left of a cluster outside of its folder once its owner is gone; only who made it knows how it goes.

use std::fmt::Debug;
use std::path::Path;

use crate::cluster::contract::ClusterError;

/// What clusters of one provider leave, found by what the provider wrote into the cluster's folder beforehand.
pub trait Leftover: Debug + Send + Sync {
    /// Whether the cluster in this folder stays though no process owns it.
    fn is_kept(&self, folder: &Path) -> bool;

    /// Removes what belongs to the cluster in this folder; nothing, if the provider wrote nothing there. Blocks.
    ///
    /// # Errors
    /// When something is still there: then what is written in the folder must stay, too.
    fn remove(&self, folder: &Path) -> Result<(), ClusterError>;
}

/// Of all providers that leave something, in the order in which it is removed.
pub type Leftovers = &'static [&'static dyn Leftover];
