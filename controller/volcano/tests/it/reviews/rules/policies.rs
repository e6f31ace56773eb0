//! A list of policies (VJ-063 to VJ-071, VJ-329).

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{Rule, holds, items, number, text};

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

/// The `policies` of a job or of a task.
pub fn may_be(of: &Map<String, Value>) -> Rule {
    let (mut events, mut codes) = (BTreeSet::new(), BTreeSet::new());
    for policy in items(of, "policies")? {
        let action = text(policy, "action")?;
        holds(ACTIONS.contains(&action), || format!("action {action:?}"))?;
        may_be_timeout(text(policy, "timeout")?, policy.get("timeout").is_some_and(|timeout| !timeout.is_null()))?;
        let own = events_of(policy)?;
        match policy.get("exitCode").filter(|code| !code.is_null()) {
            Some(_) => {
                let code = number(policy, "exitCode")?;
                holds(own.is_empty(), || "an event and an exit code".to_owned())?;
                holds(code != 0 && codes.insert(code), || format!("exit code {code}, for nothing or again"))?;
            }
            None => holds(!own.is_empty(), || "neither event nor exit code".to_owned())?,
        }
        for event in own {
            holds(EVENTS.contains(&event), || format!("event {event:?}"))?;
            holds(events.insert(event), || format!("event {event:?} twice"))?;
        }
    }
    holds(!events.contains("*") || events.len() == 1, || "* beside other events".to_owned())
}

fn events_of(policy: &Map<String, Value>) -> Result<BTreeSet<&str>, String> {
    let list = match policy.get("events") {
        None | Some(Value::Null) => &[][..],
        Some(Value::Array(list)) => list.as_slice(),
        Some(_) => return Err("events is no list".to_owned()),
    };
    let events: Option<BTreeSet<&str>> = list.iter().map(Value::as_str).collect();
    let mut events = events.ok_or("an event that is no text")?;
    let one = text(policy, "event")?;
    if !one.is_empty() {
        events.insert(one);
    }
    Ok(events)
}

/// (VJ-083: a number without a unit is refused, and what is no length of time at all.)
fn may_be_timeout(timeout: &str, is_there: bool) -> Rule {
    let has_unit = timeout.ends_with(['s', 'm', 'h']) && timeout.contains(|c: char| c.is_ascii_digit());
    let is_nothing = ["0", "+0", "-0"].contains(&timeout);
    holds(has_unit || is_nothing || (!is_there && timeout.is_empty()), || format!("timeout {timeout:?}"))
}
