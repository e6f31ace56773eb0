//! Who plays pods: our own driver, which does what it is told, or kwok, which ends each pod by itself.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Pods, Scenario, Workload};
use crate::cluster::ClusterSpec;

/// How many nodes kwok plays: as many as KEP-2214's figures were measured with.
const NODES: u32 = 20;
/// How long a pod runs that kwok must not end by itself: longer than any trial.
const FOR_EVER: &str = "240h";

/// Who plays pods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum PodsBy {
    /// Our own driver: it writes the status of pods, which are bound to a node from the start. Nothing else is in the way.
    #[default]
    Direct,
    /// kwok by its stages, on 20 nodes; kube-scheduler binds the pods.
    Kwok,
    /// The nodes of a cluster that is there already: kubelets, or what plays them.
    #[value(skip)]
    Nodes,
}

impl fmt::Display for PodsBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Direct => "direct",
            Self::Kwok => "kwok",
            Self::Nodes => "nodes",
        })
    }
}

impl PodsBy {
    /// Who plays the pods of such a cluster.
    #[must_use]
    pub fn of(spec: &ClusterSpec) -> Self {
        if spec.kwok { Self::Kwok } else { Self::Direct }
    }

    /// The cluster with what it takes.
    #[must_use]
    pub fn prepare(self, spec: ClusterSpec) -> ClusterSpec {
        match self {
            Self::Direct | Self::Nodes => spec,
            Self::Kwok => ClusterSpec { scheduler: true, kwok: true, nodes: NODES, ..spec },
        }
    }

    /// Why it cannot play the pods of this workload, if it cannot.
    #[must_use]
    pub fn refusal(self, workload: &Workload) -> Option<&'static str> {
        match (self, workload.scenario, workload.pods) {
            // What nodes cannot do is told with what else cannot be done in a cluster that is there already.
            (Self::Direct | Self::Nodes, ..) => None,
            (Self::Kwok, Scenario::Leader, _) => {
                Some("index 0 succeeds once all pods run, and kwok ends a pod by time alone")
            }
            (Self::Kwok, _, Pods::Succeed(success)) if success.below_index.is_some() => {
                Some("pods above `below-index` do not succeed, and its stages treat all pods of a template alike")
            }
            (Self::Kwok, _, Pods::Succeed(success)) if success.per_second.is_some() => {
                Some("`per-second` spreads what pods do over time, and kwok ends each by itself")
            }
            (Self::Kwok, ..) => None,
        }
    }
}

/// How long pods run that behave like this, as kwok's stages read it.
pub(super) fn runs_for(pods: Pods) -> String {
    match pods {
        Pods::Succeed(success) => format!("{}ms", success.run_time.as_millis()),
        Pods::Linger => FOR_EVER.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rstest::rstest;

    use super::*;
    use crate::load::sample;
    use crate::load::workload::Success;

    fn succeeding(success: Success) -> Workload {
        Workload { pods: Pods::Succeed(success), ..sample::workload("indexed-500") }
    }

    fn suspended() -> Workload {
        Workload { scenario: Scenario::Suspension, pods: Pods::Linger, ..sample::workload("indexed-500") }
    }

    #[rstest]
    #[case::pods_that_end_by_themselves(sample::workload("indexed-500"), None)]
    #[case::no_pods_at_all(sample::workload("ttl-1000"), None)]
    #[case::pods_that_are_all_told_to_stop(suspended(), None)]
    #[case::a_leader(sample::workload("policy-499"), Some("index 0 succeeds once all pods run"))]
    #[case::some_indexes(succeeding(Success { below_index: Some(5), ..Success::default() }), Some("below-index"))]
    #[case::one_after_the_other(succeeding(Success { per_second: Some(9), ..Success::default() }), Some("per-second"))]
    fn kwok_ends_pods_by_time_alone_and_the_driver_as_it_is_told(
        #[case] workload: Workload,
        #[case] says: Option<&str>,
    ) {
        assert_eq!(PodsBy::Direct.refusal(&workload), None);
        let refusal = PodsBy::Kwok.refusal(&workload);
        assert_eq!(refusal.is_some(), says.is_some(), "{refusal:?}");
        assert!(refusal.zip(says).is_none_or(|(refusal, says)| refusal.contains(says)), "{refusal:?}");
    }

    #[test]
    fn kwok_takes_a_scheduler_and_twenty_nodes() {
        let spec = ClusterSpec::of("1.37.1".parse().expect("a version"));
        assert_eq!(PodsBy::Direct.prepare(spec.clone()), spec);
        let with_kwok = PodsBy::Kwok.prepare(spec.clone());
        assert!(with_kwok.scheduler && with_kwok.kwok && with_kwok.nodes == 20, "{with_kwok:?}");
        assert_eq!((PodsBy::of(&spec), PodsBy::of(&with_kwok)), (PodsBy::Direct, PodsBy::Kwok));
    }

    #[test]
    fn stages_read_times_as_go_writes_them() {
        let second = Success { run_time: Duration::from_millis(1500), ..Success::default() };
        assert_eq!((runs_for(Pods::Succeed(second)), runs_for(Pods::Linger)), ("1500ms".to_owned(), "240h".to_owned()));
        assert_eq!(runs_for(Pods::Succeed(Success::default())), "0ms");
    }
}
