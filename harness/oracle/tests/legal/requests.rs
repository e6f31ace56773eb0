//! The controller's requests: on their way other things happen, they are refused, their answers are lost, and whoever sent them dies.

use super::{
    json, life,
    objects::{Job, JobId, Pod, PodId, Status},
    world::World,
};
use jobsworth_oracle::Request;
use serde_json::json;
use std::sync::Arc;

/// What a controller may ask for.
pub enum Ask {
    Create(Pod),
    Release(PodId),
    Stop(PodId),
    Write(JobId, u64, Status),
}

/// What it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Done; the version that came of it.
    Taken(u64),
    /// It was not there any more.
    NotThere,
    /// The object is not what it was computed from.
    Conflict,
    /// Not now; perhaps when to come again, in seconds.
    Refused(Option<u32>),
    /// No answer came. It may have been done.
    Unknown,
}

/// Why a sync does not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The process is gone.
    Crashed,
    /// It is tried again later.
    Failed,
}

pub const CONTROLLER: &str = "system:serviceaccount:kube-system:job-controller";

/// Sends a request, and waits for its answer.
pub fn ask(world: &mut World, ask: Ask) -> Result<Answer, Stop> {
    let mut request = described(world, &ask);
    request.sent_us = world.now * 1000;
    world.tick(world.profile.latency);
    life::meanwhile(world);
    let goes_wrong = !world.is_calm && world.chance.percent(world.profile.mishaps);
    let dies = !world.is_calm && world.profile.crashes > 0 && world.chance.percent(3);
    if dies {
        return Err(die(world, request, ask));
    }
    // Answers are lost where a proxy loses them, and that writes requests down.
    if goes_wrong && (!world.profile.wired || world.chance.percent(60)) {
        let (code, retry_after) =
            world.chance.pick(&[(500, None), (503, None), (429, Some(1)), (403, None), (429, Some(3))]);
        world.told.push(format!("{} is refused, {code}", request.words()));
        (request.code, request.retry_after) = (Some(code), retry_after);
        request.says = "not now".to_owned();
        finish(world, request);
        return Ok(Answer::Refused(retry_after));
    }
    let (code, made) = apply(world, ask);
    request.made = made;
    life::meanwhile(world);
    world.tick(world.profile.latency);
    if goes_wrong {
        world.told.push(format!("the answer to {} is lost", request.words()));
        (request.stored, request.fault) = (Some(code), Some("answer lost".to_owned()));
        finish(world, request);
        return Ok(Answer::Unknown);
    }
    request.code = Some(code);
    finish(world, request);
    Ok(match (code, made) {
        (404, _) => Answer::NotThere,
        (409, _) => Answer::Conflict,
        (_, made) => Answer::Taken(made.unwrap_or(0)),
    })
}

fn finish(world: &mut World, mut request: Request) {
    request.took_us = world.now * 1000 - request.sent_us;
    world.asked(request);
}

/// The process dies before the answer comes: the request is lost, or done, or done later.
fn die(world: &mut World, mut request: Request, ask: Ask) -> Stop {
    world.profile.crashes -= 1;
    world.told.push(format!("the controller dies at {}", request.words()));
    match (world.chance.below(3), ask) {
        (0, _) => {}
        (1, Ask::Create(pod)) => {
            let due = world.now + u64::from(world.chance.below(world.profile.latency));
            world.late.push((due, pod));
        }
        (_, ask) => {
            let (code, made) = apply(world, ask);
            (request.stored, request.made) = (Some(code), made);
        }
    }
    finish(world, request);
    Stop::Crashed
}

fn apply(world: &mut World, ask: Ask) -> (u16, Option<u64>) {
    let done = |made: Option<u64>| (if made.is_some() { 200 } else { 404 }, made);
    match ask {
        Ask::Create(pod) => (201, Some(create(world, pod))),
        Ask::Release(id) => done(world.unhold_pod(id, |pod| pod.tracked = false)),
        Ask::Stop(id) => done(world.stop_pod(id, 30)),
        Ask::Write(id, from, status) => match world.jobs[id].now() {
            None => (404, None),
            Some(_) if world.jobs[id].version() != from => (409, None),
            Some(job) => {
                let job = Job { status, written: Some(world.seconds()), ..Job::clone(job) };
                (200, Some(world.put_job(id, job)))
            }
        },
    }
}

/// The API server gives a name, and the time.
pub fn create(world: &mut World, mut pod: Pod) -> u64 {
    pod.name = format!("{}{:05}", pod.prefix, world.pods.len());
    pod.created = world.seconds();
    world.add_pod(pod);
    world.revision
}

fn described(world: &World, ask: &Ask) -> Request {
    let request = |verb: &str, on: &str, name: &str| Request {
        by: CONTROLLER.to_owned(),
        verb: verb.to_owned(),
        on: on.to_owned(),
        name: name.to_owned(),
        ..Request::default()
    };
    match ask {
        Ask::Create(_) => request("create", "pods", ""),
        Ask::Release(id) => {
            let patch =
                json!({"metadata": {"$deleteFromPrimitiveList/finalizers": ["batch.kubernetes.io/job-tracking"]}});
            Request { patch: Some(Arc::new(patch)), ..request("patch", "pods", &world.pods[*id].last().name) }
        }
        Ask::Stop(id) => {
            Request { uid: Some(json::pod_uid(*id)), ..request("delete", "pods", &world.pods[*id].last().name) }
        }
        Ask::Write(id, from, _) => {
            let job = world.jobs[*id].last();
            Request { from: Some(*from), uid: Some(job.uid.clone()), ..request("update", "jobs/status", job.name) }
        }
    }
}
