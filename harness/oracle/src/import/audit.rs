//! One event of an audit log: what a request changed, or why it was refused.

use super::{Importer, State, is_let_go, times};
use crate::fact::Answer;
use jiff::Timestamp;
use serde_json::Value;
use std::sync::Arc;

/// Resources that are recorded, by group and plural, each with its kind.
const RESOURCES: [(&str, &str, &str); 6] = [
    ("batch", "jobs", "Job"),
    ("", "pods", "Pod"),
    ("", "events", "Event"),
    ("events.k8s.io", "events", "Event"),
    ("scheduling.k8s.io", "workloads", "Workload"),
    ("scheduling.k8s.io", "podgroups", "PodGroup"),
];
/// Subresources whose answer is the whole object.
const WHOLE: [&str; 4] = ["", "status", "resize", "ephemeralcontainers"];

/// What is asked of every event.
struct Request<'a> {
    event: &'a Value,
    resource: &'static str,
    kind: &'static str,
    verb: &'a str,
    at: Option<Timestamp>,
}

impl<'a> Request<'a> {
    fn text(&self, pointer: &str) -> &'a str {
        text(self.event, pointer)
    }

    fn place(&self) -> (String, String, String) {
        (self.kind.to_owned(), self.text("/objectRef/namespace").to_owned(), self.text("/objectRef/name").to_owned())
    }
}

fn text<'a>(event: &'a Value, pointer: &str) -> &'a str {
    event.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

impl Importer {
    pub(super) fn audited(&mut self, event: &Value) -> Result<(), String> {
        let (group, plural) = (text(event, "/objectRef/apiGroup"), text(event, "/objectRef/resource"));
        let known = RESOURCES.iter().find(|(of, name, _)| (*of, *name) == (group, plural));
        let Some((_, resource, kind)) = known.filter(|_| text(event, "/stage") == "ResponseComplete") else {
            return Ok(());
        };
        let at = ["/stageTimestamp", "/requestReceivedTimestamp"];
        let at = at.into_iter().find_map(|pointer| times::parsed(event.pointer(pointer)?));
        let request = Request { event, resource, kind, verb: text(event, "/verb"), at };
        // A dry run changes nothing.
        if request.text("/requestURI").contains("dryRun=") {
            return Ok(());
        }
        match event.pointer("/responseStatus/code").and_then(Value::as_u64).unwrap_or(200) {
            200..300 => self.accepted(&request),
            code => {
                self.declined(&request, u16::try_from(code).unwrap_or(u16::MAX));
                Ok(())
            }
        }
    }

    fn accepted(&mut self, request: &Request<'_>) -> Result<(), String> {
        let writes = matches!(request.verb, "create" | "update" | "patch" | "delete" | "deletecollection");
        let subresource = request.text("/objectRef/subresource");
        if !WHOLE.contains(&subresource) || !(writes || matches!(request.verb, "get" | "list")) {
            return Ok(());
        }
        let Some(object) = request.event.get("responseObject").filter(|object| object.is_object()) else {
            // What is only read need not be written down.
            if writes && request.kind != "Event" {
                *self.without_object.entry(request.resource.to_owned()).or_default() += 1;
                let namespace = request.text("/objectRef/namespace").to_owned();
                self.lose(request.resource, request.at, namespace);
            }
            return Ok(());
        };
        let is_deletion = request.verb.starts_with("delete");
        if let Some(items) = object.get("items").and_then(Value::as_array) {
            let version = text(object, "/apiVersion");
            return items.iter().try_for_each(|item| {
                let item = super::told(item, request.kind, version);
                self.object(&item, state(&item, is_deletion), request.at)
            });
        }
        match text(object, "/kind") {
            // A deletion that was over at once is answered so.
            "Status" if is_deletion => self.gone(&request.place(), request.at),
            "Status" => {}
            _ => return self.object(object, state(object, is_deletion), request.at),
        }
        Ok(())
    }

    fn declined(&mut self, request: &Request<'_>, code: u16) {
        if matches!(request.verb, "get" | "list" | "watch") {
            return;
        }
        let (kind, namespace, name) = request.place();
        let subresource = match request.text("/objectRef/subresource") {
            "" => String::new(),
            subresource => format!("/{subresource}"),
        };
        let who = request.text("/user/username");
        let answer = Answer {
            to: format!("{} {}{subresource} {name} by {who}", request.verb, request.resource),
            code,
            reason: request.text("/responseStatus/reason").to_owned(),
            message: request.text("/responseStatus/message").to_owned(),
            causes: Vec::new(),
            warnings: Vec::new(),
            body: Arc::new(Value::Null),
        };
        let owners = request.event.pointer("/requestObject/metadata/ownerReferences").and_then(Value::as_array);
        let owners = owners.into_iter().flatten().map(|owner| text(owner, "/uid").to_owned());
        let about = owners.chain([format!("{kind}/{name}")]).collect();
        self.refused(answer, about, request.at, namespace);
    }
}

/// An object that nothing holds once it is deleted is in the answer as it was last.
fn state(object: &Value, is_deletion: bool) -> State {
    if is_deletion && is_let_go(object) { State::Gone } else { State::Unsaid }
}
