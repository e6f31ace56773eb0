//! `slo`: which service levels there are, and whether a record of `load` shows that they are kept.

use super::{Failure, Stdout, small_file::read_at_most};
use crate::{
    case::Catalogue,
    load::{
        answer,
        calibration::{self, Calibration},
        comparison::{Comparison, SCHEMA},
    },
    plan::PlanError,
    report::{Exit, escape::block, store, stored},
    slo::{
        answer::{Answer, Finding},
        objective::{self, Judged, Measure, Objective},
    },
};
use clap::{Args, Subcommand};
use comfy_table::{ContentArrangement, Table, presets};
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Say which objectives a record of `load` meets, misses, or cannot tell: exit code 4 if one is missed.
    Check {
        /// A `load.json`, or the folder that it is in.
        #[arg(value_name = "RUN")]
        run: PathBuf,
        /// Objectives of your own in place of those that come along.
        #[arg(long, value_name = "FILE")]
        objectives: Option<PathBuf>,
        /// What this machine takes, made by `slo calibrate`: without it objectives in absolute numbers are not judged. One of
        /// another machine is refused.
        #[arg(long, value_name = "FILE")]
        calibration: Option<PathBuf>,
        /// Print JSON, one object for each objective and controller.
        #[arg(long)]
        json: bool,
    },
    /// Keep what this machine takes, from a record of `load` with three trials or more of each profile.
    Calibrate {
        /// A `load.json`, or the folder that it is in.
        #[arg(value_name = "RUN")]
        run: PathBuf,
        /// File for the calibration.
        #[arg(short, long, value_name = "FILE", default_value = "calibration.json")]
        out: PathBuf,
    },
    /// List the objectives with their sources and what they are measured by.
    Show {
        /// Objectives of your own in place of those that come along.
        #[arg(long, value_name = "FILE")]
        objectives: Option<PathBuf>,
    },
}

pub(super) fn execute(arguments: Arguments, catalogue: &Catalogue, stdout: &mut Stdout) -> Result<Exit, Failure> {
    match arguments.what {
        What::Check { run, objectives, calibration, json } => {
            let objectives = read(objectives, catalogue)?;
            let record = record(&run)?;
            let calibration = calibration.map(|file| fitting(&file, &record)).transpose()?;
            let findings = answer::all(&objectives, &record, calibration.as_ref());
            stdout.line(&if json { store::json(&findings) } else { block(&checked(&findings)) })?;
            Ok(exit(&findings))
        }
        What::Calibrate { run, out } => {
            let calibration = Calibration::of(&record(&run)?).map_err(|why| {
                let help = "load the profiles in full size and to the end, with --pairs 3 or --trials 3 at least";
                Failure::misuse_with(block(&format!("failed to calibrate from {}: {why}", run.display())), help)
            })?;
            store::write_whole(&out, store::json(&calibration).as_bytes())?;
            let (known, out) = (calibration.known.len(), out.display());
            stdout.line(&block(&format!("{known} figures of {} in {out}", calibration.host.cpu)))?;
            Ok(Exit::Held)
        }
        What::Show { objectives } => {
            stdout.line(&block(&shown(&read(objectives, catalogue)?)))?;
            Ok(Exit::Held)
        }
    }
}

fn record(run: &Path) -> Result<Comparison, Failure> {
    let file = if run.is_dir() { run.join("load.json") } else { run.to_owned() };
    Ok(stored::of_schema(&file, SCHEMA)?)
}

/// A calibration of the machine on which the record was made.
fn fitting(file: &Path, record: &Comparison) -> Result<Calibration, Failure> {
    let calibration: Calibration = stored::of_schema(file, calibration::SCHEMA)?;
    calibration.fits(record).map_err(|why| {
        let says = block(&format!("failed to hold the record against {}: {why}", file.display()));
        let help = "calibrate this machine with `slo calibrate`, load in full size, or leave --calibration out";
        Failure::misuse_with(says, help)
    })?;
    Ok(calibration)
}

fn read(file: Option<PathBuf>, catalogue: &Catalogue) -> Result<Vec<Objective>, Failure> {
    let (text, name) = match file {
        Some(file) => (read_at_most(&file, "objectives")?, file.display().to_string()),
        None => (catalogue.objectives.to_owned(), "slos".to_owned()),
    };
    Ok(objective::parse(&text, &name).map_err(PlanError::from)?)
}

/// What was measured and is unclear leaves the question open, and so does what was calibrated and not measured, and a record that
/// answers none.
fn exit(findings: &[Finding]) -> Exit {
    let any = |answer: Answer| findings.iter().any(|finding| finding.answer == answer);
    let is_unheld = |finding: &Finding| finding.is_calibrated() && finding.answer == Answer::NotMeasured;
    if any(Answer::Missed) {
        Exit::Missed
    } else if any(Answer::CannotTell) || findings.iter().any(is_unheld) || !any(Answer::Met) {
        Exit::Undecided
    } else {
        Exit::Held
    }
}

fn checked(findings: &[Finding]) -> String {
    let mut table = table(&["objective", "controller", "answer", "measured", "promise"]);
    for finding in findings {
        table.add_row([&finding.id, &finding.controller, finding.answer.word(), &finding.measured, &finding.says]);
    }
    let count = |answer| findings.iter().filter(|finding| finding.answer == answer).count();
    format!(
        "{table}\n\n{} met, {} missed, {} cannot be told, {} not measured, {} not judged",
        count(Answer::Met),
        count(Answer::Missed),
        count(Answer::CannotTell),
        count(Answer::NotMeasured),
        count(Answer::NotJudged)
    )
}

fn shown(objectives: &[Objective]) -> String {
    let mut table = table(&["objective", "promise", "source", "measured by", "profiles", "judged"]);
    for one in objectives {
        let by = match &one.measure {
            Measure::Histogram(series) => format!("{} at {}", series.metric, series.share),
            Measure::Share(part) => format!("share of {}", part.metric),
            Measure::Latency(wait) => format!("{} at {}", wait.name, wait.share),
            Measure::Figure(single) => single.name.clone(),
            Measure::Between(pair) => format!("{} of {} over {}", pair.name, pair.of, pair.over),
            Measure::Quantiles(pair) => {
                format!("{} at {} of {} over {}", pair.metric, pair.share, pair.of, pair.over)
            }
        };
        let profiles = if one.profiles.is_empty() { "any".to_owned() } else { one.profiles.join(", ") };
        let judged = match one.judged {
            Judged::Anywhere => "anywhere",
            Judged::Calibrated => "where calibrated",
        };
        let source = format!("{}, {}", one.source, one.section);
        table.add_row([one.id.clone(), one.says.clone(), source, by, profiles, judged.to_owned()]);
    }
    format!("{table}\n\n{} objectives", objectives.len())
}

fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(header);
    table
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::slo::answer::CALIBRATION;

    /// An objective with this answer, of this source.
    fn finding(answer: Answer, source: &str) -> Finding {
        Finding {
            id: "A".to_owned(),
            says: String::new(),
            source: source.to_owned(),
            controller: String::new(),
            answer,
            measured: String::new(),
        }
    }

    #[rstest]
    #[case::all_met(&[Answer::Met, Answer::NotMeasured], Exit::Held)]
    #[case::one_missed(&[Answer::Met, Answer::CannotTell, Answer::Missed], Exit::Missed)]
    #[case::one_unclear(&[Answer::Met, Answer::CannotTell], Exit::Undecided)]
    #[case::nothing_measured(&[Answer::NotMeasured, Answer::NotJudged], Exit::Undecided)]
    #[case::one_not_judged(&[Answer::Met, Answer::NotJudged], Exit::Held)]
    fn the_exit_code_is_that_of_the_worst_answer(#[case] answers: &[Answer], #[case] code: Exit) {
        let findings: Vec<Finding> = answers.iter().map(|&answer| finding(answer, "KEP-2214, risks")).collect();
        assert_eq!(exit(&findings), code);
    }

    #[rstest]
    #[case::is_open_if_it_was_not_measured(Answer::Met, Answer::NotMeasured, Exit::Undecided)]
    #[case::does_not_hide_what_is_missed(Answer::Missed, Answer::NotMeasured, Exit::Missed)]
    #[case::may_be_missed(Answer::Met, Answer::Missed, Exit::Missed)]
    #[case::may_be_all_that_is_met(Answer::NotMeasured, Answer::Met, Exit::Held)]
    fn what_was_calibrated(#[case] objective: Answer, #[case] calibrated: Answer, #[case] code: Exit) {
        let findings = [finding(objective, "KEP-2214, risks"), finding(calibrated, CALIBRATION)];
        assert_eq!(exit(&findings), code);
    }
}
