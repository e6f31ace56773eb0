//! Places whose pod succeeded and was deleted by somebody since: they are done, and nothing runs there again (VJ-127, issue
//! 3296).

use std::collections::{BTreeMap, BTreeSet};

use jobsworth_volcano_api::Action;

use crate::build_pod::partition;
use crate::census::Census;
use crate::goals::Goals;
use crate::pod::PodPhase;
use crate::transition::Kill;
use crate::{Memory, Phase, Request, Snapshot, Tally, names, status};

/// What the keys in `controlledResources` start with; the name of the task follows, the value lists indexes.
const KEY: &str = "succeeded-";

/// Indexes by task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spent(BTreeMap<String, BTreeSet<i32>>);

impl Spent {
    /// What the status has on record, what was seen since, and, on a first look, what must have happened unseen.
    pub fn of(seen: &Snapshot<'_>, census: &Census<'_>, goals: &Goals, memory: &mut Memory) -> Self {
        let status = seen.job.status.clone().unwrap_or_default();
        let mut spent = Self::recorded(&status.controlled_resources);
        // What goes while a job restarts goes for good.
        let counts = status.state.phase != Some(Phase::Restarting);
        let told = seen
            .requests
            .iter()
            .filter(|request| counts && request.succeeded && request.job_uid.as_deref() == Some(names::uid(seen.job)));
        for (name, _) in told.filter_map(|request| request.pod.as_ref()) {
            memory.spent.insert((name.to_string(), status.version));
        }
        memory.spent.retain(|(_, version)| *version == status.version);
        for goal in &goals.tasks {
            let place = |index: i32| names::pod(seen.job, &goal.name, index);
            let seen_since = memory.spent.iter().filter_map(|(name, _)| names::index(seen.job, &goal.name, name));
            spent.0.entry(goal.name.clone()).or_default().extend(seen_since);
            if !memory.looked {
                let recorded = status::recorded(seen.job).of_task(&goal.name, PodPhase::Succeeded).unwrap_or_default();
                let there = census.of_task(&goal.name).filter(|pod| pod.phase == PodPhase::Succeeded).count();
                let known = spent.count(&goal.name).saturating_add(i32::try_from(there).unwrap_or(i32::MAX));
                let unseen = usize::try_from(recorded.saturating_sub(known)).unwrap_or_default();
                let free = (0..goal.replicas).filter(|index| !spent.contains(&goal.name, *index));
                let free = free.filter(|index| census.named(&place(*index)).is_none()).take(unseen);
                let free: Vec<i32> = free.collect();
                spent.0.entry(goal.name.clone()).or_default().extend(free);
            }
            let stays = |index: &i32| (0..goal.replicas).contains(index) && census.named(&place(*index)).is_none();
            spent.0.entry(goal.name.clone()).or_default().retain(stays);
        }
        spent
    }

    fn recorded(resources: &BTreeMap<String, String>) -> Self {
        let of_task = |(key, list): (&String, &String)| {
            let indexes = list.split(',').filter_map(|index| index.parse().ok()).collect();
            Some((key.strip_prefix(KEY)?.to_owned(), indexes))
        };
        Self(resources.iter().filter_map(of_task).collect())
    }

    /// Puts it on record in place of what was there.
    pub fn record(&self, resources: &mut BTreeMap<String, String>) {
        resources.retain(|key, _| !key.starts_with(KEY));
        for (task, indexes) in self.0.iter().filter(|(_, indexes)| !indexes.is_empty()) {
            let list: Vec<String> = indexes.iter().map(i32::to_string).collect();
            resources.insert(format!("{KEY}{task}"), list.join(","));
        }
    }

    /// Whether a place is done.
    pub fn contains(&self, task: &str, index: i32) -> bool {
        self.0.get(task).is_some_and(|indexes| indexes.contains(&index))
    }

    /// How many places of a task are done.
    pub fn count(&self, task: &str) -> i32 {
        self.0.get(task).map_or(0, |indexes| i32::try_from(indexes.len()).unwrap_or(i32::MAX))
    }

    /// Counts them as the successes that they are.
    pub fn credit(&self, tally: &mut Tally) {
        for (task, indexes) in &self.0 {
            for _ in indexes {
                tally.add(task, PodPhase::Succeeded, false);
            }
        }
    }

    /// What is done over forgets that it was done once: all, a task, a partition.
    pub fn forget(&mut self, seen: &Snapshot<'_>, kind: Kill, action: &Action, request: &Request, last: bool) {
        match kind {
            Kill::Hard if !last => self.0.clear(),
            Kill::Soft | Kill::Hard => {}
            Kill::Targeted => {
                let Some(name) = &request.task else { return };
                let Some(indexes) = self.0.get_mut(name) else { return };
                let task = seen.job.spec.tasks.iter().find(|task| task.name == *name);
                let of = |index: &i32| task.and_then(|task| partition(task, *index)).map(|id| id.to_string());
                match action {
                    Action::RestartTask => indexes.clear(),
                    Action::RestartPartition => indexes.retain(|index| of(index) != request.partition),
                    _ => {}
                }
            }
        }
    }
}
