//! Nodes that can hold as many processes as their pods want.
//!
//! Podman gives a container 2,048 processes, and systemd gives a service a share of what it finds: 90 pods that start at
//! once end in `StartError`. All of it is lifted from within: `podman update` knows no such limit in the versions that
//! distributions have.

use super::node::Node;
use crate::container_runtime::Engine;
use crate::{
    cluster::{Progress, Step},
    launcher::Launcher,
};

/// A node with fewer cannot hold the pods that its kubelet takes.
const ENOUGH: u64 = 16_384;

/// Lifts what can be lifted, and prints how many processes the node can hold. Both versions of cgroups have their file; the one
/// that a node sees at the top is its own.
const WITHIN: &str = "for most in /sys/fs/cgroup/pids.max /sys/fs/cgroup/pids/pids.max; do
  test -e $most && echo max > $most || true
done 2>/dev/null
for unit in kubelet.service containerd.service; do
  systemctl set-property --runtime $unit TasksMax=infinity || true
done >/dev/null 2>&1
cat /sys/fs/cgroup/pids.max /sys/fs/cgroup/pids/pids.max 2>/dev/null | head -n 1";

/// Lifts the limits of these nodes; what stays is told, and is no reason to give up: most cases need ten pods.
pub(super) async fn lift(runtime: Engine, launcher: &Launcher, nodes: &[String], progress: Progress<'_>) {
    for name in nodes {
        let within = Node::new(name.clone(), runtime, launcher).shell("lift the limits of processes", WITHIN).await;
        if let Some(most) = within.ok().as_deref().and_then(too_few) {
            let says = format!("the node {name} can hold {most} processes: a hundred pods at once are too many for it");
            progress(Step::Doing(says));
        }
    }
}

/// The limit that the node printed, if it is one.
fn too_few(printed: &str) -> Option<u64> {
    printed.trim().parse().ok().filter(|most| *most < ENOUGH)
}

#[cfg(test)]
mod tests {
    use super::too_few;
    use rstest::rstest;

    #[rstest]
    #[case::podmans_own("2048\n", Some(2048))]
    #[case::lifted("max\n", None)]
    #[case::plenty("60000\n", None)]
    #[case::not_said("", None)]
    fn a_limit_is_told_where_it_is_one(#[case] printed: &str, #[case] told: Option<u64>) {
        assert_eq!(too_few(printed), told);
    }
}
