//! What of a Job's template must be found in its pods again, for S21.
//!
//! Everything that the template's spec sets must be there with that value, fields of fields and elements of lists too: containers, init
//! containers, volumes and variables by name, mounts by path, others in whatever place. Pods are looked at as they were created,
//! so what schedulers, kubelets and people do to them later is no matter: a node, gates that go, containers that are added while it
//! runs, resources that change in place. And what is only added is not looked for, as it is somebody else's by right: the
//! account and its token's volume and mounts (ServiceAccount), tolerations (DefaultTolerationSeconds, RuntimeClass), priority
//! and preemption (Priority), overhead and node labels (RuntimeClass), requests and limits (LimitRanger), defaults of the API
//! server, the index (the Job controller) and the group of a gang (`WorkloadWithJob`). What may have another value than the template
//! says is the list in [`Compared::is_the_templates`].
//!
//! Some fields come from nowhere but the template; those are looked for the other way round.

use super::reading;
use jobsworth_api::well_known;
use k8s_openapi::api::batch::v1::Job;
use serde_json::Value;

/// What was expected, and what was seen.
pub(super) type Flaw = (String, String);

/// Fields that no admission plugin, no default and no part of a Job controller sets.
const FROM_THE_TEMPLATE_ONLY: [&str; 6] =
    ["activeDeadlineSeconds", "affinity", "hostIPC", "hostNetwork", "hostPID", "shareProcessNamespace"];
/// What elements of lists are known by. A port has a name only by chance.
const KEYS: [&str; 3] = ["mountPath", "devicePath", "name"];
const NOT_BY_NAME: &str = "containerPort";

/// How far a pod's spec can be compared with a template's.
#[derive(Clone, Copy)]
pub(super) struct Compared {
    /// Nobody but the control plane's own admission plugins changes pods, and the control plane stays what it is.
    pub(super) whole: bool,
    /// Of an Indexed Job.
    pub(super) indexed: bool,
}

impl Compared {
    pub(super) fn of(job: &Job, whole: bool) -> Self {
        Self { whole, indexed: reading::is_indexed(job) }
    }

    /// What of the template is not found in the pod; both are their JSON.
    pub(super) fn flaws(self, job: &Value, pod: &Value) -> Vec<Flaw> {
        let (Some(wanted), Some(found)) = (job.pointer("/spec/template/spec"), pod.get("spec")) else { return vec![] };
        let mut flaws = Vec::new();
        self.look(&mut Vec::new(), wanted, Some(found), &mut flaws);
        if self.whole {
            let strange = FROM_THE_TEMPLATE_ONLY.iter().filter(|name| wanted.get(**name).is_none());
            flaws.extend(strange.filter_map(|name| Some((format!("no {name}"), found.get(*name)?.to_string()))));
        }
        flaws
    }

    fn look<'v>(self, path: &mut Vec<&'v str>, wanted: &'v Value, found: Option<&Value>, flaws: &mut Vec<Flaw>) {
        match (wanted, found) {
            (Value::Object(wanted), Some(Value::Object(found))) => {
                for (name, wanted) in wanted {
                    path.push(name);
                    self.look(path, wanted, found.get(name), flaws);
                    path.pop();
                }
            }
            (Value::Array(wanted), Some(Value::Array(found))) if wanted.iter().all(Value::is_object) => {
                for element in wanted {
                    path.push(name_of(element).unwrap_or("one"));
                    self.look_for(path, element, found, flaws);
                    path.pop();
                }
            }
            _ => {
                // Of a volume the kind is said by a field that may be empty.
                let says = !is_nothing(wanted) || matches!(path[..], ["volumes", _, _]);
                if found != Some(wanted) && says && self.is_the_templates(path, wanted) {
                    let observed = found.map_or_else(|| "nothing".to_owned(), Value::to_string);
                    flaws.push((format!("{} {wanted} of the template", path.join(".")), observed));
                }
            }
        }
    }

    /// One of those that are called the same must be as this one is; where none is, the first is told.
    fn look_for<'v>(self, path: &mut Vec<&'v str>, wanted: &'v Value, all: &[Value], flaws: &mut Vec<Flaw>) {
        let name = name_of(wanted);
        let mut first = None;
        for found in all.iter().filter(|found| name_of(found) == name) {
            let mut of_this = Vec::new();
            self.look(path, wanted, Some(found), &mut of_this);
            if of_this.is_empty() {
                return;
            }
            first.get_or_insert(of_this);
        }
        match first {
            Some(of_first) => flaws.extend(of_first),
            None if self.is_the_templates(path, wanted) => {
                flaws.push((format!("{} {wanted} of the template", path.join(".")), "nothing like it".to_owned()));
            }
            None => {}
        }
    }

    /// Whether nobody may have changed this on the way from the template to the pod.
    fn is_the_templates(self, path: &[&str], wanted: &Value) -> bool {
        match path {
            // Webhooks of others may change what they like; what they leave to people in practice is compared even so.
            ["restartPolicy"] | ["containers", _] | ["containers", _, "image" | "command"] => true,
            _ if !self.whole => false,
            // The host of an index is called after it (IDX-005).
            ["hostname"] => !self.indexed,
            // The variable of an index is the controller's (IDX-004).
            ["containers" | "initContainers", _, "env", name, ..] => {
                !(self.indexed && *name == well_known::COMPLETION_INDEX_ENV)
            }
            // AlwaysPullImages sets it.
            ["containers" | "initContainers", _, "imagePullPolicy"] => false,
            // Priority computes it from the class.
            ["priority"] => false,
            // The API server makes one second of less than none.
            ["terminationGracePeriodSeconds"] => wanted.as_i64().is_none_or(|seconds| seconds >= 0),
            _ => true,
        }
    }
}

fn name_of(element: &Value) -> Option<&str> {
    let keys = KEYS.iter().filter(|_| element.get(NOT_BY_NAME).is_none());
    keys.filter_map(|key| element.get(*key)).find_map(Value::as_str)
}

/// What programs leave out or write as they like.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(fields) => fields.is_empty(),
        Value::Array(elements) => elements.is_empty(),
        _ => false,
    }
}
