//! Exit codes, and which one wins when several apply.

use super::schema::{Cause, Run, Verdict};

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Every selected claim held.
    Held,
    /// A claim is broken.
    Broken,
    /// Usage or configuration error; nothing was started.
    Misuse,
    /// Could not tell: environment not proven, inconclusive, incomplete, or nothing selected.
    Undecided,
    /// Stopped in order after this signal: `SIGINT` or `SIGTERM`.
    Stopped(&'static str),
}

impl Exit {
    /// The number the process ends with.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Held => 0,
            Self::Broken => 1,
            Self::Misuse => 2,
            Self::Undecided => 3,
            Self::Stopped("SIGTERM") => 143,
            Self::Stopped(_) => 130,
        }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Every cause of the exit code, the one that decides first; none when every claim held.
///
/// The order is: stopped (130, 143), broken (1), could not tell (3). Misuse (2) ends the program before
/// there is a run. `unwritten` names reports that could not be written.
#[must_use]
pub fn causes(run: &Run, interrupted: Option<&'static str>, unwritten: &[String]) -> Vec<Cause> {
    let mut causes = Vec::new();
    let mut add = |exit: Exit, says: String| causes.push(Cause { code: exit.code(), says });
    if let Some(signal) = interrupted {
        add(Exit::Stopped(signal), format!("the run was stopped by {signal}"));
    }
    let count = |verdict: Verdict| run.cases.iter().filter(|case| case.verdict == verdict).count();
    for (verdict, exit, says) in [
        (Verdict::Fail, Exit::Broken, "failed"),
        (Verdict::Inconclusive, Exit::Undecided, "inconclusive"),
        (Verdict::Incomplete, Exit::Undecided, "incomplete"),
    ] {
        let number = count(verdict);
        if number > 0 {
            add(exit, format!("{number} {} {says}", if number == 1 { "case" } else { "cases" }));
        }
    }
    for cell in &run.cells {
        if let Some(lost) = &cell.lost {
            add(Exit::Undecided, format!("cell {} was lost: {}", cell.id, first_line(&lost.because)));
        }
    }
    for trouble in unwritten {
        add(Exit::Undecided, trouble.clone());
    }
    let judged = run.cases.iter().any(|case| case.verdict != Verdict::Skip);
    if !judged && causes.is_empty() {
        let says = if run.cases.is_empty() { "no case was selected" } else { "no selected case applies to a cell" };
        causes.push(Cause { code: Exit::Undecided.code(), says: says.to_owned() });
    }
    causes
}

/// The exit that the causes lead to.
#[must_use]
pub fn of(causes: &[Cause]) -> Exit {
    match causes.first().map(|cause| cause.code) {
        None => Exit::Held,
        Some(1) => Exit::Broken,
        Some(130) => Exit::Stopped("SIGINT"),
        Some(143) => Exit::Stopped("SIGTERM"),
        Some(_) => Exit::Undecided,
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or("")
}
