//! One list of lifecycle policies (VJ-063 to VJ-072, VJ-328, VJ-329).

use std::collections::BTreeSet;

use jobsworth_volcano_api::{Action, Event, LifecyclePolicy};

use super::Findings;

/// Checks a list; `path` is where it stands.
pub(super) fn check(policies: &[LifecyclePolicy], path: &str, findings: &mut Findings) {
    let mut list = List { path, ..List::default() };
    for policy in policies {
        list.take(policy);
    }
    if list.events.contains(&Event::Any) && list.events.len() > 1 {
        list.says("if there's * here, no other policy should be here");
    }
    if !list.errors.is_empty() {
        findings.add(text(&list.errors));
    }
}

/// What has been seen of a list.
#[derive(Default)]
struct List<'a> {
    path: &'a str,
    events: BTreeSet<&'a Event>,
    codes: BTreeSet<i32>,
    errors: Vec<String>,
}

impl<'a> List<'a> {
    fn says(&mut self, error: impl Into<String>) {
        self.errors.push(error.into());
    }

    fn take(&mut self, policy: &'a LifecyclePolicy) {
        let events = policy.all_events();
        match (events.is_empty(), policy.exit_code) {
            (false, Some(_)) => return self.says("must not specify event and exitCode simultaneously"),
            (true, None) => return self.says("either event and exitCode should be specified"),
            (true, Some(0)) => self.says("0 is not a valid error code"),
            (true, Some(code)) if !self.codes.insert(code) => self.says(format!("duplicate exitCode {code}")),
            _ => {}
        }
        for event in events {
            if !event.is_for_policies() {
                self.says(format!("{}: Invalid value: {:?}: invalid policy event", self.path, event.as_str()));
            } else if !self.events.insert(event) {
                self.says(format!("duplicate event {event}  across different policy"));
            }
        }
        // Volcano does not look at the action of an exit code (VJ-071); here it is held to the same list.
        if !policy.action.as_ref().is_some_and(Action::is_for_policies) {
            let action = policy.action.as_ref().map_or("", Action::as_str);
            self.says(format!("{}: Invalid value: {action:?}: invalid policy action", self.path));
        }
    }
}

/// The errors as lines, and what would have been right.
fn text(errors: &[String]) -> String {
    let head =
        if errors.len() == 1 { "1 error occurred:".to_owned() } else { format!("{} errors occurred:", errors.len()) };
    let lines: String = errors.iter().map(|error| format!("\n\t* {error}")).collect();
    let events: Vec<&str> = Event::ALL.iter().filter(|event| event.is_for_policies()).map(Event::as_str).collect();
    let actions: Vec<&str> = Action::ALL.iter().filter(|action| action.is_for_policies()).map(Action::as_str).collect();
    format!("{head}{lines}\n\n valid events are [{}], valid actions are [{}];", events.join(" "), actions.join(" "))
}
