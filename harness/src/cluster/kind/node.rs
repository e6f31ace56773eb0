//! A node from the inside: commands in its container, and the static pods that its kubelet runs.

use std::fs;

use super::error::KindError;
use super::program::Errand;
use crate::cluster::contract::ClusterError;
use crate::cluster::contract::layout::Layout;
use crate::container_runtime::Engine;
use crate::launcher::Launcher;

/// One node of a kind cluster.
#[derive(Clone, Debug)]
pub struct Node {
    name: String,
    runtime: Engine,
    launcher: Launcher,
}

/// As the administrator: components let that group in without asking the API server.
const CURL: &str = "curl --silent --show-error --max-time 20 --insecure \
                    --cert /etc/kubernetes/jobsworth/administrator.crt --key /etc/kubernetes/jobsworth/administrator.key";

impl Node {
    /// The node in the container of this name.
    #[must_use]
    pub fn new(name: impl Into<String>, runtime: Engine, launcher: &Launcher) -> Self {
        Self { name: name.into(), runtime, launcher: launcher.clone() }
    }

    /// Its name, which is also the Node object's.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text of a file.
    pub(super) async fn read(&self, path: &str) -> Result<String, KindError> {
        self.command(format!("read {path} in {}", self.name), &["cat", path]).output().await
    }

    /// Runs a shell script; `what` completes "failed to ...".
    ///
    /// # Errors
    /// When it fails, with what it said.
    pub async fn shell(&self, what: impl Into<String>, script: &str) -> Result<String, KindError> {
        self.command(what, &["sh", "-eu", "-c", script]).output().await
    }

    /// Writes a file beside its place and renames it in: a half-written manifest would be started, too.
    pub(super) async fn write(&self, path: &str, text: &str) -> Result<(), KindError> {
        let script = format!("umask 077; mkdir -p {HELD}; cat > {HELD}/new; mv {HELD}/new {path}");
        self.fed(format!("write {path} in {}", self.name), &script, text).await.map(drop)
    }

    /// Runs a shell script that reads `input`; `what` completes "failed to ...".
    ///
    /// # Errors
    /// When it fails, with what it said.
    pub async fn fed(
        &self,
        what: impl Into<String>,
        script: &str,
        input: impl Into<Vec<u8>>,
    ) -> Result<String, KindError> {
        let arguments = ["exec", "-i", &self.name, "sh", "-eu", "-c", script];
        self.runtime.errand(&self.launcher, what, &arguments).input(input).output().await
    }

    /// Lets [`ask`](Self::ask) be the administrator.
    pub(super) async fn let_in(&self, site: &Layout) -> Result<(), ClusterError> {
        for (from, name) in
            [(site.certificate("administrator"), "administrator.crt"), (site.key("administrator"), "administrator.key")]
        {
            let text = fs::read_to_string(&from).map_err(|source| ClusterError::File {
                what: "read",
                path: from.clone(),
                source,
            })?;
            self.write(&format!("{HELD}/{name}"), &text).await?;
        }
        Ok(())
    }

    /// What a component of the node answers on its own port; the port is the node's own business, the
    /// connection never leaves it.
    pub(super) async fn ask(&self, url: &str) -> Result<String, KindError> {
        self.shell(format!("ask {url} in {}", self.name), &format!("exec {CURL} --fail '{url}'")).await
    }

    /// Waits until an address answers with certain words.
    pub(super) async fn answers(&self, url: &str, words: &str, seconds: u32) -> Result<(), KindError> {
        let script = format!(
            "i=0; until {CURL} '{url}' 2>&1 | grep -qF '{words}'; do i=$((i+1)); \
             if [ $i -ge {} ]; then {CURL} '{url}' >&2; exit 1; fi; sleep 0.2; done",
            seconds * 4
        );
        self.shell(format!("see `{words}` at {url} in {}", self.name), &script).await.map(drop)
    }

    fn command(&self, what: impl Into<String>, command: &[&str]) -> Errand {
        let arguments: Vec<&str> = ["exec", &self.name].into_iter().chain(command.iter().copied()).collect();
        self.runtime.errand(&self.launcher, what, &arguments)
    }
}

/// Where manifests wait whose pods shall not run. The kubelet does not look there.
pub(super) const HELD: &str = "/etc/kubernetes/jobsworth";
/// Where the kubelet finds the pods that it runs without being asked.
pub(super) const MANIFESTS: &str = "/etc/kubernetes/manifests";

/// Puts the process id of the container `$id`, as the node counts, into `$pid`. A signal to the node's own
/// first process would do harm, and one to nobody would be waited for in vain.
const PID: &str = "pid=$(crictl inspect -o go-template --template '{{.info.pid}}' $id)
case $pid in '' | 1 | *[!0-9]*) echo \"there is no process of $id: $pid\" >&2; exit 1 ;; esac";

/// A pod that the kubelet runs from a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StaticPod {
    Etcd,
    ApiServer,
    ControllerManager,
    Scheduler,
}

impl StaticPod {
    /// Its name, and the name of its container.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Etcd => "etcd",
            Self::ApiServer => "kube-apiserver",
            Self::ControllerManager => "kube-controller-manager",
            Self::Scheduler => "kube-scheduler",
        }
    }

    /// The manifest that runs.
    pub fn manifest(self) -> String {
        format!("{MANIFESTS}/{}.yaml", self.name())
    }

    /// Kills it so that it stays dead: -9 as a crash, and no kubelet that starts it again.
    ///
    /// A process that is stopped can do nothing more; while it is, its manifest goes. Once the kubelet's
    /// SIGTERM waits for it (bit 14 of the pending signals), the kubelet has understood, and -9 follows.
    pub fn crash(self) -> String {
        let name = self.name();
        format!(
            "f={MANIFESTS}/{name}.yaml; mkdir -p {HELD}
id=$(crictl ps -q --state Running --label io.kubernetes.container.name={name} | head -n 1)
if [ -z \"$id\" ]; then if [ -e $f ]; then mv $f {HELD}/{name}.yaml; fi; exit 0; fi
{PID}
kill -STOP $pid
if [ -e $f ]; then mv $f {HELD}/{name}.yaml; fi
i=0
while [ -e /proc/$pid ]; do
  case $(grep '^ShdPnd' /proc/$pid/status 2>/dev/null || true) in *[4567cdef]???) break ;; esac
  i=$((i+1)); if [ $i -ge 300 ]; then break; fi; sleep 0.1
done
kill -KILL $pid 2>/dev/null || true
i=0
while [ -e /proc/$pid ]; do
  i=$((i+1)); if [ $i -ge 200 ]; then echo \"process $pid does not go\" >&2; exit 1; fi; sleep 0.05
done
"
        )
    }

    /// Sends a signal to its process.
    pub fn signal(self, signal: &str) -> String {
        let name = self.name();
        format!(
            "id=$(crictl ps -q --state Running --label io.kubernetes.container.name={name} | head -n 1)
[ -n \"$id\" ] || exit 0
{PID}
kill -{signal} $pid
"
        )
    }

    /// Prints the id of its container that runs, if one does.
    pub fn running(self) -> String {
        format!("crictl ps -q --state Running --label io.kubernetes.container.name={} | head -n 1", self.name())
    }

    /// Prints what all its containers wrote, the oldest first, as far as the node still has it.
    pub fn words(self) -> String {
        let name = self.name();
        format!(
            "for id in $(crictl ps -a -q --label io.kubernetes.container.name={name} | tac); do
crictl logs $id 2>&1 || true; done"
        )
    }

    /// Prints the end of what the container before the one that runs wrote.
    pub fn words_of_the_dead(self) -> String {
        let name = self.name();
        format!(
            "id=$(crictl ps -a -q --state Exited --label io.kubernetes.container.name={name} | head -n 1)
[ -n \"$id\" ] || exit 0
crictl logs --tail 2000 $id 2>&1"
        )
    }

    /// Prints what its last container wrote last.
    pub fn last_words(self, lines: usize) -> String {
        let name = self.name();
        format!(
            "id=$(crictl ps -a -q --label io.kubernetes.container.name={name} | head -n 1)
if [ -z \"$id\" ]; then echo no container of {name} ever ran; exit 0; fi
crictl logs --tail {lines} $id 2>&1
"
        )
    }
}
