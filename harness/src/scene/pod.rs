//! A pod of the scene, and what can become of it.

use super::{Scene, Stop, Write, volcano};
use crate::pod_driver::{Disruption, End};
use jobsworth_oracle::{
    Predicate, Seen, World,
    vocabulary::pods::{completion_index, is_stopping, is_terminal, job_name, phase},
};
use k8s_openapi::api::core::v1::Pod;
use serde_json::Value;

/// A pod that is picked when something is done to it.
pub struct PodHandle<'s> {
    scene: &'s mut Scene,
    which: Which,
}

#[derive(Clone)]
enum Which {
    Index(u32),
    Of(String),
    Any,
    Named(String),
}

/// In what state a pod must be to be picked.
#[derive(Clone, Copy)]
enum State {
    /// Neither told to stop nor at its end.
    Live,
    /// Told to stop and not at its end.
    Stopping,
    /// Not at its end, told to stop or not.
    Unfinished,
    /// Whatever.
    Any,
}

impl<'s> PodHandle<'s> {
    pub(super) fn of_index(scene: &'s mut Scene, index: u32) -> Self {
        Self { scene, which: Which::Index(index) }
    }

    pub(super) fn of_job(scene: &'s mut Scene, job: &str) -> Self {
        Self { scene, which: Which::Of(job.to_owned()) }
    }

    pub(super) fn any(scene: &'s mut Scene) -> Self {
        Self { scene, which: Which::Any }
    }

    pub(super) fn named(scene: &'s mut Scene, name: &str) -> Self {
        Self { scene, which: Which::Named(name.to_owned()) }
    }

    /// Its containers exit with 0.
    ///
    /// # Errors
    /// When there is no such pod in time, or the API server refuses.
    pub async fn succeeds(self) -> Result<(), Stop> {
        self.ends(End::Exited(0)).await
    }

    /// Its containers exit with this code.
    ///
    /// # Errors
    /// When there is no such pod in time, or the API server refuses.
    pub async fn fails(self, code: i32) -> Result<(), Stop> {
        self.ends(End::Exited(code)).await
    }

    /// It ends in this way.
    ///
    /// # Errors
    /// When there is no such pod in time, or the API server refuses.
    pub async fn ends(self, end: End) -> Result<(), Stop> {
        let pod = self.scene.pick(&self.which, State::Live).await?;
        self.scene.driver.end(&pod, end).await.map_err(super::Fault::from)?;
        self.scene.see_ended(&pod).await
    }

    /// It is bound, runs and is ready; for scripts that start pods themselves.
    ///
    /// # Errors
    /// When there is no such pod in time, or the API server refuses.
    pub async fn runs(self) -> Result<(), Stop> {
        let pod = self.scene.pick(&self.which, State::Live).await?;
        self.scene.driver.run(&pod).await.map_err(super::Fault::from)?;
        self.scene.see_pod(&pod, "to run", |pod| phase(pod) == "Running").await
    }

    /// Its containers were restarted in place so often by now.
    ///
    /// # Errors
    /// When there is no such pod in time, or the API server refuses.
    pub async fn is_restarted(self, times: i32) -> Result<(), Stop> {
        let pod = self.scene.pick(&self.which, State::Live).await?;
        self.scene.driver.restarted(&pod, times).await.map_err(super::Fault::from)?;
        self.scene.see_pod(&pod, "to be restarted", move |pod| restarts(pod) >= times).await
    }

    /// It runs but is not ready.
    ///
    /// # Errors
    /// When there is no such pod in time, or the API server refuses.
    pub async fn is_not_ready(self) -> Result<(), Stop> {
        let pod = self.scene.pick(&self.which, State::Live).await?;
        self.scene.driver.not_ready(&pod).await.map_err(super::Fault::from)?;
        self.scene.see_pod(&pod, "not to be ready", |pod| !has_condition(pod, "Ready")).await
    }

    /// It gets the condition `DisruptionTarget`; it still runs.
    ///
    /// # Errors
    /// When there is no such pod in time, or the API server refuses.
    pub async fn is_disrupted(self, disruption: Disruption) -> Result<(), Stop> {
        let pod = self.scene.pick(&self.which, State::Live).await?;
        self.scene.driver.disrupt(&pod, disruption).await.map_err(super::Fault::from)?;
        self.scene.see_pod(&pod, "to be disrupted", |pod| has_condition(pod, "DisruptionTarget")).await
    }

    /// What the program in its container sees goes into the timeline under the name `to`: environment, hostname,
    /// signals.
    ///
    /// # Errors
    /// When there is no such pod in time, or nobody runs its containers.
    pub async fn tells(self, to: &str) -> Result<(), Stop> {
        let pod = self.scene.pick(&self.which, State::Live).await?;
        let seen = self.scene.driver.look_inside(&pod).await.map_err(super::Fault::from)?;
        self.scene.note(to, seen);
        Ok(())
    }

    /// The eviction API is asked to take it away.
    ///
    /// # Errors
    /// When there is no such pod in time, or the API server refuses.
    pub async fn is_evicted(self) -> Result<(), Stop> {
        let pod = self.scene.pick(&self.which, State::Live).await?;
        self.scene.must(Write::evict_pod(name(&pod))).await?;
        self.scene.see_pod(&pod, "to be told to stop", is_stopping).await
    }

    /// Somebody deletes it, with its own grace period.
    ///
    /// # Errors
    /// When there is no such pod in time, or the API server refuses.
    pub async fn is_deleted(self) -> Result<(), Stop> {
        let pod = self.scene.pick(&self.which, State::Live).await?;
        self.scene.must(Write::delete_pod(name(&pod), None)).await?;
        self.scene.see_pod(&pod, "to be told to stop", is_stopping).await
    }

    /// Told to stop already, it ends in this way and is removed.
    ///
    /// # Errors
    /// When there is no such pod in time, or the API server refuses.
    pub async fn is_let_go(self, end: End) -> Result<(), Stop> {
        let pod = self.scene.pick(&self.which, State::Stopping).await?;
        self.scene.driver.let_go(&pod, end).await.map_err(super::Fault::from)?;
        self.scene.see_ended(&pod).await
    }

    /// It exits with this code, and is removed then if it was told to stop: for scripts that cannot know whether it was.
    ///
    /// # Errors
    /// When there is no such pod in time, or the API server refuses.
    pub async fn exits(self, code: i32) -> Result<(), Stop> {
        let pod = self.scene.pick(&self.which, State::Unfinished).await?;
        let (driver, end) = (&self.scene.driver, End::Exited(code));
        let done = if is_stopping(&pod) { driver.let_go(&pod, end).await } else { driver.end(&pod, end).await };
        done.map_err(super::Fault::from)?;
        self.scene.see_ended(&pod).await
    }

    /// Somebody merges `patch` into it.
    ///
    /// # Errors
    /// When there is no such pod in time, or the API server refuses.
    pub async fn is_patched(self, patch: Value) -> Result<(), Stop> {
        let pod = self.scene.pick(&self.which, State::Any).await?;
        self.scene.must(Write::patch_pod(name(&pod), patch)).await
    }

    /// Its name, once there is one.
    ///
    /// # Errors
    /// When there is no such pod in time.
    pub async fn name(self) -> Result<String, Stop> {
        let pod = self.scene.pick(&self.which, State::Any).await?;
        Ok(name(&pod).to_owned())
    }
}

impl Scene {
    async fn pick(&mut self, which: &Which, state: State) -> Result<Seen<Pod>, Stop> {
        let words = match which {
            Which::Index(index) => format!("a pod of index {index}"),
            Which::Of(job) => format!("a pod of {job}"),
            Which::Any => "a pod".to_owned(),
            Which::Named(name) => format!("the pod {name}"),
        };
        let words = match state {
            State::Live => format!("{words} that is live"),
            State::Stopping => format!("{words} that is told to stop"),
            State::Unfinished => format!("{words} that is not at its end"),
            State::Any => words,
        };
        let wanted = which.clone();
        self.wait(Predicate::new(words.clone(), move |world| picked(world, &wanted, state).is_some())).await?;
        let gone = || Stop::Stalled { waited_for: words, limit: std::time::Duration::ZERO };
        picked(&self.world(), which, state).ok_or_else(gone)
    }

    async fn see_pod(
        &mut self,
        pod: &Pod,
        words: &str,
        holds: impl Fn(&Pod) -> bool + Send + Sync + 'static,
    ) -> Result<(), Stop> {
        let (name, uid) = (name(pod).to_owned(), pod.metadata.uid.clone());
        let words = format!("the recording to show {name} {words}");
        let seen = move |world: &World| match world.pod(&name).filter(|pod| pod.metadata.uid == uid) {
            Some(pod) => holds(pod),
            None => true,
        };
        self.wait(Predicate::new(words, seen)).await
    }

    async fn see_ended(&mut self, pod: &Pod) -> Result<(), Stop> {
        self.see_pod(pod, "to have ended", is_terminal).await
    }
}

/// The pod in question; of several the one whose name comes first, so that a script repeats itself.
fn picked(world: &World, which: &Which, state: State) -> Option<Seen<Pod>> {
    let meant = |pod: &&Seen<Pod>| match which {
        Which::Index(index) => completion_index(pod) == Some(*index),
        Which::Of(job) => job_name(pod) == Some(job) || volcano::is_controlled_by(&pod.metadata, job),
        Which::Any => true,
        Which::Named(wanted) => name(pod) == wanted,
    };
    let fit = |pod: &&Seen<Pod>| match state {
        State::Live => !is_stopping(pod) && !is_terminal(pod),
        State::Stopping => is_stopping(pod) && !is_terminal(pod),
        State::Unfinished => !is_terminal(pod),
        State::Any => true,
    };
    world.pods().filter(meant).find(fit).cloned()
}

fn name(pod: &Pod) -> &str {
    pod.metadata.name.as_deref().unwrap_or_default()
}

fn restarts(pod: &Pod) -> i32 {
    let statuses = pod.status.iter().flat_map(|status| status.container_statuses.iter().flatten());
    statuses.map(|container| container.restart_count).max().unwrap_or(0)
}

fn has_condition(pod: &Pod, kind: &str) -> bool {
    let conditions = pod.status.iter().flat_map(|status| status.conditions.iter().flatten());
    conditions.into_iter().any(|condition| condition.type_ == kind && condition.status == "True")
}
