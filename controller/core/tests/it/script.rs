//! A decision as a line of text, played to its end with every call going through.

use std::fmt::Write;

use jiff::SignedDuration;
use jobsworth_core::{
    Action, Decision, Gates, Limits, Memory, Outcome, PodView, Requeue, Snapshot, Status, Why, reconcile,
};

use crate::world;

/// Decides about a world, `job | pods | status`, and says what is done, written, told and waited for.
pub fn decide(text: &str) -> String {
    let mut gates = Gates::V1_36;
    let mut parts = text.split('|').map(str::trim);
    let (off, words): (Vec<&str>, Vec<&str>) =
        parts.next().unwrap().split(',').map(str::trim).partition(|words| words.starts_with("without "));
    for gate in off {
        assert!(gates.switch(&gate["without ".len()..], false), "no gate: {gate}");
    }
    let mut job = world::job(&words.join(","));
    let pods = world::pods(parts.next().unwrap_or_default(), &job);
    job.status = world::status(parts.next().unwrap_or_default(), &job);
    let pods: Vec<&PodView> = pods.iter().collect();
    let seen = Snapshot { job: &job, pods: &pods, pods_revision: 0 };
    let limits = Limits { pods_per_sync: 4, accounted_per_sync: 3, ..Limits::UPSTREAM };
    play(reconcile(&seen, &Memory::default(), world::start(), &gates, &limits), job.status.clone())
}

fn play(mut decision: Decision, mut status: Status) -> String {
    let mut said = Vec::new();
    loop {
        said.extend(decision.notices.iter().map(|notice| format!("say {}", notice.reason)));
        let mut outcomes = Vec::new();
        for batch in &decision.batches {
            said.extend(describe(&batch.actions, &mut status));
            outcomes.push(batch.actions.iter().map(outcome).collect::<Vec<_>>());
        }
        match decision.awaiting.take() {
            Some(awaiting) => decision = awaiting.after(&outcomes, world::start()),
            None => break,
        }
    }
    match decision.requeue {
        Requeue::No => {}
        Requeue::After(SignedDuration::ZERO) => said.push("again at once".into()),
        Requeue::After(wait) => said.push(format!("again in {} s", wait.as_secs())),
        Requeue::Refused(wait) => said.push(format!("refused, again in {} s", wait.as_secs())),
        Requeue::Failed => said.push("failed".into()),
    }
    if said.is_empty() { "nothing".into() } else { said.join("; ") }
}

fn outcome(action: &Action) -> Outcome {
    match action {
        Action::CreatePod(_) => Outcome::Created { uid: "new".into(), name: "new".into(), revision: 50 },
        _ => Outcome::Done { revision: 51 },
    }
}

/// Calls of one batch, those of one sort together.
fn describe(actions: &[Action], status: &mut Status) -> Vec<String> {
    let mut said: Vec<(String, String)> = Vec::new();
    for action in actions {
        let (verb, what) = match action {
            Action::CreatePod(pod) => {
                let mut what = pod.index.map_or("one".to_owned(), |index| index.to_string());
                if let Some(failures) = pod.failures.filter(|failures| failures.total() > 0) {
                    write!(what, "(after {}+{})", failures.counted, failures.ignored).unwrap();
                }
                ("create".to_owned(), what)
            }
            Action::DeletePod { name, .. } => ("delete".to_owned(), name.to_string()),
            Action::ReleasePod { name, .. } => ("release".to_owned(), name.to_string()),
            Action::StripAndDelete { name, why: Why::Decided, .. } => ("stop".to_owned(), name.to_string()),
            Action::StripAndDelete { name, why, .. } => (format!("remove {why:?}"), name.to_string()),
            Action::AdoptPod { name, .. } => ("adopt".to_owned(), name.to_string()),
            Action::OrphanPod { name, .. } => ("let go".to_owned(), name.to_string()),
            Action::WriteStatus(new) => {
                let what = changes(status, &new.status);
                *status = new.status.clone();
                let told = new.notices.iter().map(|notice| format!(" and say {}", notice.reason));
                ("write".to_owned(), format!("{what}{}", told.collect::<String>()))
            }
        };
        match said.last_mut() {
            Some((last, list)) if *last == verb => write!(list, " {what}").unwrap(),
            _ => said.push((verb, what)),
        }
    }
    said.into_iter().map(|(verb, what)| format!("{verb} {what}")).collect()
}

/// What a status has that the one before had not.
fn changes(old: &Status, new: &Status) -> String {
    let mut said = Vec::new();
    let mut number = |name: &str, old: Option<u32>, new: Option<u32>| {
        if old != new {
            said.push(new.map_or_else(|| format!("no {name}"), |new| format!("{new} {name}")));
        }
    };
    number("active", Some(old.active), Some(new.active));
    number("ready", old.ready, new.ready);
    number("terminating", old.terminating, new.terminating);
    number("succeeded", Some(old.succeeded), Some(new.succeeded));
    number("failed", Some(old.failed), Some(new.failed));
    if old.completed != new.completed || old.stale_text {
        said.push(format!("done {}", new.completed));
    }
    if old.failed_indexes != new.failed_indexes {
        said.push(new.failed_indexes.as_ref().map_or("no lost".into(), |failed| format!("lost {failed}")));
    }
    for (name, old, new) in [
        ("succeeded", &old.uncounted.succeeded, &new.uncounted.succeeded),
        ("failed", &old.uncounted.failed, &new.uncounted.failed),
    ] {
        if old != new && !new.is_empty() {
            said.push(format!("listed {name} {}", new.iter().map(|uid| &**uid).collect::<Vec<_>>().join(" ")));
        }
    }
    if old.start_time != new.start_time {
        said.push(if new.start_time.is_some() { "started".into() } else { "unstarted".into() });
    }
    for condition in new.conditions.iter().filter(|condition| !old.conditions.contains(condition)) {
        let not = if condition.is_true() { "" } else { "not " };
        said.push(format!("{not}{} {}", condition.kind, condition.reason).trim().to_owned());
    }
    said.join(", ")
}

/// Decides about a world and compares.
#[track_caller]
pub fn check(world: &str, decision: &str) {
    assert_eq!(decide(world), decision, "in the world `{world}`");
}
