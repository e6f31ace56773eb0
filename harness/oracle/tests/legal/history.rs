//! One history, from the creation of its Job to the point at which nothing moves any more.

use super::{
    choice::Choices,
    controller::Controller,
    ends, holes, life,
    objects::{Job, JobId, Owner, Status},
    people, profile,
    requests::Stop,
    shape, ttl,
    world::World,
};
use jobsworth_oracle::{Ending, Ownership, Setting, Timeline, timeline::QUIET};
use jobsworth_race_model::Encounter;
use std::collections::BTreeMap;

/// So many steps at most; after them people leave a history alone, and it comes to rest.
const STEPS: usize = 260;
/// So long a controller that keeps a delay sleeps at most, in milliseconds.
const STRETCH: u64 = 2000;
/// What is shorter may pass without a look.
const SHORT: u64 = 300;
/// So often it looks in that time while there is something to do.
const LOOKS: u32 = 12;
/// So often it finds nothing before there is nothing.
const IN_VAIN: u32 = 4;

/// A history that was told, and all that is known of it.
pub struct History {
    pub timeline: Timeline,
    /// What was chosen for it.
    pub taken: Vec<u32>,
    pub shape: u64,
    /// What happened besides.
    pub told: Vec<String>,
    pub met: Vec<Encounter>,
    /// Ends of which the model says that they cannot be.
    pub misjudged: Vec<String>,
}

pub fn tell(choices: Choices) -> History {
    let mut world = World::new(choices);
    let mut controller = Controller::default();
    begin(&mut world);
    let rests = live(&mut world, &mut controller);
    let last = world.jobs.iter().map(|track| track.last().clone()).collect::<Vec<_>>();
    let mut met = Vec::new();
    for (id, job) in last.iter().enumerate() {
        let is_gone = world.jobs[id].gone.is_some();
        met.extend(controller.ends.met(id, job, is_gone, world.disturbed.contains(&id)));
    }
    let misjudged = met.iter().filter_map(|(encounter, outcome)| ends::misjudged(*encounter, *outcome)).collect();
    if rests {
        let is_still = stands_still(&mut world, &mut controller);
        world.mark(if is_still { QUIET } else { "nothing moves any more" });
    }
    let entries = world.recording();
    let (entries, ending) = holes::make(&mut world.chance, entries);
    // What still moves is a recording that ends before its history.
    let ending = if rests { ending } else { Ending::Truncated };
    let timeline = Timeline::seal(setting(world.profile.shared), entries, ending);
    History {
        shape: shape::of(&timeline),
        timeline,
        taken: world.chance.taken,
        told: world.told,
        met: met.into_iter().map(|(encounter, _)| encounter).collect(),
        misjudged,
    }
}

fn setting(shared: bool) -> Setting {
    Setting {
        case: "oracle/legal".to_owned(),
        namespace: super::json::NAMESPACE.to_owned(),
        started: jiff::Timestamp::from_second(super::json::BEGIN).expect("a time of this age"),
        kubernetes: "1.37.1".parse().expect("a version"),
        emulated: None,
        gates: BTreeMap::new(),
        subject: "builtin".to_owned(),
        judged: jobsworth_api::Resource::JOBS,
        ownership: Ownership::BuiltIn,
        shared,
    }
}

/// The Job, and what else is there.
fn begin(world: &mut World) {
    let spec = profile::spec(&mut world.chance);
    add(world, "job", spec);
    if world.chance.percent(12) {
        let mut spec = profile::spec(&mut world.chance);
        if world.chance.percent(60) {
            spec.managed_by = Some("example.com/mine");
        }
        let other = add(world, "other", spec);
        if world.jobs[other].last().is_foreign() {
            let pod = people::stray(world, Owner::Job(other), other, world.pods.len());
            world.add_pod(pod);
        }
    }
    if world.chance.percent(10) {
        let owner = world.chance.pick(&[Owner::Other, Owner::Nobody]);
        let pod = people::stray(world, owner, 0, world.pods.len());
        world.add_pod(pod);
    }
}

pub fn add(world: &mut World, name: &'static str, spec: super::objects::Spec) -> JobId {
    let job = Job {
        name,
        uid: format!("job-uid-{}", world.jobs.len()),
        created: world.seconds(),
        generation: 1,
        spec,
        status: Status::default(),
        deleted: None,
        finalizers: Default::default(),
        written: None,
    };
    world.add_job(job)
}

/// Goes on until nothing moves any more; whether it came to that.
fn live(world: &mut World, controller: &mut Controller) -> bool {
    let mut idle = None;
    let mut quiet = 0;
    for _ in 0..STEPS {
        world.tick(20);
        life::come_through(world);
        let is_idle = idle == Some((world.revision, world.now / 60_000)) && controller.has_heard_all(world);
        let choice = world.chance.below(10);
        if choice < 4 && !is_idle {
            if sync_all(world, controller) && controller.has_heard_all(world) {
                idle = Some((world.revision, world.now / 60_000));
            }
            quiet = 0;
        } else if choice < 8 && life::step(world) {
            quiet = 0;
        } else if choice == 8 && world.acts > 0 {
            people::act(world);
            quiet = 0;
        } else {
            idle = None;
            quiet += 1;
            let span = world.chance.pick(&[1000, 300, 4000, 12_000, 45_000]);
            pass(world, controller, span);
            if quiet > 6 && rests(world, controller) && !let_go(world) {
                return true;
            }
        }
    }
    come_to_rest(world, controller)
}

/// Time goes by. Nothing that comes meanwhile is slept through: a correct controller looks again within seconds (BKO-006, L6, L8).
fn pass(world: &mut World, controller: &mut Controller, span: u64) {
    let until = world.now + span;
    while world.now + STRETCH < until {
        world.now += STRETCH;
        catch_up(world, controller);
    }
    world.now = world.now.max(until);
    if span > SHORT {
        catch_up(world, controller);
    }
}

/// A controller that has stopped halfway, or had not heard of what it did itself, looks again at once, and not many times in vain: that it
/// did nothing once may be half a look.
fn catch_up(world: &mut World, controller: &mut Controller) {
    let mut in_vain = 0;
    for _ in 0..LOOKS {
        in_vain = if rests(world, controller) { in_vain + 1 } else { 0 };
        if in_vain == IN_VAIN {
            return;
        }
    }
}

/// What is under way is brought to its end; whether it came to that.
fn come_to_rest(world: &mut World, controller: &mut Controller) -> bool {
    world.acts = 0;
    for _ in 0..STEPS {
        world.tick(20);
        life::come_through(world);
        let is_still = sync_all(world, controller);
        if life::step(world) || !is_still {
            continue;
        }
        pass(world, controller, 12_000);
        if rests(world, controller) && !let_go(world) {
            return true;
        }
    }
    false
}

/// Whether the controller has heard all there is, finds nothing to do and has nothing to try again. Nothing rests before that: a
/// correct one looks within moments at what it hears of, and finishes what it has begun.
fn rests(world: &mut World, controller: &mut Controller) -> bool {
    sync_all(world, controller)
        && controller.has_heard_all(world)
        && !controller.has_to_try_again(world)
        && !controller.is_delaying(world)
}

/// Time goes by until a controller that looks all the while finds nothing to do in all of it, such as a Job whose time is over; whether it
/// came to that.
fn stands_still(world: &mut World, controller: &mut Controller) -> bool {
    for _ in 0..STEPS {
        let before = world.revision;
        let until = world.now + 20_000;
        while world.now < until {
            world.now += 1000;
            life::come_through(world);
            sync_all(world, controller);
        }
        if before == world.revision && rests(world, controller) {
            return true;
        }
    }
    false
}

/// In the end people take their finalizers away; whether there was one.
fn let_go(world: &mut World) -> bool {
    let held = (0..world.pods.len()).find(|id| world.pods[*id].now().is_some_and(|pod| pod.held));
    if let Some(id) = held {
        let now = world.seconds();
        world.unhold_pod(id, |pod| (pod.held, pod.edited) = (false, Some(now)));
        return true;
    }
    let is_held = |id: &JobId| world.jobs[*id].now().is_some_and(|job| job.finalizers.contains("example.com/held"));
    let Some(id) = (0..world.jobs.len()).find(is_held) else { return false };
    people::hold_or_let_go(world, id);
    true
}

/// The controller looks at everything; whether it did nothing.
fn sync_all(world: &mut World, controller: &mut Controller) -> bool {
    controller.listen(world);
    let before = world.revision;
    let mut result = Ok(());
    for id in 0..world.jobs.len() {
        if result != Err(Stop::Crashed) && !controller.waits(world, id) {
            result = controller.sync(world, id);
        }
    }
    if result != Err(Stop::Crashed) {
        result = controller.sync_orphans(world);
    }
    if result == Err(Stop::Crashed) {
        restart(world, controller);
        return false;
    }
    for id in ttl::due(world, world.known(world.profile.lag)) {
        ttl::delete(world, id);
    }
    before == world.revision
}

fn restart(world: &mut World, controller: &mut Controller) {
    world.is_calm = false;
    world.mark("subject crashed");
    let down = world.chance.pick(&[300, 1500, 9000]);
    let back = world.now + down;
    while world.now < back && world.chance.percent(80) {
        if !life::step(world) {
            break;
        }
        if world.acts > 0 && world.chance.percent(15) {
            people::act(world);
        }
        life::come_through(world);
    }
    life::let_through(world);
    world.now = world.now.max(back);
    world.mark("subject restarted");
    controller.is_born(world);
}
