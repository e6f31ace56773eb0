//! What a script does to Volcano's Jobs beside what it does to any Job: orders, and the scheduler's part in groups.

use super::{Scene, Stop, write::Write};
use crate::pod_driver::GangBehaviour;
use jobsworth_api::Resource;
use jobsworth_oracle::{
    Predicate, Seen, World,
    recorded::volcano::{Job, PodGroup},
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::{Value, json};

/// The group of a Job, which a script moves as a scheduler would.
pub struct GroupHandle<'s> {
    scene: &'s mut Scene,
    job: String,
}

impl Scene {
    /// Changes what the gang player does by itself from now on.
    pub fn gangs_behave(&mut self, change: impl FnOnce(&mut GangBehaviour)) {
        if let Some(gangs) = self.driver.gangs() {
            gangs.send_if_modified(|behaviour| {
                let before = *behaviour;
                change(behaviour);
                *behaviour != before
            });
        }
    }

    /// The group of the Job of this name.
    pub fn group_of(&mut self, job: &str) -> GroupHandle<'_> {
        GroupHandle { scene: self, job: job.to_owned() }
    }

    /// Orders an action for the Job of this name, as Volcano's own command line does (VJ-301, VJ-307).
    ///
    /// # Errors
    /// When the API server refuses it.
    pub async fn order(&mut self, job: &str, action: &str) -> Result<(), Stop> {
        self.must(order(job, "", action)).await
    }

    /// The same to the Job that is there now, which then owns the order (VJ-307).
    ///
    /// # Errors
    /// When there is no such Job, or the API server refuses it.
    pub async fn order_as_owner(&mut self, job: &str, action: &str) -> Result<(), Stop> {
        let name = job.to_owned();
        let is_there = move |world: &World| uid_of(world, &name).is_some();
        self.wait(Predicate::new(format!("{job} to be there"), is_there)).await?;
        let uid = uid_of(&self.world(), job).unwrap_or_default();
        self.must(order(job, &uid, action)).await
    }
}

fn uid_of(world: &World, job: &str) -> Option<String> {
    world.named::<Job>(job)?.metadata.uid.clone()
}

/// A Command for the Job of this name; with its UID the Job owns it.
fn order(job: &str, uid: &str, action: &str) -> Write {
    let target = json!({
        "apiVersion": Resource::VOLCANO_JOBS.api_version(), "kind": "Job", "name": job, "uid": uid, "controller": true,
    });
    let mut command = json!({
        "apiVersion": Resource::VOLCANO_COMMANDS.api_version(),
        "kind": "Command",
        "metadata": {"generateName": format!("{job}-{}-", action.to_lowercase())},
        "action": action,
        "target": target,
    });
    if !uid.is_empty() {
        command["metadata"]["ownerReferences"] = json!([target]);
    }
    Write::create_of(&Resource::VOLCANO_COMMANDS, command)
}

impl GroupHandle<'_> {
    /// It is in this phase from now on: `Inqueue`, `Running`, `Unknown`, `Completed` (VJ-263).
    ///
    /// # Errors
    /// When there is no such group in time, or the API server refuses.
    pub async fn becomes(self, phase: &str) -> Result<(), Stop> {
        self.is_patched(json!({"status": {"phase": phase}})).await
    }

    /// Its scheduler says why it cannot be scheduled (VJ-166).
    ///
    /// # Errors
    /// When there is no such group in time, or the API server refuses.
    pub async fn is_unschedulable(self, message: &str) -> Result<(), Stop> {
        let condition = json!({
            "type": "Unschedulable", "status": "True", "reason": "NotEnoughResources", "message": message,
            "transitionID": "1", "lastTransitionTime": "2026-01-01T00:00:00Z",
        });
        self.is_patched(json!({"status": {"phase": "Pending", "conditions": [condition]}})).await
    }

    /// Somebody deletes it.
    ///
    /// # Errors
    /// When there is no such group in time, or the API server refuses.
    pub async fn is_deleted(mut self) -> Result<(), Stop> {
        let name = self.find().await?;
        self.scene.must(Write::delete_of(&Resource::VOLCANO_POD_GROUPS, &name)).await
    }

    /// Somebody merges `patch` into it.
    ///
    /// # Errors
    /// When there is no such group in time, or the API server refuses.
    pub async fn is_patched(mut self, patch: Value) -> Result<(), Stop> {
        let name = self.find().await?;
        self.scene.must(Write::patch_of(&Resource::VOLCANO_POD_GROUPS, &name, patch)).await
    }

    async fn find(&mut self) -> Result<String, Stop> {
        let job = self.job.clone();
        let words = format!("a group of {job} that stays");
        self.scene.wait(Predicate::new(words.clone(), move |world| group(world, &job).is_some())).await?;
        let gone = || Stop::Stalled { waited_for: words, limit: std::time::Duration::ZERO };
        let found = group(&self.scene.world(), &self.job).and_then(|group| group.metadata.name.clone());
        found.ok_or_else(gone)
    }
}

fn group(world: &World, job: &str) -> Option<Seen<PodGroup>> {
    let stays = |group: &&Seen<PodGroup>| group.metadata.deletion_timestamp.is_none();
    world.all::<PodGroup>().filter(stays).find(|group| is_controlled_by(&group.metadata, job)).cloned()
}

/// Whether a Volcano Job of this name controls an object.
pub(super) fn is_controlled_by(metadata: &ObjectMeta, job: &str) -> bool {
    let mut owners = metadata.owner_references.iter().flatten().filter(|owner| owner.controller == Some(true));
    owners.any(|owner| owner.name == job && Resource::VOLCANO_JOBS.is_kind_of(&owner.api_version, &owner.kind))
}
