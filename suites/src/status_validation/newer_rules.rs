//! Exemptions that the binaries have since 1.34, in the versions that are supported.

use super::status::{LATER, complete, only, started, with};
use crate::{
    table::{self, Fault::Required, Row, row},
    words::*,
};

/// A suspended Job with nothing to complete ends without a start, and a resumed Job is started anew.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobApi,
                section: "validation of JobStatus, since 1.34",
                says: "a Job that ends suspended with no completions has no start; a resumed one gets another",
            },
            requirements: &["VST-110", "VST-112"],
            needs: Needs { gates: &["JobManagedBy"], binaries_since: Some(Minor::new(1, 34)), ..Needs::default() },
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
    let field = "status.startTime";
    let empty = || counted(0, 0).suspended();
    let resume = || json!({"spec": {"suspend": false}});
    let paused = |says: &str| row(says, counted(3, 1).suspended()).status(started().holding(Suspended, "True"));
    vec![
        row("VST-110 a suspended Job with nothing to complete may complete without a start", empty())
            .status(complete().without("startTime"))
            .accepted(),
        row("VST-110 a Job with nothing to complete that is not suspended needs a start", counted(0, 0))
            .status(complete().without("startTime"))
            .refused(Required, field),
        row("VST-110 a missing start does not stop other writes, even after the Job is resumed", empty())
            .status(complete().without("startTime"))
            .then(resume())
            .status(complete().without("startTime").holding(Suspended, "False"))
            .accepted(),
        paused("VST-112 the write that says that a Job is resumed may start it anew")
            .then(resume())
            .status(with("startTime", LATER).holding(Suspended, "False"))
            .has("/status/startTime", LATER),
        paused("VST-112 the write that says that a Job is resumed may take its start away")
            .then(resume())
            .status(with("startTime", ()).holding(Suspended, "False"))
            .accepted(),
        paused("VST-112 a resumed Job that is still told to be suspended is not started anew")
            .then(resume())
            .status(with("startTime", LATER))
            .refused_as(|answer| answer.is_refused_saying(field, "for unsuspended job")),
        paused("VST-112 a Job is not started anew by no longer telling that it is suspended")
            .then(resume())
            .status(only(&[]).with("startTime", LATER))
            .refused_as(|answer| answer.is_refused_saying(field, "for unsuspended job")),
    ]
}
