//! The controller's caches: what watches have delivered, and the requests that came of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use jobsworth_volcano_api::{Job, PodGroup};
use jobsworth_volcano_core::event::TaskFacts;
use jobsworth_volcano_core::goals::Goals;
use jobsworth_volcano_core::pod::PodPhase;
use jobsworth_volcano_core::{Change, PodView, Profile, Request, event_of};
use k8s_openapi::api::core::v1::Pod;

use crate::world;

#[derive(Clone)]
pub struct Watch {
    pub job: Arc<Job>,
    pub pods: BTreeMap<String, PodView>,
    pub group: Option<PodGroup>,
    pub requests: Vec<Request>,
    pub profile: Profile,
}

impl Watch {
    /// What a controller sees that has just started.
    pub fn list(job: &Arc<Job>, pods: &[Pod], group: Option<&PodGroup>, profile: Profile) -> Self {
        let none = Watch { job: job.clone(), pods: BTreeMap::new(), group: group.cloned(), requests: vec![], profile };
        let mut watch = none;
        watch.note(&Change::JobAdded);
        watch.deliver_pods(pods);
        watch
    }

    fn note(&mut self, change: &Change<'_>) {
        let goals = Goals::of(&self.job.spec);
        let pods = &self.pods;
        let request = event_of(change, self.profile, |task| {
            let of_task = || pods.values().filter(|pod| pod.task == task);
            let runs = |pod: &&PodView| matches!(pod.phase, PodPhase::Running | PodPhase::Pending);
            TaskFacts {
                replicas: goals.task(task).map_or(0, |goal| goal.replicas),
                succeeded: of_task().filter(|pod| pod.phase == PodPhase::Succeeded).count() as i32,
                max_restarts: goals.task(task).map_or(0, |goal| goal.max_restarts),
                restarts: of_task().filter(runs).map(|pod| pod.restarts).sum(),
            }
        });
        self.requests.extend(request);
    }

    pub fn deliver_job(&mut self, job: &Arc<Job>) {
        let phase = |job: &Job| job.status.as_ref().and_then(|status| status.state.phase);
        let (spec, phase) = (job.spec != self.job.spec, phase(job) != phase(&self.job));
        self.job = job.clone();
        self.note(&Change::JobUpdated { spec, phase });
    }

    pub fn deliver_pods(&mut self, pods: &[Pod]) {
        let now: BTreeMap<String, PodView> =
            pods.iter().map(world::view).map(|pod| (pod.uid.to_string(), pod)).collect();
        let before = std::mem::replace(&mut self.pods, now.clone());
        for (uid, pod) in &before {
            if !now.contains_key(uid) {
                self.note(&Change::PodDeleted { pod, known: true });
            }
        }
        for (uid, new) in &now {
            match before.get(uid) {
                None => self.note(&Change::PodAdded(new)),
                Some(old) if old != new => self.note(&Change::PodUpdated { old, new }),
                Some(_) => {}
            }
        }
    }

    pub fn deliver_group(&mut self, group: Option<&PodGroup>) {
        let phase = |group: Option<&PodGroup>| group.and_then(|group| group.status.as_ref()).and_then(|s| s.phase);
        let changed = phase(group) != phase(self.group.as_ref());
        self.group = group.cloned();
        if changed && group.is_some() {
            self.note(&Change::GroupPhase(phase(group)));
        }
    }
}
