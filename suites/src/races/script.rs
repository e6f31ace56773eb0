//! How two reasons meet, by their order.

use super::job::{PODS, comes_true, draft, prepare, told_by};
use crate::words::*;
use jobsworth_race_model::{Encounter, Order};

/// Brings about the encounter, and then lets every pod go that is told to.
pub async fn play(scene: &mut Scene, encounter: Encounter) -> Result<(), Stop> {
    let Encounter { first, second, order } = encounter;
    scene.pods_behave(|pods| pods.stop = When::OnWord);
    scene.submit(draft([first, second])).await?;
    scene.wait(job().ready(PODS.cast_signed())).await?;
    prepare(scene, [first, second]).await?;
    match order {
        Order::Together => {
            // A subject that starts anew lists everything before its first sync, so that sync sees both.
            scene.subject().crash().await?;
            comes_true(scene, first).await?;
            comes_true(scene, second).await?;
            scene.mark("both are true").await?;
            scene.subject().restart().await?;
        }
        Order::Then => {
            comes_true(scene, first).await?;
            scene.wait(job().has(told_by(first))).await?;
            scene.mark("the first is told").await?;
            comes_true(scene, second).await?;
            scene.mark("both are true").await?;
        }
        Order::Refused | Order::Crash => {
            let veto = scene.refuse(Veto::of_condition(told_by(first))).await?;
            comes_true(scene, first).await?;
            scene.wait_for_refusal(&veto).await?;
            if order == Order::Crash {
                scene.subject().crash().await?;
            }
            comes_true(scene, second).await?;
            scene.mark("both are true").await?;
            scene.allow(veto).await?;
            if order == Order::Crash {
                scene.subject().restart().await?;
            }
        }
        Order::Late => return Err(Stop::Refused("no script holds a watch back".to_owned())),
    }
    ending(scene).await
}

/// Waits until it is decided, lets go of the pods that are stopped for that, and waits until nothing moves any more.
async fn ending(scene: &mut Scene) -> Result<(), Stop> {
    scene.wait(job().has(FailureTarget).or(job().has(SuccessCriteriaMet)).or(job().has(Suspended))).await?;
    for at in 0..PODS {
        scene.wait(index(at).that_are(live()).count(0)).await?;
        if index(at).that_are(stopping().and(stopped().negated())).at_least(1).holds(&scene.world()) {
            scene.pod(at).exits(143).await?;
        }
    }
    scene.wait(job().is_finished().or(job().has(Suspended).and(job().active(0)))).await?;
    if job().is_finished().holds(&scene.world()) {
        return scene.mark("nothing moves any more").await;
    }
    scene.linger(Duration::from_secs(2), "what pauses could still be decided").await?;
    scene.mark("nothing moves any more").await
}
