//! How pods go that are told to stop: what ends a Job does not depend on it.

use super::Encounter;
use crate::words::*;
use jobsworth_race_model::Order;

/// A finalizer of somebody else's.
const KEEPSAKE: &str = "jobsworth.test/keepsake";

/// How the pods go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Going {
    /// They linger until everything is decided, and exit then.
    Lingering,
    /// As soon as they are told: no pod is left that could still end otherwise.
    AtOnce,
    /// They linger, and are lost with their node: no container ever tells how it ended.
    WithTheirNode,
    /// They exit when everything is decided, and somebody else's finalizer keeps them.
    Held,
}

impl Going {
    /// All but the usual one, with what the names of their cases end in.
    pub const OTHERS: [(Self, &str); 3] =
        [(Self::AtOnce, "at-once"), (Self::WithTheirNode, "with-their-node"), (Self::Held, "held")];

    /// Whether these two can meet so: a pod that is gone brings about nothing any more.
    #[must_use]
    pub const fn allows(self, encounter: Encounter) -> bool {
        let decided_first = !matches!(encounter.order, Order::Together);
        !(matches!(self, Self::AtOnce) && decided_first && encounter.second.needs_a_pod())
    }

    /// The Job, with pods that can go so.
    pub fn prepared(self, draft: Draft) -> Draft {
        match self {
            Self::Held => draft.pod_metadata("finalizers", json!([KEEPSAKE])),
            _ => draft,
        }
    }

    /// What pods do by themselves.
    pub const fn stop(self) -> When {
        match self {
            Self::AtOnce => When::AtOnce,
            _ => When::OnWord,
        }
    }

    /// Waits until every pod is told to stop or at its end, and lets those go that are told to.
    pub async fn let_go(self, scene: &mut Scene) -> Result<(), Stop> {
        scene.wait(pods().that_are(live()).count(0)).await?;
        if self == Self::AtOnce {
            return scene.wait(pods().that_are(terminating()).count(0)).await;
        }
        let end = if self == Self::WithTheirNode { End::WithoutContainers } else { End::Exited(143) };
        while pods().that_are(terminating()).at_least(1).holds(&scene.world()) {
            scene.some_pod().is_let_go(end).await?;
        }
        Ok(())
    }

    /// Takes somebody else's finalizer off once the Job controller has taken its own: neither waits for the other.
    pub async fn give_back(self, scene: &mut Scene) -> Result<(), Stop> {
        if self != Self::Held {
            return Ok(());
        }
        scene.wait(pods().that_are(tracked()).count(0)).await?;
        let kept: Vec<String> = scene.world().pods().filter_map(|pod| pod.metadata.name.clone()).collect();
        for name in kept {
            scene.must(Write::patch_pod(&name, json!({"metadata": {"finalizers": null}}))).await?;
        }
        Ok(())
    }
}
