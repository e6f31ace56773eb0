//! How two reasons meet, by their order.

use super::Going;
use super::job::{PODS, comes_true, draft, heard_of, is_stored, prepare, told_by};
use crate::words::*;
use jobsworth_race_model::{Encounter, Legal, Order, Outcome, Source as Reason};

/// Brings about the encounter, and then lets every pod go that is told to.
pub async fn play(scene: &mut Scene, encounter: Encounter, going: Going) -> Result<(), Stop> {
    scene.pods_behave(|pods| pods.stop = going.stop());
    scene.submit(going.prepared(draft(encounter))).await?;
    prepare(scene, encounter).await?;
    match encounter.order {
        Order::Together => together(scene, encounter).await?,
        Order::Then => one_after_the_other(scene, encounter, going).await?,
        Order::Refused | Order::Crash => while_it_cannot_be_stored(scene, encounter).await?,
        Order::Late => while_watches_are_behind(scene, encounter).await?,
    }
    ending(scene, encounter, going).await
}

/// A subject that starts anew lists everything before its first sync, so that sync sees both.
async fn together(scene: &mut Scene, encounter: Encounter) -> Result<(), Stop> {
    let Encounter { first, second, .. } = encounter;
    let mut both = [first, second];
    // A pod ends before all do, and before somebody deletes it.
    both.sort_by_key(|reason| (*reason == Reason::Deletion, reason.leaves_no_pod()));
    scene.subject().crash().await?;
    for reason in both {
        comes_true(scene, reason, encounter).await?;
    }
    scene.mark("both are true").await?;
    scene.subject().restart().await
}

async fn one_after_the_other(scene: &mut Scene, encounter: Encounter, going: Going) -> Result<(), Stop> {
    let Encounter { first, second, .. } = encounter;
    comes_true(scene, first, encounter).await?;
    scene.wait(is_stored(first)).await?;
    scene.mark("the first is told").await?;
    if second == Reason::TimeToLive {
        going.let_go(scene).await?;
    }
    comes_true(scene, second, encounter).await?;
    scene.mark("both are true").await
}

async fn while_it_cannot_be_stored(scene: &mut Scene, encounter: Encounter) -> Result<(), Stop> {
    let Encounter { first, second, order } = encounter;
    let veto = scene.refuse(Veto::of_condition(told_by(first))).await?;
    comes_true(scene, first, encounter).await?;
    scene.wait_for_refusal(&veto).await?;
    if order == Order::Crash {
        scene.subject().crash().await?;
    }
    comes_true(scene, second, encounter).await?;
    scene.mark("both are true").await?;
    scene.allow(veto).await?;
    if order == Order::Crash {
        scene.subject().restart().await?;
    }
    Ok(())
}

/// The write that would store what the first comes to is on its way when the second comes true; it arrives before the controller hears
/// of that.
async fn while_watches_are_behind(scene: &mut Scene, encounter: Encounter) -> Result<(), Stop> {
    let Encounter { first, second, .. } = encounter;
    let decision = change_of("jobs/status").saying(told_by(first).as_str());
    let held = scene.wire().meets(decision, Mishap::HeldBefore).await?;
    comes_true(scene, first, encounter).await?;
    scene.wire().met(&held, 1).await?;
    scene.mark("a decision is on its way").await?;
    scene.wire().holds_watches_of(heard_of(second)).await?;
    comes_true(scene, second, encounter).await?;
    scene.mark("both are true").await?;
    scene.wire().releases(&held).await?;
    if second.needs_a_pod() {
        scene.wait(is_stored(first)).await?;
    } else {
        // The Job has changed, so that write is refused, and so is each that follows from what the controller knows.
        scene.linger(Duration::from_millis(500), "a controller may try again with what it knows").await?;
    }
    scene.wire().releases_watches_of(heard_of(second)).await
}

/// Waits until it is decided, lets go of the pods that are stopped for that, and waits until nothing moves any more.
async fn ending(scene: &mut Scene, encounter: Encounter, going: Going) -> Result<(), Stop> {
    let may_be = |outcome| matches!(encounter.legal(), Legal::OneOf(legal) if legal.contains(&outcome));
    let decided = job().has(FailureTarget).or(job().has(SuccessCriteriaMet));
    let goes_on = index(PODS).running(1).and(decided.clone().negated());
    let pauses = job().has(Suspended).and(job().active(0));
    let (rests, ends) = match may_be(Outcome::Gone) {
        true => (job().is_deleting().or(job().is_gone()), job().is_gone()),
        false if may_be(Outcome::Suspended) => (decided.or(job().has(Suspended)), job().is_finished().or(pauses)),
        false => (decided.or(job().has(Suspended)), job().is_finished()),
    };
    scene.wait(if may_be(Outcome::Running) { rests.or(goes_on.clone()) } else { rests }).await?;
    if !(may_be(Outcome::Running) && goes_on.holds(&scene.world())) {
        going.let_go(scene).await?;
        going.give_back(scene).await?;
        scene.wait(ends).await?;
    }
    if job().is_finished().or(job().is_gone()).holds(&scene.world()) {
        return scene.mark("nothing moves any more").await;
    }
    scene.linger(Duration::from_secs(2), "what pauses or goes on could still be decided").await?;
    scene.mark("nothing moves any more").await
}
