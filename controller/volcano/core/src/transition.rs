//! The transition table of section 2.5, as data: what a phase does about an action (VJ-175 to VJ-188).

use crate::goals::Goals;
use crate::{Action, Phase, Profile, Tally, progress};

pub mod markdown;
mod tables;

/// Which pods a kill takes (VJ-148, VJ-154).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kill {
    /// All but those that ended.
    Soft,
    /// All; on the last attempt as soft (VJ-149).
    Hard,
    /// Those of a task, a pod or a partition, ended ones included.
    Targeted,
}

/// What is done to pods before the next phase is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Pods that are missing are created, surplus ones deleted.
    Sync,
    /// Pods are deleted.
    Kill(Kill),
}

/// How the next phase is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// By the phase's function of section 2.4.
    Function,
    /// It is this one.
    To(Phase),
    /// This one, once no pod is alive.
    WhenNoneAlive(Phase),
    /// The phase stays.
    Stay,
}

/// One cell of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// What is done to pods.
    pub pass: Pass,
    /// How the next phase is found.
    pub next: Next,
    /// Whether it counts as a retry.
    pub retry: bool,
}

/// The columns of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// `SyncJob`.
    Sync,
    /// `RestartJob`.
    Restart,
    /// `RestartTask`, `RestartPod`, `RestartPartition`.
    Target,
    /// `AbortJob`.
    Abort,
    /// `TerminateJob`.
    Terminate,
    /// `CompleteJob`.
    Complete,
    /// `ResumeJob`.
    Resume,
    /// Any other word, as a Command may have one (VJ-306).
    Other,
}

impl Column {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 8] = [
        Self::Sync,
        Self::Restart,
        Self::Target,
        Self::Abort,
        Self::Terminate,
        Self::Complete,
        Self::Resume,
        Self::Other,
    ];

    /// The column of an action.
    #[must_use]
    pub const fn of(action: &Action) -> Self {
        match action {
            Action::SyncJob => Self::Sync,
            Action::RestartJob => Self::Restart,
            Action::RestartTask | Action::RestartPod | Action::RestartPartition => Self::Target,
            Action::AbortJob => Self::Abort,
            Action::TerminateJob => Self::Terminate,
            Action::CompleteJob => Self::Complete,
            Action::ResumeJob => Self::Resume,
            _ => Self::Other,
        }
    }

    const fn at(self) -> usize {
        self as usize
    }
}

/// What a phase does about an action.
#[must_use]
pub fn cell(profile: Profile, phase: Phase, action: &Action) -> Cell {
    cell_of(profile, phase, Column::of(action))
}

/// A cell by its column.
#[must_use]
pub fn cell_of(profile: Profile, phase: Phase, column: Column) -> Cell {
    let row = tables::row(profile, phase);
    row.get(column.at()).copied().unwrap_or(tables::SYNC)
}

/// The phase after a pass, from the pods as the pass leaves them. `retries` includes the one that the cell counts.
#[must_use]
pub fn next_phase(profile: Profile, phase: Phase, cell: Cell, goals: &Goals, tally: &Tally, retries: i32) -> Phase {
    match cell.next {
        Next::Function => progress::after(profile, phase, goals, tally, retries),
        Next::To(next) => next,
        Next::WhenNoneAlive(next) if tally.all.none_alive() => next,
        Next::WhenNoneAlive(_) | Next::Stay => phase,
    }
}

/// Whether a job in that phase is done for good (VJ-182, VJ-236). An aborted one can be resumed.
#[must_use]
pub const fn is_end(phase: Phase) -> bool {
    matches!(phase, Phase::Completed | Phase::Failed | Phase::Terminated)
}

/// Whether an edge between two different phases is in the table, function and all (VJ-189).
#[must_use]
pub fn is_edge(profile: Profile, from: Phase, to: Phase) -> bool {
    Column::ALL.into_iter().any(|column| match cell_of(profile, from, column).next {
        Next::Function => progress::leads_to(profile, from).contains(&to),
        Next::To(next) | Next::WhenNoneAlive(next) => next == to,
        Next::Stay => false,
    })
}
