//! Plays Volcano's scheduler: lets groups into the queue, gives their pods places, and says how the groups are.
//!
//! What it does next is a value that [`plan`] makes of what was recorded; here it is carried out, one step after another, so a
//! run repeats itself.

mod plan;
mod view;

use super::{DriveError, When};
use crate::recorder::Book;
use async_trait::async_trait;
use jobsworth_api::Resource;
use k8s_openapi::api::core::v1::Pod;
use kube::{
    Api,
    api::{ApiResource, DynamicObject, Patch, PatchParams},
};
use serde_json::json;
use std::{collections::BTreeMap, sync::Arc};
use tokio::sync::watch;

use plan::Step;

/// What the player does about groups by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GangBehaviour {
    /// Who lets groups into the queue and says how they are: the player, or the script.
    pub phases: When,
    /// How much CPU the nodes have, in thousandths. Pods then get places from the player and no other way; without it there is
    /// room for everybody, and pods start as they are told to.
    pub room: Option<u64>,
}

impl Default for GangBehaviour {
    fn default() -> Self {
        Self { phases: When::AtOnce, room: None }
    }
}

/// Who starts pods once they have a place.
#[async_trait]
pub(super) trait Hands: Send + Sync {
    /// Binds the pod and lets it run and become ready.
    async fn run(&self, pod: &Pod) -> Result<(), DriveError>;

    /// What could not be done.
    fn report(&self, trouble: String);
}

/// What the player works with.
pub(super) struct GangPlayer {
    book: Arc<Book>,
    groups: Api<DynamicObject>,
    hands: Arc<dyn Hands>,
    behaviour: watch::Receiver<GangBehaviour>,
    /// The phase that each group was last given, and that pods were started, by UID: what was done need not be seen to be done,
    /// and what somebody else says of a group stays until the player has something new to say.
    done: BTreeMap<String, &'static str>,
}

impl GangPlayer {
    pub(super) fn new(
        client: kube::Client,
        namespace: &str,
        book: &Arc<Book>,
        hands: Arc<dyn Hands>,
        behaviour: watch::Receiver<GangBehaviour>,
    ) -> Self {
        let Resource { group, version, plural, kind } = Resource::VOLCANO_POD_GROUPS;
        let api_version = Resource::VOLCANO_POD_GROUPS.api_version();
        let resource = ApiResource {
            group: group.into_owned(),
            version: version.into_owned(),
            api_version,
            kind: kind.into_owned(),
            plural: plural.into_owned(),
        };
        let groups = Api::namespaced_with(client, namespace, &resource);
        Self { book: book.clone(), groups, hands, behaviour, done: BTreeMap::new() }
    }

    /// Follows what is recorded until the task is dropped.
    pub(super) async fn play(mut self) {
        let mut length = self.book.length();
        loop {
            let behaviour = *self.behaviour.borrow_and_update();
            let steps = plan::steps(&view::of(&self.book.world()), &behaviour);
            for step in steps {
                let (uid, what) = step.key();
                if self.done.insert(uid.to_owned(), what) == Some(what) {
                    continue;
                }
                if let Err(error) = self.take(&step).await {
                    self.hands.report(crate::error_text::in_full(&error));
                }
            }
            tokio::select! {
                changed = length.changed() => if changed.is_err() { return },
                changed = self.behaviour.changed() => if changed.is_err() { return },
            }
        }
    }

    async fn take(&self, step: &Step) -> Result<(), DriveError> {
        match step {
            Step::Phase { group, uid, phase } => {
                let patch = Patch::Merge(json!({"metadata": {"uid": uid}, "status": {"phase": phase}}));
                let parameters =
                    PatchParams { field_manager: Some("jobsworth-gang-player".to_owned()), ..PatchParams::default() };
                let done = self.groups.patch(group, &parameters, &patch).await.map(drop);
                // A group may go, or be replaced by a namesake, while the player is at work on it.
                super::writer::gone_is_fine(done)
                    .map_err(|source| DriveError::request("change the group", group.clone(), source))
            }
            // A pod of this name may be another's successor by now: the place was not given to it.
            Step::Start { pod, uid } => {
                let world = self.book.world();
                match world.pod(pod).filter(|found| found.metadata.uid.as_deref() == Some(uid)) {
                    Some(pod) => self.hands.run(pod).await,
                    None => Ok(()),
                }
            }
        }
    }
}
