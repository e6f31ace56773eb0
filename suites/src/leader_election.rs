//! Two instances of a controller, of which one leads: it dies, it sleeps, it loses its lease. That nothing is written by who does not
//! hold the lease is judged by S30 in each.

use crate::words::*;

/// How long who leads may write after a renewal.
const LEASE: Duration = Duration::from_secs(4);

/// A lease, and 5 s in which whoever follows begins (L6), with as much again for a slow machine.
const SOON: Duration = Duration::from_secs(LEASE.as_secs() + 5 + 5);

/// Twice as many successes as any case here asks for: a controller that is not content with them is not waited for any longer.
const MORE_THAN_ENOUGH: usize = 16;

/// Whoever is built on `client-go` looks at its lease and at its work at the same time: one that wakes up after its lease has run out
/// writes what it finds to do before it knows. What it finds is old: it makes pods that the other has made, too.
const WRITES_BEFORE_IT_KNOWS: KnownDeviation = KnownDeviation {
    subject: "builtin",
    since: Minor::new(1, 35),
    until: None,
    mended_in: &[],
    unless: None,
    breaks: &["S16", "S17", "S18", "S19", "S30"],
    source: "docs/differences.md#a-lease-that-was-slept-through",
};

crate::cases! {
    a_killed_leader_is_followed,
    a_leader_that_slept_is_followed,
    a_deleted_lease_is_taken_anew,
    a_strangers_lease_is_respected,
    a_leader_that_cannot_renew_steps_down,
    a_leader_whose_renewals_collide_steps_down,
    a_late_renewal_takes_nothing_away,
}

/// The leader renews its lease in vain until another leads; a pod ended when that began, the others end afterwards.
async fn steps_down(scene: &mut Scene, mishap: Mishap) -> Result<(), Stop> {
    scene.submit(counted(4, 2)).await?;
    scene.wait(job().active(2).and(pods().running(2))).await?;
    scene.leader().renews_in_vain(mishap).await?;
    scene.pod_of("job").succeeds().await?;
    scene.leader().is_another().await?;
    scene.wait(job().succeeded(1)).await?;
    // It need not have renewed anything since the recording began, and what is not recorded may have been a moment before.
    scene.linger(LEASE + Duration::from_secs(1), "whoever led before has no right to write any more").await?;
    for _ in 0..3 {
        scene.pod_of("job").succeeds().await?;
    }
    scene.wait(job().is_finished()).await
}

/// One pod after the other succeeds and is counted, until all is `over`. Where two lead for a moment, one of them may take away what has
/// succeeded before the other has counted it: more pods then succeed than are asked for, but not without end.
async fn succeed_until(scene: &mut Scene, over: Predicate) -> Result<(), Stop> {
    let (some_run, all_counted) = (pods().that_are(live()).at_least(1), pods().that_are(succeeded()).all(untracked()));
    for _ in 0..MORE_THAN_ENOUGH {
        scene.wait(over.clone().or(some_run.clone())).await?;
        if over.holds(&scene.world()) {
            break;
        }
        scene.some_pod().succeeds().await?;
        scene.wait(all_counted.clone()).await?;
    }
    scene.wait(over).await
}

/// What becomes of the Job then.
fn goes_on() -> Expectations {
    let in_vain = passed("subject renews in vain");
    Expectations::from([
        ("what ended meanwhile is counted soon", after(&in_vain, eventually_within(SOON, job().succeeded(1)))),
        ("the Job completes", after(&in_vain, eventually(job().has(Complete).and(job().succeeded(4))))),
        ("nothing is counted as failed", never(job().failed_at_least(1))),
    ])
}

/// Somebody else has the lease until its time is over for who had it, and a while longer, in which a pod ends.
async fn a_stranger_has_it(scene: &mut Scene) -> Result<(), Stop> {
    scene.linger(Duration::from_secs(6), "the time is over for which the leader had it").await?;
    scene.pod_of("job").succeeds().await?;
    scene.linger(Duration::from_secs(3), "whoever wrote would do it now").await?;
    scene.leader().may_have_the_lease().await?;
    scene.wait(job().succeeded(1)).await?;
    for _ in 0..2 {
        scene.pod_of("job").succeeds().await?;
    }
    scene.wait(job().is_finished()).await
}

/// What becomes of a Job of three then.
fn waits_for_the_lease() -> Expectations {
    let free = passed("subject may have the lease");
    Expectations::from([
        ("a pod ends before that", before(&free, eventually(pods().that_are(succeeded()).at_least(1)))),
        ("nothing is counted before", before(&free, never(job().succeeded(1)))),
        ("then soon", after(&free, eventually_within(SOON, job().succeeded(1)))),
        ("the Job completes", after(&free, eventually(job().has(Complete).and(job().succeeded(3))))),
        ("nothing is counted as failed", never(job().failed_at_least(1))),
    ])
}
