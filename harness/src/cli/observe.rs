//! `observe`: applies any manifest, follows a Job that is there, or reads what somebody recorded; judges what happened by
//! the universal invariants.

mod followed;
mod recorded;
mod script;
mod told;

use super::{
    Failure, Global, Stdout,
    run::{Ended, How, MessageFormat, carry_out},
    selection::{Clusters, Planned},
};
use crate::{
    case::{AnyCase, Catalogue},
    gates::GateTable,
    plan::{AskedFor, CellRequest, Filter, PlanError, Resolved, manifest, provider, request, resolve, run_id::run_id},
    report::{Deviations, Exit, rejudge::OBSERVED},
    run::{Cell, CellPlan, Flaky, Keep, RunPlan, Turn},
    scene::Patience,
};
use clap::Args;
use jobsworth_oracle::import::Choice;
use script::{Observation, Pods};
use std::{path::PathBuf, time::Duration};

#[derive(Args)]
pub(super) struct Arguments {
    /// The manifest: YAML, one document or several.
    #[arg(short, long, value_name = "FILE", required_unless_present_any = ["job", "from"],
        conflicts_with_all = ["job", "from"])]
    file: Option<PathBuf>,
    /// A Job that is there already, on the cluster of --kubeconfig and --context, where nothing is written; with --from, the
    /// one of the file.
    #[arg(long, value_name = "NAMESPACE/NAME", value_parser = choice)]
    job: Option<Choice>,
    /// A recording: an audit log (level RequestResponse), or what `kubectl get jobs -w -o json --output-watch-events` printed;
    /// once for each file.
    #[arg(long, value_name = "FILE")]
    from: Vec<PathBuf>,
    /// The kubeconfig of --job; KUBECONFIG and the one at home are not looked at.
    #[arg(long, value_name = "FILE", env = "JOBSWORTH_KUBECONFIG", help_heading = "Existing cluster")]
    kubeconfig: Option<PathBuf>,
    /// The context in it; the current one does not count.
    #[arg(long, value_name = "NAME", env = "JOBSWORTH_CONTEXT", help_heading = "Existing cluster")]
    context: Option<String>,
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
    if !arguments.from.is_empty() {
        return recorded::execute(arguments, global, catalogue, stdout);
    }
    let Some(file) = &arguments.file else { return followed::execute(arguments, global, catalogue, stdout) };
    let name = file.display().to_string();
    let text = super::small_file::read_at_most(file, "manifest")?;
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
    let how = how(arguments.out, global, stdout);
    let Ended { exit, refused } = carry_out(Planned { resolved, provider }, how, catalogue, &[&observation])?;
    match refused {
        Some(says) => Err(Failure::misuse(format!("{name}: {says}"))),
        None => Ok(exit),
    }
}

fn how(out: Option<PathBuf>, global: Global, stdout: &Stdout) -> How {
    let (volume, paint) = (global.volume(), stdout.paint);
    How { out, messages: MessageFormat::Human, volume, paint, deviations: Deviations::Tell }
}

/// A Job by its place.
fn choice(text: &str) -> Result<Choice, String> {
    match text.split_once('/') {
        Some((namespace, job)) if !namespace.is_empty() && !job.is_empty() && !job.contains('/') => {
            Ok(Choice { namespace: namespace.to_owned(), job: job.to_owned() })
        }
        _ => Err("expected NAMESPACE/NAME".to_owned()),
    }
}

/// One case, once, in one cell.
fn resolved(cell: Cell, case: &dyn AnyCase) -> Resolved<'_> {
    let run = RunPlan {
        id: run_id(jiff::Timestamp::now(), rand::random()),
        cells: vec![CellPlan { cell, turns: vec![Turn { case, attempt: 1 }], skips: Vec::new() }],
        jobs: 1,
        clusters: 1,
        seed: 0,
        keep: Keep::Never,
        max_fail: None,
        flaky: Flaky::default(),
        patience: Patience::default(),
        objectives: Vec::new(),
    };
    let names = vec![OBSERVED.to_owned()];
    Resolved { run, asked: AskedFor { names, filter: Filter::all().text, repeat: 1, ..AskedFor::default() } }
}
