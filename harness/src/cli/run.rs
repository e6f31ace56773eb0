//! `run`: the main job.

pub(super) mod reports;

use super::{
    Failure, Global, Stdout,
    existing::may_begin,
    selection::{Planned, Selection, planned},
    session::controllers_are_ready,
    signals, surroundings,
};
use crate::{
    case::{AnyCase, Catalogue},
    cluster::{
        self, ClusterProvider, Keeping, Provider,
        provider::{Keepable, Making},
    },
    plan::{
        Resolved,
        provider::{Choice, that_can_keep},
    },
    report::{
        Deviations, Exit, RunRecord, SinkSet,
        console::{Console, Drawing, Paint, Volume},
        event_log::EventLog,
        host,
        run_record::{Beginning, Closed},
        store,
    },
    run::{Flaky, Keep, RunPlan, Sink, dispatch},
    scene::Patience,
};
use clap::{Args, ValueEnum};
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

#[derive(Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    selection: Selection,
    /// Folder for reports and timelines; target/jobsworth/RUN below the current folder without it.
    #[arg(short, long, value_name = "DIR", env = "JOBSWORTH_OUT", help_heading = "Output")]
    out: Option<PathBuf>,
    /// What stdout shows: text for people, or events as lines of JSON.
    #[arg(long, value_enum, default_value_t, env = "JOBSWORTH_MESSAGE_FORMAT", help_heading = "Output")]
    message_format: MessageFormat,
    /// What deviations that are known of the controller come to: told and counted, or a failed run.
    #[arg(long, value_enum, default_value_t, env = "JOBSWORTH_DEVIATIONS", help_heading = "Run")]
    deviations: Deviations,
    /// How long scripts wait for what does not come: in full, or less once many cases have waited in vain.
    #[arg(long, value_enum, default_value_t, env = "JOBSWORTH_PATIENCE", help_heading = "Run")]
    patience: Patience,
    /// What flaky cases come to, those that held at least once and were broken at least once: a failed run, or told and counted.
    #[arg(long, value_enum, default_value_t, env = "JOBSWORTH_FLAKY", help_heading = "Run")]
    flaky: Flaky,
    /// Only say what would be run, as `plan` does.
    #[arg(long, help_heading = "Run")]
    dry_run: bool,
}

/// What stdout shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum MessageFormat {
    /// Text for people.
    #[default]
    Human,
    /// Events, one JSON object a line.
    Ndjson,
}

pub(super) fn execute(
    arguments: Arguments,
    global: Global,
    catalogue: &Catalogue,
    stdout: &mut Stdout,
) -> Result<Exit, Failure> {
    let mut planned = planned(arguments.selection, catalogue)?;
    planned.resolved.run.patience = arguments.patience;
    planned.resolved.run.flaky = arguments.flaky;
    if arguments.dry_run {
        return super::plan::show(&planned, stdout);
    }
    let ready = planned.provider.as_ref().map(|choice| &choice.ready);
    if let Some(standing) = ready.ok().and_then(|ready| ready.standing.as_ref()) {
        may_begin(standing, || super::plan::show(&planned, stdout).map(drop))?;
    }
    let how = How {
        out: arguments.out,
        messages: arguments.message_format,
        volume: global.volume(),
        paint: stdout.paint,
        deviations: arguments.deviations,
    };
    Ok(carry_out(planned, how, catalogue, &[])?.exit)
}

/// How a run is shown and where it is kept.
pub(super) struct How {
    pub out: Option<PathBuf>,
    pub messages: MessageFormat,
    pub volume: Volume,
    pub paint: Paint,
    pub deviations: Deviations,
}

/// How a run ended.
pub(super) struct Ended {
    pub exit: Exit,
    /// What the server said to a manifest that it did not take.
    pub refused: Option<String>,
}

/// Carries out a plan: opens the folder, runs, writes every report, and says how it went.
pub(super) fn carry_out(
    planned: Planned<'_>,
    how: How,
    catalogue: &Catalogue,
    extra: &[&dyn AnyCase],
) -> Result<Ended, Failure> {
    let Planned { resolved, provider } = planned;
    let Choice { provider, ready, because } = provider?;
    controllers_are_ready(resolved.run.cells.iter().map(|plan| &plan.cell.spec.subject))?;
    let keeping = keeping(resolved.run.keep, provider)?;
    let folder = open_folder(how.out.as_deref(), &resolved.run.id)?;
    let provider = format!("{}: {because}", provider.name());
    let beginning = Beginning {
        resolved: &resolved,
        argv: std::env::args().collect(),
        now: jiff::Timestamp::now(),
        host: host::fingerprint(),
        provider: provider.clone(),
    };
    let record = Arc::new(RunRecord::open(beginning, catalogue, extra));
    store::write_whole(&folder.join("run.json"), store::json(&record.so_far()).as_bytes())?;
    let events = EventLog::create(&folder.join("events.ndjson"))?;
    let console = console(&how, &record);
    if let Some(source) = &ready.programs {
        let specs = resolved.run.cells.iter().map(|plan| &plan.cell.spec);
        surroundings::outlook(source, specs).into_iter().for_each(|outlook| console.say(&outlook.to_string()));
    }
    console.say(&opening(&resolved, &provider));
    let stdout_events = EventLog::to(io::stdout(), Path::new("stdout"));

    let mut sinks = SinkSet::default().and(&*record).and(&events);
    sinks = match how.messages {
        MessageFormat::Human => sinks.and(&console),
        MessageFormat::Ndjson => sinks.and(&stdout_events),
    };
    let making = cluster::making(keeping)?;
    let clusters = ready.into_clusters(Making { evidence: Some(folder.clone()), ..making })?;
    let stopped = run_to_end(resolved.run, &*clusters, &folder, &sinks, &console)?;
    drop(sinks);

    let finished = [events.finish(), stdout_events.finish()];
    let troubles = finished.into_iter().filter_map(Result::err).map(|error| error.to_string()).collect();
    let mut closed = record.close();
    closed.interrupted = closed.interrupted.or(stopped);
    closed.deviations = how.deviations;
    let refused = closed.refused.clone();
    Ok(Ended { exit: finish(&folder, closed, troubles, console)?, refused })
}

/// Writes every report and says how it went. `troubles` are writers that failed before.
pub(super) fn finish(
    folder: &Path,
    closed: Closed,
    troubles: Vec<String>,
    console: Console<Box<dyn io::Write + Send>>,
) -> Result<Exit, Failure> {
    let written = reports::write(folder, closed, troubles);
    reports::publish(&written, &console);
    console.end(&written.run, &written.files);
    match console.finish() {
        Ok(()) => Ok(written.exit),
        Err(error) => Err(Failure::undecided(format!("failed to write to stdout: {error}"))),
    }
}

/// What becomes of clusters that the run leaves alone.
fn keeping(keep: Keep, provider: &dyn Provider) -> Result<Keeping, Failure> {
    match (keep, provider.can_keep()) {
        (Keep::Never, _) => Ok(Keeping::Delete),
        (Keep::Failed | Keep::Always, Keepable::Whole | Keepable::WithoutProcesses) => Ok(Keeping::Keep),
        (Keep::Failed | Keep::Always, Keepable::Nothing) => {
            let says =
                format!("failed to keep clusters of the provider `{}`: they end with their run", provider.name());
            let others = that_can_keep(&[Keepable::Whole, Keepable::WithoutProcesses]);
            Err(Failure::misuse_with(says, format!("leave --keep out, or use --provider {others}")))
        }
    }
}

pub(super) fn console(how: &How, record: &Arc<RunRecord>) -> Console<Box<dyn io::Write + Send>> {
    let drawing = match how.messages {
        MessageFormat::Human => surroundings::drawing(how.volume),
        MessageFormat::Ndjson => Drawing::Lines,
    };
    let writer: Box<dyn io::Write + Send> = match how.messages {
        MessageFormat::Human => Box::new(io::stdout()),
        // Stdout is for programs then.
        MessageFormat::Ndjson => Box::new(io::sink()),
    };
    let record = Arc::clone(record);
    Console::new(writer, how.paint, how.volume, drawing, move |report| record.record_of(report))
}

fn opening(resolved: &Resolved<'_>, provider: &str) -> String {
    let run = &resolved.run;
    let plan = resolved.asked.plan.as_ref().map(|plan| format!("  plan {plan}")).unwrap_or_default();
    format!(
        "jobsworth {}  run {}{plan}  seed {}  provider {provider}\nplan      {} · {} · {} side by side",
        env!("CARGO_PKG_VERSION"),
        run.id,
        run.seed,
        counted(run.cells.len(), "cell"),
        counted(resolved.turns(), "turn of cases"),
        run.jobs,
    )
}

fn counted(number: usize, word: &str) -> String {
    match (number, word.split_once(' ')) {
        (1, _) => format!("1 {word}"),
        (_, Some((noun, rest))) => format!("{number} {noun}s {rest}"),
        (_, None) => format!("{number} {word}s"),
    }
}

/// Runs until the plan or the user says stop. After a second signal the run gets a moment, no more; then
/// the name of the signal comes back, since no event told it.
fn run_to_end(
    plan: RunPlan<'_>,
    provider: &dyn ClusterProvider,
    folder: &Path,
    sink: &dyn Sink,
    console: &Console<Box<dyn io::Write + Send>>,
) -> Result<Option<&'static str>, Failure> {
    let failed = |error: io::Error| Failure::undecided(format!("failed to start the runtime: {error}"));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(failed)?;
    let began = Instant::now();
    let stopped = runtime.block_on(async {
        let mut signals = signals::listen().map_err(failed)?;
        let mut run = std::pin::pin!(dispatch(plan, provider, folder, sink, signals.interrupt()));
        let tell = |text: &str| console.say(text);
        let mut clock = tokio::time::interval(Duration::from_secs(1));
        // Lives as long as the loop: the moment that it grants must not begin anew with every tick.
        let mut insisted = std::pin::pin!(signals.insisted(&tell));
        loop {
            tokio::select! {
                outcome = &mut run => return Ok(outcome.interrupted),
                signal = &mut insisted => return Ok(Some(signal)),
                _ = clock.tick() => console.tick(began.elapsed()),
            }
        }
    });
    // What still runs after a stop at once must not hold us up.
    runtime.shutdown_timeout(Duration::from_secs(1));
    stopped
}

/// Where the run of this id is kept.
pub(super) fn folder_of(named: Option<&Path>, id: &str) -> PathBuf {
    named.map_or_else(|| Path::new("target/jobsworth").join(id), Path::to_owned)
}

/// The folder of the run; one that already holds a run is refused.
pub(super) fn open_folder(named: Option<&Path>, id: &str) -> Result<PathBuf, Failure> {
    let folder = folder_of(named, id);
    if folder.join("run.json").exists() {
        let says = format!("failed to use the folder {}: it already holds a run", folder.display());
        return Err(Failure::misuse_with(says, "choose another with --out, or remove it"));
    }
    fs::create_dir_all(&folder)
        .map_err(|error| Failure::misuse(format!("failed to create the folder {}: {error}", folder.display())))?;
    Ok(folder)
}
