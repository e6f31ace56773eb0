//! `sweep`: cases played with the controller struck at one of its writes each time.

use super::{
    Failure, Global, Stdout,
    run::{How, MessageFormat, carry_out},
    selection::{Planned, Selection, planned},
};
use crate::{
    case::{AnyCase, Catalogue, FaultNeeds},
    report::{Deviations, Exit, console::Volume, schema, store},
    run::{Turn, execute},
    sweep::{Baseline, Fate, Outcome, Point, PointRecord, SWEEP, SweepRecord, drawn},
};
use clap::Args;
use jobsworth_oracle::Timeline;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

#[derive(Args)]
#[command(after_help = "Exit codes: 0 every point held, 1 something is broken at one, 2 usage, 3 could not tell, \
                        130/143 stopped in order.")]
pub(super) struct Arguments {
    #[command(flatten)]
    selection: Selection,
    /// How many points at most: a write of a case, and what happens there. They are drawn by the seed.
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=100_000),
        help_heading = "Run")]
    points: u32,
    /// Folder for reports and timelines; target/jobsworth/sweep-SEED below the current folder without it.
    #[arg(short, long, value_name = "DIR", help_heading = "Output")]
    out: Option<PathBuf>,
    /// Go on with the sweep in the folder of --out: what was played is not played again.
    #[arg(long, requires = "out", help_heading = "Run")]
    resume: bool,
}

/// Plays the cases without faults, then the points, and writes `sweep.json` and `sweep.md`.
pub(super) fn execute(
    arguments: Arguments,
    global: Global,
    catalogue: &Catalogue,
    stdout: &mut Stdout,
) -> Result<Exit, Failure> {
    let Arguments { selection, points, out, resume } = arguments;
    let first = planned(selection.clone(), catalogue)?;
    let (cell, cases) = what_is_swept(&first)?;
    let mut seed = first.resolved.run.seed;
    let folder = out.unwrap_or_else(|| Path::new("target/jobsworth").join(format!("sweep-{seed}")));
    let known = before(&folder, resume, &cell)?;
    seed = known.as_ref().map_or(seed, |known| known.seed);
    let sweep = Sweep { folder, cell, stdout, global };

    let baselines = match sweep.baselines(first, &cases, catalogue)? {
        Ok(baselines) => baselines,
        Err(exit) => return Ok(exit),
    };
    let of = baselines.iter().map(|(_, baseline)| baseline.writes.len() * Fate::ALL.len()).sum();
    let writes = baselines.iter().map(|(case, found)| (case.about().id.to_owned(), found.writes.clone())).collect();
    let mut record = SweepRecord {
        schema: SWEEP.to_owned(),
        cell: sweep.cell.clone(),
        seed,
        of,
        writes,
        points: known.map(|known| known.points).unwrap_or_default(),
    };
    let done: BTreeSet<String> = record.points.iter().map(|point| point.id.clone()).collect();
    let most = usize::try_from(points).unwrap_or(usize::MAX);
    let fresh = drawn(&baselines, most, seed, &done);
    let exit = if fresh.is_empty() {
        Exit::Held
    } else {
        sweep.play(planned(selection, catalogue)?, &fresh, catalogue, &mut record)?
    };
    store::write_whole(&sweep.folder.join("sweep.json"), store::json(&record).as_bytes())?;
    let text = record.markdown();
    store::write_whole(&sweep.folder.join("sweep.md"), text.as_bytes())?;
    let shown = format!("\n{text}\nsweep     {}\n", sweep.folder.join("sweep.md").display());
    sweep.stdout.write(&shown)?;
    Ok(ended(exit, &record))
}

/// A stop counts as such; else what the points came to, those of earlier parts too.
fn ended(exit: Exit, record: &SweepRecord) -> Exit {
    match exit {
        Exit::Stopped(signal) => Exit::Stopped(signal),
        _ if record.count(Outcome::Broken) > 0 => Exit::Broken,
        _ if record.count(Outcome::Undecided) > 0 || record.count(Outcome::Held) == 0 => Exit::Undecided,
        _ => Exit::Held,
    }
}

/// The cell and its cases, as far as something can be made to happen in them.
fn what_is_swept(planned: &Planned<'static>) -> Result<(String, Vec<&'static dyn AnyCase>), Failure> {
    let [plan] = planned.resolved.run.cells.as_slice() else {
        return Err(Failure::misuse_with("failed to sweep several cells", "name one version and one controller"));
    };
    if plan.cell.spec.route.is_direct() {
        let says = format!("failed to sweep with the provider `{}`: requests pass no proxy there", plan.cell.provider);
        return Err(Failure::misuse_with(says, "use --provider local, without --keep"));
    }
    let is_calm = |case: &&'static dyn AnyCase| {
        let needs = case.about().needs;
        needs.faults == FaultNeeds::Nothing && !needs.restarts_subject && !needs.changes_cluster()
    };
    let cases: Vec<_> =
        plan.turns.iter().filter(|turn| turn.attempt == 1).map(|turn| turn.case).filter(is_calm).collect();
    if cases.is_empty() {
        let says =
            "failed to find a case to sweep: all that are selected handle the controller or the cluster themselves";
        return Err(Failure::misuse_with(says, "`jobsworth list cases` has others"));
    }
    Ok((plan.cell.id.clone(), cases))
}

/// What an earlier part of the sweep left in this folder.
fn before(folder: &Path, resume: bool, cell: &str) -> Result<Option<SweepRecord>, Failure> {
    let path = folder.join("sweep.json");
    let shown = folder.display();
    match (path.exists(), resume) {
        (false, _) => Ok(None),
        (true, false) => {
            let says = format!("failed to use the folder {shown}: it already holds a sweep");
            Err(Failure::misuse_with(says, "go on with it by --resume, or choose another with --out"))
        }
        (true, true) => {
            let unreadable = |why: String| Failure::misuse(format!("failed to read {}: {why}", path.display()));
            let text = fs::read(&path).map_err(|error| unreadable(error.to_string()))?;
            let known: SweepRecord = serde_json::from_slice(&text).map_err(|error| unreadable(error.to_string()))?;
            if known.cell != cell {
                let says = format!("failed to go on with the sweep in {shown}: it is of {}, not of {cell}", known.cell);
                return Err(Failure::misuse_with(says, "name the same version and controller, or another folder"));
            }
            Ok(Some(known))
        }
    }
}

/// Cases, and what they do without faults.
type Baselines = Vec<(&'static dyn AnyCase, Baseline)>;

/// A sweep under way.
struct Sweep<'s> {
    folder: PathBuf,
    cell: String,
    stdout: &'s mut Stdout,
    global: Global,
}

impl Sweep<'_> {
    /// The cases without faults: played, unless an earlier part of the sweep has. The exit where that was stopped.
    fn baselines(
        &self,
        mut planned: Planned<'static>,
        cases: &[&'static dyn AnyCase],
        catalogue: &Catalogue,
    ) -> Result<Result<Baselines, Exit>, Failure> {
        let folder = self.folder.join("baseline");
        if !folder.join("verdicts.json").exists() {
            turns_of(&mut planned, cases);
            let exit = carry_out(planned, self.how(&folder), catalogue, &[])?.exit;
            if let Exit::Stopped(_) = exit {
                return Ok(Err(exit));
            }
        }
        let verdicts = verdicts(&folder)?;
        let held = |case: &&&'static dyn AnyCase| {
            let verdict = verdicts.get(case.about().id).map(|judged| judged.verdict);
            matches!(verdict, Some(schema::Verdict::Pass | schema::Verdict::Deviates))
        };
        let baseline = |case: &&'static dyn AnyCase| {
            Some((*case, Baseline::of(&self.timeline("baseline", case.about().id).ok()?)?))
        };
        let found: Vec<_> = cases.iter().filter(held).filter_map(baseline).collect();
        if found.is_empty() {
            let says = "no case held without faults: there is nothing to compare with";
            return Err(Failure::undecided(format!("{says}; see {}", folder.display())));
        }
        Ok(Ok(found))
    }

    /// Plays points; what became of them goes into the record.
    fn play(
        &self,
        mut planned: Planned<'static>,
        points: &[&'static Point],
        catalogue: &Catalogue,
        record: &mut SweepRecord,
    ) -> Result<Exit, Failure> {
        let part = (1..).map(|number| format!("part-{number}")).find(|part| !self.folder.join(part).exists());
        let part = part.expect("numbers do not end");
        let cases: Vec<&'static dyn AnyCase> = points.iter().map(|&point| point as &dyn AnyCase).collect();
        turns_of(&mut planned, &cases);
        let folder = self.folder.join(&part);
        let exit = carry_out(planned, self.how(&folder), catalogue, &cases)?.exit;
        let verdicts = verdicts(&folder)?;
        for point in points {
            let Some(judged) = verdicts.get(point.id()) else { continue };
            let reached = self.timeline(&part, point.id()).is_ok_and(|timeline| was_struck(&timeline));
            record.points.push(outcome(point, judged, reached, self.path(&part, point.id())));
        }
        Ok(exit)
    }

    fn how(&self, folder: &Path) -> How {
        How {
            out: Some(folder.to_owned()),
            messages: MessageFormat::Human,
            volume: quieter(self.global.volume()),
            paint: self.stdout.paint,
            deviations: Deviations::Tell,
        }
    }

    fn timeline(&self, part: &str, id: &str) -> Result<Timeline, String> {
        execute::read(&self.folder.join(self.path(part, id)))
    }

    fn path(&self, part: &str, id: &str) -> String {
        let file = execute::timeline_of(&self.cell, id, 1);
        format!("{part}/{}", file.display())
    }
}

/// The table tells what matters; of each part only what is wrong.
fn quieter(volume: Volume) -> Volume {
    match volume {
        Volume::Verbose => Volume::Verbose,
        Volume::Normal | Volume::Quiet => Volume::Quiet,
    }
}

/// Every case once, in this order.
fn turns_of(planned: &mut Planned<'static>, cases: &[&'static dyn AnyCase]) {
    for plan in &mut planned.resolved.run.cells {
        plan.turns = cases.iter().map(|&case| Turn { case, attempt: 1 }).collect();
        plan.skips.clear();
    }
}

fn verdicts(folder: &Path) -> Result<BTreeMap<String, schema::verdicts::JudgedCase>, Failure> {
    let judged = store::verdicts(folder)?.map(|verdicts| verdicts.cases).unwrap_or_default();
    Ok(judged.into_iter().map(|case| (case.case.clone(), case)).collect())
}

/// Whether what was to happen has happened.
fn was_struck(timeline: &Timeline) -> bool {
    timeline.requests().any(|(_, request)| request.fault.is_some())
}

fn outcome(point: &Point, judged: &schema::verdicts::JudgedCase, reached: bool, timeline: String) -> PointRecord {
    let (outcome, because) = match judged.verdict {
        schema::Verdict::Fail => (Outcome::Broken, judged.broken_in_words()),
        schema::Verdict::Pass | schema::Verdict::Deviates if reached => (Outcome::Held, Vec::new()),
        schema::Verdict::Pass | schema::Verdict::Deviates => (Outcome::NotReached, Vec::new()),
        _ => (Outcome::Undecided, judged.doubts.clone()),
    };
    PointRecord {
        id: point.id().to_owned(),
        case: point.case_id().to_owned(),
        write: point.write(),
        fate: point.fate(),
        outcome,
        because,
        timeline,
    }
}
