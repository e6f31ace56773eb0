//! The rows, profile by profile.

use super::{Cell, Kill, Next, Pass};
use crate::{Phase, Profile};

/// Synchronised, and the phase's function has its say.
pub const SYNC: Cell = Cell { pass: Pass::Sync, next: Next::Function, retry: false };

type Row = [Cell; 8];

const fn kill(kind: Kill, next: Next) -> Cell {
    Cell { pass: Pass::Kill(kind), next, retry: false }
}

const fn retry(kind: Kill) -> Cell {
    Cell { pass: Pass::Kill(kind), next: Next::To(Phase::Restarting), retry: true }
}

const fn soft(next: Phase) -> Cell {
    kill(Kill::Soft, Next::To(next))
}

const fn hard(next: Phase) -> Cell {
    kill(Kill::Hard, Next::To(next))
}

const STAY: Cell = kill(Kill::Soft, Next::Stay);
const RESTART_ON: Cell = kill(Kill::Hard, Next::Function);
const TARGET_ON: Cell = kill(Kill::Targeted, Next::Function);

/// VJ-175, VJ-176: the same for Pending and Running.
const ACTIVE: Row = [
    SYNC,
    retry(Kill::Hard),
    retry(Kill::Targeted),
    soft(Phase::Aborting),
    soft(Phase::Terminating),
    soft(Phase::Completing),
    SYNC,
    SYNC,
];

/// VJ-177 as promised: what is issued while restarting is not lost (VJ-188).
const RESTARTING: Row = [
    SYNC,
    RESTART_ON,
    TARGET_ON,
    soft(Phase::Aborting),
    soft(Phase::Terminating),
    soft(Phase::Completing),
    RESTART_ON,
    RESTART_ON,
];

/// VJ-177 as it is, other words included.
const RESTARTING_115: Row = [SYNC, RESTART_ON, TARGET_ON, RESTART_ON, RESTART_ON, RESTART_ON, RESTART_ON, RESTART_ON];

/// The design document knows no restart of less than a job. Of a job that is on its way from one phase to another it
/// says only that the same events are not to be handled again.
const RESTARTING_SEED: Row =
    [SYNC, SYNC, SYNC, hard(Phase::Aborting), hard(Phase::Terminating), soft(Phase::Completing), SYNC, SYNC];

/// From Pending the design document leads to Aborted and Running only.
const PENDING_SEED: Row = [SYNC, retry(Kill::Hard), SYNC, hard(Phase::Aborting), SYNC, SYNC, SYNC, SYNC];

const RUNNING_SEED: Row = [
    SYNC,
    retry(Kill::Hard),
    SYNC,
    hard(Phase::Aborting),
    hard(Phase::Terminating),
    soft(Phase::Completing),
    SYNC,
    SYNC,
];

/// VJ-178, VJ-179: whatever the action, but for the resumption.
const fn resumable(cell: Cell, resume: Cell) -> Row {
    [cell, cell, cell, cell, cell, cell, resume, cell]
}

/// VJ-180 to VJ-182: the same for every action.
const fn settled(cell: Cell) -> Row {
    [cell; 8]
}

const fn when_none_alive(next: Phase) -> Cell {
    kill(Kill::Soft, Next::WhenNoneAlive(next))
}

/// The row of a phase.
pub fn row(profile: Profile, phase: Phase) -> Row {
    // Only release 1.15 counts a resumption as a retry (VJ-187).
    let resume = match profile {
        Profile::Compat115 => retry(Kill::Soft),
        Profile::Strict | Profile::Seed => soft(Phase::Restarting),
    };
    match (profile, phase) {
        (Profile::Seed, Phase::Pending) => PENDING_SEED,
        (Profile::Seed, Phase::Running) => RUNNING_SEED,
        (_, Phase::Pending | Phase::Running) => ACTIVE,
        (Profile::Strict, Phase::Restarting) => RESTARTING,
        (Profile::Compat115, Phase::Restarting) => RESTARTING_115,
        (Profile::Seed, Phase::Restarting) => RESTARTING_SEED,
        (_, Phase::Aborting) => resumable(when_none_alive(Phase::Aborted), resume),
        (_, Phase::Aborted) => resumable(STAY, resume),
        (_, Phase::Completing) => settled(when_none_alive(Phase::Completed)),
        (_, Phase::Terminating) => settled(when_none_alive(Phase::Terminated)),
        (_, Phase::Completed | Phase::Failed | Phase::Terminated) => settled(STAY),
    }
}
