//! V06: what is made for a Volcano Job has exactly one owner, the Job as its controller (VJ-006, VJ-189f, VJ-241).
//!
//! Judged are objects that name a Volcano Job's UID as an owner, and objects that name nobody and were made neither by the
//! script nor by the cluster itself. Where others may act in the namespace the latter are theirs.

use crate::{
    history::{ObjectHistory, Version},
    invariants::{
        Invariant,
        findings::{Findings, hole},
    },
    property::Check,
    reading::{SCRIPT, is_written_by},
    recorded::{
        Recorded, Secret,
        volcano::{Job, PodGroup},
    },
    timeline::Timeline,
};
use jobsworth_api::Resource;
use k8s_openapi::{
    api::{
        core::v1::{ConfigMap, PersistentVolumeClaim, Pod, Service},
        networking::v1::NetworkPolicy,
    },
    apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference},
};

/// Who writes in a namespace on the cluster's behalf.
const CLUSTER: [&str; 2] = ["kube-apiserver", "kube-controller-manager"];
/// What the cluster puts into every namespace.
const OF_EVERY_NAMESPACE: &str = "kube-root-ca.crt";

pub(in crate::invariants) struct OneOwner;

impl Invariant for OneOwner {
    fn id(&self) -> &'static str {
        "V06"
    }

    fn says(&self) -> &'static str {
        "what is made for a Volcano Job has one owner: that Job, as its controller, by its full API version"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["VJ-189", "VJ-241"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut findings = Findings::default();
        let jobs = timeline.histories::<Job>();
        let judge = Judge { jobs: &jobs, shared: timeline.setting.shared };
        judge.each::<Pod>(timeline, &mut findings);
        judge.each::<PodGroup>(timeline, &mut findings);
        judge.each::<PersistentVolumeClaim>(timeline, &mut findings);
        judge.each::<Service>(timeline, &mut findings);
        judge.each::<ConfigMap>(timeline, &mut findings);
        judge.each::<Secret>(timeline, &mut findings);
        judge.each::<NetworkPolicy>(timeline, &mut findings);
        findings.conclude(timeline, "nothing was made for a Volcano Job")
    }
}

struct Judge<'timeline> {
    jobs: &'timeline [ObjectHistory<Job>],
    shared: bool,
}

impl Judge<'_> {
    fn each<K: Recorded>(&self, timeline: &Timeline, findings: &mut Findings) {
        for history in timeline.histories::<K>() {
            let is_scripted = is_written_by(history.first().object.metadata(), SCRIPT, None);
            for version in history.versions.iter().filter(|_| !is_scripted) {
                self.judge::<K>(version, findings);
            }
        }
    }

    fn judge<K: Recorded>(&self, version: &Version<K>, findings: &mut Findings) {
        let metadata = version.object.metadata();
        let owners = metadata.owner_references.as_deref().unwrap_or_default();
        let named = owners.iter().any(|owner| self.job(owner).is_some() || is_volcanos(owner));
        // Without a Job in sight there is nobody whose it could be.
        let nobodys = owners.is_empty() && !self.shared && !self.jobs.is_empty() && !is_the_clusters(metadata);
        if !named && !nobodys {
            return;
        }
        findings.occasion();
        if let Some(wrong) = self.wrong(owners) {
            let name = metadata.name.as_deref().unwrap_or("?");
            let observed = format!("{} {name}: {wrong}", K::RESOURCE.kind);
            findings.breach(version, "one owner: the Volcano Job, as its controller", observed);
        }
    }

    fn job(&self, owner: &OwnerReference) -> Option<&ObjectHistory<Job>> {
        self.jobs.iter().find(|job| job.uid == owner.uid)
    }

    /// What is wrong with these owners, if anything is.
    fn wrong(&self, owners: &[OwnerReference]) -> Option<String> {
        let [owner] = owners else {
            return Some(format!("{} owners", owners.len()));
        };
        let kind = format!("{} {}", owner.api_version, owner.kind);
        if !is_volcanos(owner) {
            return Some(format!("its owner is called {kind}"));
        }
        if owner.controller != Some(true) {
            return Some("its owner is no controller".to_owned());
        }
        match self.job(owner) {
            None => Some("its owner was never seen".to_owned()),
            Some(job) if job.name != owner.name => Some(format!("its owner is called {}", owner.name)),
            Some(_) => None,
        }
    }
}

fn is_volcanos(owner: &OwnerReference) -> bool {
    owner.api_version == Resource::VOLCANO_JOBS.api_version() && owner.kind == Resource::VOLCANO_JOBS.kind
}

fn is_the_clusters(metadata: &ObjectMeta) -> bool {
    metadata.name.as_deref() == Some(OF_EVERY_NAMESPACE)
        || CLUSTER.iter().any(|manager| is_written_by(metadata, manager, None))
}
