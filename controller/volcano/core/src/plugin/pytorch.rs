//! `pytorch`: where the master is, how many there are, and which one a pod is (VJ-290).

use k8s_openapi::api::core::v1::{Container, Pod};

use super::{Scene, open, regular_containers, set};
use crate::names;

/// How long the optional init container waits for the master, in seconds.
const WAIT_S: i32 = 300;
const WAIT_IMAGE: &str = "busybox:1.36.1";

/// Without a master nothing is done.
pub fn decorate(scene: &Scene<'_>, pod: &mut Pod) {
    let arguments = &scene.arguments;
    let (master, worker) = (arguments.text("master", "master"), arguments.text("worker", "worker"));
    let Some(task) = scene.task_named(master) else { return };
    let (host, domain) = names::host(scene.job, task, 0);
    let (address, port) = (format!("{host}.{domain}"), arguments.number("port", 23456));
    let rank = match &scene.task.name {
        name if name == worker => Some(scene.index.saturating_add(1)),
        name if name == master => Some(0),
        _ => None,
    };
    let of_job = scene.job.spec.tasks.iter().filter(|task| task.name == master || task.name == worker);
    let size = of_job.fold(0i32, |sum, task| sum.saturating_add(task.replicas));
    for container in regular_containers(pod) {
        open(container, "pytorchjob-port", port);
        set(container, "MASTER_ADDR", address.clone());
        set(container, "MASTER_PORT", port.to_string());
        set(container, "WORLD_SIZE", size.to_string());
        if let Some(rank) = rank {
            set(container, "RANK", rank.to_string());
        }
    }
    if scene.task.name == worker && arguments.switch("wait-master-enabled", false) {
        let wait = arguments.number("wait-master-timeout", WAIT_S);
        let image = arguments.text("wait-master-image", WAIT_IMAGE);
        let spec = pod.spec.get_or_insert_default();
        spec.init_containers.get_or_insert_default().insert(0, wait_for(&address, port, wait, image));
    }
}

/// An init container that ends well once the master listens, and badly when it takes too long.
fn wait_for(address: &str, port: i32, seconds: i32, image: &str) -> Container {
    let script = format!(
        "until nc -z -w 1 {address} {port}; do seconds=$((${{seconds:-0}} + 1)); \
         [ \"$seconds\" -lt {seconds} ] || exit 1; sleep 1; done"
    );
    Container {
        name: "wait-for-master".to_owned(),
        image: Some(image.to_owned()),
        command: Some(vec!["sh".to_owned(), "-c".to_owned(), script]),
        ..Container::default()
    }
}
