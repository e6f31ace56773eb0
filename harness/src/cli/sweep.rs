//! `sweep`: cases played with the controller struck at one of its writes each time.

use super::{
    Failure, Global, Stdout,
    run::{How, MessageFormat, carry_out},
    selection::{Planned, Selection, planned},
};
use crate::{
    case::{AnyCase, Catalogue, FaultNeeds},
    report::{Deviations, Exit, ReportError, console::Volume, schema::Run, store, stored},
    run::{Turn, execute},
    sweep::{Baseline, Played, Point, SWEEP, SweepRecord, baseline_name, drawn, part_name, parts},
};
use clap::Args;
use jobsworth_oracle::Timeline;
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(
    after_help = "Exit codes: 0 every point held or deviates as known, 1 something is broken at one, 2 usage, 3 could not tell, \
                        130/143 stopped in order."
)]
pub(super) struct Arguments {
    #[command(flatten)]
    selection: Selection,
    /// How many points at most: a write of a case, and what happens there. They are drawn by the seed.
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=100_000),
        help_heading = "Run")]
    points: u32,
    /// What points that deviate as is known of the controller come to: told and counted, or a failed sweep.
    #[arg(long, value_enum, default_value_t, env = "JOBSWORTH_DEVIATIONS", help_heading = "Run")]
    deviations: Deviations,
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
    let Arguments { selection, points, deviations, out, resume } = arguments;
    let first = planned(selection.clone(), catalogue)?;
    let (cell, cases) = what_is_swept(&first)?;
    let seed = first.resolved.run.seed;
    let folder = out.unwrap_or_else(|| Path::new("target/jobsworth").join(format!("sweep-{seed}")));
    let known = before(&folder, resume, &cell)?;
    let mut record = known.unwrap_or_else(|| SweepRecord::new(cell.clone(), seed));
    let sweep = Sweep { folder, cell, stdout, global, deviations };

    let (baselines, without_faults) = sweep.baselines(first, &cases, catalogue, &mut record)?;
    if let Exit::Stopped(_) = without_faults {
        return Ok(without_faults);
    }
    let most = usize::try_from(points).unwrap_or(usize::MAX);
    let fresh = drawn(&baselines, catalogue.known_ends, &record.fates, most, record.seed, &record.done());
    let struck = if fresh.is_empty() {
        Exit::Held
    } else {
        sweep.play(planned(selection, catalogue)?, &fresh, catalogue, &mut record)?
    };
    store::write_whole(&sweep.folder.join("sweep.json"), store::json(&record).as_bytes())?;
    let text = record.markdown();
    store::write_whole(&sweep.folder.join("sweep.md"), text.as_bytes())?;
    let shown = format!("\n{text}\nsweep     {}\n", sweep.folder.join("sweep.md").display());
    sweep.stdout.write(&shown)?;
    Ok(record.exit(&[without_faults, struck], deviations))
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
        needs.faults == FaultNeeds::Nothing && !needs.restarts_subject && !needs.has_its_own_cluster()
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
            let unreadable =
                |error: ReportError| Failure::misuse_with(error.to_string(), "choose another folder with --out");
            let known: SweepRecord = stored::of_schema(&path, SWEEP).map_err(unreadable)?;
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
    deviations: Deviations,
}

impl Sweep<'_> {
    /// The cases without faults. Those on which no earlier part of the sweep has a verdict are played, in a run of their own; with
    /// how that run ended. A case that does not hold is in the record, and no baseline.
    fn baselines(
        &self,
        mut planned: Planned<'static>,
        cases: &[&'static dyn AnyCase],
        catalogue: &Catalogue,
        record: &mut SweepRecord,
    ) -> Result<(Baselines, Exit), Failure> {
        let (parts, free) = parts(&self.folder, baseline_name);
        let mut played = Played::default();
        for part in &parts {
            played.add(part, &self.cell, self.run(part)?);
        }
        let mut exit = Exit::Held;
        let missing: Vec<_> = cases.iter().copied().filter(|case| !played.has_verdict(case.about().id)).collect();
        if !missing.is_empty() {
            turns_of(&mut planned, &missing);
            exit = carry_out(planned, self.how(&free), catalogue, &[])?.exit;
            if let Exit::Stopped(_) = exit {
                return Ok((Vec::new(), exit));
            }
            played.add(&free, &self.cell, self.run(&free)?);
        }
        record.hear(played.breakdowns());
        let mut found = Vec::new();
        for &case in cases {
            let id = case.about().id;
            let baseline = played.baseline(id, |path| self.timeline(path));
            record.learn(id, &baseline);
            found.extend(baseline.ok().map(|baseline| (case, baseline)));
        }
        Ok((found, exit))
    }

    /// Plays points; what became of each goes into the record, also where there is no verdict. With how the run ended.
    fn play(
        &self,
        mut planned: Planned<'static>,
        points: &[&'static Point],
        catalogue: &Catalogue,
        record: &mut SweepRecord,
    ) -> Result<Exit, Failure> {
        let (_, part) = parts(&self.folder, part_name);
        let cases: Vec<&'static dyn AnyCase> = points.iter().map(|&point| point as &dyn AnyCase).collect();
        turns_of(&mut planned, &cases);
        let exit = carry_out(planned, self.how(&part), catalogue, &cases)?.exit;
        let mut played = Played::default();
        played.add(&part, &self.cell, self.run(&part)?);
        record.hear(played.breakdowns());
        for point in points {
            let is_struck = |path: &str| self.timeline(path).is_ok_and(|timeline| was_struck(&timeline));
            record.enter(played.point(point, is_struck));
        }
        Ok(exit)
    }

    fn how(&self, part: &str) -> How {
        How {
            out: Some(self.folder.join(part)),
            messages: MessageFormat::Human,
            volume: quieter(self.global.volume()),
            paint: self.stdout.paint,
            deviations: self.deviations,
        }
    }

    fn run(&self, part: &str) -> Result<Run, ReportError> {
        stored::run(&self.folder.join(part))
    }

    /// By its path below the sweep's folder.
    fn timeline(&self, path: &str) -> Result<Timeline, String> {
        execute::read(&self.folder.join(path))
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

/// Whether what was to happen has happened.
fn was_struck(timeline: &Timeline) -> bool {
    timeline.requests().any(|(_, request)| request.fault.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use std::fs;

    #[rstest]
    #[case::of_this_cell(SWEEP, "cell", true)]
    #[case::of_another_cell(SWEEP, "other", false)]
    #[case::of_a_schema_that_is_not_known("jobsworth/sweep/v2", "cell", false)]
    #[case::of_something_else("jobsworth/run/v1", "cell", false)]
    fn a_sweep_goes_on_with_a_record_that_it_can_read(#[case] schema: &str, #[case] cell: &str, #[case] goes_on: bool) {
        let folder = tempfile::tempdir().unwrap();
        let record = SweepRecord { schema: schema.to_owned(), ..SweepRecord::new("cell".to_owned(), 7) };
        fs::write(folder.path().join("sweep.json"), store::json(&record)).unwrap();
        let found = before(folder.path(), true, cell);
        assert_eq!(found.is_ok_and(|known| known == Some(record)), goes_on);
        assert!(before(folder.path(), false, cell).is_err(), "nothing is overwritten unasked");
    }
}
