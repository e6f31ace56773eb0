//! A kind cluster in change: manifests of static pods are edited and renamed in, one component after the other, and each is
//! asked what it is before the next one follows.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jobsworth_api::KubeVersion;

use super::KindCluster;
use super::error::KindError;
use super::manifest::Manifest;
use super::node::StaticPod;
use crate::binaries::{self, Binary, Source, Tool};
use crate::cluster::contract::attest;
use crate::cluster::contract::attest::proven;
use crate::cluster::contract::change::{Change, ChangeReport, Move, Termination, moves};
use crate::cluster::contract::{Cluster, ClusterError, ClusterSpec, Component, Progress, SubjectKind};
use crate::cluster::local::outside;
use crate::cluster::machine::access::Access;
use crate::cluster::machine::programs;
use crate::node_image;

/// A container that ends, an image, a kubelet that looks every so often, and a slow machine.
const LIMIT: Duration = Duration::from_secs(240);
/// How often a component is asked what it is.
const ASK_EVERY: Duration = Duration::from_millis(500);
/// How many of its last lines an error quotes.
const QUOTED_LINES: usize = 20;

impl KindCluster {
    /// Changes it; one change at a time.
    pub(super) async fn change_to(&self, change: &Change) -> Result<ChangeReport, ClusterError> {
        let _alone = self.changing.lock().await;
        let from = self.spec();
        let to = change.target(&from)?;
        proven("it is not what it was before the change", attest::attest(self).await?)?;
        self.load_images(&from, &to).await?;
        let begun = Instant::now();
        let mut steps = Vec::new();
        for one in moves(&from, &to, change) {
            steps.extend(self.make(&one, change).await?);
        }
        self.become_what_was_wanted(&to)?;
        let attestation = proven("it is not what it was changed to", attest::attest(self).await?)?;
        Ok(ChangeReport { spec: to, attestation: Arc::new(attestation), took: begun.elapsed(), steps })
    }

    /// Images of versions that the node has not got: each of one program, as the node's own are.
    async fn load_images(&self, from: &ClusterSpec, to: &ClusterSpec) -> Result<(), ClusterError> {
        let mut wanted = vec![to.version, to.version_of(Component::Base)];
        wanted.retain(|version| *version != from.version && *version != from.version_of(Component::Base));
        wanted.dedup();
        for version in wanted {
            let mut names = Vec::new();
            for (pod, tool) in PROGRAMS {
                names.push((tool, self.manifest(pod).await?.image_of(version)));
            }
            let found = programs_of(version, &|_| ()).await?;
            let archive = self.site().folder().join(format!("control-plane-{version}.tar"));
            let path = archive.clone();
            let write = move || node_image::write_programs(&names, &found, &path);
            let written = tokio::task::spawn_blocking(write).await.expect("writing images does not panic");
            written.map_err(|error| KindError::Image {
                version: version.to_string(),
                why: crate::error_text::in_full(&error),
            })?;
            self.load(&archive).await?;
        }
        Ok(())
    }

    async fn make(&self, one: &Move, change: &Change) -> Result<Vec<(Component, Duration)>, ClusterError> {
        let mut steps = Vec::new();
        for pod in pods_of(one, change) {
            let begun = Instant::now();
            let serves = matches!(pod, StaticPod::ApiServer | StaticPod::Etcd);
            // While it is away, our requests wait, and nobody mourns it.
            let _outage = serves.then(|| self.outage.begin());
            self.replace(pod, &one.spec, change).await?;
            steps.push((component_of(pod), begun.elapsed()));
        }
        if one.components.contains(&Component::Subject)
            && let Some(step) = self.replace_program(&one.spec, change).await?
        {
            steps.push(step);
        }
        Ok(steps)
    }

    /// A controller in the place of the built-in one is a process of ours.
    async fn replace_program(
        &self,
        spec: &ClusterSpec,
        change: &Change,
    ) -> Result<Option<(Component, Duration)>, ClusterError> {
        let subject = self.state().subject.clone();
        let (Some(subject), SubjectKind::Program(program)) = (subject, &spec.subject) else { return Ok(None) };
        let begun = Instant::now();
        subject.replace(outside(program, spec, self.site()), change.termination()).await?;
        Ok(Some((Component::Subject, begun.elapsed())))
    }

    async fn replace(&self, pod: StaticPod, spec: &ClusterSpec, change: &Change) -> Result<(), ClusterError> {
        let node = &self.control_plane;
        let before = node.shell(format!("look for {}", pod.name()), &pod.running()).await?;
        if change.termination() == Termination::Kill {
            node.shell(format!("kill {}", pod.name()), &pod.signal("KILL")).await?;
        } else {
            let manifest = self.manifest(pod).await?;
            let manifest = match pod {
                StaticPod::ApiServer | StaticPod::ControllerManager => manifest.with_gates_of(spec),
                _ => manifest,
            };
            let manifest = match pod {
                StaticPod::Etcd => manifest,
                _ => manifest.with_version(spec.version_of(component_of(pod))),
            };
            let round = Timestamp::now().to_string();
            node.write(&pod.manifest(), &manifest.in_round(&round).text()).await?;
        }
        let begun = Instant::now();
        loop {
            let doubt = match self.doubt(pod, before.trim(), spec).await {
                Ok(None) => return Ok(()),
                Ok(Some(doubt)) => doubt,
                Err(error) => crate::error_text::in_full(&error),
            };
            if begun.elapsed() > LIMIT {
                return Err(self.not_ready(pod, doubt).await);
            }
            tokio::time::sleep(ASK_EVERY).await;
        }
    }

    /// Why a component is not yet what it shall be; another container first of all.
    async fn doubt(&self, pod: StaticPod, before: &str, spec: &ClusterSpec) -> Result<Option<String>, ClusterError> {
        let running = self.control_plane.shell(format!("look for {}", pod.name()), &pod.running()).await?;
        if running.trim().is_empty() || running.trim() == before {
            return Ok(Some(format!("the kubelet has not started another {}", pod.name())));
        }
        Access::administrator(self.site()).text("/readyz").await?;
        let found = attest::attest_each(self, &[component_of(pod)], spec).await?;
        Ok(found.doubts().next().map(ToString::to_string))
    }

    async fn not_ready(&self, pod: StaticPod, doubt: String) -> ClusterError {
        let said =
            self.control_plane.shell(format!("read the log of {}", pod.name()), &pod.last_words(QUOTED_LINES)).await;
        let last_lines = said.unwrap_or_else(|error| error.to_string()).lines().map(str::to_owned).collect();
        ClusterError::NotReady { component: component_of(pod), within: LIMIT, doubt, last_lines }
    }

    async fn manifest(&self, pod: StaticPod) -> Result<Manifest, ClusterError> {
        Ok(Manifest::read(&self.control_plane.read(&pod.manifest()).await?, pod.name())?)
    }
}

/// What has a version of Kubernetes.
const PROGRAMS: [(StaticPod, Tool); 3] = [
    (StaticPod::ApiServer, Tool::ApiServer),
    (StaticPod::ControllerManager, Tool::ControllerManager),
    (StaticPod::Scheduler, Tool::Scheduler),
];

/// The programs from which a node gets the images of another version; built if they are not there.
pub(super) async fn programs_of(
    version: KubeVersion,
    progress: Progress<'_>,
) -> Result<BTreeMap<Tool, Binary>, ClusterError> {
    let source = Source::choose(None)?;
    let tools = PROGRAMS.iter().map(|(_, tool)| *tool).collect();
    programs::ready(progress, move |tell| binaries::ensure_tools(&source, version, &tools, tell)).await
}

/// The static pods of a move. The controller manager is both, the base and the built-in subject; the scheduler, which every
/// kind cluster has, follows it to another version.
fn pods_of(one: &Move, change: &Change) -> Vec<StaticPod> {
    let mut pods = Vec::new();
    for component in &one.components {
        let pod = match component {
            Component::Etcd => StaticPod::Etcd,
            Component::ApiServer => StaticPod::ApiServer,
            Component::Scheduler => StaticPod::Scheduler,
            Component::Subject if one.spec.subject != SubjectKind::BuiltIn => continue,
            Component::Base | Component::Subject => StaticPod::ControllerManager,
            Component::Kwok | Component::SecondSubject | Component::Webhook => continue,
        };
        if !pods.contains(&pod) {
            pods.push(pod);
        }
    }
    if matches!(change, Change::Version(_))
        && pods.contains(&StaticPod::ControllerManager)
        && !pods.contains(&StaticPod::Scheduler)
    {
        pods.push(StaticPod::Scheduler);
    }
    pods
}

const fn component_of(pod: StaticPod) -> Component {
    match pod {
        StaticPod::Etcd => Component::Etcd,
        StaticPod::ApiServer => Component::ApiServer,
        StaticPod::Scheduler => Component::Scheduler,
        StaticPod::ControllerManager => Component::Base,
    }
}
