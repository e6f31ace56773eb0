//! What one sync looks at.

use crate::{JobView, PodView};

/// A Job and its pods, as the caches show them.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot<'a> {
    /// The Job.
    pub job: &'a JobView,
    /// Pods whose controller reference is this Job, and pods without a controller reference that match its selector.
    /// In any order: no decision depends on it.
    pub pods: &'a [&'a PodView],
    /// The newest resourceVersion that the pod cache has seen, of any pod or bookmark; 0 when unknown.
    ///
    /// It lets a creation count as seen although the pod is gone already.
    pub pods_revision: u64,
}
