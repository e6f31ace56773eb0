//! `slo`: which service levels there are, and whether a record of `load` shows that they are kept.

use super::{Failure, Stdout, small_file::read_at_most};
use crate::{
    case::Catalogue,
    load::{
        answer::{self, Answer, Finding},
        comparison::{Comparison, SCHEMA},
        slo::objective::{self, Measure, Objective},
    },
    plan::PlanError,
    report::{Exit, escape::block, store, stored},
};
use clap::{Args, Subcommand};
use comfy_table::{ContentArrangement, Table, presets};
use std::path::PathBuf;

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
        /// Print JSON, one object for each objective and controller.
        #[arg(long)]
        json: bool,
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
        What::Check { run, objectives, json } => {
            let objectives = read(objectives, catalogue)?;
            let file = if run.is_dir() { run.join("load.json") } else { run };
            let record: Comparison = stored::of_schema(&file, SCHEMA)?;
            let findings = answer::all(&objectives, &record);
            stdout.line(&if json { store::json(&findings) } else { block(&checked(&findings)) })?;
            Ok(exit(&findings))
        }
        What::Show { objectives } => {
            stdout.line(&block(&shown(&read(objectives, catalogue)?)))?;
            Ok(Exit::Held)
        }
    }
}

fn read(file: Option<PathBuf>, catalogue: &Catalogue) -> Result<Vec<Objective>, Failure> {
    let (text, name) = match file {
        Some(file) => (read_at_most(&file, "objectives")?, file.display().to_string()),
        None => (catalogue.objectives.to_owned(), "slos".to_owned()),
    };
    Ok(objective::parse(&text, &name).map_err(PlanError::from)?)
}

/// What was measured and is unclear leaves the question open, and so does a record that answers none.
fn exit(findings: &[Finding]) -> Exit {
    let any = |answer: Answer| findings.iter().any(|finding| finding.answer == answer);
    if any(Answer::Missed) {
        Exit::Missed
    } else if any(Answer::CannotTell) || !any(Answer::Met) {
        Exit::Undecided
    } else {
        Exit::Held
    }
}

fn checked(findings: &[Finding]) -> String {
    let mut table = table(&["objective", "controller", "answer", "measured", "promise"]);
    for finding in findings {
        table.add_row([&finding.id, &finding.controller, word(finding.answer), &finding.measured, &finding.says]);
    }
    let count = |answer| findings.iter().filter(|finding| finding.answer == answer).count();
    format!(
        "{table}\n\n{} met, {} missed, {} cannot be told, {} not measured",
        count(Answer::Met),
        count(Answer::Missed),
        count(Answer::CannotTell),
        count(Answer::NotMeasured)
    )
}

fn word(answer: Answer) -> &'static str {
    match answer {
        Answer::Met => "met",
        Answer::Missed => "missed",
        Answer::CannotTell => "cannot tell",
        Answer::NotMeasured => "not measured",
    }
}

fn shown(objectives: &[Objective]) -> String {
    let mut table = table(&["objective", "promise", "source", "measured by", "profiles"]);
    for one in objectives {
        let by = match &one.measure {
            Measure::Histogram(series) => format!("{} at {}", series.metric, series.share),
            Measure::Share(part) => format!("share of {}", part.metric),
            Measure::Latency(wait) => format!("{} at {}", wait.name, wait.share),
            Measure::Figure(single) => single.name.clone(),
            Measure::Between(pair) => format!("{} of {} over {}", pair.name, pair.of, pair.over),
        };
        let profiles = if one.profiles.is_empty() { "any".to_owned() } else { one.profiles.join(", ") };
        table.add_row([one.id.clone(), one.says.clone(), format!("{}, {}", one.source, one.section), by, profiles]);
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

    #[rstest]
    #[case::all_met(&[Answer::Met, Answer::NotMeasured], Exit::Held)]
    #[case::one_missed(&[Answer::Met, Answer::CannotTell, Answer::Missed], Exit::Missed)]
    #[case::one_unclear(&[Answer::Met, Answer::CannotTell], Exit::Undecided)]
    #[case::nothing_measured(&[Answer::NotMeasured], Exit::Undecided)]
    fn the_exit_code_is_that_of_the_worst_answer(#[case] answers: &[Answer], #[case] code: Exit) {
        let finding = |&answer: &Answer| Finding {
            id: "A".to_owned(),
            says: String::new(),
            source: String::new(),
            controller: String::new(),
            answer,
            measured: String::new(),
        };
        assert_eq!(exit(&answers.iter().map(finding).collect::<Vec<_>>()), code);
    }
}
