//! The control plane's own images: which ones kubeadm will ask for, and the archive that holds them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::NodeImageError;
use super::archive::{self, Description};
use super::layer::{Layer, Packing};
use super::tree::Tree;
use jobsworth_binaries::{Binary, Tool};

/// An image of one program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Component {
    pub tool: Tool,
    pub names: Vec<String>,
}

/// Reads what `kubeadm config images list` printed. What a Job needs no pod of (the proxy and the name server)
/// is left out: a cluster on these nodes goes without.
pub(super) fn wanted(listed: &str, sandbox: &str) -> Result<Vec<Component>, NodeImageError> {
    let mut components: Vec<Component> = Vec::new();
    for name in listed.lines().map(str::trim).filter(|name| !name.is_empty()).chain([sandbox]) {
        let repository = name.rsplit_once(':').map_or(name, |(repository, _)| repository);
        let last = repository.rsplit('/').next().unwrap_or(repository);
        let tool = match last {
            "kube-apiserver" => Tool::ApiServer,
            "kube-controller-manager" => Tool::ControllerManager,
            "kube-scheduler" => Tool::Scheduler,
            "etcd" => Tool::Etcd,
            "pause" => Tool::Pause,
            _ => continue,
        };
        match components.iter_mut().find(|component| component.tool == tool) {
            Some(known) if known.names.iter().any(|known| known == name) => {}
            Some(known) => known.names.push(name.to_owned()),
            None => components.push(Component { tool, names: vec![name.to_owned()] }),
        }
    }
    if components.len() == 5 {
        return Ok(components);
    }
    let all = [
        (Tool::ApiServer, "kube-apiserver"),
        (Tool::ControllerManager, "kube-controller-manager"),
        (Tool::Scheduler, "kube-scheduler"),
        (Tool::Etcd, "etcd"),
        (Tool::Pause, "pause"),
    ];
    let lacks = all.into_iter().find(|(tool, _)| !components.iter().any(|component| component.tool == *tool));
    Err(NodeImageError::Unexpected {
        what: "what `kubeadm config images list` printed",
        lacks: lacks.map_or("", |(_, name)| name),
    })
}

/// Writes one archive with all of them, each of one layer with one program.
pub(super) fn write(
    components: &[Component],
    binaries: &BTreeMap<Tool, Binary>,
    shop: &Path,
    archive: &Path,
) -> Result<(), NodeImageError> {
    let mut images = Vec::new();
    for component in components {
        let Some(binary) = binaries.get(&component.tool) else { continue };
        let path = shop.join(format!("{}.layer", component.tool));
        let layer = Layer::write(&tree(component.tool, binary), &path, Packing::Plain)
            .map_err(NodeImageError::file("write", &path))?;
        images.push((description(component), vec![layer]));
    }
    archive::write(archive, &images).map_err(NodeImageError::file("write", archive))?;
    for (_, layers) in images {
        for layer in layers {
            fs::remove_file(&layer.path).map_err(NodeImageError::file("remove", &layer.path))?;
        }
    }
    Ok(())
}

/// The pause program at the place where pods without a command of their own look for it, the others on the path.
fn tree(tool: Tool, binary: &Binary) -> Tree {
    let mut tree = Tree::default();
    let path = if tool == Tool::Pause { "pause".to_owned() } else { format!("usr/local/bin/{tool}") };
    tree.file(&path, 0o755, &binary.path);
    tree
}

fn description(component: &Component) -> Description {
    let pause = component.tool == Tool::Pause;
    Description {
        names: component.names.clone(),
        entrypoint: if pause { vec!["/pause".to_owned()] } else { Vec::new() },
        user: if pause { "65535:65535".to_owned() } else { String::new() },
        ..Description::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTED: &str = "example.org/kube-apiserver:v1.37.1\nexample.org/kube-controller-manager:v1.37.1
example.org/kube-scheduler:v1.37.1\nexample.org/kube-proxy:v1.37.1\nexample.org/coredns/coredns:v1.14.2
example.org/pause:3.10.2\nexample.org/etcd:3.6.8-0\n";

    #[test]
    fn kubeadms_list_becomes_five_images_and_pause_has_both_its_names() {
        let components = wanted(LISTED, "example.org/pause:3.10").unwrap();
        let lines: Vec<String> =
            components.iter().map(|component| format!("{} {}", component.tool, component.names.join(" "))).collect();
        insta::assert_snapshot!(lines.join("\n"), @r"
        kube-apiserver example.org/kube-apiserver:v1.37.1
        kube-controller-manager example.org/kube-controller-manager:v1.37.1
        kube-scheduler example.org/kube-scheduler:v1.37.1
        pause example.org/pause:3.10.2 example.org/pause:3.10
        etcd example.org/etcd:3.6.8-0
        ");
    }

    #[test]
    fn the_same_name_twice_is_one_name() {
        let components = wanted(LISTED, "example.org/pause:3.10.2").unwrap();
        assert!(components.iter().all(|component| component.names.len() == 1), "{components:?}");
    }

    #[test]
    fn a_list_without_a_component_is_refused_with_its_name() {
        let error = wanted("example.org/kube-apiserver:v1\n", "example.org/pause:3").unwrap_err().to_string();
        assert!(error.contains("kubeadm config images list") && error.contains("kube-controller-manager"), "{error}");
    }
}
