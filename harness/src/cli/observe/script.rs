//! The script of an observation: applies the objects, plays their pods, and watches until all Jobs ended.

use crate::report::rejudge::OBSERVED;
use crate::{
    About, Case, Claim, Needs, Scene, Source, Stop,
    plan::{PlanError, manifest::Manifest},
    scene::Write,
};
use jobsworth_oracle::{Expectations, Predicate, World, fact::Answer};
use std::{str::FromStr, time::Duration};
use tokio::time::Instant;

/// What becomes of pods once they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pods {
    Succeed,
    Fail(i32),
    Run,
}

impl FromStr for Pods {
    type Err = PlanError;

    fn from_str(text: &str) -> Result<Self, PlanError> {
        let code = |code: &str| code.parse::<i32>().ok().filter(|code| (1..=255).contains(code));
        match text.split_once(':') {
            None if text == "succeed" => Ok(Self::Succeed),
            None if text == "run" => Ok(Self::Run),
            Some(("fail", number)) if code(number).is_some() => Ok(Self::Fail(code(number).unwrap_or(1))),
            _ => Err(PlanError::Unreadable {
                what: "what becomes of pods",
                text: text.to_owned(),
                why: "expected succeed, run, or fail:CODE with a code from 1 to 255".to_owned(),
            }),
        }
    }
}

/// A manifest as a case without claims of its own.
pub(super) struct Observation {
    pub objects: Vec<Manifest>,
    pub pods: Pods,
    pub limit: Duration,
}

impl Case for Observation {
    fn about(&self) -> About {
        let says = "the universal invariants hold for whatever the manifest brings about";
        let claim = Claim { source: Source::JobController, section: "Invariants", says };
        About { id: OBSERVED, claim, requirements: &[], needs: Needs::default() }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        for manifest in &self.objects {
            let write = Write::create(manifest.group, manifest.plural, manifest.object.clone());
            let answer = scene.attempt(&manifest.name, write).await?;
            if answer.code >= 400 {
                return Err(Stop::Refused(refusal(&manifest.name, &answer)));
            }
        }
        let end = Instant::now() + self.limit;
        let pods = self.pods;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let news = Predicate::new("every Job to end, or a pod to play", move |world| {
                all_ended(world) || (pods != Pods::Run && playable(world).is_some())
            });
            match scene.wait_up_to(left, news).await {
                // Time is over: what was recorded until here is judged.
                Err(Stop::Stalled { .. }) => return Ok(()),
                other => other?,
            }
            let world = scene.world();
            let Some(pod) = playable(&world).filter(|_| !all_ended(&world)) else { return Ok(()) };
            match self.pods {
                Pods::Succeed => scene.pod_named(&pod).succeeds().await?,
                Pods::Fail(code) => scene.pod_named(&pod).fails(code).await?,
                Pods::Run => return Ok(()),
            }
        }
    }

    fn expects(&self) -> Expectations {
        Expectations::new()
    }
}

fn refusal(name: &str, answer: &Answer) -> String {
    let mut says = format!("the server refused {name} with {} {}: {}", answer.code, answer.reason, answer.message);
    for cause in &answer.causes {
        says += &format!("\n{}: {} ({})", cause.field, cause.message, cause.reason);
    }
    says
}

fn all_ended(world: &World) -> bool {
    let ended = |kind: &str| kind == "Complete" || kind == "Failed";
    let mut jobs = world.jobs().peekable();
    jobs.peek().is_some()
        && jobs.all(|job| {
            let conditions = job.status.iter().flat_map(|status| status.conditions.iter().flatten());
            conditions.into_iter().any(|condition| ended(&condition.type_) && condition.status == "True")
        })
}

/// A pod that runs and that nobody told to stop.
fn playable(world: &World) -> Option<String> {
    let running = |phase: Option<&str>| phase == Some("Running");
    world
        .pods()
        .find(|pod| {
            pod.metadata.deletion_timestamp.is_none()
                && running(pod.status.as_ref().and_then(|status| status.phase.as_deref()))
        })
        .and_then(|pod| pod.metadata.name.clone())
}
