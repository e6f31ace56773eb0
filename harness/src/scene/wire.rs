//! What a script has happen between the controller and the API server; only for cases that say so in their needs.
//!
//! Every act leaves a mark on the timeline, so that who reads it knows whose doing it was.

use super::{Fault, PATIENCE, Scene, Stop};
use crate::{
    cluster::unexpected,
    wire::{Met, Mishap, ObjectName, RequestMatcher, Wire},
};
use jobsworth_oracle::timeline::READY_AGAIN;
use std::sync::Arc;
use tokio::time::Instant;

/// When at a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// It is not applied.
    Before,
    /// It is applied, and nobody heard the answer.
    After,
}

/// The way of the controller's requests.
pub struct WireHandle<'s> {
    scene: &'s mut Scene,
}

impl<'s> WireHandle<'s> {
    pub(super) fn new(scene: &'s mut Scene) -> Self {
        Self { scene }
    }

    /// Has something happen to the requests of this namespace that are meant.
    ///
    /// # Errors
    /// When the controller's requests pass no proxy, or the API server does not answer.
    pub async fn meets(self, matcher: RequestMatcher, mishap: Mishap) -> Result<Met, Stop> {
        let met = self.wire()?.meet(self.scene.namespace(), matcher, mishap);
        self.scene.mark_as(format!("from now on: {}", met.words())).await?;
        Ok(met)
    }

    /// Waits until it has happened so often.
    ///
    /// # Errors
    /// [`Stop::Stalled`] when it has not within [`PATIENCE`], [`Stop::CutShort`] when others waited in vain before; a fault when the
    /// cluster breaks.
    pub async fn met(self, met: &Met, times: u32) -> Result<(), Stop> {
        let waited_for = format!("a request to meet it: {}", met.words());
        let (began, limit, waits) = (Instant::now(), PATIENCE, Arc::clone(&self.scene.waits));
        tokio::select! {
            () = met.has_struck(times) => {}
            lost = unexpected(&mut self.scene.unexpected_exit) => return Err(Fault::Lost(Box::new(lost)).into()),
            () = tokio::time::sleep(limit) => return Err(Stop::Stalled { waited_for, limit }),
            after = waits.are_over(began) => return Err(Stop::CutShort { waited_for, after, limit }),
        }
        self.scene.waited = self.scene.waited.max(began.elapsed());
        self.scene.mark_as(format!("it happened: {}", met.words())).await
    }

    /// Lets go what was held.
    ///
    /// # Errors
    /// When the API server does not answer.
    pub async fn releases(self, met: &Met) -> Result<(), Stop> {
        self.scene.mark_as(format!("let go: {}", met.words())).await?;
        met.release();
        Ok(())
    }

    /// Kills the controller at the request that is meant, and starts it again; also after the script is over, as long as the case
    /// goes on.
    ///
    /// # Errors
    /// As [`meets`](Self::meets).
    pub async fn kills(self, matcher: RequestMatcher, moment: Moment) -> Result<(), Stop> {
        let mishap = match moment {
            Moment::Before => Mishap::HeldBefore,
            Moment::After => Mishap::HeldAfter,
        };
        let met = self.wire()?.meet(self.scene.namespace(), matcher, mishap);
        self.scene.mark_as(format!("to be killed: {}", met.words())).await?;
        let (subject, book) = (self.scene.subject.clone(), Arc::clone(&self.scene.book));
        self.scene.kills.spawn(async move {
            tokio::select! {
                biased;
                () = met.has_struck(1) => {}
                () = met.is_over() => return Ok(()),
            }
            book.mark("subject crashed");
            // With it goes its connection, and a request that is held before it is applied.
            let crashed = subject.crash().await;
            book.mark("subject restarted");
            let restarted = crashed.and(subject.restart().await);
            if restarted.is_ok() {
                book.mark(READY_AGAIN);
            }
            restarted
        });
        Ok(())
    }

    /// Holds what watches of a resource tell the controller.
    ///
    /// # Errors
    /// As [`meets`](Self::meets).
    pub async fn holds_watches_of(self, on: &str) -> Result<(), Stop> {
        self.wire()?.watches().hold(on);
        self.scene.mark_as(format!("watches held: {on}")).await
    }

    /// Holds what watches of a resource tell the controller, from the news of one object of this namespace on: the first whose name
    /// begins so. What was told before it is known, and what comes after it waits, too.
    ///
    /// # Errors
    /// As [`meets`](Self::meets).
    pub async fn holds_watches_from(self, on: &str, name: &str) -> Result<(), Stop> {
        let (namespace, first) = (self.scene.namespace().to_owned(), name.to_owned());
        self.wire()?.watches().hold_from(on, ObjectName { namespace, name: first });
        self.scene.mark_as(format!("watches held: {on} from {name} on")).await
    }

    /// Lets watches of a resource speak again.
    ///
    /// # Errors
    /// As [`meets`](Self::meets).
    pub async fn releases_watches_of(self, on: &str) -> Result<(), Stop> {
        self.scene.mark_as(format!("watches speak again: {on}")).await?;
        self.wire()?.watches().release(on);
        Ok(())
    }

    /// Cuts the watches of a resource in the middle of whatever they say.
    ///
    /// # Errors
    /// As [`meets`](Self::meets).
    pub async fn cuts_watches_of(self, on: &str) -> Result<(), Stop> {
        self.scene.mark_as(format!("watches cut: {on}")).await?;
        self.wire()?.watches().cut(on);
        Ok(())
    }

    /// Cuts the watches of a resource, and answers the next so many with 410: what they would go on from is compacted.
    ///
    /// # Errors
    /// As [`meets`](Self::meets).
    pub async fn expires_watches_of(self, on: &str, times: u32) -> Result<(), Stop> {
        self.scene.mark_as(format!("watches expired: {on}, {times} times")).await?;
        self.wire()?.watches().expire(on, times);
        Ok(())
    }

    fn wire(&self) -> Result<Arc<Wire>, Stop> {
        self.scene.subject.wire().ok_or_else(|| Fault::NoProxy.into())
    }
}
