//! Cases under `cargo test`: the first test provisions a cluster, the others join it.
//!
//! The tests of one run may be threads of one process or processes of their own; either way they share
//! a held cluster per cell, which goes away once nobody has used it for some seconds. Cases that bear no
//! other beside them take turns on a cluster of the same cell that is theirs, so that nobody else waits.
//! The code that runs and judges a case is the command line's.

mod cells;
mod kept;
mod turns;

use crate::{
    binaries::{self, Progress, Source, Tool},
    case::{AnyCase, FaultNeeds, Needs},
    cluster::{
        self, Cluster, ClusterProvider as _, ClusterSpec, LEFTOVERS, Route, Step,
        attached::AttachedCluster,
        daemon::{AttachOptions, Hold, attach_or_start},
        local::LocalProvider,
        pace::Pace,
        registry::Registry,
    },
    gates::GateTable,
    launcher::Launcher,
    plan::fit::{Fit, fit},
    run::{
        CaseReport, Cell,
        execute::run_case,
        prepared_cell::{PreparedCell, Unfit},
    },
    subject::Subject,
};
use cells::{candidates, cell_name};
use jobsworth_oracle::Verdict;
use kept::KeptCells;
use std::{
    collections::BTreeSet,
    fmt::Write as _,
    fs::File,
    io::Write as _,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};
use tokio::sync::{OnceCell, watch};
use turns::{place, turn};

/// Where cases are put to the test.
pub struct Lab {
    launcher: PathBuf,
    folder: PathBuf,
    kept: KeptCells,
    /// The cluster that most cases share: it stays though none of them needs it for some seconds, and goes with this process.
    usual: OnceCell<AttachedCluster>,
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
        Self {
            launcher: launcher.into(),
            folder: folder.into().join(own),
            kept: KeptCells::default(),
            usual: OnceCell::new(),
        }
    }

    /// Takes down the clusters that this process has made for several cases.
    ///
    /// # Errors
    /// When one of them does not go; the others are taken down all the same.
    pub async fn close(&self) -> Result<(), LabError> {
        self.kept.close().await
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
            spec.second_instance = needs.second_instance;
            if needs.faults != FaultNeeds::Nothing || needs.second_instance {
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
        self.attached(&cell_name(spec), spec, &Needs::default()).await
    }

    async fn holds_in(&self, case: &'static dyn AnyCase, spec: ClusterSpec) -> Result<Held, LabError> {
        let needs = case.about().needs;
        if needs.has_its_own_cluster() {
            return self.holds_in_its_own(case, spec).await;
        }
        if needs.faults == FaultNeeds::Nothing && !needs.runs_alone() {
            let (stage, _turn) = self.attached(&cell_name(&spec), &spec, &needs).await?;
            return self.verdict(&stage, case).await;
        }
        let name = match needs.runs_alone() {
            true => format!("{}-alone", cell_name(&spec)),
            false => cell_name(&spec),
        };
        // Only who made a cluster has its proxy.
        let stage = match spec.route {
            Route::Proxied => self.kept.cell(&format!("{name}-proxied"), || self.provisioned(spec)).await?,
            Route::Direct => {
                let attached = async || self.attached(&name, &spec, &needs).await.map(|(stage, _turn)| stage);
                self.kept.cell(&name, attached).await?
            }
        };
        let _turn = turn(stage.cluster.folder(), &needs).await?;
        let verdict = self.verdict(&stage, case).await;
        if verdict.is_err() {
            self.kept.retire(&stage);
        }
        verdict
    }

    /// Joins the cluster, waits for a turn, and only then asks the subject anything: before that, another
    /// test may have killed it on purpose.
    async fn attached(&self, name: &str, spec: &ClusterSpec, needs: &Needs) -> Result<(PreparedCell, File), LabError> {
        let mut options = AttachOptions::of_user(Hold::UntilUnused, LEFTOVERS).map_err(|error| in_full(&error))?;
        options.launcher = Launcher::at(&self.launcher);
        build_missing(&options.source, spec).await?;
        let join = || attach_or_start(name, spec, &options, &|_| ());
        if *spec == ClusterSpec::of(binaries::DEFAULT_VERSION) && name == cell_name(spec) {
            self.usual.get_or_try_init(join).await.map_err(|error| in_full(&error))?;
        }
        let joined = join().await.map_err(|error| in_full(&error))?;
        let cluster: Box<dyn Cluster> = Box::new(joined);
        let turn = turn(cluster.folder(), needs).await?;
        Ok((self.prepared(name.to_owned(), cluster, spec.clone()).await?, turn))
    }

    /// A cluster that this process makes.
    async fn provisioned(&self, spec: ClusterSpec) -> Result<PreparedCell, LabError> {
        let source = Source::choose(None).map_err(|error| in_full(&error))?;
        build_missing(&source, &spec).await?;
        let registry = Registry::of_user(LEFTOVERS).map_err(|error| in_full(&error))?;
        let provider = LocalProvider::new(source, registry).launched_by(Launcher::at(&self.launcher));
        let name = format!("test-own-{:x}", seed());
        let cluster = provider.provision(&spec, &name, &|_| ()).await.map_err(|error| in_full(&error))?;
        self.prepared(cell_name(&spec), cluster, spec).await
    }

    async fn prepared(
        &self,
        name: String,
        cluster: Box<dyn Cluster>,
        spec: ClusterSpec,
    ) -> Result<PreparedCell, LabError> {
        let cell = Cell::of(name, "local", &Subject::built_in(), spec);
        let stage = PreparedCell::set(&cell, cluster, self.folder.clone(), seed()).await;
        stage.map_err(|Unfit { because, .. }| LabError::Cluster(because))
    }

    /// A case that changes its cluster has one of its own, that goes with it.
    async fn holds_in_its_own(&self, case: &'static dyn AnyCase, spec: ClusterSpec) -> Result<Held, LabError> {
        let _place = place().await?;
        let stage = self.provisioned(spec).await?;
        let verdict = self.verdict(&stage, case).await;
        stage.cluster.destroy().await.map_err(|error| in_full(&error))?;
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

fn in_full(error: &dyn std::error::Error) -> LabError {
    LabError::Cluster(crate::error_text::in_full(error))
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
