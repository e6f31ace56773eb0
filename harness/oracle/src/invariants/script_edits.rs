//! What the script has written to pods, as `managedFields` have it.

use super::reading;
use crate::{
    history::{ObjectHistory, Version},
    vocabulary::pods::is_tracked,
};
use k8s_openapi::api::core::v1::Pod;
use std::time::Duration;

/// How soon after a point of the script its next write comes.
pub(super) const SHORTLY: Duration = Duration::from_secs(2);

/// Whether the script itself took the tracking finalizer from this pod: nobody can count it then.
pub(super) fn is_stripped_by_script(pod: &ObjectHistory<Pod>) -> bool {
    pod.steps()
        .any(|(before, after)| is_tracked(&before.object) && !is_tracked(&after.object) && is_by_script(before, after))
}

/// Whether this step is taken for the script's: its entry is renewed, or its last one is a moment ago.
pub(super) fn is_by_script(before: &Version<Pod>, after: &Version<Pod>) -> bool {
    let entry = |version: &Version<Pod>| {
        let fields = version.object.metadata.managed_fields.clone();
        fields
            .into_iter()
            .flatten()
            .filter(|entry| entry.manager.as_deref() == Some(reading::SCRIPT))
            .collect::<Vec<_>>()
    };
    let (was, is) = (entry(before), entry(after));
    let times = |entries: &[k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry]| {
        entries.iter().filter_map(|entry| entry.time.clone()).max()
    };
    times(&is) > times(&was) || is.len() > was.len() || before.at + SHORTLY > after.at && !is.is_empty()
}
