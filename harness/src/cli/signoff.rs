//! `signoff`: what a KEP asks for, against what runs have shown.

use super::{Failure, Global, Stdout, attended::Attended};
use crate::{
    case::Catalogue,
    report::{Exit, escape::terminal, store},
    signoff::{
        self,
        kep::{self, KepError, Proof},
        sheet::{Sheet, State},
        stored,
    },
};
use clap::{Args, ValueEnum};
use std::{collections::BTreeSet, path::PathBuf};

/// Writes the sheet of a KEP: each criterion, its requirements, the cases that judged them, where, and the evidence with its SHA-256.
///
/// What nothing has shown is a red line. The same runs make the same bytes.
#[derive(Args)]
pub(super) struct Arguments {
    /// The KEP, for example KEP-3998; `jobsworth list keps` has those that there are.
    #[arg(value_name = "KEP")]
    kep: String,
    /// Folders of runs.
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    /// In which form.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Write it to this file instead of stdout. Links count from the folder that holds the folders of the runs.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// End with 1 where a criterion is broken, with 3 where one was not shown; what people have to tell does not count.
    #[arg(long)]
    require_complete: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For an issue, a pull request or a mail.
    #[default]
    Markdown,
    /// One page that needs nothing beside it.
    Html,
}

pub(super) fn execute(
    arguments: &Arguments,
    global: Global,
    catalogue: &Catalogue,
    stdout: &mut Stdout,
) -> Result<Exit, Failure> {
    let kep = kep::find(&arguments.kep, catalogue)?;
    let wanted: BTreeSet<&str> = kep
        .criteria
        .iter()
        .flat_map(|criterion| match &criterion.proof {
            Proof::Requirements(numbers) => numbers.as_slice(),
            Proof::ByHand(_) => &[],
        })
        .map(String::as_str)
        .collect();
    let runs = {
        let attended = Attended::begin("reading", global.volume())?;
        let counts = |case: &crate::report::schema::CaseRecord| {
            case.requirements.iter().any(|number| wanted.contains(number.as_str()))
        };
        stored::read(&arguments.runs, &counts, &|what| attended.heard(what))?
    };
    let sheet = Sheet::of(kep.clone(), &runs, catalogue);
    let text = match arguments.format {
        Format::Markdown => signoff::markdown(&sheet),
        Format::Html => signoff::html(&sheet),
    };
    match &arguments.output {
        None => stdout.write(&text)?,
        Some(path) => {
            store::write_whole(path, text.as_bytes())?;
            stdout.line(&format!(
                "{}  KEP-{}: {}",
                terminal(&path.display().to_string()),
                sheet.kep.number,
                sheet.sum()
            ))?;
        }
    }
    Ok(if arguments.require_complete { exit(sheet.worst()) } else { Exit::Held })
}

fn exit(worst: State) -> Exit {
    match worst {
        State::Covered | State::ByHand => Exit::Held,
        State::NotJudged | State::NoCase | State::Open => Exit::Undecided,
        State::Deviates | State::Broken => Exit::Broken,
    }
}

impl From<KepError> for Failure {
    fn from(error: KepError) -> Self {
        match error {
            KepError::Unknown { asked, known } => Self::misuse_with(
                format!("there is no sign-off sheet for `{}`", terminal(&asked)),
                format!("there is one for {}", known.join("; ")),
            ),
            KepError::File(error) => Self::undecided(error.to_string()),
        }
    }
}
