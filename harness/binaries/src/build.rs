//! One run of `go build`, with every line it writes turned into progress.

use std::collections::VecDeque;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::go::{self, Go};
use super::module::Module;
use super::{BinariesError, OnProgress, Progress, Tool};

/// How many of the last lines an error quotes.
const QUOTED_LINES: usize = 20;
/// How long go may be silent before we say that it goes on.
const SILENCE: Duration = Duration::from_secs(5);
/// An estimate from fewer packages than this would be a guess.
const ESTIMATE_FROM: usize = 50;

/// Builds programs of one module into `target`, with the module's files in `sources`.
pub(super) fn run(
    go: &Go,
    module: &Module,
    tools: &[Tool],
    sources: &Path,
    target: &Path,
    progress: OnProgress<'_>,
) -> Result<(), BinariesError> {
    go::check(go, module)?;
    write_module(module, sources)?;
    let mut child = command(go, module, tools, sources, target)
        .spawn()
        .map_err(|source| BinariesError::NoGo { needed: module.go_version().to_owned(), source })?;
    let mut listener = Listener::new(module, progress);
    // Before the first line of go: it may be silent for a minute while it looks around, or links.
    listener.tell();
    let output = child.stderr.take().expect("it is piped");
    listener.listen(output);
    let status = child.wait().map_err(BinariesError::file("wait for go in", sources))?;
    if !status.success() {
        return Err(listener.failure(status.to_string(), target));
    }
    progress(Progress::Built { what: module.title.to_owned(), elapsed: listener.begun.elapsed() });
    Ok(())
}

/// Puts a module's files into a folder, so that `go` can be run there.
pub(super) fn write_module(module: &Module, folder: &Path) -> Result<(), BinariesError> {
    for (name, content) in module.files {
        let path = folder.join(name);
        fs::write(&path, content).map_err(BinariesError::file("write", &path))?;
    }
    Ok(())
}

fn command(go: &Go, module: &Module, tools: &[Tool], sources: &Path, target: &Path) -> Command {
    let first = *tools.first().expect("a build has something to build");
    let mut command = go.in_module(sources);
    command
        .args(["build", "-v", "-mod=readonly", "-trimpath", "-buildvcs=false"])
        .arg(format!("-ldflags={}", module.linker_flags(first)))
        .arg(format!("-tags={}", module.tags))
        .arg("-o")
        .arg(target)
        .args(tools.iter().map(|tool| tool.package()))
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

/// Counts what `go build -v` writes: a line per module fetched, a line per package compiled.
struct Listener<'a> {
    module: &'a Module,
    progress: OnProgress<'a>,
    begun: Instant,
    compiling_since: Option<Instant>,
    modules: usize,
    packages: usize,
    last: VecDeque<String>,
}

impl<'a> Listener<'a> {
    fn new(module: &'a Module, progress: OnProgress<'a>) -> Self {
        Self {
            module,
            progress,
            begun: Instant::now(),
            compiling_since: None,
            modules: 0,
            packages: 0,
            last: VecDeque::new(),
        }
    }

    /// Hears everything, and tells now and then that it goes on where nothing is said.
    fn listen(&mut self, output: impl Read + Send) {
        let (sender, lines) = mpsc::channel();
        thread::scope(|scope| {
            scope.spawn(move || {
                // Nobody hears it any more only when we are gone ourselves.
                BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
            });
            loop {
                match lines.recv_timeout(SILENCE) {
                    Ok(line) => self.hear(line),
                    Err(RecvTimeoutError::Timeout) => self.tell(),
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
        });
    }

    fn tell(&self) {
        let what = self.module.title.to_owned();
        let elapsed = self.begun.elapsed();
        (self.progress)(if self.packages == 0 && self.modules > 0 {
            Progress::Downloading { what, modules: self.modules, about: self.module.modules(), elapsed }
        } else {
            let compiling = self.compiling_since.map_or(Duration::ZERO, |since| since.elapsed());
            let about = self.module.packages.max(self.packages);
            let remaining = remaining(self.packages, about, compiling);
            Progress::Compiling { what, packages: self.packages, about, elapsed, remaining }
        });
    }

    fn hear(&mut self, line: String) {
        if line.starts_with("go: downloading ") {
            self.modules += 1;
            self.tell();
        } else if is_package(&line) {
            self.packages += 1;
            self.compiling_since.get_or_insert_with(Instant::now);
            self.tell();
        }
        if self.last.len() == QUOTED_LINES {
            self.last.pop_front();
        }
        self.last.push_back(line);
    }

    fn failure(self, status: String, target: &Path) -> BinariesError {
        let what = self.module.title.to_owned();
        if self.last.iter().any(|line| line.contains("no space left on device")) {
            return BinariesError::DiskFull { what, cache: target.to_owned() };
        }
        BinariesError::Build { what, status, last_lines: self.last.into() }
    }
}

/// A package's line is its import path and nothing else.
fn is_package(line: &str) -> bool {
    !line.is_empty() && !line.contains([' ', '\t', ':']) && !line.starts_with('#')
}

/// An upper bound: packages in Go's own cache are not compiled, so the end may come sooner.
fn remaining(done: usize, about: usize, elapsed: Duration) -> Option<Duration> {
    if done < ESTIMATE_FROM {
        return None;
    }
    let left = u32::try_from(about - done).ok()?;
    Some(elapsed * left / u32::try_from(done).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_import_paths_count_as_packages() {
        assert!(is_package("k8s.io/kubernetes/pkg/controller/job"));
        assert!(is_package("internal/abi"));
        assert!(!is_package("go: downloading k8s.io/api v0.36.3"));
        assert!(!is_package("# k8s.io/kubernetes/cmd/kube-apiserver"));
    }

    #[test]
    fn what_go_says_is_counted_and_told() {
        let told = std::sync::Mutex::new(Vec::new());
        let progress = |step: Progress| told.lock().unwrap().push(step.to_string());
        let module = super::super::module::of(Tool::Etcd, super::super::DEFAULT_VERSION);
        let mut listener = Listener::new(&module, &progress);
        listener.tell();
        listener.listen("go: downloading a v1\n# note\ninternal/abi\n".as_bytes());
        listener.tell();
        let modules = module.modules();
        let expected = [
            "building etcd 3.6.16: compiling, 0 of about 581 packages, 0 s".to_owned(),
            format!("building etcd 3.6.16: fetching modules, 1 of at most {modules}, 0 s"),
            "building etcd 3.6.16: compiling, 1 of about 581 packages, 0 s".to_owned(),
            "building etcd 3.6.16: compiling, 1 of about 581 packages, 0 s".to_owned(),
        ];
        drop(listener);
        assert_eq!(told.into_inner().unwrap(), expected);
    }

    #[test]
    fn an_estimate_needs_some_packages_and_scales_with_what_is_left() {
        assert_eq!(remaining(10, 100, Duration::from_secs(1)), None);
        assert_eq!(remaining(50, 150, Duration::from_secs(10)), Some(Duration::from_secs(20)));
    }
}
