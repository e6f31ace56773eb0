//! What people see while a run goes on: a line per case, the first failure at once, an end block.
//!
//! On a terminal a bar and the running cases stand below; elsewhere a counter line comes at least every
//! 15 seconds. The text is for people and may change at any time; only JSON is an interface.

mod bars;
mod next;
mod paint;

pub use paint::{Colour, Paint, Surroundings};

use super::{
    escape::terminal,
    flakiness,
    schema::{Attested, BreakdownRecord, CaseRecord, Lost, Run, Verdict, What},
    skips, wording,
};
use crate::{
    cluster::{Step, pace::Pace},
    run::{CaseReport, Event, EventKind, Sink},
};
use bars::Bars;
use std::{
    collections::BTreeSet,
    fmt::Write as _,
    io::{self, Write},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// How long a log may be silent.
const SILENCE: Duration = Duration::from_secs(15);

/// How much is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Volume {
    /// Failures and the end block.
    Quiet,
    /// A line per case.
    Normal,
    /// Skips and every step too.
    Verbose,
}

/// Writes for people.
pub struct Console<W: Write + Send> {
    paint: Paint,
    volume: Volume,
    /// Renders a finished case; the record knows its claim and how to run it again.
    record: Box<dyn Fn(&CaseReport) -> CaseRecord + Send + Sync>,
    state: Mutex<Shared<W>>,
}

struct Shared<W> {
    writer: W,
    bars: Option<Bars>,
    turns: usize,
    done: usize,
    failed: usize,
    running: BTreeSet<String>,
    last_line: Duration,
    pace: Pace,
    trouble: Option<io::Error>,
}

impl<W: Write + Send> Console<W> {
    /// A console that writes lines to `writer`; with `bars`, it draws on the terminal of stderr too.
    pub fn new(
        writer: W,
        paint: Paint,
        volume: Volume,
        bars: Drawing,
        record: impl Fn(&CaseReport) -> CaseRecord + Send + Sync + 'static,
    ) -> Self {
        let desk = Shared {
            writer,
            bars: (bars == Drawing::Bars).then(Bars::new),
            turns: 0,
            done: 0,
            failed: 0,
            running: BTreeSet::new(),
            last_line: Duration::ZERO,
            pace: Pace::default(),
            trouble: None,
        };
        Self { paint, volume, record: Box::new(record), state: Mutex::new(desk) }
    }

    /// Says that the run goes on, if nothing was said for a while. `elapsed` is the time since the run began.
    pub fn tick(&self, elapsed: Duration) {
        let mut desk = self.lock();
        if desk.bars.is_none() && elapsed.saturating_sub(desk.last_line) >= SILENCE {
            let counter = desk.counter(elapsed);
            desk.say(&counter, elapsed);
        }
    }

    /// Says one line, or several.
    pub fn say(&self, text: &str) {
        let mut desk = self.lock();
        let last = desk.last_line;
        desk.say(text, last);
    }

    /// Says what a quiet console does not.
    pub fn remark(&self, text: &str) {
        if self.volume != Volume::Quiet {
            self.say(text);
        }
    }

    /// The end of a run: counts, reports, exit.
    pub fn end(&self, run: &Run, reports: &[String]) {
        let block = end_block(run, reports, self.paint);
        let mut desk = self.lock();
        desk.bars = None;
        let last = desk.last_line;
        desk.say(&block, last);
    }

    /// What went wrong, if anything did. A reader that went away is nothing wrong.
    ///
    /// # Errors
    /// What the system said first.
    pub fn finish(self) -> io::Result<()> {
        let desk = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        match desk.trouble {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Shared<W>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn text_of(&self, event: &Event, desk: &mut Shared<W>) -> Option<String> {
        let paint = self.paint;
        let normal = self.volume != Volume::Quiet;
        let verbose = self.volume == Volume::Verbose;
        match &event.kind {
            EventKind::RunStarted { turns, .. } => {
                desk.turns = *turns;
                None
            }
            EventKind::Provisioning { cell, step } => {
                let told = normal && desk.tells(step, self.volume);
                told.then(|| format!("provision {cell}  {}", terminal(&step.to_string())))
            }
            EventKind::Attested { cell, attestation, .. } => {
                let attested = Attested::from(attestation.as_ref());
                (normal || !attested.holds).then(|| attest_line(cell, &attested, paint))
            }
            EventKind::ClusterChanged { cell, case, to, took, .. } => {
                let took = took.as_secs_f64();
                normal.then(|| format!("change    {cell}  {case}: {}, attested after {took:.1} s", terminal(to)))
            }
            EventKind::CellLost { cell, because, unexpected_exit } => {
                Some(lost_text(cell, &Lost::of(because, unexpected_exit.as_ref()), paint))
            }
            EventKind::ControllerBroke { cell, breakdown } => Some(broke_text(cell, &breakdown.into(), paint)),
            EventKind::SuspectsTried { cell, repeated_by } => Some(tried_text(cell, repeated_by, paint)),
            EventKind::PatienceShortened { cell, shortened } => {
                Some(format!("{} {cell}  {}", paint.warn("patience "), wording::shortened(shortened)))
            }
            EventKind::ObjectivesTold { cell, findings } => normal.then(|| wording::objectives(cell, findings)),
            EventKind::CaseSkipped { cell, case, because } => verbose.then(|| skip_text(cell, case, because, paint)),
            EventKind::CaseStarted { cell, case, attempt } => {
                desk.begin(&running_name(cell, case, *attempt));
                None
            }
            EventKind::CaseIncomplete { cell, case, attempt, because, .. } => {
                desk.end(&running_name(cell, case, *attempt), Verdict::Incomplete);
                let word = paint.warn("CUT ");
                // What a component said last stands above, where its cell was lost.
                let because = because.lines().next().unwrap_or_default();
                normal.then(|| format!("  {word}  {:>12}{cell}  {case}: {}", "", terminal(because)))
            }
            EventKind::CaseFinished(report) => {
                let record = (self.record)(report);
                desk.end(&running_name(&report.cell, report.case, report.attempt), record.verdict);
                let told = normal || record.verdict != Verdict::Pass;
                told.then(|| case_text(&record, paint))
            }
            EventKind::ClusterKept { cell, name } => {
                Some(format!("kept      {cell}  as {name}: jobsworth cluster kubeconfig {name}"))
            }
            EventKind::Warning(says) => Some(format!("{} {}", paint.warn("warning"), terminal(says))),
            // Told at once by whoever heard the signal.
            EventKind::Interrupted { .. } => None,
            EventKind::RunFinished { .. } => {
                desk.bars = None;
                (normal && desk.turns > 0).then(|| desk.counter(event.elapsed))
            }
        }
    }
}

/// Whether bars are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawing {
    /// On the terminal of stderr.
    Bars,
    /// Lines only.
    Lines,
}

impl<W: Write + Send> Sink for Console<W> {
    fn take(&self, event: &Event) {
        let mut desk = self.lock();
        if let Some(text) = self.text_of(event, &mut desk) {
            desk.say(&text, event.elapsed);
        } else if desk.bars.is_none() && event.elapsed.saturating_sub(desk.last_line) >= SILENCE {
            let counter = desk.counter(event.elapsed);
            desk.say(&counter, event.elapsed);
        }
    }
}

impl<W: Write> Shared<W> {
    fn say(&mut self, text: &str, elapsed: Duration) {
        if self.trouble.is_some() {
            return;
        }
        let writer = &mut self.writer;
        let mut write = || writeln!(writer, "{text}").and_then(|()| writer.flush());
        let written = match &self.bars {
            Some(bars) => bars.aside(write),
            None => write(),
        };
        self.trouble = written.err();
        self.last_line = elapsed;
    }

    fn counter(&self, elapsed: Duration) -> String {
        let (done, turns, failed) = (self.done, self.turns, self.failed);
        format!("… {done}/{turns} · {failed} failed · {} elapsed", wording::short(elapsed))
    }

    fn begin(&mut self, name: &str) {
        self.running.insert(name.to_owned());
        self.draw();
    }

    fn end(&mut self, name: &str, verdict: Verdict) {
        self.running.remove(name);
        self.done += 1;
        self.failed += usize::from(verdict == Verdict::Fail);
        self.draw();
    }

    fn draw(&self) {
        if let Some(bars) = &self.bars {
            bars.draw(self.done, self.turns, self.failed, &self.running);
        }
    }

    /// Whether a step is told: the first and last of a build and one now and then, the end of provisioning.
    fn tells(&self, step: &Step, volume: Volume) -> bool {
        use crate::binaries::Progress;
        match step {
            Step::Binaries(Progress::Downloading { .. } | Progress::Compiling { .. }) => {
                if let Some(bars) = &self.bars {
                    bars.note(&step.to_string());
                    return false;
                }
                self.pace.tells(step)
            }
            Step::Binaries(_) | Step::Up(_) | Step::PortsTaken(_) | Step::Joining(_) | Step::Doing(_) => true,
            Step::Started(_) | Step::Ready(..) => volume == Volume::Verbose,
        }
    }
}

fn running_name(cell: &str, case: &str, attempt: u32) -> String {
    format!("{cell}  {case}{}", if attempt > 1 { format!(" #{attempt}") } else { String::new() })
}

fn attest_line(cell: &str, attested: &Attested, paint: Paint) -> String {
    if attested.holds {
        return format!("attest    {cell}  {} facts {}", attested.rows.len(), paint.good("ok"));
    }
    let mut text = format!("attest    {cell}  {}", paint.bad("is not what was asked for"));
    for row in attested.rows.iter().filter(|row| !row.ok) {
        let (what, wanted, found) = (terminal(&row.what), terminal(&row.wanted), terminal(&row.found));
        let _ = write!(text, "\n          {}: {what}: wanted {wanted}, found {found}", row.component);
    }
    text
}

fn lost_text(cell: &str, lost: &Lost, paint: Paint) -> String {
    format!("{} {cell}  {}", paint.bad("LOST     "), wording::lost(lost).replace('\n', "\n          "))
}

fn broke_text(cell: &str, breakdown: &BreakdownRecord, paint: Paint) -> String {
    let word = match breakdown.what {
        What::Died => "DIED     ",
        What::Panicked => "PANICKED ",
    };
    format!("{} {cell}  {}", paint.bad(word), wording::breakdown(breakdown).replace('\n', "\n          "))
}

fn tried_text(cell: &str, repeated_by: &[String], paint: Paint) -> String {
    let says = match repeated_by {
        [] => "each of these cases was tried again alone, and the controller lived: the run fails".to_owned(),
        cases => format!("tried again alone, the controller died with {}", terminal(&cases.join(", "))),
    };
    format!("{} {cell}  {says}", paint.bad("DIED     "))
}

/// A case's line, and what went wrong below it.
#[must_use]
pub fn case_text(case: &CaseRecord, paint: Paint) -> String {
    let took = case.took_ms.map(|took| format!("[{:>7.3}s]", Duration::from_millis(took).as_secs_f64()));
    let word = match case.verdict {
        Verdict::Pass => paint.good("PASS"),
        Verdict::Fail => paint.bad("FAIL"),
        Verdict::Deviates => paint.warn("DEV "),
        Verdict::Inconclusive => paint.warn("OPEN"),
        Verdict::Incomplete => paint.warn("CUT "),
        Verdict::Skip => paint.dim("SKIP"),
    };
    let name = running_name(&case.cell, &case.case, case.attempt);
    let mut text = format!("  {word}  {}  {}", took.unwrap_or_default(), terminal(&name));
    if !matches!(case.verdict, Verdict::Pass | Verdict::Skip) {
        let _ = write!(text, "\n        {}: {}", terminal(&case.source), terminal(&case.claim));
        for line in wording::failure(case).lines() {
            let _ = write!(text, "\n        {}", terminal(line));
        }
    }
    if let (Verdict::Pass, Some(deviation)) = (case.verdict, &case.deviation) {
        let _ = write!(text, "\n        {}", wording::known(deviation));
    }
    text
}

/// A skipped case, and why.
#[must_use]
pub fn skip_text(cell: &str, case: &str, because: &str, paint: Paint) -> String {
    format!("  {}  {:>12}{}  {}: {}", paint.dim("SKIP"), "", terminal(cell), terminal(case), terminal(because))
}

/// The last lines of a run.
#[must_use]
pub fn end_block(run: &Run, reports: &[String], paint: Paint) -> String {
    let lost = run.cells.iter().filter(|cell| cell.lost.is_some()).count();
    let attested = run.cells.iter().filter(|cell| cell.attested.as_ref().is_some_and(|a| a.holds)).count();
    let lost = if lost > 0 { format!(", {lost} lost") } else { String::new() };
    let took = run.took_ms.map(|took| wording::short(Duration::from_millis(took))).unwrap_or_default();
    let mut text = paint.dim(&"─".repeat(74));
    let _ = write!(text, "\ncells     {} planned, {attested} attested{lost}", run.cells.len());
    let _ = write!(text, "\ncases     {}  in {took}", wording::tally(&run.outcome));
    text += &flakiness::lines(run);
    text += &skipped(run, reports);
    if !reports.is_empty() {
        let _ = write!(text, "\nreport    {}", terminal(&reports.join("   ")));
    }
    if let Some(exit) = &run.exit {
        let word = format!("exit {}", exit.code);
        let word = if exit.code == 0 { paint.good(&word) } else { paint.bad(&word) };
        let causes: Vec<String> = exit.causes.iter().map(|cause| terminal(&cause.says)).collect();
        let says = if causes.is_empty() { "every selected claim held".to_owned() } else { causes.join("; ") };
        let _ = write!(text, "\n{word}    {says}");
    }
    for (position, step) in next::steps(run, reports).iter().enumerate() {
        let head = if position == 0 { "next" } else { "" };
        let _ = write!(text, "\n{head:<10}{}", terminal(step));
    }
    text
}

/// How many cases were skipped for each kind of reason, and how to see which; nothing where none was.
fn skipped(run: &Run, reports: &[String]) -> String {
    let kinds = skips::kinds(run);
    let mut text = String::new();
    for (position, (count, kind)) in kinds.iter().enumerate() {
        let head = if position == 0 { "skipped" } else { "" };
        let _ = write!(text, "\n{head:<10}{count:>3}  {}", terminal(kind));
    }
    if !kinds.is_empty() {
        let folder = next::folder(reports).unwrap_or("RUN");
        let _ = write!(text, "\n{:<15}each by name: jobsworth report {} --verbose", "", terminal(folder));
    }
    text
}

#[cfg(test)]
mod tests;
