//! The controller under test as two processes that elect a leader, each behind a proxy of its own.
//!
//! An instance that ends by itself, as those do that have lost the Lease, is started again, as a kubelet does.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use futures::future::try_join_all;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::{rights, subject, subject_process};
use crate::binaries::BinarySet;
use crate::cluster::access::Access;
use crate::cluster::contract::layout::Layout;
use crate::cluster::contract::subject_kind::SubjectKind;
use crate::cluster::machine::process::last_lines;
use crate::cluster::machine::proxy::{self, Tap};
use crate::cluster::machine::{Host, kubeconfig};
use crate::cluster::process_spec::ProcessSpec;
use crate::cluster::{ClusterError, ClusterSpec, Component, Instances, Route, RunningSubject};
use crate::wire::{Election, Wire};

/// What instances are called, and which component each is.
const INSTANCES: [(&str, Component); 2] = [("first", Component::Subject), ("second", Component::SecondSubject)];
/// How long it may take until both have asked for the Lease, and one has it.
const SETTLED_WITHIN: Duration = Duration::from_secs(30);
/// How long an instance that has ended stays away. Pacing: one that cannot start must not be started all the time.
const AWAY: Duration = Duration::from_millis(100);
/// Lines of a log that an error quotes.
const QUOTED: usize = 20;

/// Two instances of a subject.
#[derive(Debug)]
pub(crate) struct Pair {
    host: Arc<Host>,
    wire: Arc<Wire>,
    instances: Vec<Instance>,
    /// One change at a time.
    changing: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct Instance {
    name: &'static str,
    process: ProcessSpec,
    metrics: Option<(Access, String)>,
    /// Starts it again when it has ended by itself.
    keeper: Mutex<Option<JoinHandle<()>>>,
    /// Open as long as this is there.
    _tap: Tap,
}

impl Pair {
    /// Starts both, the first one first; returns when one leads and the other waits.
    pub async fn start(
        host: Arc<Host>,
        kind: &SubjectKind,
        spec: &ClusterSpec,
        binaries: &BinarySet,
    ) -> Result<Arc<Self>, ClusterError> {
        let wire = Arc::<Wire>::default();
        let sites = [host.site().clone(), host.site().of_second()];
        let mut instances = Vec::new();
        for ((name, component), site) in INSTANCES.into_iter().zip(&sites) {
            let tap = Tap::before(site, Arc::clone(&wire), Some(name)).await?;
            prepare(&host, kind, spec, site, &tap).await?;
            let process = ProcessSpec { component, ..subject_process::electing(kind, spec, binaries, site)? };
            let metrics = subject_process::metrics(kind, spec, site)?;
            instances.push(Instance { name, process, metrics, keeper: Mutex::default(), _tap: tap });
        }
        let pair = Arc::new(Self { host, wire, instances, changing: tokio::sync::Mutex::default() });
        pair.up().await?;
        Ok(pair)
    }

    async fn up(&self) -> Result<(), ClusterError> {
        self.wire.election_begins();
        for instance in &self.instances {
            self.begin(instance).await?;
            let has_asked = |election: &Election| election.candidates.contains(instance.name);
            self.settled(instance, |election| has_asked(election) && election.leader.is_some()).await?;
        }
        Ok(())
    }

    async fn begin(&self, instance: &Instance) -> Result<(), ClusterError> {
        self.host.start_on_trial(&instance.process).await?;
        let keeper = tokio::spawn(keep(Arc::clone(&self.host), instance.process.clone()));
        instance.kept_by(Some(keeper));
        Ok(())
    }

    async fn settled(&self, last: &Instance, is_so: impl Fn(&Election) -> bool) -> Result<(), ClusterError> {
        let mut election = self.wire.election();
        let settled = tokio::time::timeout(SETTLED_WITHIN, election.wait_for(|election| is_so(election))).await;
        settled.map(drop).map_err(|_| ClusterError::NotReady {
            component: last.process.component,
            within: SETTLED_WITHIN,
            doubt: "it has not asked for a Lease, or nobody has got it".to_owned(),
            last_lines: last_lines(&self.host.site().log(last.process.component), QUOTED),
        })
    }

    /// Nobody starts anything again.
    pub fn dismiss(&self) {
        self.instances.iter().for_each(|instance| instance.kept_by(None));
    }

    fn instance(&self, name: &str) -> Option<&Instance> {
        self.instances.iter().find(|instance| instance.name == name)
    }

    async fn each(&self, names: &[&str], act: Act) -> Result<(), ClusterError> {
        let _changing = self.changing.lock().await;
        let meant = names.iter().filter_map(|name| self.instance(name));
        try_join_all(meant.map(|instance| self.does(instance, act))).await.map(drop)
    }

    async fn does(&self, instance: &Instance, act: Act) -> Result<(), ClusterError> {
        if matches!(act, Act::Kill | Act::Stop) {
            instance.kept_by(None);
        }
        let Some(unit) = self.host.unit(instance.process.component) else { return Ok(()) };
        match act {
            Act::Kill => unit.kill().await,
            Act::Stop => unit.stop().await,
            Act::Pause => unit.pause().await,
            Act::Resume => unit.resume().await,
        }
    }
}

/// What is done to an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Kill,
    Stop,
    Pause,
    Resume,
}

const BOTH: [&str; 2] = [INSTANCES[0].0, INSTANCES[1].0];

impl Instance {
    fn kept_by(&self, keeper: Option<JoinHandle<()>>) {
        let before = std::mem::replace(&mut *self.keeper.lock().unwrap_or_else(PoisonError::into_inner), keeper);
        before.inspect(JoinHandle::abort);
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        self.kept_by(None);
    }
}

async fn keep(host: Arc<Host>, process: ProcessSpec) {
    while let Some(unit) = host.unit(process.component) {
        let Some(running) = unit.process() else { return };
        running.gone().await;
        tokio::time::sleep(AWAY).await;
        // Nobody to tell: that it is away shows in what the other does.
        if host.start_on_trial(&process).await.is_err() {
            return;
        }
    }
}

/// What an instance finds when it starts: kubeconfigs that lead to its proxy, and its rights, among them those of an election. Whoever
/// has a service account has the rights of that.
async fn prepare(
    host: &Host,
    kind: &SubjectKind,
    spec: &ClusterSpec,
    site: &Layout,
    tap: &Tap,
) -> Result<(), ClusterError> {
    for identity in proxy::CLIENTS {
        kubeconfig::write_for(site, identity, &tap.url(), &site.subject_kubeconfig(identity, Route::Proxied))?;
    }
    let SubjectKind::Program(program) = kind else { return Ok(()) };
    subject::prepare(host, site, program, spec, Some(tap)).await?;
    if program.service_account.is_some() {
        return Ok(());
    }
    let rules: Vec<_> = program.rights.iter().cloned().chain([rights::of_elections()]).collect();
    rights::grant(&Access::administrator(site).client()?, &rules).await
}

#[async_trait]
impl Instances for Pair {
    fn election(&self) -> watch::Receiver<Election> {
        self.wire.election()
    }

    async fn kill(&self, instance: &str) -> Result<(), ClusterError> {
        self.each(&[instance], Act::Kill).await
    }

    async fn pause(&self, instance: &str) -> Result<(), ClusterError> {
        self.each(&[instance], Act::Pause).await
    }

    async fn resume(&self, instance: &str) -> Result<(), ClusterError> {
        self.each(&[instance], Act::Resume).await
    }
}

#[async_trait]
impl RunningSubject for Arc<Pair> {
    async fn crash(&self) -> Result<(), ClusterError> {
        self.each(&BOTH, Act::Kill).await
    }

    async fn restart(&self) -> Result<(), ClusterError> {
        self.each(&BOTH, Act::Kill).await?;
        let _changing = self.changing.lock().await;
        self.up().await
    }

    async fn pause(&self) -> Result<(), ClusterError> {
        self.each(&BOTH, Act::Pause).await
    }

    async fn resume(&self) -> Result<(), ClusterError> {
        self.each(&BOTH, Act::Resume).await
    }

    async fn metrics(&self) -> Result<String, ClusterError> {
        let leader = self.wire.election().borrow().leader.clone();
        let leads = leader.and_then(|name| self.instance(&name)).or(self.instances.first());
        let (access, path) = leads.and_then(|leads| leads.metrics.as_ref()).ok_or(ClusterError::NoMetrics)?;
        access.text(path).await
    }

    fn wire(&self) -> Option<Arc<Wire>> {
        Some(Arc::clone(&self.wire))
    }

    fn instances(&self) -> Option<Arc<dyn Instances>> {
        let pair: Arc<dyn Instances> = Arc::clone(self) as _;
        Some(pair)
    }

    async fn stop(&self) -> Result<(), ClusterError> {
        self.each(&BOTH, Act::Stop).await
    }
}
