//! Servers that know neither other managers nor replacement policies.

use super::status::only;
use crate::{
    table::{self, Fault::Invalid, Row, row},
    words::*,
};

/// Without `JobManagedBy` and `JobPodReplacementPolicy`, only Jobs with a success policy are announced as successes.
///
/// That a success that was announced before the gates were switched off stays takes a server with two lives,
/// which a table has not.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Transition of Job status conditions",
                says: "as long as no other feature needs it, SuccessCriteriaMet belongs to success policies",
            },
            requirements: &["VST-008"],
            needs: Needs {
                gates: &["JobSuccessPolicy"],
                gates_off: &["JobManagedBy", "JobPodReplacementPolicy"],
                ..Needs::default()
            },
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
    let met = || only(&[SuccessCriteriaMet]);
    let field = "status.conditions";
    vec![
        row(
            "VST-008 success is announced of a Job with a success policy",
            indexed(3).parallelism(0).succeeds_when(any(1)),
        )
        .status(met())
        .accepted(),
        row("VST-008 success is not announced of an Indexed Job without a policy", indexed(3).parallelism(0))
            .status(met())
            .refused_saying(Invalid, field, "cannot set SuccessCriteriaMet=True for Job without SuccessPolicy"),
        row("VST-008 success is not announced of a NonIndexed Job", counted(3, 0)).status(met()).refused_saying(
            Invalid,
            field,
            "cannot set SuccessCriteriaMet to NonIndexed Job",
        ),
        row("VST-008 failure is announced of any Job", counted(3, 0)).status(only(&[FailureTarget])).accepted(),
    ]
}
