//! The flags that `run` and `plan` share, and how they become a plan.

mod sliced;
mod sliced_load;

pub(super) use sliced::Sliced;
pub(super) use sliced_load::SlicedLoad;

use super::{
    Failure,
    controllers::{Asked, Controllers, located},
    existing::Way,
    small_file::read_at_most,
    surroundings,
};
use crate::{
    case::Catalogue,
    cluster::{
        Provider, SubjectKind,
        provider::{Made, Wish},
    },
    plan::{
        self, CellRequest, PlanError, PlanFile, Request, Resolved, provider::Choice, request::Flags, run_id::run_id,
    },
    run::Keep,
};
use clap::Args;
use std::path::{Path, PathBuf};

/// Which cells and cases, and how.
#[derive(Args, Clone, Debug)]
pub(super) struct Selection {
    /// Ids of cases or names of suites; all cases without any.
    #[arg(value_name = "CASE")]
    names: Vec<String>,
    /// Only cases that this expression selects, for example `suite(ttl) and not restarts()`.
    #[arg(short = 'E', long, value_name = "EXPR", help_heading = "Selection")]
    filter: Option<String>,
    /// A plan that comes with the program, for example `smoke`; flags win over it.
    #[arg(short = 'P', long, value_name = "NAME", env = "JOBSWORTH_PROFILE", help_heading = "Selection")]
    profile: Option<String>,
    /// A plan file of your own; flags win over it.
    #[arg(long, value_name = "FILE", conflicts_with = "profile", help_heading = "Selection")]
    plan: Option<PathBuf>,
    /// Run only a part of the selected cases: `slice:m/n` or `hash:m/n`.
    #[arg(long, value_name = "PART", env = "JOBSWORTH_PARTITION", help_heading = "Selection")]
    partition: Option<String>,
    /// Versions of Kubernetes, each a cell of its own.
    #[arg(long, value_name = "V[,V]", value_delimiter = ',', env = "JOBSWORTH_KUBERNETES", help_heading = "Cells")]
    kubernetes: Vec<String>,
    /// The version of Kubernetes to which cases that upgrade or downgrade change each cell.
    #[arg(long, value_name = "V", env = "JOBSWORTH_OTHER_KUBERNETES", help_heading = "Cells")]
    other_kubernetes: Option<String>,
    /// The minor version that the binaries emulate, for example 1.32.
    #[arg(long, value_name = "V", env = "JOBSWORTH_EMULATE", help_heading = "Cells")]
    emulate: Option<String>,
    /// Feature gates, for example `JobSuccessPolicy=false,JobManagedBy=true`.
    #[arg(long, value_name = "A=true,B=false", env = "JOBSWORTH_GATES", help_heading = "Cells")]
    gates: Option<String>,
    #[command(flatten)]
    controllers: Controllers,
    /// A folder with ready programs: `DIR/<version>/kube-apiserver` or `DIR/kube-apiserver`.
    #[arg(long, value_name = "DIR", env = "JOBSWORTH_BINARIES", help_heading = "Cells")]
    binaries: Option<PathBuf>,
    #[command(flatten)]
    clusters: Clusters,
    #[command(flatten)]
    way: Way,
    /// How often each case is run.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000), help_heading = "Run")]
    repeat: Option<u32>,
    /// Seed of the order of cases and of names; random and printed without it.
    #[arg(long, value_name = "N", env = "JOBSWORTH_SEED", help_heading = "Run")]
    seed: Option<u64>,
    /// How many cases run side by side.
    #[arg(short, long, value_name = "N", env = "JOBSWORTH_JOBS", value_parser = clap::value_parser!(u16).range(1..=256),
        help_heading = "Run")]
    jobs: Option<u16>,
    /// Which clusters stay after the run; never without it.
    #[arg(long, value_enum, value_name = "WHICH", env = "JOBSWORTH_KEEP", help_heading = "Run")]
    keep: Option<Keep>,
    /// Stop after so many failed cases, over all cells; without it all are run. A case counts once for each cell, however
    /// often it is repeated, and not at all while it is flaky and `--flaky tell` is given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Run")]
    max_fail: Option<u32>,
}

/// Who brings up clusters, and of how many nodes.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct Clusters {
    /// Who brings up the clusters: `local` (processes, played pods), `containers` (the same in containers), `kind` (nodes in
    /// containers, pods that run), or nobody: `existing` is one of yours; without this flag local where it can be, else kind.
    #[arg(long, value_name = "NAME", env = "JOBSWORTH_PROVIDER", help_heading = "Cells")]
    provider: Option<String>,
    /// How many nodes pods can be put on; with kind more than one makes so many workers.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Cells")]
    nodes: Option<u32>,
    /// The node image for kind; without it the one that `cluster image` made, else the published one.
    #[arg(long, value_name = "REF", env = "JOBSWORTH_NODE_IMAGE", help_heading = "Cells")]
    node_image: Option<String>,
}

impl Clusters {
    /// The provider that is asked for.
    ///
    /// # Errors
    /// When there is none of this name.
    pub fn asked(&self) -> Result<Option<&'static dyn Provider>, PlanError> {
        self.provider.as_deref().map(plan::provider::named).transpose()
    }

    /// The provider that is asked for, or else the first, where one must be able to make clusters.
    ///
    /// # Errors
    /// When there is none of this name, or it makes none.
    pub fn asked_to_make(&self) -> Result<&'static dyn Provider, PlanError> {
        let provider = self.asked()?.unwrap_or(plan::provider::first());
        match provider.made() {
            Made::ForTheRun => Ok(provider),
            Made::Before => {
                let says = format!("`{}` is for `run` and `plan`; it makes none", provider.name());
                Err(PlanError::NoProvider(says))
            }
        }
    }

    /// What the flags say about clusters of these cells.
    pub fn wish(&self, cells: &[CellRequest], binaries: Option<PathBuf>) -> Wish {
        let versions = cells.iter().flat_map(|cell| [Some(cell.version()), cell.other]).flatten().collect();
        Wish { binaries, versions, node_image: self.node_image.clone(), ..Wish::default() }
    }

    pub fn nodes(&self) -> Option<u32> {
        self.nodes
    }

    /// The flags that a command needs to get clusters like these again; what comes without a word needs none.
    fn flags(&self) -> Vec<String> {
        let provider = self.provider.clone().filter(|name| name != plan::provider::first().name());
        let named = [
            ("--provider", provider),
            ("--nodes", self.nodes.map(|nodes| nodes.to_string())),
            ("--node-image", self.node_image.clone()),
        ];
        let given = named.into_iter().filter_map(|(flag, value)| Some([flag.to_owned(), value?]));
        given.flatten().collect()
    }
}

/// A plan, and who brings up its clusters.
pub(super) struct Planned<'c> {
    pub resolved: Resolved<'c>,
    /// The provider and why; or why there is none. `plan` needs none.
    pub provider: Result<Choice, PlanError>,
}

/// Cases wait for watches most of the time, so there may be more of them than cores.
const JOBS_PER_CORE: usize = 4;

/// Makes the plan that the flags ask for.
///
/// # Errors
/// Everything that is wrong with them; nothing has been started.
pub(super) fn planned(selection: Selection, catalogue: &Catalogue) -> Result<Planned<'static>, Failure> {
    let mut file = plan_file(&selection, catalogue)?;
    if let Some(read) = file.take() {
        let path = selection.plan.as_deref().unwrap_or(Path::new("")).display().to_string();
        let own = read.controllers.clone().into_iter().map(|own| {
            let name = own.name.clone();
            located(own.named_by(&["--plan", &path, "--controller", &name]))
        });
        let own = own.collect::<Result<_, _>>()?;
        file = Some(read.with_controllers(own));
    }
    let seed = selection.seed.unwrap_or_else(|| u64::from(rand::random::<u32>()));
    let asked = selection.clusters.asked()?;
    let clusters = asked.map_or(Made::ForTheRun, |provider| provider.made());
    let Asked { names, described } = selection.controllers.read(clusters)?;
    let mut flags = Flags {
        names: selection.names,
        filter: selection.filter,
        kubernetes: selection.kubernetes,
        other_kubernetes: selection.other_kubernetes,
        emulate: selection.emulate,
        gates: selection.gates,
        controllers: names,
        described: described.into_iter().map(located).collect::<Result<_, _>>()?,
        repeat: selection.repeat,
        jobs: selection.jobs.map(usize::from),
        keep: selection.keep,
        max_fail: selection.max_fail,
        partition: selection.partition,
        binaries: selection.binaries,
        nodes: selection.clusters.nodes,
    };
    let provider_flags: Vec<String> = match clusters {
        Made::ForTheRun => selection.clusters.flags(),
        Made::Before => [selection.clusters.flags(), selection.way.flags()].concat(),
    };
    let is_shared = clusters == Made::Before && selection.way.sharing().is_some();
    // What is there already says what the cells are.
    let before = match asked.filter(|provider| provider.made() == Made::Before) {
        Some(provider) => {
            let installed = flags.described.iter().find(|subject| subject.kind == SubjectKind::InstalledVolcano);
            let api = installed.map(|subject| subject.kind.api()).unwrap_or_default();
            let wish = Wish { api, ..selection.way.added_to(selection.clusters.wish(&[], None)) };
            Some(plan::provider::asked_for(provider, provider.probe(&wish)?))
        }
        None => None,
    };
    if let Some(there) = before.as_ref().and_then(|choice| choice.ready.standing.as_ref()) {
        plan::existing::take_over(&mut flags, file.as_ref(), there)?;
    }
    let request = Request::of(flags, file, seed, surroundings::cores() * JOBS_PER_CORE)?;
    let id = run_id(jiff::Timestamp::now(), rand::random());
    let resolve = |provider| plan::resolve(request.clone(), id.clone(), catalogue, provider);
    let mut resolved = resolve(asked.unwrap_or(plan::provider::first()))?;
    let provider = match before {
        Some(choice) => Ok(choice),
        None => {
            let wish = selection.clusters.wish(&request.cells, request.binaries.clone());
            plan::provider::choose(asked, |provider| provider.probe(&wish))
        }
    };
    if let Ok(choice) = &provider
        && resolved.run.cells.iter().any(|cell| cell.cell.provider != choice.provider.name())
    {
        // What fits depends on who brings up the clusters.
        resolved = resolve(choice.provider)?;
    }
    if is_shared {
        resolved.share_the_cluster();
    }
    resolved.run.cells.iter_mut().for_each(|plan| plan.cell.provider_flags.clone_from(&provider_flags));
    Ok(Planned { resolved, provider })
}

fn plan_file(selection: &Selection, catalogue: &Catalogue) -> Result<Option<PlanFile>, Failure> {
    let (text, name) = match (&selection.profile, &selection.plan) {
        (None, None) => return Ok(None),
        (Some(profile), _) => {
            let found = catalogue.plans.iter().find(|(name, _)| name == profile);
            let Some((name, text)) = found else {
                let names = catalogue.plans.iter().map(|(name, _)| *name);
                return Err(PlanError::none_of("plan", profile, names).into());
            };
            ((*text).to_owned(), (*name).to_owned())
        }
        (None, Some(path)) => (read_at_most(path, "plan")?, path.display().to_string()),
    };
    Ok(Some(plan::file::parse(&text, &name).map_err(PlanError::from)?))
}
