//! *Orders*: what becomes of Commands.

use std::collections::BTreeSet;
use std::sync::Arc;

use http::Method;
use jobsworth_volcano_core::{Call, Decision, Phase, Uid};
use serde_json::json;

use crate::call::{self, Answer};
use crate::volcano::{Bug, Look, edit};
use crate::{Decorator, Fate, Notes};

/// Leaves Commands on the API that it has carried out, and remembers them by their UIDs (VJ-302). Nobody is told that an order
/// was heard, and whoever comes after it carries it out once more.
#[derive(Debug, Default)]
pub struct StayThere {
    carried_out: Notes<BTreeSet<Uid>>,
    kept: Kept,
}

/// How the paths of Commands end that are not to be deleted.
#[derive(Clone, Debug, Default)]
struct Kept(Arc<Notes<BTreeSet<String>>>);

impl Bug for StayThere {
    fn see(&self, look: &mut Look) {
        let carried_out = self.carried_out.open();
        look.commands.retain(|order| !carried_out.contains(&order.uid));
    }

    fn say(&self, look: &Look, decision: &mut Decision) {
        let namespace = look.job.metadata.namespace.clone().unwrap_or_default();
        for call in edit::calls(decision) {
            if let Call::DeleteCommand { name, uid } = call {
                self.carried_out.open().insert(uid.clone());
                self.kept.0.open().insert(format!("/namespaces/{namespace}/commands/{name}"));
            }
        }
    }

    fn wire(&self) -> Arc<dyn Decorator> {
        Arc::new(self.kept.clone())
    }
}

impl Decorator for Kept {
    fn ask(&self, call: &mut call::Call) -> Fate {
        let is_kept = || self.0.open().iter().any(|end| call.path.ends_with(end));
        if call.method == Method::DELETE && call.path.starts_with("/apis/bus.volcano.sh/") && is_kept() {
            return Fate::Answered(Answer::ok(&json!({"kind": "Status", "apiVersion": "v1", "status": "Success"})));
        }
        Fate::Send
    }
}

/// Takes Commands off the API while a job restarts, and forgets them (VJ-188): the phase has no use for them. Whoever wanted
/// the job to end is told that it is being seen to.
pub fn lost_while_restarting(look: &Look, decision: &mut Decision) {
    let is_taken = decision.notices.iter().any(|notice| notice.reason == "CommandIssued");
    if is_taken && look.phase() == Phase::Restarting {
        decision.memory = look.memory.clone();
    }
}
