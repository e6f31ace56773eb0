//! A controller that is there already, in a cluster by kind or in one of the user's: what a load cannot do there, and what cannot be
//! measured.
//!
//! Nobody here starts or stops it, kubelets run the pods, and its requests are in no log that is at hand.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::workload::{Arrivals, Cohort, InitialState, Pods, Scenario, Start, Success, Workload};
use crate::cluster::existing::connection::REQUESTS_PER_SECOND;

/// How many Jobs a second are submitted to a cluster of the user's: the rest of our requests are watches, looks and clean-up.
const JOBS_PER_SECOND: u32 = REQUESTS_PER_SECOND * 3 / 4;
/// Jobs without a pace come at least so often a second: they take what those with a pace leave.
const LEAST_UNPACED: f64 = 1.0;
/// How many pods there may be at the same time in a cluster of the user's, if nobody says more.
const PODS_OF_USER: u32 = 500;
/// The same for each node of a cluster by kind: a kubelet takes 110, and some are there already.
const PODS_OF_NODE: u32 = 100;
/// Why no Job is born finished there.
const BORN: &str =
    "some of its Jobs are finished through their status while no controller runs, and there one always does";

/// Whose a cluster is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// It is made for the load, by kind.
    Load,
    /// It was there before, and stays.
    User,
}

/// A cluster with a controller in it that is measured where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Installed {
    /// Whose the cluster is.
    pub owner: Owner,
    /// How many pods of a profile there may be at the same time.
    pub most_pods: u32,
}

/// What could not be measured, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Unmeasured {
    /// The provider of the cluster, for example `existing`.
    pub provider: String,
    /// What is absent from the record for that reason, in words.
    pub absent: Vec<String>,
}

impl Unmeasured {
    /// In a line.
    #[must_use]
    pub fn says(&self) -> String {
        format!("not measured on a cluster by {}: {}", self.provider, self.absent.join("; "))
    }
}

/// Why a profile is not done there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The reason.
    pub says: String,
    /// The next step.
    pub help: &'static str,
}

impl Owner {
    /// How many pods there may be at the same time if nobody says more, on so many nodes.
    #[must_use]
    pub fn usual_pods(self, nodes: u32) -> u32 {
        match self {
            Self::Load => PODS_OF_NODE.saturating_mul(nodes.max(1)),
            Self::User => PODS_OF_USER,
        }
    }

    /// The provider whose clusters these are.
    #[must_use]
    pub const fn provider(self) -> &'static str {
        match self {
            Self::Load => "kind",
            Self::User => "existing",
        }
    }
}

impl Installed {
    /// Why this is not done there, if it is not; told before anything starts.
    #[must_use]
    pub fn refusal(&self, workload: &Workload) -> Option<Refused> {
        if let Some(says) = by_hand(workload) {
            return Some(Refused {
                says: says.to_owned(),
                help: "do it with --provider local, or choose another profile",
            });
        }
        // Slices go on at the same time, so what all of them make counts.
        let pods = workload.whole().pods_at_once();
        if pods > self.most_pods as usize {
            let says = format!("up to {pods} of its pods can be there at the same time, and {} may", self.most_pods);
            return Some(Refused { says, help: "take a part of it with --scale, or allow more with --max-pods" });
        }
        match self.owner {
            Owner::Load => None,
            Owner::User => of_user(workload),
        }
    }

    /// What cannot be had there.
    #[must_use]
    pub fn unmeasured(&self) -> Unmeasured {
        let everywhere = [
            "processor time and memory of the controller, of the API server and of the harness",
            "requests of the controller: how many, of which kind, when, and what other witnesses saw of them",
            "how many writes the API server could do, how late the observer was, and how fast pods end without a controller",
        ];
        let of_user = "the budget of the controller, and so the floor of times";
        let more = (self.owner == Owner::User).then_some(of_user);
        Unmeasured {
            provider: self.owner.provider().to_owned(),
            absent: everywhere.into_iter().chain(more).map(str::to_owned).collect(),
        }
    }
}

/// What somebody would have to do with pods or with the controller, in words.
fn by_hand(workload: &Workload) -> Option<&'static str> {
    let is_born = |cohort: &Cohort| cohort.initial != InitialState::Submitted;
    match (workload.scenario, workload.pods) {
        (Scenario::Leader, _) => {
            Some("in `scenario: leader` one pod succeeds at a word, and there each ends by itself")
        }
        (Scenario::Restart, _) => Some(
            "in `scenario: restart` the controller is started in the middle, and the one there is not ours to start",
        ),
        (Scenario::Expiry(_), _) => Some(BORN),
        _ if workload.cohorts.iter().any(is_born) => Some(BORN),
        (_, Pods::Succeed(Success { per_second: Some(_), .. })) => {
            Some("with `per-second` pods succeed one after the other, and there each ends by itself")
        }
        (_, Pods::Succeed(Success { below_index: Some(_), .. })) => {
            Some("with `below-index` pods of one Job behave differently, and there all do the same")
        }
        _ => None,
    }
}

/// What is too much for a cluster on which others may be at work.
fn of_user(workload: &Workload) -> Option<Refused> {
    if workload.namespaces > 1 {
        let namespaces = workload.namespaces;
        let says = format!(
            "its Jobs are in {namespaces} namespaces, and to see them the Jobs and pods of everybody would be watched"
        );
        return Some(Refused { says, help: "give it `namespaces: 1`" });
    }
    let (all, most) = (pace(workload), most_paced(workload));
    let (beside, rest) = match unpaced(workload) {
        0 => ("", 0.0),
        _ => (" beside those without a pace", LEAST_UNPACED),
    };
    if all + rest <= most {
        return None;
    }
    let all = (all * 100.0).round() / 100.0;
    let whose = if workload.is_slice() { "its Jobs in this slice" } else { "its Jobs" };
    let says = format!(
        "{all} of {whose} come each second{beside}, and of {REQUESTS_PER_SECOND} requests a second {JOBS_PER_SECOND} may submit Jobs, \
         three quarters of that where some come at random"
    );
    Some(Refused { says, help: "lower `per-second`, or have more slices share it with --partition" })
}

/// How many Jobs come each second by their paces, those of all cohorts together; of a slice, its share of them.
fn pace(workload: &Workload) -> f64 {
    let paces = workload.cohorts.iter().filter_map(|cohort| match cohort.start {
        Start::Paced { per_second, .. } => Some(per_second / f64::from(cohort.slices())),
        Start::AtOnce | Start::AfterFirstPodOf(_) => None,
    });
    paces.sum()
}

/// How many cohorts have none.
fn unpaced(workload: &Workload) -> usize {
    workload.cohorts.iter().filter(|cohort| !matches!(cohort.start, Start::Paced { .. })).count()
}

/// How many Jobs may come each second. At random they come in clumps, which our own limit would spread.
fn most_paced(workload: &Workload) -> f64 {
    let is_random = |cohort: &Cohort| matches!(cohort.start, Start::Paced { arrivals: Arrivals::Random, .. });
    let all = f64::from(JOBS_PER_SECOND);
    if workload.cohorts.iter().any(is_random) { all * 0.75 } else { all }
}

/// How far Jobs without a pace are apart in a cluster of the user's: all of them take what those with a pace leave, so that none waits
/// for long for our own limit after its clock has begun to run.
#[must_use]
pub fn gap(workload: &Workload) -> Duration {
    let left = (most_paced(workload) - pace(workload)).max(LEAST_UNPACED);
    Duration::from_secs(1).div_f64(left) * u32::try_from(unpaced(workload).max(1)).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::load::sample;

    const USERS: Installed = Installed { owner: Owner::User, most_pods: 500 };
    const KINDS: Installed = Installed { owner: Owner::Load, most_pods: 100 };

    fn wide() -> Workload {
        sample::workload("indexed-500")
    }

    fn succeeding(success: Success) -> Workload {
        Workload { pods: Pods::Succeed(success), ..wide() }
    }

    fn coming(per_second: f64, arrivals: Arrivals) -> Cohort {
        let start = Start::Paced { begin: Duration::ZERO, per_second, arrivals };
        Cohort { start, ..sample::cohort("small", 40, 1) }
    }

    fn with(cohorts: impl IntoIterator<Item = Cohort>) -> Workload {
        Workload { cohorts: cohorts.into_iter().collect(), ..wide() }
    }

    fn paced(per_second: f64) -> Workload {
        with([coming(per_second, Arrivals::Steady)])
    }

    fn two_paces(one: f64, other: f64, arrivals: Arrivals) -> Workload {
        with([coming(one, Arrivals::Steady), coming(other, arrivals)])
    }

    fn paced_and_not(per_second: f64) -> Workload {
        with([coming(per_second, Arrivals::Steady), sample::cohort("unpaced", 5, 1)])
    }

    fn sliced(workload: Workload) -> Workload {
        workload.slice("slice:2/3".parse().expect("a partition"))
    }

    fn born_finished() -> Workload {
        let there = Cohort { initial: InitialState::Finished, ..sample::cohort("there", 10, 1) };
        Workload { cohorts: vec![sample::cohort("small", 2, 2), there], ..wide() }
    }

    #[rstest]
    #[case::a_wide_job(USERS, wide(), None)]
    #[case::a_wide_job_for_one_node(KINDS, wide(), Some("up to 500 of its pods"))]
    #[case::more_where_the_user_says_so(Installed { most_pods: 500, ..KINDS }, wide(), None)]
    #[case::a_suspension(USERS, Workload { scenario: Scenario::Suspension, pods: Pods::Linger, ..wide() }, None)]
    #[case::a_leader(USERS, sample::workload("policy-499"), Some("succeeds at a word"))]
    #[case::expiries(USERS, sample::workload("ttl-1000"), Some("while no controller runs"))]
    #[case::finished_jobs_beside_others(KINDS, born_finished(), Some("while no controller runs"))]
    #[case::a_restart(KINDS, Workload { scenario: Scenario::Restart, ..wide() }, Some("not ours to start"))]
    #[case::pods_in_turns(USERS, succeeding(Success { per_second: Some(5), ..Success::default() }), Some("`per-second`"))]
    #[case::some_indexes(USERS, succeeding(Success { below_index: Some(5), ..Success::default() }), Some("`below-index`"))]
    #[case::several_namespaces(USERS, Workload { namespaces: 2, ..wide() }, Some("of everybody would be watched"))]
    #[case::several_namespaces_of_ours(KINDS, Workload { namespaces: 2, ..paced(1.0) }, None)]
    #[case::a_pace_that_we_can_keep(USERS, paced(15.0), None)]
    #[case::a_pace_beyond_our_own_limit(USERS, paced(15.5), Some("15.5 of its Jobs come each second"))]
    #[case::two_paces_that_we_can_keep(USERS, two_paces(7.0, 8.0, Arrivals::Steady), None)]
    #[case::two_paces_beyond_it_together(
        USERS,
        two_paces(8.0, 8.0, Arrivals::Steady),
        Some("16 of its Jobs come each second")
    )]
    #[case::random_arrivals_that_we_can_keep(USERS, with([coming(11.25, Arrivals::Random)]), None)]
    #[case::random_arrivals_in_large_clumps(
        USERS,
        two_paces(6.0, 6.0, Arrivals::Random),
        Some("three quarters of that")
    )]
    #[case::a_pace_that_leaves_some_for_others(USERS, paced_and_not(14.0), None)]
    #[case::a_pace_that_leaves_nothing_for_others(USERS, paced_and_not(14.5), Some("beside those without a pace"))]
    #[case::a_pace_of_which_a_slice_keeps_its_share(USERS, sliced(paced(45.0)), None)]
    #[case::a_pace_whose_share_is_too_much(
        USERS,
        sliced(paced(46.0)),
        Some("15.33 of its Jobs in this slice come each second")
    )]
    #[case::pods_of_all_slices_together(USERS, sliced(with([sample::cohort("wide", 3, 200)])), Some("up to 600 of its pods"))]
    #[case::any_pace_on_a_cluster_of_ours(KINDS, paced(40.0), None)]
    fn what_is_not_done_there(#[case] installed: Installed, #[case] workload: Workload, #[case] says: Option<&str>) {
        let refused = installed.refusal(&workload).map(|refused| refused.says);
        match says {
            None => assert_eq!(refused, None),
            Some(says) => assert!(refused.as_deref().is_some_and(|it| it.contains(says)), "{refused:?}"),
        }
    }

    #[test]
    fn what_cannot_be_had_is_named_and_more_of_it_where_the_budget_is_the_users() {
        let (users, kinds) = (USERS.unmeasured(), KINDS.unmeasured());
        assert!(kinds.says().starts_with("not measured on a cluster by kind: processor time"), "{}", kinds.says());
        assert!(users.absent.iter().any(|it| it.contains("budget")) && users.absent.len() == kinds.absent.len() + 1);
    }

    #[test]
    fn more_nodes_take_more_pods_where_they_are_ours() {
        assert_eq!([1, 3].map(|nodes| Owner::Load.usual_pods(nodes)), [100, 300]);
        assert_eq!([1, 3].map(|nodes| Owner::User.usual_pods(nodes)), [500, 500]);
    }

    #[rstest]
    #[case::two_without_a_pace(with([sample::cohort("a", 5, 1), sample::cohort("b", 5, 1)]), 2.0 / 15.0)]
    #[case::one_beside_a_pace(paced_and_not(10.0), 0.2)]
    #[case::one_beside_the_share_of_a_pace(sliced(paced_and_not(30.0)), 0.2)]
    fn jobs_of_all_cohorts_together_come_no_faster_than_we_may_ask(#[case] workload: Workload, #[case] seconds: f64) {
        assert!((gap(&workload).as_secs_f64() - seconds).abs() < 1e-6, "{:?}", gap(&workload));
    }
}
