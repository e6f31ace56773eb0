//! `judge`: the timelines of a stored run, judged again by this program's catalogue, without a cluster.

use super::{Failure, Global, Stdout};
use crate::{
    case::{AnyCase, Catalogue},
    report::{
        Exit, ReportError,
        console::{Paint, Volume},
        escape::terminal,
        rejudge,
        schema::{
            Run, State, Verdict,
            verdicts::{CheckRecord, JudgedCase, JudgedSentence, VERDICTS, Verdicts},
        },
        store, stored, wording,
    },
    sweep,
};
use clap::{Args, ValueEnum};
use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

#[derive(Args)]
pub(super) struct Arguments {
    /// The folder of the run; of a sweep that of one of its parts, `sweep/part-1`.
    #[arg(value_name = "RUN")]
    folder: PathBuf,
    /// Text for people, or the verdicts as in verdicts.json.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Replace verdicts.json by the new verdicts.
    #[arg(long)]
    write: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    #[default]
    Text,
    Json,
}

pub(super) fn execute(
    arguments: &Arguments,
    global: Global,
    catalogue: &Catalogue,
    stdout: &mut Stdout,
) -> Result<Exit, Failure> {
    let folder = &arguments.folder;
    let run = stored::run(folder)?;
    let points = sweep::points_of(folder, catalogue)?;
    let listed = rejudge::claims_of(catalogue);
    let claims = |id: &str| points.get(id).map_or_else(|| listed(id), |point| Ok(AnyCase::expects(*point)));
    let verdicts = rejudge::all(&run, folder, &claims)?;
    let text = store::json(&verdicts);
    let path = folder.join("verdicts.json");
    let same = compare(&path, &text)?;
    if arguments.write {
        store::write_whole(&path, text.as_bytes())?;
    }
    match arguments.format {
        Format::Json => stdout.write(&text)?,
        Format::Text => {
            let paint = stdout.paint;
            let told =
                verdicts.cases.iter().filter(|case| global.volume() != Volume::Quiet || case.verdict != Verdict::Pass);
            let told: String = told.map(|case| case_text(case, paint)).collect();
            stdout.write(&told)?;
            stdout.line(&sum(&verdicts, same))?;
            if run.state == State::Running {
                stdout
                    .line("the run did not end in order: its run.json is from its beginning, so cases are missing")?;
            }
        }
    }
    Ok(exit(&run, &verdicts))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Same {
    Identical,
    Different,
    NothingStored,
}

fn compare(path: &Path, text: &str) -> Result<Same, Failure> {
    let stored = match fs::read_to_string(path) {
        Ok(stored) => stored,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Same::NothingStored),
        Err(source) => return Err(ReportError::File { what: "read", path: path.to_owned(), source }.into()),
    };
    if stored == text {
        return Ok(Same::Identical);
    }
    // A file that is no verdicts at all was edited; that is another trouble than another verdict.
    stored::of_schema::<Verdicts>(path, VERDICTS)?;
    Ok(Same::Different)
}

fn case_text(case: &JudgedCase, paint: Paint) -> String {
    let word = match case.verdict {
        Verdict::Pass => paint.good("PASS"),
        Verdict::Fail => paint.bad("FAIL"),
        Verdict::Deviates => paint.warn("DEV "),
        _ => paint.warn("OPEN"),
    };
    let attempt = if case.attempt > 1 { format!(" #{}", case.attempt) } else { String::new() };
    let mut text = format!("  {word}  {}  {}{attempt}\n", terminal(&case.cell), terminal(&case.case));
    for sentence in &case.sentences {
        text += &sentence_text(sentence);
    }
    if let Some(deviation) = &case.deviation {
        let _ = writeln!(text, "        {}", wording::known(deviation));
    }
    for doubt in &case.doubts {
        let _ = writeln!(text, "        doubt: {}", terminal(doubt));
    }
    text
}

fn sentence_text(sentence: &JudgedSentence) -> String {
    let CheckRecord::Broken(breach) = &sentence.check else { return String::new() };
    let by = if sentence.source.0 == "claim" { String::new() } else { format!("invariant {} ", sentence.source.0) };
    let at = Duration::from_micros(breach.at_us).as_secs_f64();
    format!(
        "        {by}“{}” broken at t+{at:.3}s (revision {})\n          expected  {}\n          observed  {}\n",
        terminal(&sentence.says),
        breach.revision,
        terminal(&breach.expected),
        terminal(&breach.observed)
    )
}

fn sum(verdicts: &Verdicts, same: Same) -> String {
    let count = |verdict| verdicts.cases.iter().filter(|case| case.verdict == verdict).count();
    let same = match same {
        Same::Identical => "identical to the stored verdicts, byte for byte",
        Same::Different => "not the stored verdicts: another program judged, or a timeline was edited",
        Same::NothingStored => "there are no stored verdicts to compare with",
    };
    let known = match count(Verdict::Deviates) {
        0 => String::new(),
        number => format!("{number} deviating as known, "),
    };
    format!(
        "judged again: {} passed, {known}{} failed, {} inconclusive; {same}",
        count(Verdict::Pass),
        count(Verdict::Fail),
        count(Verdict::Inconclusive)
    )
}

/// By the new verdicts; what had none in the run still has none.
fn exit(run: &Run, verdicts: &Verdicts) -> Exit {
    let any = |verdict| verdicts.cases.iter().any(|case| case.verdict == verdict);
    let cut = run.state == State::Running || run.cases.iter().any(|case| case.verdict == Verdict::Incomplete);
    let lost = run.cells.iter().any(|cell| cell.lost.is_some());
    match () {
        () if any(Verdict::Fail) => Exit::Broken,
        () if any(Verdict::Inconclusive) || cut || lost || verdicts.cases.is_empty() => Exit::Undecided,
        () => Exit::Held,
    }
}
