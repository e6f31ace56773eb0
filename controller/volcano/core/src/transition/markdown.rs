//! The transition table as Markdown, for the page about the Volcano controller.

use std::fmt::Write as _;

use super::{Cell, Column, Kill, Next, Pass, cell_of};
use crate::{Phase, Profile, progress};

/// The phases in the order of the table.
pub const PHASES: [Phase; 10] = [
    Phase::Pending,
    Phase::Running,
    Phase::Restarting,
    Phase::Aborting,
    Phase::Aborted,
    Phase::Completing,
    Phase::Terminating,
    Phase::Completed,
    Phase::Failed,
    Phase::Terminated,
];

/// The table of a profile: one line per phase, one column per kind of action.
#[must_use]
pub fn table(profile: Profile) -> String {
    let heads = [
        "SyncJob",
        "RestartJob",
        "RestartTask, RestartPod, RestartPartition",
        "AbortJob",
        "TerminateJob",
        "CompleteJob",
        "ResumeJob",
        "any other word",
    ];
    let mut text = format!("| phase | {} |\n|---|{}\n", heads.join(" | "), "---|".repeat(heads.len()));
    for phase in PHASES {
        let cells = Column::ALL.map(|column| words(profile, phase, cell_of(profile, phase, column)));
        // Writing to a text cannot fail.
        let _ = writeln!(text, "| {} | {} |", phase.as_str(), cells.join(" | "));
    }
    text
}

/// `hard; Restarting; +1`.
fn words(profile: Profile, phase: Phase, cell: Cell) -> String {
    let pass = match cell.pass {
        Pass::Sync => "sync",
        Pass::Kill(Kill::Soft) => "soft",
        Pass::Kill(Kill::Hard) => "hard",
        Pass::Kill(Kill::Targeted) => "targeted",
    };
    let next = match cell.next {
        Next::Function => {
            let leads = progress::leads_to(profile, phase).iter().map(Phase::as_str);
            format!("stays or {}", leads.collect::<Vec<_>>().join(", "))
        }
        Next::To(next) => next.as_str().to_owned(),
        Next::WhenNoneAlive(next) => format!("{} when none alive", next.as_str()),
        Next::Stay => "stays".to_owned(),
    };
    format!("{pass}; {next}{}", if cell.retry { "; +1" } else { "" })
}
