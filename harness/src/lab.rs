//! Cases under `cargo test`: the first test provisions a cluster, the others join it.
//!
//! The tests of one run may be threads of one process or processes of their own; either way they share
//! a held cluster per cell, which goes away once nobody has used it for some seconds. The code that
//! runs and judges a case is the command line's.

use crate::{
    binaries::{self, Progress, Source, Tool},
    case::{AnyCase, FaultNeeds, Needs},
    cluster::{
        self, Cluster, ClusterProvider as _, ClusterSpec, LEFTOVERS, Route, Step,
        daemon::{AttachOptions, Hold, attach_or_start},
        local::LocalProvider,
        pace::Pace,
        registry::Registry,
    },
    gates::GateTable,
    launcher::Launcher,
    plan::fit::{Fit, fit, gates_text},
    run::{
        CaseReport, Cell,
        execute::run_case,
        prepared_cell::{PreparedCell, Unfit},
    },
    subject::Subject,
};
use jobsworth_api::{KubeVersion, Minor};
use jobsworth_oracle::Verdict;
use std::{
    collections::BTreeSet,
    fmt::Write as _,
    fs::File,
    io::Write as _,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};
use tokio::sync::watch;

/// Held together by ordinary cases, alone by one that handles the subject.
const CASES_LOCK: &str = "cases.lock";

/// How many tests at a time have a cluster of their own.
const OWN_CLUSTERS: u64 = 2;

/// Where cases are put to the test.
pub struct Lab {
    launcher: PathBuf,
    folder: PathBuf,
}

/// Why a case could not be put to the test, or did not hold.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// There is no cluster on which it could be judged.
    #[error("failed to provide a cluster: {0}")]
    Cluster(String),
    /// It got no verdict.
    #[error("no verdict: {0}")]
    Incomplete(String),
    /// It did not hold, or nobody can tell.
    #[error("{0}")]
    Verdict(String),
}

/// What became of a case.
#[derive(Debug, PartialEq, Eq)]
pub enum Held {
    /// Every sentence held.
    Pass,
    /// It applies in none of the lab's cells.
    Skip(String),
}

impl Lab {
    /// A lab whose clusters are held by `launcher`, a program that calls
    /// [`cluster::launcher::intercept`], and whose timelines go below `folder`.
    #[must_use]
    pub fn new(launcher: impl Into<PathBuf>, folder: impl Into<PathBuf>) -> Self {
        // A timeline is never overwritten, and tests are run again.
        let own = format!("{}-{}", jiff::Timestamp::now().as_second(), std::process::id());
        Self { launcher: launcher.into(), folder: folder.into().join(own) }
    }

    /// Runs a case in the first of the lab's cells in which it fits.
    ///
    /// # Errors
    /// When it fails, is inconclusive, or cannot be run; the text is for people.
    pub async fn holds(&self, case: &'static dyn AnyCase) -> Result<Held, LabError> {
        let needs = case.about().needs;
        let table = GateTable::embedded();
        let mut reasons = Vec::new();
        for mut spec in candidates(&needs, table) {
            if needs.faults != FaultNeeds::Nothing {
                spec.route = Route::Proxied;
            }
            match fit(&needs, &spec, &cluster::local::CAPABILITIES, table) {
                Fit::Fits => return self.holds_in(case, spec).await,
                Fit::Foreign => reasons.push(format!("is about {}", needs.api)),
                Fit::Skip(because) => reasons.push(because),
            }
        }
        Ok(Held::Skip(reasons.join("; and ")))
    }

    /// A stage for tests that are no cases; it is the tests' own while `File` is kept.
    ///
    /// # Errors
    /// When there is no cluster, or it is not what was asked for.
    pub async fn stage(&self, spec: &ClusterSpec) -> Result<(PreparedCell, File), LabError> {
        self.stage_for(spec, &Needs::default()).await
    }

    /// Joins the cluster, waits for a turn, and only then asks the subject anything: before that, another
    /// test may have killed it on purpose.
    async fn stage_for(&self, spec: &ClusterSpec, needs: &Needs) -> Result<(PreparedCell, File), LabError> {
        let in_words = |error: &dyn std::error::Error| LabError::Cluster(crate::error_text::in_full(error));
        let mut options = AttachOptions::of_user(Hold::UntilUnused, LEFTOVERS).map_err(|error| in_words(&error))?;
        options.launcher = Launcher::at(&self.launcher);
        build_missing(&options.source, spec).await?;
        let name = cell_name(spec);
        let joined = attach_or_start(&name, spec, &options, &|_| ()).await.map_err(|error| in_words(&error))?;
        let cluster: Box<dyn Cluster> = Box::new(joined);
        let turn = turn(cluster.folder(), needs).await?;
        let cell = Cell::of(name, "local", &Subject::built_in(), spec.clone());
        let stage = PreparedCell::set(&cell, cluster, self.folder.clone(), seed()).await;
        stage.map(|stage| (stage, turn)).map_err(|Unfit { because, .. }| LabError::Cluster(because))
    }

    async fn holds_in(&self, case: &'static dyn AnyCase, spec: ClusterSpec) -> Result<Held, LabError> {
        let needs = case.about().needs;
        // Only who made a cluster has its proxy.
        if needs.changes_cluster() || needs.faults != FaultNeeds::Nothing {
            return self.holds_in_its_own(case, spec).await;
        }
        let (stage, _turn) = self.stage_for(&spec, &needs).await?;
        self.verdict(&stage, case).await
    }

    /// A case that changes its cluster, or interferes with requests, has one of its own, that goes with it.
    async fn holds_in_its_own(&self, case: &'static dyn AnyCase, spec: ClusterSpec) -> Result<Held, LabError> {
        let in_words = |error: &dyn std::error::Error| LabError::Cluster(crate::error_text::in_full(error));
        let source = Source::choose(None).map_err(|error| in_words(&error))?;
        build_missing(&source, &spec).await?;
        let registry = Registry::of_user(LEFTOVERS).map_err(|error| in_words(&error))?;
        let provider = LocalProvider::new(source, registry).launched_by(Launcher::at(&self.launcher));
        let seed = seed();
        let name = format!("test-own-{seed:x}");
        let _place = place(seed).await?;
        let cluster = provider.provision(&spec, &name, &|_| ()).await.map_err(|error| in_words(&error))?;
        let cell = Cell::of(cell_name(&spec), "local", &Subject::built_in(), spec);
        let stage = PreparedCell::set(&cell, cluster, self.folder.clone(), seed).await;
        let stage = stage.map_err(|Unfit { because, .. }| LabError::Cluster(because))?;
        let verdict = self.verdict(&stage, case).await;
        stage.cluster.destroy().await.map_err(|error| in_words(&error))?;
        verdict
    }

    async fn verdict(&self, stage: &PreparedCell, case: &'static dyn AnyCase) -> Result<Held, LabError> {
        let (_never, stop) = watch::channel(None);
        let report = run_case(stage, case, 1, stop).await;
        let report = report.map_err(|incomplete| LabError::Incomplete(incomplete.because))?;
        match report.judgement.verdict {
            Verdict::Pass | Verdict::Deviates => Ok(Held::Pass),
            _ => Err(LabError::Verdict(in_words(&report, &self.folder))),
        }
    }
}

/// The default cell, then those in which the case's gates can be as it wants them, newest first.
///
/// All cells are of two versions, as every one more is built first, in minutes. The older one is the last that emulates
/// a minor in which most gates are free; an upgrade from it skips a minor, which asks more of the controller than the
/// version skew policy does. The plan `skew` has the pairs that the policy knows.
fn candidates(needs: &Needs, table: &GateTable) -> Vec<ClusterSpec> {
    let newest = crate::binaries::DEFAULT_VERSION;
    let before = KubeVersion::new(1, 35, 4);
    let cells = [
        (newest, None),
        (newest, Some(Minor::new(1, 34))),
        (before, Some(Minor::new(1, 33))),
        (before, Some(Minor::new(1, 32))),
    ];
    let neighbours = needs.other_version.map(|_| [(newest, before), (before, newest)]).into_iter().flatten();
    let with_other = neighbours.map(|(version, other)| ClusterSpec { other: Some(other), ..ClusterSpec::of(version) });
    let with_gates = cells.into_iter().filter_map(|(version, emulated)| {
        let mut spec = ClusterSpec { emulated, ..ClusterSpec::of(version) };
        let is_off = |gate: &&&str| table.effective(version, emulated, &spec.gates, gate) != Some(true);
        let on: Vec<String> =
            needs.gates.iter().chain(needs.flips).filter(is_off).map(|gate| (*gate).to_owned()).collect();
        spec.gates.extend(on.into_iter().map(|gate| (gate, true)));
        spec.gates.extend(needs.gates_off.iter().map(|gate| ((*gate).to_owned(), false)));
        table.check(spec.version, spec.emulated, &spec.gates).is_ok().then_some(spec)
    });
    std::iter::once(ClusterSpec::of(newest)).chain(with_other).chain(with_gates).collect()
}

/// Builds what is missing before a cluster is asked for. A first build takes minutes, so it is told on stderr itself, which
/// nobody captures.
async fn build_missing(source: &Source, spec: &ClusterSpec) -> Result<(), LabError> {
    static PACE: Pace = Pace::new();
    let tell = |progress: Progress| {
        let (waits, step) = (matches!(progress, Progress::Waiting { .. }), Step::Binaries(progress));
        // All tests of a cell wait for the one that builds.
        if !waits && PACE.tells(&step) {
            let _ = writeln!(std::io::stderr(), "{step}");
        }
    };
    for version in [Some(spec.version), spec.other].into_iter().flatten() {
        if !matches!(source, Source::Cache(_)) || binaries::missing(source, version, &Tool::CORE).is_empty() {
            continue;
        }
        let source = source.clone();
        let build = tokio::task::spawn_blocking(move || binaries::ensure(&source, version, &BTreeSet::new(), &tell));
        let built = build.await.map_err(|error| LabError::Cluster(error.to_string()))?;
        built.map_err(|error| LabError::Cluster(crate::error_text::in_full(&error)))?;
    }
    Ok(())
}

/// The seed names namespaces, which must differ between the tests of one cluster.
fn seed() -> u64 {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    u64::from(std::process::id()) << 32 | u64::from(COUNT.fetch_add(1, Ordering::Relaxed))
}

/// The same name for the same cell, in every process.
fn cell_name(spec: &ClusterSpec) -> String {
    let mut name = format!("test-{}", spec.version);
    if let Some(minor) = spec.emulated {
        let _ = write!(name, "-as-{minor}");
    }
    if !spec.gates.is_empty() {
        let sum = gates_text(&spec.gates).bytes().fold(5381_u32, |sum, byte| sum.wrapping_mul(33) ^ u32::from(byte));
        let _ = write!(name, "-{sum:08x}");
    }
    name.replace('.', "-")
}

/// A place for a cluster of one's own, among all tests of this machine: more at a time keep each other from coming up.
async fn place(seed: u64) -> Result<File, LabError> {
    let in_words = |error: &dyn std::error::Error| LabError::Cluster(crate::error_text::in_full(error));
    let folder = Registry::of_user(LEFTOVERS).map_err(|error| in_words(&error))?.folder().to_owned();
    std::fs::create_dir_all(&folder).map_err(|error| in_words(&error))?;
    let number = (seed ^ (seed >> 32)) % OWN_CLUSTERS;
    locked(folder.join(format!("own-cluster-{number}.lock")), Share::Alone).await
}

/// Waits for this case's turn: some cases run alone.
async fn turn(folder: &Path, needs: &Needs) -> Result<File, LabError> {
    let share = if needs.runs_alone() { Share::Alone } else { Share::WithOthers };
    locked(folder.join(CASES_LOCK), share).await
}

/// Who else may hold a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Share {
    Alone,
    WithOthers,
}

async fn locked(path: PathBuf, share: Share) -> Result<File, LabError> {
    let locked = tokio::task::spawn_blocking(move || {
        let file = File::options().create(true).truncate(false).write(true).open(&path)?;
        match share {
            Share::Alone => file.lock()?,
            Share::WithOthers => file.lock_shared()?,
        }
        Ok::<File, std::io::Error>(file)
    });
    let failed = |error: &dyn std::fmt::Display| LabError::Incomplete(format!("failed to wait for a turn: {error}"));
    locked.await.map_err(|error| failed(&error))?.map_err(|error| failed(&error))
}

/// The verdict, sentence by sentence, and where the evidence is.
fn in_words(report: &CaseReport, folder: &Path) -> String {
    let mut text = format!("{}: {}\n", report.case, report.judgement.verdict.as_str());
    for doubt in &report.judgement.doubts {
        let _ = writeln!(text, "  in doubt: {doubt}");
    }
    for (sentence, excerpt) in report.judgement.broken().zip(&report.excerpts) {
        let source = sentence.source.as_str();
        let _ = writeln!(text, "  broken ({source}): {}", sentence.says);
        if let Some(breach) = sentence.breach() {
            let _ = writeln!(text, "    expected  {}\n    observed  {}\n{excerpt}", breach.expected, breach.observed);
        }
    }
    let _ = write!(text, "  timeline: {}", folder.join(&report.timeline).display());
    text
}
