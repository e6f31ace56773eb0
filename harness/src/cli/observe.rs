//! `observe`: applies any manifest, records what happens, judges it by the universal invariants.

mod script;

use super::{
    Failure, Global, Stdout,
    run::{How, MessageFormat, carry_out},
    selection::{Clusters, Planned},
};
use crate::{
    case::{Case, Catalogue},
    cluster::Provider,
    gates::GateTable,
    plan::{
        CellRequest, Filter, PlanError, Request, Resolved, Selection, manifest, provider, request, resolve,
        run_id::run_id,
    },
    report::Exit,
    run::{CellPlan, Keep, RunPlan, Turn},
};
use clap::Args;
use script::{Observation, Pods};
use std::{path::PathBuf, sync::Arc, time::Duration};

/// Id of the case that an observation is.
pub(super) const CASE: &str = "observe/manifest";

#[derive(Args)]
pub(super) struct Arguments {
    /// The manifest: YAML, one document or several.
    #[arg(short, long, value_name = "FILE")]
    file: PathBuf,
    /// For how long to record at most; it ends sooner when every Job has ended.
    #[arg(long = "for", value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    seconds: u32,
    /// What becomes of pods: `succeed`, `run`, or `fail:CODE`. Nobody runs their containers.
    #[arg(long, value_name = "WHAT", default_value = "succeed")]
    pods: String,
    /// Version of Kubernetes.
    #[arg(long, value_name = "V", env = "JOBSWORTH_KUBERNETES")]
    kubernetes: Option<String>,
    /// The minor version that the binaries emulate.
    #[arg(long, value_name = "V", env = "JOBSWORTH_EMULATE")]
    emulate: Option<String>,
    /// Feature gates.
    #[arg(long, value_name = "A=true,B=false", env = "JOBSWORTH_GATES")]
    gates: Option<String>,
    /// A folder with ready programs.
    #[arg(long, value_name = "DIR", env = "JOBSWORTH_BINARIES")]
    binaries: Option<PathBuf>,
    #[command(flatten)]
    clusters: Clusters,
    /// Folder for reports and timelines.
    #[arg(short, long, value_name = "DIR", env = "JOBSWORTH_OUT")]
    out: Option<PathBuf>,
}

pub(super) fn execute(
    arguments: Arguments,
    global: Global,
    catalogue: &Catalogue,
    stdout: &mut Stdout,
) -> Result<Exit, Failure> {
    let entered = arguments.clusters.enter()?;
    let name = arguments.file.display().to_string();
    let text = super::small_file::read_at_most(&arguments.file, "manifest")?;
    let objects = manifest::parse(&text, &name).map_err(PlanError::from)?;
    let pods: Pods = arguments.pods.parse()?;
    let asked = arguments.clusters.asked_to_make()?;
    let mut cells =
        request::cells_of(arguments.kubernetes.as_slice(), arguments.emulate.as_deref(), arguments.gates.as_deref())?;
    cells.iter_mut().for_each(|cell| cell.nodes = arguments.clusters.nodes());
    let refused = Arc::default();
    let limit = Duration::from_secs(u64::from(arguments.seconds));
    let observation = Observation { objects, pods, limit, refused: Arc::clone(&refused) };
    // A case lives as long as the program, as those of the catalogue do.
    let case: &'static dyn Case = Box::leak(Box::new(observation));
    let wish = arguments.clusters.wish(entered, &cells, arguments.binaries.clone());
    let resolved = resolved(cells, case, arguments.binaries, asked)?;
    let provider = provider::choose(Some(asked), |provider| provider.probe(&wish));
    let how = How {
        out: arguments.out,
        messages: MessageFormat::Human,
        volume: global.volume(),
        paint: stdout.paint,
        refused: Arc::clone(&refused),
    };
    let exit = carry_out(Planned { resolved, provider }, how, catalogue, &[case])?;
    match refused.get() {
        Some(says) => Err(Failure::misuse(format!("{name}: {says}"))),
        None => Ok(exit),
    }
}

fn resolved(
    cells: Vec<CellRequest>,
    case: &'static dyn Case,
    binaries: Option<PathBuf>,
    provider: &dyn Provider,
) -> Result<Resolved, PlanError> {
    let gates = GateTable::embedded();
    let request = Request {
        plan: None,
        cells,
        selection: Selection { names: vec![CASE.to_owned()], filter: Filter::all() },
        jobs: 1,
        repeat: 1,
        seed: 0,
        keep: Keep::Never,
        max_fail: None,
        partition: None,
        binaries,
        left_out: Vec::new(),
    };
    let mut plans = Vec::new();
    for wanted in &request.cells {
        resolve::known_version(wanted, &request)?;
        let cell = resolve::cell(wanted, provider, &gates)?;
        plans.push(CellPlan { cell, turns: vec![Turn { case, attempt: 1 }], skips: Vec::new() });
    }
    let run = RunPlan {
        id: run_id(jiff::Timestamp::now(), rand::random()),
        cells: plans,
        jobs: 1,
        seed: 0,
        keep: Keep::Never,
        max_fail: None,
        binaries: request.binaries.clone(),
    };
    Ok(Resolved { run, request })
}
