//! `cluster image`: node images of kind, made on this machine where no registry can be reached.

use super::super::{Failure, Global, Stdout, diagnose};
use crate::cli::session::block_on;
use crate::{
    binaries::{self, DEFAULT_VERSION},
    cluster::ClusterError,
    container_runtime::Runtime,
    launcher::Launcher,
    node_image::{self, Image, NodeImageError, OnProgress, Progress, Request},
    plan::request,
    report::{Exit, console::Volume, escape::terminal, store},
};
use clap::Args;
use jobsworth_api::KubeVersion;
use serde_json::json;
use std::{
    io::Write,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::oneshot,
};

/// One line in so long tells enough of what goes on.
const BREATH: Duration = Duration::from_secs(5);
/// How long the work has to end in order once it was told to.
const MOMENT: Duration = Duration::from_secs(10);

#[derive(Args)]
pub(super) struct Arguments {
    /// Version of Kubernetes.
    #[arg(long, value_name = "V")]
    kubernetes: Option<String>,
    /// A mirror of Debian, in place of the one that apt uses here.
    #[arg(long, value_name = "URI")]
    mirror: Option<String>,
    /// Leave the archive in the cache: do not load it into docker, podman or nerdctl.
    #[arg(long)]
    no_load: bool,
    /// List the images that were made here.
    #[arg(long, conflicts_with_all = ["kubernetes", "mirror", "no_load", "remove"])]
    list: bool,
    /// As a JSON array.
    #[arg(long, requires = "list")]
    json: bool,
    /// Remove the images of the version, or all if none is named, here and from the runtime.
    #[arg(long, conflicts_with_all = ["mirror", "no_load"])]
    remove: bool,
}

pub(super) fn execute(arguments: &Arguments, global: Global, stdout: &mut Stdout) -> Result<Exit, Failure> {
    let cache = binaries::cache_folder().map_err(ClusterError::from)?;
    let version = match arguments.kubernetes.as_deref() {
        None => None,
        text => {
            let version = request::kubernetes(text)?;
            crate::plan::resolve::buildable(version)?;
            Some(version)
        }
    };
    if arguments.list {
        match arguments.json {
            true => stdout.write(&listed_as_json(&cache))?,
            false => list(&cache, stdout)?,
        }
        return Ok(Exit::Held);
    }
    if arguments.remove {
        remove(&cache, version, stdout)?;
        return Ok(Exit::Held);
    }
    let tell = Teller::new(global.volume());
    let work = Work { cache, version: version.unwrap_or(DEFAULT_VERSION), mirror: arguments.mirror.clone() };
    let image = match block_on(work.until_stopped(Arc::clone(&tell)))? {
        Ended::Made(image) => image?,
        Ended::Stopped(signal) => return Ok(Exit::Stopped(signal)),
    };
    let loaded = match arguments.no_load {
        true => "not loaded".to_owned(),
        false => load(&image, &tell)?,
    };
    stdout.line(&format!("{}\narchive={}\n{loaded}", image.name, image.archive.display()))?;
    Ok(Exit::Held)
}

/// What is to be made.
struct Work {
    cache: PathBuf,
    version: KubeVersion,
    mirror: Option<String>,
}

enum Ended {
    Made(Result<Image, NodeImageError>),
    Stopped(&'static str),
}

impl Work {
    /// Makes the image on a thread that may block; a signal stops it in order.
    async fn until_stopped(self, tell: Arc<Teller>) -> Ended {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let teller = Arc::clone(&tell);
        let (sender, mut made) = oneshot::channel();
        // A thread of its own, for which nobody has to wait when the program ends.
        std::thread::spawn(move || {
            let launcher = Launcher::default();
            let hear: OnProgress<'_> = &|progress| teller.hear(&progress);
            let request = Request {
                cache: &self.cache,
                version: self.version,
                mirror: self.mirror.as_deref(),
                launcher: &launcher,
                stop: &stopped,
            };
            // Nobody listens any more when it took too long to stop.
            let _ = sender.send(node_image::make(request, hear));
        });
        let (Ok(mut interrupt), Ok(mut terminate)) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
        else {
            return Ended::Made(made.await.expect("making an image does not panic"));
        };
        let name = tokio::select! {
            made = &mut made => return Ended::Made(made.expect("making an image does not panic")),
            _ = interrupt.recv() => "SIGINT",
            _ = terminate.recv() => "SIGTERM",
        };
        stop.store(true, Ordering::Relaxed);
        tell.say("stopping");
        // A build of Go's that only we were told to stop would go on for minutes; the next image tidies up.
        let _ = tokio::time::timeout(MOMENT, made).await;
        Ended::Stopped(name)
    }
}

/// Loads the archive, if it can be; says what was done.
fn load(image: &Image, tell: &Teller) -> Result<String, Failure> {
    let runtime = match Runtime::find() {
        Ok(runtime) => runtime,
        // The image is what was asked for, and it is there.
        Err(error) => return Ok(format!("not loaded: {error}")),
    };
    let name = runtime.engine();
    if runtime.has_image(&image.name) {
        return Ok(format!("{name} has it"));
    }
    tell.say(&format!("loading it into {name}"));
    let begun = Instant::now();
    runtime.load(&image.archive)?;
    Ok(format!("{name} loaded it in {:.1} s", begun.elapsed().as_secs_f64()))
}

fn listed_as_json(cache: &Path) -> String {
    let rows = node_image::list(cache).into_iter().map(|image| {
        json!({
            "kubernetes": image.kubernetes.to_string(),
            "name": image.name,
            "id": image.id,
            "archive": image.archive,
            "bytes": image.bytes,
            "current": image.current,
        })
    });
    store::json(&rows.collect::<Vec<_>>())
}

fn list(cache: &Path, stdout: &mut Stdout) -> Result<(), Failure> {
    let images = node_image::list(cache);
    if images.is_empty() {
        return stdout.line("no image was made here");
    }
    for image in images {
        let age = if image.current { "" } else { "  of an older recipe" };
        let megabytes = image.bytes / 1_000_000;
        stdout.line(&format!("{:<9} {megabytes:>5} MB  {}{age}", image.kubernetes.to_string(), image.name))?;
    }
    Ok(())
}

fn remove(cache: &Path, version: Option<KubeVersion>, stdout: &mut Stdout) -> Result<(), Failure> {
    let removed = node_image::remove(cache, version)?;
    if removed.is_empty() {
        return stdout.line("no image was made here");
    }
    let runtime = Runtime::find().ok();
    for image in removed {
        let loaded = runtime.as_ref().filter(|runtime| runtime.has_image(&image.name));
        let rest = match loaded.map(|runtime| (runtime.engine(), runtime.remove_image(&image.name))) {
            None => String::new(),
            Some((engine, Ok(()))) => format!(", also from {engine}"),
            Some((_, Err(error))) => format!(", but {}", diagnose::whole(&error)),
        };
        stdout.line(&format!("removed {}{rest}", image.name))?;
    }
    Ok(())
}

/// Tells on stderr what goes on, as much as the user wants to hear.
struct Teller {
    volume: Volume,
    last: Mutex<Option<Instant>>,
}

impl Teller {
    fn new(volume: Volume) -> Arc<Self> {
        Arc::new(Self { volume, last: Mutex::new(None) })
    }

    fn hear(&self, progress: &Progress) {
        if progress.is_passing() && self.volume != Volume::Verbose && !self.has_breathed() {
            return;
        }
        self.say(&progress.to_string());
    }

    fn has_breathed(&self) -> bool {
        let last = self.last.lock().map_or(None, |last| *last);
        last.is_none_or(|last| last.elapsed() >= BREATH)
    }

    fn say(&self, text: &str) {
        if self.volume == Volume::Quiet {
            return;
        }
        if let Ok(mut last) = self.last.lock() {
            *last = Some(Instant::now());
        }
        // Progress is a courtesy; the result is what counts.
        let _ = writeln!(std::io::stderr(), "{}", terminal(text));
    }
}
