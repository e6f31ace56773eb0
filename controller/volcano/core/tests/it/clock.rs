//! Times in a status: since when a phase holds, and how long a job took.

use jobsworth_volcano_api::Duration;
use jobsworth_volcano_core::{Phase, Profile};
use rstest::rstest;
use serde_json::json;

use crate::simulator::World;
use crate::world::{self, task};

/// A job of two pods that runs, half a minute after its creation.
fn running(profile: Profile) -> World {
    let mut world = World::new(world::job(json!({"tasks": [task("w", 2)], "maxRetry": 3})), profile);
    world.up();
    world.pass(30);
    world
}

/// (VJ-114)
#[rstest]
#[case::with_phases_only(Profile::Strict, true)]
#[case::with_every_write(Profile::Compat115, false)]
fn the_time_of_the_last_transition_moves(#[case] profile: Profile, #[case] stays: bool) {
    let mut world = running(profile);
    let since = |world: &World| world.job.status.as_ref().unwrap().state.last_transition_time.clone();
    let before = since(&world);
    world.end(0, 0);
    world.settle();
    assert_eq!((world.phase(), world.job.status.as_ref().unwrap().succeeded), (Some(Phase::Running), 1));
    assert_eq!(since(&world) == before, stays);
}

/// (VJ-113)
#[test]
fn how_long_a_job_took_is_told_when_it_is_killed() {
    let mut world = running(Profile::Strict);
    assert_eq!(world.job.status.as_ref().unwrap().running_duration, None);
    world.order("AbortJob");
    world.settle();
    assert_eq!(world.phase(), Some(Phase::Aborting));
    assert_eq!(world.job.status.as_ref().unwrap().running_duration, Some(Duration::from_secs(30)));
}
