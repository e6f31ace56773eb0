//! containerd's store with the control plane's images in it, as a node finds it when it starts.
//!
//! Our own containerd fills it here, beside everything else on this machine and without starting a container:
//! no runtime is needed to make an image, only to use it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use super::tree::Tree;
use super::workbench::{Order, Running, Workbench};
use super::{NodeImageError, Step};
use jobsworth_binaries::{Binary, Tool};

/// Where a node's containerd keeps it.
pub(super) const HOME: &str = "var/lib/containerd";

/// Whatever would touch the machine outside the two folders we give it is off, and nothing is unpacked: the node
/// unpacks what it runs, as with kind's own images.
const CONFIG: &str = r#"version = 3
disabled_plugins = [
  "io.containerd.cri.v1.images",
  "io.containerd.cri.v1.runtime",
  "io.containerd.grpc.v1.cri",
  "io.containerd.image-verifier.v1.bindir",
  "io.containerd.internal.v1.opt",
  "io.containerd.internal.v1.restart",
  "io.containerd.internal.v1.tracing",
  "io.containerd.nri.v1.nri",
  "io.containerd.podsandbox.controller.v1.podsandbox",
  "io.containerd.snapshotter.v1.blockfile",
  "io.containerd.snapshotter.v1.erofs",
  "io.containerd.snapshotter.v1.overlayfs",
]

[plugins."io.containerd.transfer.v1.local"]
  unpack_config = []
"#;

/// What it writes once it can be asked.
const READY: &str = "containerd successfully booted";
/// How long that may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Imports an archive into a fresh store below `shop`; the tree is what a node gets.
pub(super) fn fill(
    bench: &Workbench<'_>,
    binaries: &BTreeMap<Tool, Binary>,
    archive: &Path,
    shop: &Path,
) -> Result<Tree, NodeImageError> {
    let program = |tool: Tool| binaries.get(&tool).map(|binary| binary.path.as_path()).unwrap_or(Path::new(""));
    let root = shop.join("containerd");
    // A socket's path may not be long, and a cache's folder may be.
    let near = tempfile::tempdir().map_err(NodeImageError::file("create a folder in", &std::env::temp_dir()))?;
    let (config, address) = (near.path().join("config.toml"), near.path().join("s"));
    fs::write(&config, CONFIG).map_err(NodeImageError::file("write", &config))?;
    let mut order = Order::new(program(Tool::Containerd), ["--log-level", "info"]);
    for (flag, value) in
        [("--config", &config), ("--root", &root), ("--state", &near.path().join("state")), ("--address", &address)]
    {
        order = order.with(flag).with(value);
    }
    let mut containerd = bench.start(&order)?;
    await_ready(&mut containerd, bench)?;
    let import = Order::new(program(Tool::Ctr), ["--address"])
        .with(&address)
        .with_all(["--namespace", "k8s.io", "images", "import", "--label", "io.cri-containerd.pinned=pinned"])
        .with_all(["--all-platforms", "--no-unpack"])
        .with(archive);
    bench.run(&import, &mut |_, _| {})?;
    bench.at(Step::Components, "imported, packing");
    containerd.terminate()?;
    let kept =
        |path: &str| path.starts_with("io.containerd.content.v1.") || path.starts_with("io.containerd.metadata.v1.");
    let store = Tree::scan(&root, &kept).map_err(NodeImageError::file("read", &root))?;
    let mut tree = Tree::default();
    tree.folder(HOME, 0o711);
    tree.graft(HOME, store);
    Ok(tree)
}

fn await_ready(containerd: &mut Running, bench: &Workbench<'_>) -> Result<(), NodeImageError> {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        match containerd.line(bench)? {
            Some((_, line)) if line.contains(READY) => return Ok(()),
            Some(_) => {}
            None => break,
        }
    }
    Err(containerd.refusal("it did not say that it is ready"))
}
