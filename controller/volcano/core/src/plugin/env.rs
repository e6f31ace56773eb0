//! `env`: each container knows the index of its pod (VJ-277).

use k8s_openapi::api::core::v1::Pod;

use super::{Scene, containers, set};

pub fn decorate(scene: &Scene<'_>, pod: &mut Pod) {
    for container in containers(pod) {
        for name in ["VK_TASK_INDEX", "VC_TASK_INDEX"] {
            set(container, name, scene.index.to_string());
        }
    }
}
