//! Start and completion in a status.

use super::status::{LATER, START, complete, failed, only, started, with};
use crate::{
    table::{
        self,
        Fault::{Invalid, Required},
        Row, row,
    },
    words::*,
};

/// A Job that ends was started, only a complete one has a completion time, and neither time is changed afterwards.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobApi,
                section: "validation of JobStatus",
                says: "start and completion are set once, in order, and belong to Jobs that started and completed",
            },
            requirements: &["VST-110", "VST-112", "VST-113", "VST-114", "VST-115", "VST-116", "VST-205"],
            needs: Needs { gates: &["JobManagedBy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        table::ask(&rows(), scene).await
    }

    fn expects(&self) -> Expectations {
        table::answers(&rows())
    }
}

/// The table.
#[must_use]
pub fn rows() -> Vec<Row> {
    [start(), restart(), order(), completion()].concat()
}

fn start() -> Vec<Row> {
    let field = "status.startTime";
    vec![
        row("VST-110 a started Job may fail", counted(3, 1)).status(failed()).accepted(),
        row("VST-110 a Job that was not started does not fail", counted(3, 1))
            .status(failed().without("startTime"))
            .refused(Required, field),
        row("VST-110 a Job that was not started does not complete", counted(3, 1))
            .status(complete().without("startTime"))
            .refused(Required, field),
        row("VST-110 a suspended Job that was not started does not fail", counted(3, 1).suspended())
            .status(failed().without("startTime"))
            .refused(Required, field),
        row("VST-110 a failed Job does not lose its start when it is suspended", counted(3, 1))
            .status(failed())
            .then(json!({"spec": {"suspend": true}}))
            .status(with("startTime", ()))
            .refused(Required, field),
        row("VST-205 a Job may be started", counted(3, 1)).status(started()).accepted(),
        row("VST-205 a suspended Job may be started", counted(3, 1).suspended()).status(started()).accepted(),
        row("VST-205 only the first start of an unsuspended Job is free", counted(3, 1))
            .status(started())
            .status(with("startTime", LATER))
            .refused_as(|answer| answer.is_refused_saying("status.startTime", "for unsuspended job")),
    ]
}

/// The kind of the refusal depends on the version: see the table of newer rules.
fn restart() -> Vec<Row> {
    let field = "status.startTime";
    let suspended = || with("startTime", LATER);
    vec![
        row("VST-112 the start of an unsuspended Job does not move", counted(3, 1))
            .status(started())
            .status(with("startTime", LATER))
            .refused_as(|answer| answer.is_refused_saying(field, "for unsuspended job")),
        row("VST-112 the start of an unsuspended Job does not go", counted(3, 1))
            .status(started())
            .status(with("startTime", ()))
            .refused_as(|answer| answer.is_refused_saying(field, "for unsuspended job")),
        row("VST-112 the start of an unsuspended Job may be written again", counted(3, 1))
            .status(started())
            .status(started().with("active", 1))
            .accepted(),
        row("VST-112 the start of a suspended Job may move", counted(3, 1).suspended())
            .status(started())
            .status(suspended())
            .accepted(),
        row("VST-112 the start of a suspended Job may go", counted(3, 1).suspended())
            .status(started())
            .status(with("startTime", ()))
            .accepted(),
    ]
}

fn order() -> Vec<Row> {
    let field = "status.completionTime";
    vec![
        row("VST-113 a Job may complete after its start", counted(3, 1)).status(complete()).accepted(),
        row("VST-113 a Job may complete in the moment of its start", counted(3, 1))
            .status(complete().with("completionTime", START))
            .accepted(),
        row("VST-113 a Job does not complete before its start", counted(3, 1))
            .status(complete().with("startTime", LATER).with("completionTime", START))
            .refused(Invalid, field),
        row("VST-113 the start of a complete Job does not move behind its completion", counted(3, 1))
            .status(complete())
            .then(json!({"spec": {"suspend": true}}))
            .status(with("startTime", "2026-01-01T10:02:00Z"))
            .refused(Invalid, field),
        row("VST-114 the completion may be written again", counted(3, 1))
            .status(complete())
            .status(complete().with("succeeded", 3))
            .accepted(),
        row("VST-114 the completion does not move", counted(3, 1))
            .status(complete())
            .status(with("completionTime", "2026-01-01T10:02:00Z"))
            .refused(Invalid, field),
    ]
}

fn completion() -> Vec<Row> {
    let field = "status.completionTime";
    vec![
        row("VST-115 a Job that runs has no completion", counted(3, 1))
            .status(started().with("completionTime", LATER))
            .refused(Invalid, field),
        row("VST-115 a Job that is going to be complete has no completion yet", counted(3, 1))
            .status(only(&[SuccessCriteriaMet]).with("startTime", START).with("completionTime", LATER))
            .refused(Invalid, field),
        row("VST-115 a failed Job has no completion", counted(3, 1))
            .status(failed().with("completionTime", LATER))
            .refused(Invalid, field),
        row("VST-115 a complete Job has a completion", counted(3, 1)).status(complete()).accepted(),
        row("VST-116 a Job does not complete at no time", counted(3, 1))
            .status(complete().without("completionTime"))
            .refused(Required, field),
        row("VST-116 a complete Job does not lose its completion", counted(3, 1))
            .status(complete())
            .status(with("completionTime", ()))
            .refused(Required, field),
        row("VST-116 a failed Job needs no completion", counted(3, 1)).status(failed()).accepted(),
    ]
}
