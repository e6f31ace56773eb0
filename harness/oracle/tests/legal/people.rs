//! People: they delete pods and Jobs, edit what may be edited, hold things up with finalizers, and change their minds.

use super::{
    collector::{Propagation, delete_job},
    history, json,
    objects::{Job, JobId, Owner, Pod, Spec},
    profile,
    world::World,
};
use serde_json::json;

/// Something that somebody does now.
pub fn act(world: &mut World) {
    world.acts = world.acts.saturating_sub(1);
    let id = JobId::try_from(world.chance.below(u32::try_from(world.jobs.len()).unwrap_or(1))).unwrap_or(0);
    match world.chance.below(12) {
        0..=2 => delete_pod(world),
        3..=7 if !world.is_calm => edit_job(world, id),
        8 if !world.is_calm => hold_or_let_go(world, id),
        9 => hold_pod(world),
        10 => strip_pod(world),
        11 if !world.is_calm && world.jobs[id].now().is_none() => again(world, id),
        11 if !world.is_calm && world.chance.percent(50) => delete(world, id),
        _ => {}
    }
}

fn some_pod(world: &mut World) -> Option<usize> {
    let there: Vec<_> = (0..world.pods.len()).filter(|id| world.pods[*id].now().is_some()).collect();
    let count = u32::try_from(there.len()).unwrap_or(0);
    (count > 0).then(|| there[world.chance.below(count) as usize])
}

fn delete_pod(world: &mut World) {
    let Some(id) = some_pod(world) else { return };
    let grace = world.chance.pick(&[30, 2, 0]);
    world.told.push(format!("a pod is deleted, grace {grace}"));
    world.stop_pod_of_another(id, grace);
    world.answer("a deleted pod", json!({"kind": "Status", "details": {"uid": json::pod_uid(id)}}));
}

fn edit_job(world: &mut World, id: JobId) {
    let Some(job) = world.jobs[id].now().cloned() else { return };
    let mut edited = Job::clone(&job);
    let never_began = job.spec.suspend && job.status.start.is_none() && job.status.active == 0;
    let what = match never_began && world.chance.percent(40) {
        true => {
            edited.spec.edition += 1;
            edited.spec.suspend = world.chance.percent(50);
            Some("the template")
        }
        false => edit(world, &mut edited.spec),
    };
    let Some(what) = what else { return };
    if edited.spec == job.spec {
        return;
    }
    edited.generation += 1;
    world.told.push(format!("somebody edits {what}"));
    let revision = world.put_job(id, edited);
    let body = json::job(world.jobs[id].last(), revision);
    world.answer("an edited Job", body);
}

fn edit(world: &mut World, spec: &mut Spec) -> Option<&'static str> {
    let chance = &mut world.chance;
    Some(match chance.below(10) {
        0 | 1 => {
            spec.parallelism = chance.pick(&[1, 2, 3, 5, 0]);
            "parallelism"
        }
        2 | 3 => {
            spec.suspend = !spec.suspend;
            "suspend"
        }
        4 if spec.indexed && spec.success.is_empty() && spec.max_failed.is_none() => {
            let count = chance.pick(&[1, 2, 3, 4, 6, 0]);
            (spec.completions, spec.parallelism) = (Some(count), count);
            "completions"
        }
        5 => {
            spec.deadline = chance.pick(&[None, Some(60), Some(10), Some(2), Some(0)]);
            "activeDeadlineSeconds"
        }
        6 => {
            spec.backoff_limit = chance.pick(&[6, 2, 1, 0, 9]);
            "backoffLimit"
        }
        7 => {
            spec.ttl = chance.pick(&[None, Some(20), Some(3), Some(0)]);
            "ttlSecondsAfterFinished"
        }
        8 if spec.failure.is_empty() => {
            spec.replace_failed = !spec.replace_failed;
            "podReplacementPolicy"
        }
        9 if spec.per_index.is_some() => {
            spec.max_failed =
                chance.pick(&[None, Some(0), Some(1)]).map(|most: i32| most.min(spec.completions.unwrap_or(0)));
            "maxFailedIndexes"
        }
        _ => return None,
    })
}

/// Somebody puts a finalizer on a Job, or takes it away.
pub fn hold_or_let_go(world: &mut World, id: JobId) {
    let Some(job) = world.jobs[id].now() else { return };
    let mut job = Job::clone(job);
    if !job.finalizers.remove("example.com/held") {
        // A deletion that has begun takes no new ones.
        if job.deleted.is_some() {
            return;
        }
        job.finalizers.insert("example.com/held");
    }
    world.told.push("somebody holds a Job or lets it go".to_owned());
    world.put_or_drop_job(id, job);
}

/// Somebody puts a finalizer of his own on a pod, or takes it away.
pub fn hold_pod(world: &mut World) {
    let Some(id) = some_pod(world) else { return };
    let pod = world.pods[id].last();
    if !pod.held && pod.stop.is_some() {
        return;
    }
    let now = world.seconds();
    world.told.push("somebody holds a pod or lets it go".to_owned());
    world.unhold_pod(id, |pod| {
        pod.held = !pod.held;
        pod.edited = Some(now);
    });
}

/// Somebody takes the controller's finalizer from a pod.
fn strip_pod(world: &mut World) {
    if !world.chance.percent(40) {
        return;
    }
    let Some(id) = some_pod(world) else { return };
    if !world.pods[id].last().tracked || !matches!(world.pods[id].last().owner, Owner::Job(_)) {
        return;
    }
    let now = world.seconds();
    world.told.push("somebody takes a tracking finalizer".to_owned());
    world.unhold_pod(id, |pod| {
        pod.tracked = false;
        pod.edited = Some(now);
    });
}

fn delete(world: &mut World, id: JobId) {
    if world.jobs[id].now().is_none_or(|job| job.deleted.is_some()) {
        return;
    }
    let how = world.chance.pick(&[Propagation::Background, Propagation::Foreground, Propagation::Orphan]);
    world.told.push(format!("a Job is deleted, {how:?}"));
    delete_job(world, id, how);
    let track = &world.jobs[id];
    let body = match track.gone {
        Some(_) => json!({"kind": "Status", "details": {"uid": track.last().uid}}),
        None => json::job(track.last(), track.version()),
    };
    world.answer("a deleted Job", body);
}

/// A Job of the same name as one that is gone.
fn again(world: &mut World, id: JobId) {
    let name = world.jobs[id].last().name;
    let is_there = world.jobs.iter().filter_map(|track| track.now()).any(|job| job.name == name);
    if !is_there && world.jobs.len() < 4 {
        world.told.push("a Job of the same name is created".to_owned());
        let spec = profile::spec(&mut world.chance);
        history::add(world, name, spec);
    }
}

/// A pod that a ReplicaSet has, or that stands for a Job of another controller, or nobody's.
pub fn stray(world: &World, owner: Owner, job: JobId, number: usize) -> Pod {
    let prefix = format!("{}-", world.jobs[job].last().name);
    Pod {
        name: format!("{prefix}s{number:04}"),
        prefix,
        created: world.seconds(),
        owner,
        labelled: job,
        index: None,
        failures: None,
        ignored: 0,
        edition: world.jobs[job].last().spec.edition,
        by_script: true,
        edited: None,
        tracked: true,
        held: false,
        phase: super::objects::Phase::Pending,
        assigned: false,
        ready: false,
        ready_since: 0,
        exit: None,
        ended: None,
        restarts: 0,
        disrupted: false,
        stop: None,
    }
}
