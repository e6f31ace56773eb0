//! `load`: two controllers do the same work in turns on one API server, and what it cost each is compared.

use super::{Failure, Global, Stdout, session::controllers_are_ready, signals, surroundings};
use crate::{
    binaries::Source,
    cluster::{ClusterError, ClusterSpec, LEFTOVERS, Rate, Step, local::LocalProvider, pace::Pace, registry::Registry},
    load::{
        arm::Arm,
        bench::Plan,
        comparison::Comparison,
        ratio::Ratio,
        table,
        workload::{self, Workload},
    },
    plan::{PlanError, request},
    report::{Exit, console::Volume, escape::terminal, store},
    run::{self, Interrupt},
};
use clap::Args;
use std::{io::Write, path::PathBuf, time::Duration};

#[derive(Args)]
pub(super) struct Arguments {
    /// Which workloads; all without any.
    #[arg(value_name = "WORKLOAD")]
    workloads: Vec<String>,
    /// How many pairs of trials for each workload; they run A B B A.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=100))]
    pairs: u32,
    /// The controller that is compared with.
    #[arg(long, value_name = "NAME", default_value = "builtin")]
    base: String,
    /// The controller that is compared; the same name twice shows how large the noise is.
    #[arg(long, value_name = "NAME", default_value = "reference")]
    head: String,
    /// Requests per second that each controller may make.
    #[arg(long, value_name = "RATE", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1000))]
    qps: u32,
    /// Requests that each may make at once after a quiet time.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=2000))]
    burst: u32,
    /// Size of the workloads in percent, for a first look; goals are about 100.
    #[arg(long, value_name = "PERCENT", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100))]
    scale: u32,
    /// How late the pod driver may be (p99, in milliseconds) before a trial is void.
    #[arg(long, value_name = "MS", default_value_t = 500)]
    lag_limit: u32,
    /// Version of Kubernetes.
    #[arg(long, value_name = "V", env = "JOBSWORTH_KUBERNETES")]
    kubernetes: Option<String>,
    /// A folder with ready programs.
    #[arg(long, value_name = "DIR", env = "JOBSWORTH_BINARIES")]
    binaries: Option<PathBuf>,
    /// File for the record: every trial, every ratio. It is written anew after each trial.
    #[arg(short, long, value_name = "FILE", default_value = "load.json")]
    out: PathBuf,
}

pub(super) fn execute(arguments: Arguments, global: Global, stdout: &mut Stdout) -> Result<Exit, Failure> {
    let plan = plan(&arguments)?;
    controllers_are_ready([&plan.base, &plan.head].into_iter().map(|arm| &arm.kind))?;
    let mut record = plan.record();
    // Before anything runs: a record that cannot be written is noticed now.
    store::write_whole(&arguments.out, store::json(&record).as_bytes())?;
    let stopped = compare(&plan, &mut record, &arguments, global)?;
    store::write_whole(&arguments.out, store::json(&record).as_bytes())?;
    stdout.line(&table::whole(&record))?;
    Ok(stopped.map_or_else(|| exit(&record), Exit::Stopped))
}

/// Does the trials; the name of the signal that ended them before their time, if one did.
fn compare(
    plan: &Plan,
    record: &mut Comparison,
    arguments: &Arguments,
    global: Global,
) -> Result<Option<&'static str>, Failure> {
    let source = Source::choose(arguments.binaries.as_deref()).map_err(ClusterError::from)?;
    let outlook = surroundings::outlook(&source, [&plan.spec]);
    let provider = LocalProvider::new(source, Registry::of_user(LEFTOVERS)?);
    let quiet = global.volume() == Volume::Quiet;
    let say = move |text: &str| {
        if !quiet {
            // Progress is a courtesy; the result is what counts.
            let _ = writeln!(std::io::stderr(), "{}", terminal(text));
        }
    };
    outlook.into_iter().for_each(|outlook| say(&outlook.to_string()));
    let told = |record: &Comparison| {
        record.trials.last().into_iter().for_each(|trial| say(&table::line(trial)));
        // Written again at the end, where trouble is told.
        let _ = store::write_whole(&arguments.out, store::json(record).as_bytes());
    };
    let pace = Pace::default();
    let progress = |step: Step| {
        if pace.tells(&step) {
            say(&step.to_string());
        }
    };
    let failed = |error: std::io::Error| Failure::undecided(format!("failed to start the runtime: {error}"));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(failed)?;
    let stopped = runtime.block_on(async {
        let mut signals = signals::listen().map_err(failed)?;
        let mut interrupt = signals.interrupt();
        let asked = signals.interrupt();
        let stop = async { format!("stopped by {}", run::asked(&mut interrupt).await) };
        tokio::select! {
            done = plan.carry_out(&provider, record, &progress, &told, stop) => done?,
            signal = signals.insisted(&say) => return Ok(Some(signal)),
        }
        let asked = *asked.borrow();
        Ok(match asked {
            Interrupt::None => None,
            Interrupt::Orderly(signal) | Interrupt::AtOnce(signal) => Some(signal),
        })
    });
    // What still runs after a stop at once must not hold us up.
    runtime.shutdown_timeout(Duration::from_secs(1));
    stopped
}

fn plan(arguments: &Arguments) -> Result<Plan, Failure> {
    let version = request::kubernetes(arguments.kubernetes.as_deref())?;
    let rate = Rate { qps: arguments.qps, burst: arguments.burst };
    let spec = Plan::spec(ClusterSpec::of(version), rate);
    let arm = |name: &str| {
        let names = Arm::names();
        Arm::named(name).ok_or_else(|| PlanError::none_of("controller", name, names.iter().map(String::as_str)))
    };
    Ok(Plan {
        workloads: workloads(&arguments.workloads, arguments.scale)?,
        base: arm(&arguments.base)?,
        head: arm(&arguments.head)?,
        pairs: arguments.pairs,
        spec: spec.clone(),
        lag_limit_ms: arguments.lag_limit,
        scale_percent: arguments.scale,
    })
}

fn workloads(names: &[String], scale: u32) -> Result<Vec<Workload>, PlanError> {
    let all = workload::all();
    let known: Vec<&str> = all.iter().map(|workload| workload.name).collect();
    if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(PlanError::none_of("workload", name, known));
    }
    let wanted = all.into_iter().filter(|workload| names.is_empty() || names.iter().any(|name| name == workload.name));
    Ok(wanted.map(|workload| if scale == 100 { workload } else { workload.scaled(scale) }).collect())
}

/// A trial that does not count leaves the question open; the warm-up never counts.
fn exit(record: &Comparison) -> Exit {
    let open = record.trials.iter().any(|trial| trial.void.as_deref().is_some_and(|void| void != "warm-up"));
    if open || record.stopped.is_some() || record.ratios.is_empty() {
        return Exit::Undecided;
    }
    if record.ratios.iter().any(|ratio: &Ratio| ratio.reached() == Some(false)) { Exit::Missed } else { Exit::Held }
}
