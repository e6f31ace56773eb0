//! `run`: the main job.

mod reports;

use super::{
    Failure, Global, Stdout,
    existing::Existing,
    selection::{Planned, Selection, planned},
    session::controllers_are_ready,
    signals, surroundings,
};
use crate::{
    binaries::Source,
    case::{Case, Catalogue},
    cluster::{
        ClusterError, ClusterProvider, LEFTOVERS,
        containers::ContainersProvider,
        daemon::{AttachOptions, Hold},
        existing::Refusal,
        kept::KeptProvider,
        kind::{Keeping, KindProvider},
        local::{CAPABILITIES, LocalProvider},
        registry::Registry,
    },
    plan::Resolved,
    report::{
        Exit, RunRecord, SinkSet,
        console::{Console, Drawing, Paint, Volume},
        event_log::EventLog,
        host,
        run_record::Beginning,
        store,
    },
    run::{Keep, RunPlan, Sink, dispatch},
};
use clap::{Args, ValueEnum};
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
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
    if !arguments.dry_run {
        arguments.selection.enter()?;
    }
    let planned = planned(arguments.selection, catalogue)?;
    if arguments.dry_run {
        return super::plan::show(&planned, stdout);
    }
    may_begin(&planned, stdout)?;
    let how = How {
        out: arguments.out,
        messages: arguments.message_format,
        volume: global.volume(),
        paint: stdout.paint,
        refused: Arc::default(),
    };
    carry_out(planned, how, catalogue, &[])
}

/// A cluster of the user is not touched before the user has said that it is meant.
fn may_begin(planned: &Planned, stdout: &mut Stdout) -> Result<(), Failure> {
    let Some(Err(refusal)) = planned.existing.as_ref().map(Existing::confirmed) else { return Ok(()) };
    if matches!(refusal, Refusal::Unconfirmed { .. }) {
        super::plan::show(planned, stdout)?;
    }
    Err(refusal.into())
}

/// How a run is shown and where it is kept.
pub(super) struct How {
    pub out: Option<PathBuf>,
    pub messages: MessageFormat,
    pub volume: Volume,
    pub paint: Paint,
    /// Filled in by a script whose manifest the server refused.
    pub refused: Arc<OnceLock<String>>,
}

/// Carries out a plan: opens the folder, runs, writes every report, and says how it went.
pub(super) fn carry_out(
    planned: Planned,
    how: How,
    catalogue: &Catalogue,
    extra: &[&'static dyn Case],
) -> Result<Exit, Failure> {
    let Planned { resolved, provider, node_image, existing } = planned;
    let provider = provider?;
    let name = provider.name;
    controllers_are_ready(resolved.run.cells.iter().map(|plan| &plan.cell.spec.subject))?;
    if name == "containers" && resolved.run.keep != Keep::Never {
        let says = "failed to keep clusters of the provider `containers`: they end with their run";
        return Err(Failure::misuse_with(says, "leave --keep out, or use --provider local or kind"));
    }
    let folder = open_folder(how.out.as_deref(), &resolved.run.id)?;
    let provider = format!("{}: {}", provider.name, provider.because);
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
    let source = Source::choose(resolved.run.binaries.as_deref()).map_err(ClusterError::from)?;
    if matches!(name, "local" | "containers") {
        let specs = resolved.run.cells.iter().map(|plan| &plan.cell.spec);
        surroundings::outlook(&source, specs).into_iter().for_each(|outlook| console.say(&outlook.to_string()));
    }
    console.say(&opening(&resolved, &provider));
    let stdout_events = EventLog::to(io::stdout(), Path::new("stdout"));

    let mut sinks = SinkSet::default().and(&*record).and(&events);
    sinks = match how.messages {
        MessageFormat::Human => sinks.and(&console),
        MessageFormat::Ndjson => sinks.and(&stdout_events),
    };
    let provider: Box<dyn ClusterProvider> = match (name, existing) {
        (_, Some(existing)) => Box::new(existing.provider()),
        ("kind", _) => Box::new(kind_provider(resolved.run.keep, node_image)?.leaving_evidence_in(folder.clone())),
        ("containers", _) => Box::new(ContainersProvider::new(source, Registry::of_user(LEFTOVERS)?)?),
        _ => provider_of(resolved.run.keep, source)?,
    };
    let stopped = run_to_end(resolved.run, &*provider, &folder, &sinks, &console)?;
    drop(sinks);

    let finished = [events.finish(), stdout_events.finish()];
    let troubles = finished.into_iter().filter_map(Result::err).map(|error| error.to_string()).collect();
    let mut closed = record.close();
    closed.interrupted = closed.interrupted.or(stopped);
    closed.refused = how.refused.get().cloned();
    let written = reports::write(&folder, closed, troubles);
    reports::publish(&written, &console);
    console.end(&written.run, &written.files);
    if let Err(error) = console.finish() {
        return Err(Failure::undecided(format!("failed to write to stdout: {error}")));
    }
    Ok(written.exit)
}

/// Clusters that may stay belong to a process of their own; the others die with this one, however it ends.
fn provider_of(keep: Keep, source: Source) -> Result<Box<dyn ClusterProvider>, ClusterError> {
    match keep {
        Keep::Never => Ok(Box::new(LocalProvider::new(source, Registry::of_user(LEFTOVERS)?))),
        Keep::Failed | Keep::Always => {
            let options = AttachOptions { source, ..AttachOptions::of_user(Hold::UntilDown, LEFTOVERS)? };
            Ok(Box::new(KeptProvider::new(options, CAPABILITIES)))
        }
    }
}

/// A kept cluster by kind needs nobody who holds it: its containers run on.
fn kind_provider(keep: Keep, node_image: Option<String>) -> Result<KindProvider, ClusterError> {
    let keeping = if keep == Keep::Never { Keeping::Delete } else { Keeping::Keep };
    Ok(KindProvider::new(keeping, node_image, Registry::of_user(LEFTOVERS)?))
}

fn console(how: &How, record: &Arc<RunRecord>) -> Console<Box<dyn io::Write + Send>> {
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

fn opening(resolved: &Resolved, provider: &str) -> String {
    let run = &resolved.run;
    let plan = resolved.request.plan.as_ref().map(|plan| format!("  plan {plan}")).unwrap_or_default();
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
    plan: RunPlan,
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

/// The folder of the run; one that already holds a run is refused.
fn open_folder(named: Option<&Path>, id: &str) -> Result<PathBuf, Failure> {
    let folder = named.map_or_else(|| Path::new("target/jobsworth").join(id), Path::to_owned);
    if folder.join("run.json").exists() {
        let says = format!("failed to use the folder {}: it already holds a run", folder.display());
        return Err(Failure::misuse_with(says, "choose another with --out, or remove it"));
    }
    fs::create_dir_all(&folder)
        .map_err(|error| Failure::misuse(format!("failed to create the folder {}: {error}", folder.display())))?;
    Ok(folder)
}
