//! This in a status: which go together, and which stay.

use super::status::{LATER, START, complete, condition, failed, only, started, with};
use crate::{
    table::{self, Fault::Invalid, Question, Row, row},
    words::*,
};
use jobsworth_api::ConditionKind;

/// An end is announced before it comes, is either success or failure, and is never taken back.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Transition of Job status conditions",
                says: "success and failure exclude each other, end follows announcement, and neither is withdrawn",
            },
            requirements: &[
                "VST-003", "VST-004", "VST-005", "VST-006", "VST-007", "VST-101", "VST-117", "VST-118", "VST-119",
                "VST-120", "VST-202", "VST-203", "MGB-008",
            ],
            needs: Needs { gates: &["JobManagedBy", "JobSuccessPolicy"], ..Needs::default() },
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
    [always_apart(), with_a_policy(), success_stays(), ends_stay(), apart(), announced(), tolerated()].concat()
}

const FIELD: &str = "status.conditions";

fn refused(question: Question, text: &'static str) -> Row {
    question.refused_saying(Invalid, FIELD, text)
}

/// A question about a Job that was started and then has these conditions.
fn having(says: &str, kinds: &[ConditionKind]) -> Question {
    row(says, counted(3, 1)).status(started()).status(only(kinds))
}

fn always_apart() -> Vec<Row> {
    let failed_too = "cannot set SuccessCriteriaMet=True and Failed=true conditions";
    let failing_too = "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions";
    vec![
        having("VST-003 a Job that fails is not announced as a success", &[FailureTarget, Failed]).accepted(),
        refused(having("VST-003 success is not announced of a failed Job", &[SuccessCriteriaMet, Failed]), failed_too),
        refused(
            row("VST-003 success is not announced after failure", counted(3, 1))
                .status(failed())
                .status(failed().holding(SuccessCriteriaMet, "True")),
            failed_too,
        ),
        refused(
            row("VST-003 a complete Job does not fail", counted(3, 1))
                .status(complete())
                .status(complete().holding(Failed, "True")),
            failed_too,
        ),
        having("VST-004 success alone may be announced", &[SuccessCriteriaMet]).accepted(),
        having("VST-004 failure alone may be announced", &[FailureTarget]).accepted(),
        refused(
            having("VST-004 success and failure are not announced together", &[SuccessCriteriaMet, FailureTarget]),
            failing_too,
        ),
        refused(
            row("VST-004 failure is not announced after success", counted(3, 1))
                .status(only(&[SuccessCriteriaMet]))
                .status(only(&[SuccessCriteriaMet, FailureTarget])),
            failing_too,
        ),
        row("VST-004 a failure that is denied may stand beside an announced success", counted(3, 1))
            .status(only(&[SuccessCriteriaMet]).holding(FailureTarget, "False"))
            .accepted(),
    ]
}

fn with_a_policy() -> Vec<Row> {
    let job = || indexed(3).succeeds_when(any(1));
    vec![
        row("VST-005 a Job with a success policy completes with its announcement", job()).status(complete()).accepted(),
        row("VST-005 a Job with a success policy does not complete unannounced", job())
            .status(only(&[Complete]).with("startTime", START).with("completionTime", LATER))
            .refused_saying(Invalid, FIELD, "for Job with SuccessPolicy unless SuccessCriteriaMet=True"),
    ]
}

fn success_stays() -> Vec<Row> {
    let stays = "cannot disable the SuccessCriteriaMet=True condition";
    let announced = |says: &str| row(says, counted(3, 1)).status(only(&[SuccessCriteriaMet]));
    vec![
        announced("VST-006 an announced success may stay").status(with("active", 1)).accepted(),
        refused(announced("VST-006 an announced success is not removed").status(only(&[])), stays),
        refused(
            announced("VST-006 an announced success is not denied")
                .status(with("conditions", [condition("SuccessCriteriaMet", "False")].to_vec())),
            stays,
        ),
        refused(
            announced("VST-006 an announced success does not become unknown")
                .status(with("conditions", [condition("SuccessCriteriaMet", "Unknown")].to_vec())),
            stays,
        ),
        // That a Job cannot be announced after its end takes a Job that ended unannounced: see the tables
        // for servers that do not know other managers.
        announced("VST-007 an announced Job may complete").status(complete()).accepted(),
        row("VST-007 an announced and complete Job may be written again", counted(3, 1))
            .status(complete())
            .status(complete().with("succeeded", 3))
            .accepted(),
    ]
}

fn ends_stay() -> Vec<Row> {
    let disabled = |kind: ConditionKind| match kind {
        Complete => "cannot disable the terminal Complete=True condition",
        Failed => "cannot disable the terminal Failed=True condition",
        _ => "cannot disable the terminal FailureTarget=True condition",
    };
    let done = |says: &str| row(says, counted(3, 1)).status(complete());
    let broken = |says: &str| row(says, counted(3, 1)).status(failed());
    let announced = |says: &str| row(says, counted(3, 1)).status(started()).status(only(&[FailureTarget]));
    vec![
        refused(
            done("VST-101 Complete is not removed").status(only(&[SuccessCriteriaMet]).without("completionTime")),
            disabled(Complete),
        ),
        refused(
            done("VST-101 Complete is not denied")
                .status(only(&[SuccessCriteriaMet]).holding(Complete, "False").without("completionTime")),
            disabled(Complete),
        ),
        refused(broken("VST-101 Failed is not removed").status(only(&[FailureTarget])), disabled(Failed)),
        refused(
            broken("VST-101 Failed is not denied").status(only(&[FailureTarget]).holding(Failed, "False")),
            disabled(Failed),
        ),
        refused(announced("VST-101 FailureTarget is not removed").status(only(&[])), disabled(FailureTarget)),
        refused(
            announced("VST-101 FailureTarget does not become unknown")
                .status(only(&[]).holding(FailureTarget, "Unknown")),
            disabled(FailureTarget),
        ),
        refused(broken("VST-101 FailureTarget stays with Failed").status(only(&[Failed])), disabled(FailureTarget)),
        row("VST-101 Suspended may be denied", counted(3, 1))
            .status(only(&[Suspended]))
            .status(only(&[]).holding(Suspended, "False"))
            .accepted(),
        broken("VST-101 other conditions may come to an end").status(failed().holding(Suspended, "False")).accepted(),
    ]
}

fn apart() -> Vec<Row> {
    let both = |kinds: &[ConditionKind]| {
        complete().with("conditions", serde_json::Value::from(only(kinds))["conditions"].clone())
    };
    let failed_too = "cannot set Complete=True and Failed=true conditions";
    let failing_too = "cannot set Complete=True and FailureTarget=true conditions";
    vec![
        refused(
            row("VST-117 a Job is not complete and failed", counted(3, 1)).status(both(&[Complete, Failed])),
            failed_too,
        ),
        row("VST-117 a complete Job may deny that it failed", counted(3, 1))
            .status(complete().holding(Failed, "False"))
            .accepted(),
        refused(
            row("VST-118 a Job is not complete and about to fail", counted(3, 1))
                .status(both(&[Complete, FailureTarget])),
            failing_too,
        ),
        refused(
            row("VST-118 a Job that is about to fail does not complete", counted(3, 1))
                .status(only(&[FailureTarget]).with("startTime", START))
                .status(both(&[FailureTarget, Complete])),
            failing_too,
        ),
        row("VST-118 a complete Job may deny that it was about to fail", counted(3, 1))
            .status(complete().holding(FailureTarget, "False"))
            .accepted(),
    ]
}

fn announced() -> Vec<Row> {
    let unannounced_failure = "cannot set Failed=True condition without the FailureTarget=true condition";
    let unannounced_success = "cannot set Complete=True condition without the SuccessCriteriaMet=true condition";
    let done = || only(&[Complete]).with("startTime", START).with("completionTime", LATER);
    vec![
        refused(having("VST-119 a Job does not fail unannounced", &[Failed]), unannounced_failure),
        refused(
            row("VST-119 a denied announcement is none", counted(3, 1))
                .status(started())
                .status(only(&[Failed]).holding(FailureTarget, "False")),
            unannounced_failure,
        ),
        having("VST-119 an announced Job may fail", &[FailureTarget]).status(failed()).accepted(),
        refused(row("VST-120 a Job does not complete unannounced", counted(3, 1)).status(done()), unannounced_success),
        refused(
            row("VST-120 an Indexed Job without a policy does not complete unannounced", indexed(3)).status(done()),
            unannounced_success,
        ),
        row("VST-120 an announced Job may complete", counted(3, 1))
            .status(only(&[SuccessCriteriaMet]))
            .status(complete())
            .accepted(),
    ]
}

fn tolerated() -> Vec<Row> {
    let unknown = || with("conditions", vec![condition("example.com/Paid", "True")]);
    vec![
        row("VST-202 success and its announcement may come in one write", counted(3, 1)).status(complete()).accepted(),
        row("VST-202 failure and its announcement may come in one write", counted(3, 1)).status(failed()).accepted(),
        refused(
            row("VST-202 one write does not announce success and fail", counted(3, 1))
                .status(started())
                .status(only(&[SuccessCriteriaMet, Failed])),
            "cannot set Failed=True condition without the FailureTarget=true condition",
        ),
        row("VST-203 conditions of unknown types are welcome", counted(3, 1)).status(unknown()).accepted(),
        row("VST-203 conditions of unknown types may go", counted(3, 1)).status(unknown()).status(only(&[])).accepted(),
    ]
}
