//! `observe`: applies any manifest, records what happens, judges it by the universal invariants.

mod script;

use super::{
    Failure, Global, Stdout,
    run::{Ended, How, MessageFormat, carry_out},
    selection::{Clusters, Planned},
};
use crate::{
    case::{Case, Catalogue},
    gates::GateTable,
    plan::{AskedFor, CellRequest, Filter, PlanError, Resolved, manifest, provider, request, resolve, run_id::run_id},
    report::{Deviations, Exit},
    run::{Cell, CellPlan, Keep, RunPlan, Turn},
};
use clap::Args;
use script::{Observation, Pods};
use std::{path::PathBuf, time::Duration};

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
    let name = arguments.file.display().to_string();
    let text = super::small_file::read_at_most(&arguments.file, "manifest")?;
    let objects = manifest::parse(&text, &name).map_err(PlanError::from)?;
    let pods: Pods = arguments.pods.parse()?;
    let asked = arguments.clusters.asked_to_make()?;
    let wanted = CellRequest {
        emulate: request::emulate(arguments.emulate.as_deref())?,
        gates: arguments.gates.as_deref().map(request::gates).transpose()?.unwrap_or_default(),
        kubernetes: Some(request::kubernetes(arguments.kubernetes.as_deref())?),
        other: None,
        controller: None,
        nodes: arguments.clusters.nodes(),
    };
    let limit = Duration::from_secs(u64::from(arguments.seconds));
    let observation = Observation { objects, pods, limit };
    resolve::known_version(&wanted, arguments.binaries.as_deref())?;
    let cell = resolve::cell(&wanted, asked, GateTable::embedded())?;
    let resolved = resolved(cell, &observation);
    let wish = arguments.clusters.wish(&[wanted], arguments.binaries);
    let provider = provider::choose(Some(asked), |provider| provider.probe(&wish));
    let how = How {
        out: arguments.out,
        messages: MessageFormat::Human,
        volume: global.volume(),
        paint: stdout.paint,
        deviations: Deviations::Tell,
    };
    let Ended { exit, refused } = carry_out(Planned { resolved, provider }, how, catalogue, &[&observation])?;
    match refused {
        Some(says) => Err(Failure::misuse(format!("{name}: {says}"))),
        None => Ok(exit),
    }
}

/// One case, once, in one cell.
fn resolved(cell: Cell, case: &dyn Case) -> Resolved<'_> {
    let run = RunPlan {
        id: run_id(jiff::Timestamp::now(), rand::random()),
        cells: vec![CellPlan { cell, turns: vec![Turn { case, attempt: 1 }], skips: Vec::new() }],
        jobs: 1,
        seed: 0,
        keep: Keep::Never,
        max_fail: None,
    };
    let names = vec![CASE.to_owned()];
    Resolved { run, asked: AskedFor { names, filter: Filter::all().text, repeat: 1, ..AskedFor::default() } }
}
