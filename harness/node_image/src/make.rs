//! Makes an image, step by step; what is there already is taken as it is.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use jobsworth_api::KubeVersion;

use super::archive::{self, Description};
use super::image_cache::{self, ImageCache, Manifest};
use super::layer::{Layer, Packing};
use super::tree::Tree;
use super::workbench::{Order, Output, Workbench};
use super::{Image, NodeImageError, OnProgress, Progress, Step, components, debian, node_files, recipe, store};
use jobsworth_binaries::launcher::Launcher;
use jobsworth_binaries::{self as binaries, Binary, Lock, Source, Tool};

/// What is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The user's cache folder.
    pub cache: &'a Path,
    /// The version of the nodes.
    pub version: KubeVersion,
    /// A mirror of Debian, in place of the one that apt uses.
    pub mirror: Option<&'a str>,
    /// Starts the programs that are needed.
    pub launcher: &'a Launcher,
    /// Set from outside to stop.
    pub stop: &'a AtomicBool,
}

/// Free space below which nothing is begun: the tree of Debian, three layers and the archive.
const ROOM: u64 = 3 << 30;

/// The image of a version: the one that is there, or a new one. Blocks, for minutes if it has to be made.
///
/// # Errors
/// Names what is missing and what to do; nothing half is left.
pub fn make(request: Request<'_>, progress: OnProgress<'_>) -> Result<Image, NodeImageError> {
    let image_cache = ImageCache::of(request.cache);
    if let Some(image) = image_cache.find(request.version) {
        return Ok(image);
    }
    // Cheap questions first: nobody wants to wait minutes for them.
    if image_cache.base().is_none() {
        debian::check()?;
    }
    fs::create_dir_all(image_cache.folder()).map_err(NodeImageError::file("create", image_cache.folder()))?;
    check_room(image_cache.folder())?;
    let maker = Maker {
        request,
        bench: Workbench { launcher: request.launcher, stop: request.stop, progress },
        image_cache: &image_cache,
    };
    let binaries = maker.programs()?;
    let path = image_cache.lock();
    let lock = Lock::take(&path, |holder| progress(Progress::Waiting { holder }))
        .map_err(NodeImageError::file("lock", &path))?;
    // Another process may have made it while we waited.
    if let Some(image) = image_cache.find(request.version) {
        return Ok(image);
    }
    lock.says(&format!("process {}, making the node image of Kubernetes {}", std::process::id(), request.version));
    image_cache.remove_leftovers()?;
    let shop = image_cache.workshop()?;
    let image = maker.image(&binaries, shop.path())?;
    Ok(image)
}

fn check_room(folder: &Path) -> Result<(), NodeImageError> {
    // A file system that does not tell is given the benefit of the doubt.
    let free =
        nix::sys::statvfs::statvfs(folder).map_or(u64::MAX, |stat| stat.blocks_available() * stat.fragment_size());
    if free < ROOM { Err(NodeImageError::DiskFull { at: folder.display().to_string() }) } else { Ok(()) }
}

struct Maker<'a> {
    request: Request<'a>,
    bench: Workbench<'a>,
    image_cache: &'a ImageCache,
}

type Programs = BTreeMap<Tool, Binary>;

impl Maker<'_> {
    fn programs(&self) -> Result<Programs, NodeImageError> {
        let begun = Instant::now();
        let source = Source::Cache(self.request.cache.to_owned());
        let wanted: BTreeSet<Tool> = Tool::NODE.into();
        let hear = |step| (self.bench.progress)(Progress::Building(step));
        let programs = binaries::ensure_tools(&source, self.request.version, &wanted, &hear);
        // A build that our own stop has ended failed for no reason of its own.
        self.bench.go_on()?;
        let programs = programs?;
        self.done(Step::Programs, format!("{} ready", programs.len()), begun);
        Ok(programs)
    }

    fn image(&self, binaries: &Programs, shop: &Path) -> Result<Image, NodeImageError> {
        let base = self.debian(shop)?;
        let files = binaries::source_tree(Tool::Kind, self.request.version)?.join("images/base/files");
        let node = self.node(binaries, &files, shop)?;
        let components = self.components(binaries, &files, shop)?;
        let begun = Instant::now();
        self.bench.go_on()?;
        self.bench.at(Step::Archive, "writing");
        let name = image_cache::name(self.request.version);
        let draft = ImageCache::draft(shop)?;
        let images = [(self.description(&name), vec![base, node, components])];
        let ids = archive::write(&draft, &images).map_err(NodeImageError::file("write", &draft))?;
        let bytes = fs::metadata(&draft).map_err(NodeImageError::file("read", &draft))?.len();
        let sums =
            binaries.iter().map(|(tool, binary)| (tool.to_string(), binary.version.clone(), binary.sha256.clone()));
        let manifest = Manifest {
            kubernetes: self.request.version.to_string(),
            recipe: recipe::image(self.request.version),
            name,
            id: ids.into_iter().next().unwrap_or_default(),
            bytes,
            programs: sums.collect(),
        };
        let image = self.image_cache.keep(self.request.version, &manifest, shop)?;
        self.done(Step::Archive, megabytes(bytes), begun);
        Ok(image)
    }

    fn debian(&self, shop: &Path) -> Result<Layer, NodeImageError> {
        let begun = Instant::now();
        if let Some(layer) = self.image_cache.base() {
            self.done(Step::Debian, "there already".to_owned(), begun);
            return Ok(layer);
        }
        let draft = ImageCache::base_draft(shop)?;
        let layer = debian::make(&self.bench, self.request.mirror, shop, &draft)?;
        let layer = self.image_cache.keep_base(layer, shop)?;
        self.done(Step::Debian, megabytes(layer.bytes), begun);
        Ok(layer)
    }

    fn node(&self, binaries: &Programs, files: &Path, shop: &Path) -> Result<Layer, NodeImageError> {
        let begun = Instant::now();
        self.bench.at(Step::Node, "packing");
        let mut tree = node_files::support(files)?;
        node_files::programs(&mut tree, binaries);
        let spec = self.says(binaries, Tool::Ctr, &["oci", "spec"])?;
        tree.text("etc/containerd/cri-base.json", 0o644, node_files::container_spec(&spec)?);
        self.pack(Step::Node, &tree, &shop.join("node.layer"), begun)
    }

    fn components(&self, binaries: &Programs, files: &Path, shop: &Path) -> Result<Layer, NodeImageError> {
        let begun = Instant::now();
        let version = format!("v{}", self.request.version);
        let listed =
            self.says(binaries, Tool::Kubeadm, &["config", "images", "list", "--kubernetes-version", &version])?;
        let wanted = components::wanted(&listed, &node_files::sandbox_image_of(files)?)?;
        self.bench.at(Step::Components, format!("{} images", wanted.len()));
        let archive = shop.join("components.tar");
        components::write(&wanted, binaries, shop, &archive)?;
        let tree = store::fill(&self.bench, binaries, &archive, shop)?;
        self.pack(Step::Components, &tree, &shop.join("components.layer"), begun)
    }

    fn pack(&self, step: Step, tree: &Tree, path: &Path, begun: Instant) -> Result<Layer, NodeImageError> {
        self.bench.go_on()?;
        let layer = Layer::write(tree, path, Packing::Gzip).map_err(NodeImageError::file("write", path))?;
        self.done(step, megabytes(layer.bytes), begun);
        Ok(layer)
    }

    /// What a program of ours prints.
    fn says(&self, binaries: &Programs, tool: Tool, arguments: &[&str]) -> Result<String, NodeImageError> {
        let program = binaries.get(&tool).map(|binary| binary.path.as_path()).unwrap_or(Path::new(tool.file_name()));
        let mut text = String::new();
        self.bench.run(&Order::new(program, arguments), &mut |output, line| {
            if output == Output::Result {
                text.push_str(line);
                text.push('\n');
            }
        })?;
        Ok(text)
    }

    fn description(&self, name: &str) -> Description {
        Description {
            names: vec![name.to_owned()],
            entrypoint: vec!["/usr/local/bin/entrypoint".to_owned(), "/sbin/init".to_owned()],
            // Tells systemd that it is in a container.
            environment: vec!["container=docker".to_owned()],
            // The one on which systemd ends; on SIGTERM it starts itself anew.
            stop_signal: Some("SIGRTMIN+3"),
            labels: vec![
                ("dev.jobsworth.kubernetes", self.request.version.to_string()),
                ("dev.jobsworth.recipe", recipe::image(self.request.version)),
            ],
            ..Description::default()
        }
    }

    fn done(&self, step: Step, says: String, begun: Instant) {
        (self.bench.progress)(Progress::Done { step, says, elapsed: begun.elapsed() });
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes / 1_000_000)
}
