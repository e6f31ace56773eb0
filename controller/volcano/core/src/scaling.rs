//! Which pods are missing and which are too many (VJ-163, VJ-226 to VJ-232).

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use jobsworth_volcano_api::{Job, TaskSpec};

use crate::build_pod::NewPod;
use crate::census::Census;
use crate::goals::{Goals, TaskGoal};
use crate::memory::ExpectedPod;
use crate::spent::Spent;
use crate::{PodView, Profile, Snapshot, names};

/// The most pods that one pass creates; the rest follows at once.
const PODS_PER_PASS: usize = 500;

/// What a sync pass does to pods.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scaling<'a> {
    pub create: Vec<NewPod>,
    pub kill: Vec<&'a PodView>,
    /// Whether more is missing than one pass creates.
    pub more: bool,
}

/// Places that need no pod though they have none.
#[derive(Clone, Copy)]
pub(crate) struct Places<'a> {
    /// They are done.
    pub spent: &'a Spent,
    /// Their pods were created and are not seen yet.
    pub births: &'a BTreeMap<String, ExpectedPod>,
}

impl<'a> Scaling<'a> {
    /// `waiting` has names of pods that were evicted, and when, where a timer runs on that.
    pub fn of(
        seen: &Snapshot<'a>,
        census: &Census<'a>,
        places: Places<'_>,
        goals: &Goals,
        profile: Profile,
        waiting: &[(Arc<str>, Timestamp)],
    ) -> Self {
        let mut scaling = Self { kill: surplus(seen.job, census, goals, profile), ..Self::default() };
        for (task, goal) in seen.job.spec.tasks.iter().zip(&goals.tasks) {
            if is_ready_for(task, census, places.spent, goals) {
                scaling.fill(seen.job, census, goal, places, waiting);
            }
        }
        scaling
    }

    /// Pods for the places of a task that have none and are not done.
    fn fill(
        &mut self,
        job: &Job,
        census: &Census<'a>,
        goal: &TaskGoal,
        places: Places<'_>,
        waiting: &[(Arc<str>, Timestamp)],
    ) {
        for index in 0..goal.replicas {
            let name = names::pod(job, &goal.name, index);
            let done = places.spent.contains(&goal.name, index) || places.births.contains_key(&name);
            if done || census.named(&name).is_some() {
                continue;
            }
            if self.create.len() >= PODS_PER_PASS {
                self.more = true;
                return;
            }
            let evicted_at = waiting.iter().find(|(pod, _)| **pod == *name).map(|(_, at)| *at);
            self.create.push(NewPod { task: goal.name.clone(), index, name, evicted_at });
        }
    }
}

/// Pods of high index, pods that are marked, and live pods of an earlier version: a kill was cut short.
fn surplus<'a>(job: &Job, census: &Census<'a>, goals: &Goals, profile: Profile) -> Vec<&'a PodView> {
    let version = job.status.as_ref().map_or(0, |status| status.version);
    let is_surplus = |pod: &&PodView| {
        let replicas = goals.task(&pod.task).map_or(0, |task| task.replicas);
        let outside = pod.index.is_none_or(|index| index >= replicas);
        let stale = !profile.follows_requests() && pod.version < version && pod.is_alive();
        !pod.deleting && (outside || pod.out_of_sync || stale)
    };
    census.pods.iter().copied().filter(is_surplus).collect()
}

/// Whether the tasks that come first are ready (VJ-231, VJ-232).
fn is_ready_for(task: &TaskSpec, census: &Census<'_>, spent: &Spent, goals: &Goals) -> bool {
    let Some(first) = task.depends_on.as_ref().filter(|first| !first.name.is_empty()) else { return true };
    let ready = |name: &String| {
        // A task that there is not is never ready (VJ-082).
        let Some(goal) = goals.task(name) else { return false };
        let pods = census.of_task(name).filter(|pod| !pod.deleting && pod.is_ready()).count();
        let pods = i32::try_from(pods).unwrap_or(i32::MAX).saturating_add(spent.count(name));
        goal.min_available.is_none_or(|least| pods >= least)
    };
    match first.any_is_enough() && first.name.len() > 1 {
        true => first.name.iter().any(ready),
        false => first.name.iter().all(ready),
    }
}
