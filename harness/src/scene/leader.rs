//! The instance of the controller that leads, as far as a script may handle it; only for cases that say so in their needs.

use super::{Fault, PATIENCE, Scene, Stop};
use crate::cluster::{Instances, unexpected};
use crate::wire::{Election, Met, Mishap, change_of};
use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::Lease;
use kube::api::{Api, DeleteParams, Patch, PatchParams};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::time::Instant;

/// Who a Lease is given to that belongs to no instance.
const STRANGER: &str = "a-stranger";
/// For how long: longer than any case.
const STRANGERS_LEASE_S: u32 = 600;

/// Handles the instance that leads.
pub struct LeaderHandle<'s> {
    scene: &'s mut Scene,
}

impl<'s> LeaderHandle<'s> {
    pub(super) fn new(scene: &'s mut Scene) -> Self {
        Self { scene }
    }

    /// Kills it as `kill -9` does, and waits until it is gone; it stays away.
    ///
    /// # Errors
    /// When nobody leads, or it cannot be killed.
    pub async fn crash(self) -> Result<(), Stop> {
        let (instances, leader) = self.leading()?;
        instances.kill(&leader).await.map_err(Fault::from)?;
        self.scene.struck = Some(leader);
        self.scene.mark("subject crashed").await
    }

    /// Stops it in its tracks.
    ///
    /// # Errors
    /// When nobody leads, or it cannot be stopped.
    pub async fn pause(self) -> Result<(), Stop> {
        let (instances, leader) = self.leading()?;
        instances.pause(&leader).await.map_err(Fault::from)?;
        self.scene.struck = Some(leader);
        self.scene.mark("subject paused").await
    }

    /// Lets the one go on that was [paused](Self::pause).
    ///
    /// # Errors
    /// When it cannot be reached.
    pub async fn resume(self) -> Result<(), Stop> {
        self.scene.mark("subject resumed").await?;
        let instances = self.instances()?;
        match self.scene.struck.clone() {
            Some(paused) => Ok(instances.resume(&paused).await.map_err(Fault::from)?),
            None => Ok(()),
        }
    }

    /// Waits until another leads than the one that was killed or paused, or until anybody leads where none was.
    ///
    /// # Errors
    /// [`Stop::Stalled`] when nobody does within [`PATIENCE`], [`Stop::CutShort`] when others waited in vain before; a fault when the
    /// cluster breaks.
    pub async fn is_another(self) -> Result<(), Stop> {
        let struck = self.scene.struck.clone();
        let mut election = self.instances()?.election();
        let leads = |election: &Election| election.leader.is_some() && election.leader != struck;
        let waited_for = "another instance to lead".to_owned();
        let (began, limit, waits) = (Instant::now(), PATIENCE, Arc::clone(&self.scene.waits));
        tokio::select! {
            // The sender is where the instances are.
            _ = election.wait_for(leads) => {}
            lost = unexpected(&mut self.scene.unexpected_exit) => return Err(Fault::Lost(Box::new(lost)).into()),
            () = tokio::time::sleep(limit) => return Err(Stop::Stalled { waited_for, limit }),
            after = waits.are_over(began) => return Err(Stop::CutShort { waited_for, after, limit }),
        }
        self.scene.waited = self.scene.waited.max(began.elapsed());
        self.scene.mark("another instance leads").await
    }

    /// Deletes its Lease.
    ///
    /// # Errors
    /// When the API server refuses that.
    pub async fn loses_its_lease(self) -> Result<(), Stop> {
        let (leases, name) = self.lease()?;
        leases.delete(&name, &DeleteParams::default()).await.map_err(|error| refused("delete the Lease", error))?;
        self.scene.mark("subject without a lease").await
    }

    /// From now on this happens to each renewal of its Lease: it leads for as long as it did before, and not longer. Others may take the
    /// Lease.
    ///
    /// # Errors
    /// When nobody leads, or its requests pass no proxy.
    pub async fn renews_in_vain(self, mishap: Mishap) -> Result<(), Stop> {
        let (_, leader) = self.leading()?;
        let (namespace, _) = self.place_of_lease()?;
        let wire = self.scene.subject.wire().ok_or(Fault::NoProxy)?;
        let met = wire.meet_one(&leader, &namespace, change_of("leases").times(u32::MAX), mishap);
        self.scene.struck = Some(leader);
        self.scene.mark_as(format!("from now on: {}", met.words())).await?;
        self.scene.mark("subject renews in vain").await
    }

    /// Holds the next renewal of its Lease on its way; returns when it is held.
    ///
    /// # Errors
    /// When nobody leads, or its requests pass no proxy. [`Stop::Stalled`] when it renews nothing within [`PATIENCE`].
    pub async fn has_a_renewal_held(self) -> Result<Met, Stop> {
        let (_, leader) = self.leading()?;
        let (namespace, _) = self.place_of_lease()?;
        let wire = self.scene.subject.wire().ok_or(Fault::NoProxy)?;
        let met = wire.meet_one(&leader, &namespace, change_of("leases"), Mishap::HeldBefore);
        self.scene.mark_as(format!("from now on: {}", met.words())).await?;
        self.scene.wire().met(&met, 1).await?;
        Ok(met)
    }

    /// Gives its Lease to somebody who is no instance of it, and does not let go of it.
    ///
    /// # Errors
    /// When the API server refuses that.
    pub async fn loses_its_lease_to_a_stranger(self) -> Result<(), Stop> {
        self.gives(STRANGER, STRANGERS_LEASE_S).await?;
        self.scene.mark("subject without a lease").await
    }

    /// The stranger gives the Lease back: whoever wants it may have it.
    ///
    /// # Errors
    /// When the API server refuses that.
    pub async fn may_have_the_lease(self) -> Result<(), Stop> {
        self.scene.mark("subject may have the lease").await?;
        self.gives("", 1).await
    }

    async fn gives(&self, holder: &str, seconds: u32) -> Result<(), Stop> {
        let (leases, name) = self.lease()?;
        let now = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string();
        let spec: Value =
            json!({"holderIdentity": holder, "leaseDurationSeconds": seconds, "acquireTime": now, "renewTime": now});
        let patch = Patch::Merge(json!({"spec": spec}));
        let written = leases.patch(&name, &PatchParams::default(), &patch).await;
        written.map_err(|error| refused("write the Lease", error))?;
        Ok(())
    }

    /// Namespace and name.
    fn place_of_lease(&self) -> Result<(String, String), Stop> {
        Ok(self.instances()?.election().borrow().lease.clone().ok_or(Fault::NoLeader)?)
    }

    fn lease(&self) -> Result<(Api<Lease>, String), Stop> {
        let (namespace, name) = self.place_of_lease()?;
        Ok((Api::namespaced(self.scene.client.clone(), &namespace), name))
    }

    fn leading(&self) -> Result<(Arc<dyn Instances>, String), Stop> {
        let instances = self.instances()?;
        let leader = instances.election().borrow().leader.clone().ok_or(Fault::NoLeader)?;
        Ok((instances, leader))
    }

    fn instances(&self) -> Result<Arc<dyn Instances>, Stop> {
        self.scene.subject.instances().ok_or_else(|| Fault::OneInstance.into())
    }
}

fn refused(what: &str, source: kube::Error) -> Stop {
    Fault::Request { what: what.to_owned(), source: Box::new(source) }.into()
}
