//! What becomes of pods: they are assigned, run, end, restart, and stop when they are told to; nodes are lost.

use super::{
    objects::{Owner, Phase, Pod, PodId},
    world::World,
};

/// What a node, or whoever looks after nodes, may do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    Remove(PodId),
    Assign(PodId),
    Run(PodId),
    Ready(PodId),
    End(PodId),
    Restart(PodId),
    Lose(PodId),
}

/// All that nodes may do now, the dullest first.
pub fn moves(world: &World) -> Vec<Move> {
    let mut moves = Vec::new();
    for (id, track) in world.pods.iter().enumerate() {
        let Some(pod) = track.now() else { continue };
        let restarts = matches!(pod.owner, Owner::Job(job) if world.jobs[job].last().spec.on_failure);
        match (pod.phase, pod.stop) {
            (Phase::Succeeded | Phase::Failed, Some((_, grace))) if grace > 0 || !(pod.tracked || pod.held) => {
                moves.push(Move::Remove(id));
            }
            (Phase::Succeeded | Phase::Failed, _) => {}
            (_, Some(_)) => moves.push(Move::End(id)),
            (Phase::Pending, None) if !pod.assigned => moves.push(Move::Assign(id)),
            (Phase::Pending, None) => moves.push(Move::Run(id)),
            (Phase::Running, None) => {
                if !pod.ready {
                    moves.push(Move::Ready(id));
                }
                moves.push(Move::End(id));
                if restarts {
                    moves.push(Move::Restart(id));
                }
                moves.push(Move::Lose(id));
            }
        }
    }
    moves
}

pub fn make(world: &mut World, step: Move) {
    let now = world.seconds();
    let (Move::Remove(id) | Move::Assign(id) | Move::Run(id) | Move::Ready(id)) = step else {
        return make_harsh(world, step, now);
    };
    let mut pod = Pod::clone(world.pods[id].last());
    match step {
        Move::Remove(_) => return remove(world, id, pod),
        Move::Assign(_) => pod.assigned = true,
        Move::Run(_) => {
            pod.phase = Phase::Running;
            pod.ready_since = now;
        }
        _ => {
            pod.ready = true;
            pod.ready_since = now;
        }
    }
    world.put_pod(id, pod);
}

/// The node says that nothing of the pod is left.
fn remove(world: &mut World, id: PodId, mut pod: Pod) {
    if !pod.tracked && !pod.held {
        world.drop_pod(id, pod);
    } else {
        pod.stop = pod.stop.map(|_| (world.seconds(), 0));
        world.put_pod(id, pod);
    }
}

fn make_harsh(world: &mut World, step: Move, now: i64) {
    match step {
        Move::End(id) => {
            let pod = end(world, Pod::clone(world.pods[id].last()), now);
            world.put_pod(id, pod);
        }
        Move::Restart(id) => {
            let mut pod = Pod::clone(world.pods[id].last());
            pod.restarts += 1;
            pod.ready = false;
            pod.ready_since = now;
            world.put_pod(id, pod);
        }
        Move::Lose(id) if world.chance.percent(20) => {
            let mut pod = Pod::clone(world.pods[id].last());
            pod.disrupted = true;
            world.put_pod(id, pod);
            world.stop_pod_of_another(id, 30);
            world.told.push("a node is lost".to_owned());
        }
        _ => {}
    }
}

fn end(world: &mut World, mut pod: Pod, now: i64) -> Pod {
    let failing = if pod.stop.is_some() { 70 } else { world.profile.failing };
    let fails = pod.phase == Phase::Pending || world.chance.percent(failing);
    let code = match () {
        () if !fails => 0,
        () if pod.stop.is_some() => 143,
        () => world.chance.pick(&[1, 1, 3, 4, 5, 6]),
    };
    let was_running = pod.phase == Phase::Running;
    pod.phase = if fails { Phase::Failed } else { Phase::Succeeded };
    // A pod that never ran has no container that could have ended.
    if was_running {
        pod.exit = Some(code);
        pod.ended = Some(now);
        pod.ready_since = now;
    } else {
        pod.ready_since = 0;
    }
    pod.ready = false;
    pod
}
