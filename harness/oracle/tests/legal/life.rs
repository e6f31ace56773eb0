//! What goes on without the controller: nodes, the garbage collector, people.

use super::{
    collector::{self, Duty},
    nodes::{self, Move},
    people, requests,
    world::World,
};

#[derive(Clone, Copy)]
enum Event {
    Collect(Duty),
    Node(Move),
}

/// While a request is on its way.
pub fn meanwhile(world: &mut World) {
    come_through(world);
    while world.chance.percent(20) {
        if !step(world) {
            return;
        }
        if world.acts > 0 && world.chance.percent(20) {
            people::act(world);
        }
    }
}

/// What the dead have sent.
pub fn come_through(world: &mut World) {
    let due: Vec<_> = world.late.extract_if(.., |(due, _)| *due <= world.now).collect();
    for (_, pod) in due {
        requests::create(world, pod);
    }
}

/// All that the dead have sent, each when it is due: a request that is under way arrives within moments, however long its sender
/// is away.
pub fn let_through(world: &mut World) {
    while let Some(due) = world.late.iter().map(|(due, _)| *due).min() {
        world.now = world.now.max(due);
        come_through(world);
    }
}

/// One thing that happens by itself; whether there was one.
pub fn step(world: &mut World) -> bool {
    let duties = collector::duties(world).into_iter().map(Event::Collect);
    let events: Vec<_> = duties.chain(nodes::moves(world).into_iter().map(Event::Node)).collect();
    if events.is_empty() {
        return false;
    }
    world.tick(30);
    match events[world.chance.below(u32::try_from(events.len()).unwrap_or(1)) as usize] {
        Event::Collect(duty) => collector::fulfil(world, duty),
        Event::Node(step) => nodes::make(world, step),
    }
    true
}
