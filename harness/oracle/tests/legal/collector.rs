//! The garbage collector: dependents of what is gone or going.

use super::{
    objects::{Job, JobId, Owner, Pod, PodId},
    world::World,
};

pub const FOREGROUND: &str = "foregroundDeletion";
pub const ORPHAN: &str = "orphan";

/// What the collector may do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duty {
    Stop(PodId),
    Orphan(PodId),
    Finish(JobId, &'static str),
}

pub fn duties(world: &World) -> Vec<Duty> {
    let mut duties = Vec::new();
    for (id, track) in world.jobs.iter().enumerate() {
        let Some(job) = track.now() else {
            let left = world.pods_of(id).filter(|(_, pod)| pod.stop.is_none());
            duties.extend(left.map(|(pod, _)| Duty::Stop(pod)));
            continue;
        };
        if job.deleted.is_none() {
            continue;
        }
        for kind in [FOREGROUND, ORPHAN].into_iter().filter(|kind| job.finalizers.contains(kind)) {
            let mut left = world.pods_of(id).peekable();
            if left.peek().is_none() {
                duties.push(Duty::Finish(id, kind));
            } else if kind == ORPHAN {
                duties.extend(left.map(|(pod, _)| Duty::Orphan(pod)));
            } else {
                duties.extend(left.filter(|(_, pod)| pod.stop.is_none()).map(|(pod, _)| Duty::Stop(pod)));
            }
        }
    }
    duties
}

pub fn fulfil(world: &mut World, duty: Duty) {
    match duty {
        Duty::Stop(id) => {
            world.stop_pod_of_another(id, 30);
        }
        Duty::Orphan(id) => {
            let pod = Pod { owner: Owner::Nobody, ..Pod::clone(world.pods[id].last()) };
            world.put_pod(id, pod);
        }
        Duty::Finish(id, kind) => {
            let mut job = Job::clone(world.jobs[id].last());
            job.finalizers.remove(kind);
            world.put_or_drop_job(id, job);
        }
    }
}

/// How a Job is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Propagation {
    Background,
    Foreground,
    Orphan,
}

/// Somebody deletes a Job.
pub fn delete_job(world: &mut World, id: JobId, how: Propagation) -> Option<u64> {
    let job = world.jobs[id].now()?;
    if job.deleted.is_some() {
        return Some(world.jobs[id].version());
    }
    let mut job = Job::clone(job);
    match how {
        Propagation::Background => {}
        Propagation::Foreground => drop(job.finalizers.insert(FOREGROUND)),
        Propagation::Orphan => drop(job.finalizers.insert(ORPHAN)),
    }
    if job.finalizers.is_empty() {
        return Some(world.drop_job(id, job));
    }
    job.deleted = Some(world.seconds());
    job.generation += 1;
    Some(world.put_job(id, job))
}
