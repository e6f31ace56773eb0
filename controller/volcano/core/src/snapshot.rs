//! What one sync may look at.

use std::collections::BTreeSet;
use std::sync::Arc;

use jobsworth_volcano_api::{Action, Job, PodGroup};

use crate::min_resources::Priorities;
use crate::{PodView, Request, Uid};

/// The world as caches show it.
#[derive(Clone, Debug)]
pub struct Snapshot<'a> {
    /// The job.
    pub job: &'a Arc<Job>,
    /// Pods in its namespace whose controller is a Volcano Job of its name, whatever the UID.
    pub pods: &'a [&'a PodView],
    /// The `PodGroup` of [`crate::names::group`], or else the one that has the job's name (VJ-255).
    pub group: Option<&'a PodGroup>,
    /// Whether the job's queue exists (VJ-160).
    pub queue_exists: bool,
    /// Names of the claims in the namespace.
    pub claims: &'a BTreeSet<String>,
    /// Values of priority classes.
    pub priorities: &'a Priorities,
    /// Commands for the job, oldest first.
    pub commands: &'a [Order],
    /// What [`crate::event::event_of`] made of changes since, in their order, but for what was
    /// [`crate::Decision::consumed`].
    pub requests: &'a [Request],
    /// Passes for this job that failed since the last one that did not.
    pub failures: u32,
}

/// A Command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Its name.
    pub name: String,
    /// Which one.
    pub uid: Uid,
    /// What it asks for.
    pub action: Action,
}
