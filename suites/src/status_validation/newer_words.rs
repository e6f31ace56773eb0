//! Refusals that the binaries word otherwise since 1.36.

use super::status::{LATER, complete, started, with};
use crate::{
    table::{self, Fault::Invalid, Row, row},
    words::*,
};

/// A start that moves or goes is an invalid value, no longer a missing one.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobApi,
                section: "validation of JobStatus, since 1.36",
                says: "a change of a set time is called a change of an immutable field",
            },
            requirements: &["VST-112", "VST-114"],
            needs: Needs { gates: &["JobManagedBy"], binaries_since: Some(Minor::new(1, 36)), ..Needs::default() },
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
    let once_set = "field is immutable for unsuspended job once set";
    vec![
        row("VST-112 a start that moves is called invalid", counted(3, 1))
            .status(started())
            .status(with("startTime", LATER))
            .refused_saying(Invalid, "status.startTime", once_set),
        row("VST-112 a start that goes is called invalid too", counted(3, 1))
            .status(started())
            .status(with("startTime", ()))
            .refused_saying(Invalid, "status.startTime", once_set),
        row("VST-114 a completion that moves is called immutable", counted(3, 1))
            .status(complete())
            .status(with("completionTime", "2026-01-01T10:02:00Z"))
            .refused_saying(Invalid, "status.completionTime", "field is immutable"),
    ]
}
