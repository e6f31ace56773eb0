//! Which policies may stand together.

use crate::{
    table::{self, Row, volcano_row},
    volcano_words::*,
};

/// Lists of policies that contradict themselves are refused, and so are words that are not meant for them.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "refusals by the validating webhook on CREATE",
            "a policy names events or an exit code, once, and an action that is meant for policies",
            &[
                "VJ-063", "VJ-064", "VJ-065", "VJ-066", "VJ-067", "VJ-068", "VJ-069", "VJ-070", "VJ-071", "VJ-072",
                "VJ-083", "VJ-328", "VJ-329",
            ],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        table::ask(&rows(), scene).await
    }

    fn expects(&self) -> Expectations {
        table::answers(&rows()).known(known(&[UNCHECKED], "volcano-sh/volcano#5682"))
    }
}

/// The table.
#[must_use]
pub fn rows() -> Vec<Row> {
    [together(), events(), actions(), texts()].concat()
}

fn together() -> Vec<Row> {
    let failed = || on("PodFailed", "AbortJob");
    let twice = "duplicate event PodFailed  across different policy";
    let both = json!({"event": "PodFailed", "events": ["PodFailed", "PodEvicted"], "action": "AbortJob"});
    vec![
        volcano_row("VJ-063 a Job's policies name an event once", gang(1).policy(failed()).policy(failed()))
            .refused_by_webhook(twice),
        volcano_row(
            "VJ-063 a task's policies name an event once",
            gang(1).task_policy(0, failed()).task_policy(0, failed()),
        )
        .refused_by_webhook(twice),
        volcano_row(
            "VJ-063 a Job and its task may name the same event",
            gang(1).policy(failed()).task_policy(0, failed()),
        )
        .accepted(),
        volcano_row("VJ-063 within one policy an event may stand twice", gang(1).policy(both)).accepted(),
        volcano_row(
            "VJ-064 an exit code is named once",
            gang(1).policy(on_exit(3, "AbortJob")).policy(on_exit(3, "RestartJob")),
        )
        .refused_by_webhook("duplicate exitCode 3"),
        volcano_row(
            "VJ-064 two exit codes are two",
            gang(1).policy(on_exit(3, "AbortJob")).policy(on_exit(4, "RestartJob")),
        )
        .accepted(),
        volcano_row(
            "VJ-065 a policy has events or an exit code",
            gang(1).policy(json!({"event": "PodFailed", "exitCode": 3, "action": "AbortJob"})),
        )
        .refused_by_webhook("must not specify event and exitCode simultaneously"),
        volcano_row("VJ-066 a policy has one of both", gang(1).policy(json!({"action": "AbortJob"})))
            .refused_by_webhook("either event and exitCode should be specified"),
        volcano_row("VJ-067 success is no exit code to act upon", gang(1).policy(on_exit(0, "AbortJob")))
            .refused_by_webhook("0 is not a valid error code"),
        volcano_row("VJ-068 any event stands alone", gang(1).policy(on("*", "RestartJob")).policy(failed()))
            .refused_by_webhook("if there's * here, no other policy should be here"),
    ]
}

/// Words of events for policies, and others.
const EVENTS: [&str; 8] =
    ["*", "PodFailed", "PodEvicted", "PodPending", "Unknown", "TaskCompleted", "TaskFailed", "JobUpdated"];
const ACTIONS: [&str; 8] = [
    "AbortJob",
    "RestartJob",
    "RestartTask",
    "RestartPod",
    "RestartPartition",
    "TerminateJob",
    "CompleteJob",
    "ResumeJob",
];

fn events() -> Vec<Row> {
    let taken = EVENTS.map(|event| {
        volcano_row(&format!("VJ-069 a policy may name {event}"), gang(1).policy(on(event, "AbortJob"))).accepted()
    });
    let refused = ["OutOfSync", "CommandIssued", "PodRunning"].map(|event| {
        volcano_row(&format!("VJ-069 no policy names {event}"), gang(1).policy(on(event, "AbortJob")))
            .refused_by_webhook("invalid policy event")
    });
    [taken.as_slice(), &refused].concat()
}

fn actions() -> Vec<Row> {
    let taken = ACTIONS.map(|action| {
        volcano_row(&format!("VJ-070 a policy may ask for {action}"), gang(1).policy(on("PodFailed", action)))
            .accepted()
    });
    let refused = ["SyncJob", "EnqueueJob", "SyncQueue", "OpenQueue", "CloseQueue", "Foo"].map(|action| {
        volcano_row(&format!("VJ-070 no policy asks for {action}"), gang(1).policy(on("PodFailed", action)))
            .refused_by_webhook("invalid policy action")
    });
    let of_code =
        volcano_row(UNCHECKED, gang(1).policy(on_exit(1, "CloseQueue"))).refused_by_webhook("invalid policy action");
    let missing = volcano_row("VJ-329 a policy asks for something", gang(1).policy(json!({"event": "PodFailed"})))
        .refused_by_webhook("spec.policies: Invalid value: \"\": invalid policy action");
    [taken.as_slice(), &refused, &[of_code, missing]].concat()
}

/// Volcano does not look at these actions.
const UNCHECKED: &str = "VJ-071 an exit code asks for what any policy may ask for";

fn texts() -> Vec<Row> {
    vec![
        volcano_row(
            "VJ-328 a refusal of a policy is told on lines of its own",
            gang(1).policy(on("OutOfSync", "AbortJob")),
        )
        .refused_by_webhook(
            "1 error occurred:\n\t* spec.policies: Invalid value: \"OutOfSync\": invalid policy event\n\n",
        ),
        volcano_row(
            "VJ-072 a refusal tells which events and actions there are",
            gang(1).policy(on("PodFailed", "Bar")),
        )
        .refused_as(|answer| {
            answer.asks("lists all events and actions for policies".to_owned(), |answer| {
                listed(&answer.message, "valid events are [") == EVENTS.into()
                    && listed(&answer.message, "valid actions are [") == ACTIONS.into()
            })
        }),
        volcano_row("VJ-083 a time without a unit is no time", gang(1).policy(on_after("PodFailed", "5", "AbortJob")))
            .refused_by_webhook("time: missing unit in duration \"5\""),
    ]
}

/// The words between brackets, in whatever order.
fn listed<'t>(text: &'t str, opening: &str) -> std::collections::BTreeSet<&'t str> {
    let rest = text.split_once(opening).map_or("", |(_, rest)| rest);
    let list = rest.split_once(']').map_or("", |(list, _)| list);
    list.split([' ', ',']).filter(|word| !word.is_empty()).collect()
}
