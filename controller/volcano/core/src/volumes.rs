//! Claims that a job asks for, and claims that it relies on (VJ-247 to VJ-249).

use std::collections::BTreeSet;

use jobsworth_volcano_api::{Job, VolumeSpec};
use k8s_openapi::api::core::v1::{
    Container, EmptyDirVolumeSource, PersistentVolumeClaim, PersistentVolumeClaimVolumeSource, PodSpec, Volume,
    VolumeMount,
};

use crate::{Profile, names};

/// What the volumes of a job need before pods can be made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wishes {
    /// Claims to make.
    pub create: Vec<PersistentVolumeClaim>,
    /// Names to write into the spec: index of the volume, name of its claim (VJ-098).
    pub write_back: Vec<(usize, String)>,
    /// Claims that are named and not there (VJ-248).
    pub missing: Vec<String>,
}

/// The name of the claim behind a volume: the one that the spec has, or the one that its claim gets. It is the same at
/// every try, so that each volume gets one claim and not more (VJ-249).
#[must_use]
pub fn claim_name(job: &Job, at: usize, volume: &VolumeSpec) -> Option<String> {
    match (volume.volume_claim_name.as_str(), &volume.volume_claim) {
        ("", None) => None,
        ("", Some(_)) => {
            let suffix = names::suffix(&[names::uid(job), "claim", &at.to_string()]);
            Some(format!("{}-pvc-{suffix}", names::of(job)))
        }
        (name, _) => Some(name.to_owned()),
    }
}

/// What has to be made, given the claims that exist in the namespace.
#[must_use]
pub fn wishes(job: &Job, existing: &BTreeSet<String>, profile: Profile) -> Wishes {
    let mut wishes = Wishes::default();
    for (at, volume) in job.spec.volumes.iter().enumerate() {
        let Some(name) = claim_name(job, at, volume) else { continue };
        let exists = existing.contains(&name);
        match &volume.volume_claim {
            Some(spec) if !exists && !wishes.create.iter().any(|claim| claim.metadata.name.as_ref() == Some(&name)) => {
                let metadata = names::owned(job, name.clone());
                wishes.create.push(PersistentVolumeClaim { metadata, spec: Some(spec.clone()), status: None });
            }
            None if !exists && !profile.falls_back_to_empty_dir() => wishes.missing.push(name.clone()),
            _ => {}
        }
        if volume.volume_claim_name.is_empty() {
            wishes.write_back.push((at, name));
        }
    }
    wishes
}

/// Gives a pod the volumes of its job: one for each claim, in every container but not in init containers (VJ-247).
pub fn mount(job: &Job, pod: &mut PodSpec, pod_name: &str, existing: &BTreeSet<String>, profile: Profile) {
    let mut mounted = BTreeSet::new();
    for (at, volume) in job.spec.volumes.iter().enumerate() {
        let claim = claim_name(job, at, volume);
        let usable = |name: &String| volume.volume_claim.is_some() || existing.contains(name);
        let claim = claim.filter(|name| !profile.falls_back_to_empty_dir() || usable(name));
        if let Some(claim) = &claim
            && !mounted.insert(claim.clone())
        {
            continue;
        }
        let suffix = names::suffix(&[names::uid(job), pod_name, &at.to_string()]);
        let name = format!("{}-{suffix}", names::of(job));
        let mut source = Volume { name: name.clone(), ..Volume::default() };
        match claim {
            Some(claim_name) => {
                source.persistent_volume_claim =
                    Some(PersistentVolumeClaimVolumeSource { claim_name, read_only: None });
            }
            // Without a claim only the design document has a volume (VJ-248).
            None if profile.falls_back_to_empty_dir() => source.empty_dir = Some(EmptyDirVolumeSource::default()),
            None => continue,
        }
        pod.volumes.get_or_insert_default().push(source);
        for container in &mut pod.containers {
            add_mount(container, &name, &volume.mount_path, None);
        }
    }
}

/// Adds a mount to a container.
pub fn add_mount(container: &mut Container, volume: &str, path: &str, sub_path: Option<&str>) {
    let mount = VolumeMount {
        name: volume.to_owned(),
        mount_path: path.to_owned(),
        sub_path: sub_path.map(str::to_owned),
        ..VolumeMount::default()
    };
    container.volume_mounts.get_or_insert_default().push(mount);
}
