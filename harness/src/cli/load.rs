//! `load`: two controllers do the same work in turns on one API server, and what it cost each is compared; or one does it alone.

mod beside;
mod request;

use super::{
    Failure, Global, Stdout,
    existing::may_begin,
    session::{controllers_are_ready, programs_are_ready},
    signals, surroundings,
};
use crate::{
    binaries::Source,
    case::Catalogue,
    cluster::{
        self, ClusterError, ClusterProvider, Keeping, LEFTOVERS, Step, local::LocalProvider, pace::Pace,
        provider::Ready, registry::Registry,
    },
    load::{bench::Plan, comparison::Comparison, means::Bringer, outcome, table, tenants::Tenants},
    report::{Exit, console::Volume, escape::terminal, store},
    run::{self, Interrupt},
    slo::objective::Objective,
};
use std::{io::Write, path::Path, time::Duration};

pub(super) use beside::is_for_a_record;
pub(super) use request::{Arguments, all, is_file, shown};

pub(super) fn execute(
    arguments: Arguments,
    global: Global,
    catalogue: &Catalogue,
    stdout: &mut Stdout,
) -> Result<Exit, Failure> {
    let mut plan = arguments.plan(catalogue)?;
    let ready = arguments.look(&mut plan)?;
    if let Some(standing) = ready.as_ref().and_then(|ready| ready.standing.as_ref()) {
        may_begin(standing, || stdout.write(&shown(standing, &plan)))?;
    }
    let registry = Registry::of_user(LEFTOVERS)?;
    request::must_fit(&plan, registry.folder())?;
    controllers_are_ready(plan.line_up.arms().into_iter().map(|(_, arm)| &arm.kind))?;
    programs_are_ready(plan.tenants.iter().map(Tenants::program))?;
    let mut record = plan.record();
    // Before anything runs: a record that cannot be written is noticed now.
    store::write_whole(&arguments.out, store::json(&record).as_bytes())?;
    let forgotten = plan.tenants.iter().try_for_each(Tenants::forget_earlier);
    forgotten.map_err(|trouble| Failure::undecided(trouble.to_string()))?;
    let clusters = Clusters::of(ready, arguments.binaries.as_deref(), registry, &plan)?;
    let stopped = carry_out(&plan, &mut record, &clusters, &arguments.out, global)?;
    let exit = conclude(&record, &plan.objectives, &arguments.out, stdout)?;
    Ok(stopped.map_or(exit, Exit::Stopped))
}

/// Writes a record of which nothing is missing any more, with what stands beside it, and tells what came of it.
///
/// # Errors
/// When a picture cannot be drawn or a file cannot be written.
pub(super) fn conclude(
    record: &Comparison,
    objectives: &[Objective],
    out: &Path,
    stdout: &mut Stdout,
) -> Result<Exit, Failure> {
    store::write_whole(out, store::json(record).as_bytes())?;
    let beside = beside::write(record, objectives, out)?;
    stdout.line(&table::whole(record))?;
    stdout.line(&format!("report    {}", terminal(&beside.join("   "))))?;
    Ok(outcome::exit(record))
}

/// Who brings up the cluster, and what is to be said before.
struct Clusters {
    provider: Provider,
    outlook: Option<String>,
}

enum Provider {
    Local(Box<LocalProvider>),
    Installed(Box<dyn ClusterProvider>),
}

impl Clusters {
    fn of(ready: Option<Ready>, binaries: Option<&Path>, registry: Registry, plan: &Plan) -> Result<Self, Failure> {
        if let Some(ready) = ready {
            let provider = Provider::Installed(ready.into_clusters(cluster::making(Keeping::Delete)?)?);
            return Ok(Self { provider, outlook: plan.installed.map(|installed| installed.unmeasured().says()) });
        }
        let source = Source::choose(binaries).map_err(ClusterError::from)?;
        let outlook = surroundings::outlook(&source, [&plan.spec]).map(|outlook| outlook.to_string());
        Ok(Self { provider: Provider::Local(Box::new(LocalProvider::new(source, registry))), outlook })
    }

    fn bringer(&self) -> Bringer<'_> {
        match &self.provider {
            Provider::Local(provider) => Bringer::Local(provider),
            Provider::Installed(provider) => Bringer::Installed(&**provider),
        }
    }
}

/// Does the trials; the name of the signal that ended them before their time, if one did.
fn carry_out(
    plan: &Plan,
    record: &mut Comparison,
    clusters: &Clusters,
    out: &Path,
    global: Global,
) -> Result<Option<&'static str>, Failure> {
    let quiet = global.volume() == Volume::Quiet;
    let say = move |text: &str| {
        if !quiet {
            // Progress is a courtesy; the result is what counts.
            let _ = writeln!(std::io::stderr(), "{}", terminal(text));
        }
    };
    clusters.outlook.iter().for_each(|outlook| say(outlook));
    plan.outlook().into_iter().for_each(|outlook| say(&outlook));
    let told = |record: &Comparison| {
        say(&table::news(record));
        // Written again at the end, where trouble is told.
        let _ = store::write_whole(out, store::json(record).as_bytes());
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
            done = plan.carry_out(clusters.bringer(), record, &progress, &told, stop) => done?,
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
