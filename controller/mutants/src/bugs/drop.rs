//! *Drop*: something that should be done is not done, and taken for done.

use std::collections::BTreeSet;

use jobsworth_core::{Action, Decision, Why};
use serde_json::json;

use crate::decorator::{Decorator, Fate, Next};
use crate::wire::{Answer, Call};
use crate::{Notes, Sight};

/// Finalizers are not taken off.
pub fn releases(call: &mut Call) -> Fate {
    match call.releases_a_pod() {
        true => Fate::Answered(Answer::ok(&json!({"metadata": {"resourceVersion": "0"}}))),
        false => Fate::Send,
    }
}

/// Finalizers are not taken off when the Job is gone.
#[derive(Debug, Default)]
pub struct OrphansReleases {
    gone: Notes<BTreeSet<String>>,
}

impl Decorator for OrphansReleases {
    fn told(&self, call: &Call, answer: &mut Answer) -> Next {
        if let Some((namespace, name)) = call.path.split_once("/jobs/").filter(|_| answer.code == 404) {
            let pods = namespace.replace("/apis/batch/v1/", "/api/v1/");
            self.gone.open().insert(format!("{pods}/pods/{name}-"));
        }
        Next::Take
    }

    fn ask(&self, call: &mut Call) -> Fate {
        match self.gone.open().iter().any(|pods| call.path.starts_with(pods)) {
            true => releases(call),
            false => Fate::Send,
        }
    }
}

/// Pods that are left over once the Job is decided are released, but not deleted.
pub fn deletions_after_the_decision(_: &Sight, decision: &mut Decision) {
    for action in decision.batches.iter_mut().flat_map(|batch| &mut batch.actions) {
        if let Action::StripAndDelete { uid, name, why: Why::Decided, .. } = action {
            *action = Action::ReleasePod { uid: uid.clone(), name: name.clone() };
        }
    }
}
