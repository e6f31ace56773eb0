//! Servers that do not know other managers, and trust the built-in controller.

use super::{
    conditions, counters, index_lists,
    status::{LATER, START, complete, only},
    times,
};
use crate::{
    table::{self, Fault::Invalid, Row, row},
    words::*,
};

/// Without `JobManagedBy`, what the strict rules refuse is accepted, and only the rules that always hold are left.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(4368),
                section: "Design Details",
                says: "the strict rules of the status are there for other managers, and go with their gate",
            },
            requirements: &[
                "VST-006", "VST-007", "VST-101", "VST-102", "VST-103", "VST-104", "VST-105", "VST-106", "VST-107",
                "VST-108", "VST-109", "VST-110", "VST-111", "VST-112", "VST-113", "VST-114", "VST-115", "VST-116",
                "VST-117", "VST-118", "VST-119", "VST-120", "VST-121", "VST-122",
            ],
            // Without JobPodReplacementPolicy too, another rule comes in: see the next table.
            needs: Needs { gates: &["JobPodReplacementPolicy"], gates_off: &["JobManagedBy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        table::ask(&rows(), scene).await
    }

    fn expects(&self) -> Expectations {
        table::answers(&rows())
    }
}

/// The table: every refusal by a strict rule turned round, and what only now can be asked of the others.
#[must_use]
pub fn rows() -> Vec<Row> {
    [turned_round(), still_refused()].concat()
}

fn turned_round() -> Vec<Row> {
    let rows = [conditions::rows(), counters::rows(), index_lists::rows(), times::rows()].concat();
    let strict = rows.into_iter().filter(|row| row.is_refusal() && row.requirement().starts_with("VST-1"));
    strict.map(|row| row.where_it_does_not_hold(" (only for other managers)")).collect()
}

fn still_refused() -> Vec<Row> {
    let unannounced = || only(&[Complete]).with("startTime", START).with("completionTime", LATER);
    let idle = || counted(3, 0);
    vec![
        row("VST-006 a success is not withdrawn, whoever manages the Job", idle())
            .status(complete())
            .status(only(&[Complete]))
            .refused_saying(Invalid, "status.conditions", "cannot disable the SuccessCriteriaMet=True condition"),
        row("VST-007 success is not announced of a Job that is complete already", idle())
            .status(unannounced())
            .status(complete())
            .refused_saying(
                Invalid,
                "status.conditions",
                "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions",
            ),
        row("VST-007 a Job that completed unannounced may be written again", idle())
            .status(unannounced())
            .status(unannounced().with("succeeded", 3))
            .accepted(),
    ]
}
