//! The TTL controller, a part of the subject: it deletes finished Jobs when their time is over (TTL-001 to TTL-005).

use super::{
    collector::{Propagation, delete_job},
    life,
    objects::{Job, JobId},
    world::World,
};
use jobsworth_oracle::Request;

const USER: &str = "system:serviceaccount:kube-system:ttl-after-finished-controller";

/// When the time of this Job is over, in seconds, if it has one.
fn expiry(job: &Job) -> Option<i64> {
    let end = job.status.held("Complete").or_else(|| job.status.held("Failed"))?;
    Some(end.since + job.spec.ttl?).filter(|_| job.deleted.is_none())
}

/// Jobs whose time is over as it knows them, which may be a while ago.
pub fn due(world: &World, heard: u64) -> Vec<JobId> {
    let is_due = |id: &JobId| {
        let seen = world.jobs[*id].at(heard).and_then(|(_, job)| expiry(job));
        world.jobs[*id].now().is_some() && seen.is_some_and(|expiry| expiry <= world.seconds())
    };
    (0..world.jobs.len()).filter(is_due).collect()
}

/// A live look, the same question again, and the deletion of the very Job that it is about.
pub fn delete(world: &mut World, id: JobId) {
    let request = |world: &World, verb: &str| Request {
        by: USER.to_owned(),
        verb: verb.to_owned(),
        on: "jobs".to_owned(),
        name: world.jobs[id].last().name.to_owned(),
        sent_us: world.now * 1000,
        code: Some(200),
        ..Request::default()
    };
    let mut look = request(world, "get");
    world.tick(world.profile.latency);
    let Some(job) = world.jobs[id].now().cloned() else { return };
    look.made = Some(world.jobs[id].version());
    look.took_us = world.now * 1000 - look.sent_us;
    world.asked(look);
    if expiry(&job).is_none_or(|expiry| expiry > world.seconds()) {
        return;
    }
    let mut deletion = Request { uid: Some(job.uid.clone()), ..request(world, "delete") };
    world.tick(world.profile.latency);
    life::meanwhile(world);
    if delete_job(world, id, Propagation::Foreground).is_none() {
        deletion.code = Some(404);
    }
    deletion.took_us = world.now * 1000 - deletion.sent_us;
    world.told.push("a Job's time to live is over".to_owned());
    world.asked(deletion);
}
