//! One question after another: what it is about, what has to be looked up, what is said.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::{FutureExt, StreamExt, TryStreamExt, stream};
use jobsworth_volcano_api::well_known::{DEFAULT_QUEUE, ROOT_QUEUE};
use jobsworth_volcano_api::{Job, PodGroup, Queue};
use jobsworth_volcano_core::defaults;
use jobsworth_volcano_core::validate::create::{self, Surroundings};
use jobsworth_volcano_core::validate::queue::{self, Change, JobQueue};
use jobsworth_volcano_core::validate::{texts, update};
use serde_json::{Map, Value};
use tokio::time::timeout;

use super::cluster::{Cluster, LookupError};
use super::decode::decode;
use super::patch;
use super::review::{Answer, Operation, Request, Resource};

/// How many templates of a job are tried at the same time.
const AT_ONCE: usize = 8;
/// How long all lookups of a question may take. The API server waits 10 s (VJ-091).
const WITHIN: Duration = Duration::from_secs(9);

/// Questions that are answered, each at its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// `/jobs/mutate`
    MutateJob,
    /// `/jobs/validate`
    ValidateJob,
    /// `/podgroups/mutate`
    MutateGroup,
    /// `/queues/validate`
    ValidateQueue,
}

impl Question {
    /// The question at a path, if there is one.
    #[must_use]
    pub fn at(path: &str) -> Option<Self> {
        match path {
            "/jobs/mutate" => Some(Self::MutateJob),
            "/jobs/validate" => Some(Self::ValidateJob),
            "/podgroups/mutate" => Some(Self::MutateGroup),
            "/queues/validate" => Some(Self::ValidateQueue),
            _ => None,
        }
    }

    fn is_about(self, resource: &Resource) -> bool {
        let names = match self {
            Self::MutateJob | Self::ValidateJob => ("batch.volcano.sh", "v1alpha1", "jobs"),
            Self::MutateGroup => ("scheduling.volcano.sh", "v1beta1", "podgroups"),
            Self::ValidateQueue => ("scheduling.volcano.sh", "v1beta1", "queues"),
        };
        (resource.group.as_str(), resource.version.as_str(), resource.resource.as_str()) == names
    }
}

/// Who answers.
pub struct Admission<C> {
    /// Where it looks things up.
    pub cluster: C,
    /// The scheduler of jobs that name none (VJ-039).
    pub scheduler: String,
}

impl<C: Cluster> Admission<C> {
    /// Answers a question.
    pub async fn answer(&self, question: Question, request: &Request) -> Answer {
        if !question.is_about(&request.resource) {
            let Resource { group, version, resource } = &request.resource;
            return Answer::refused(format!(
                "expect resource to be that of the path, got {group}/{version} {resource}"
            ));
        }
        let answered = async {
            match question {
                Question::MutateJob => self.mutate_job(request),
                Question::ValidateJob => self.validate_job(request).await,
                Question::MutateGroup => self.mutate_group(request).await,
                Question::ValidateQueue => self.validate_queue(request).await,
            }
        };
        match timeout(WITHIN, answered).await {
            Ok(Ok(answer) | Err(answer)) => answer,
            Err(_) => Answer::unknown(format!("not everything could be looked up within {} s", WITHIN.as_secs())),
        }
    }

    fn mutate_job(&self, request: &Request) -> Result<Answer, Answer> {
        expect(request.operation, &[Operation::Create])?;
        let raw = present(request.object.as_ref(), "object")?;
        let job: Job = decode(raw)?;
        texts::check(&job.spec).map_err(Answer::refused)?;
        let mut spec = job.spec.clone();
        defaults::apply(&mut spec, &self.scheduler);
        Ok(patched(patch::between(raw, &job.spec, &spec)))
    }

    async fn validate_job(&self, request: &Request) -> Result<Answer, Answer> {
        expect(request.operation, &[Operation::Create, Operation::Update])?;
        let raw = present(request.object.as_ref(), "object")?;
        let job: Job = decode(raw)?;
        if request.operation == Operation::Update {
            let old: Job = decode(present(request.old_object.as_ref(), "oldObject")?)?;
            // What is wrong already must not keep its owner from mending or deleting it.
            if old.spec != job.spec {
                texts::check(&job.spec).map_err(Answer::refused)?;
            }
            update::check(&old, &job).map_err(Answer::refused)?;
            return Ok(Answer::Allowed);
        }
        texts::check(&job.spec).map_err(Answer::refused)?;
        let (queue, templates) =
            futures::try_join!(self.job_queue(&job.spec.queue), self.objections(raw)).map_err(Answer::unknown)?;
        create::check(&job, &Surroundings { queue, templates }).map_err(Answer::refused)?;
        Ok(Answer::Allowed)
    }

    async fn mutate_group(&self, request: &Request) -> Result<Answer, Answer> {
        expect(request.operation, &[Operation::Create])?;
        let raw = present(request.object.as_ref(), "object")?;
        let group: PodGroup = decode(raw)?;
        if !["", DEFAULT_QUEUE].contains(&group.spec.queue.as_str()) {
            return Ok(Answer::Allowed);
        }
        let named = self.cluster.namespace_queue(&request.namespace).await.map_err(Answer::unknown)?;
        let mut spec = group.spec.clone();
        spec.queue = named.unwrap_or_else(|| DEFAULT_QUEUE.to_owned());
        Ok(patched(patch::between(raw, &group.spec, &spec)))
    }

    async fn validate_queue(&self, request: &Request) -> Result<Answer, Answer> {
        expect(request.operation, &[Operation::Create, Operation::Update, Operation::Delete])?;
        let new = || decode::<Queue>(present(request.object.as_ref(), "object")?);
        let old = || decode::<Queue>(present(request.old_object.as_ref(), "oldObject")?);
        let others = self.cluster.queues().await.map_err(Answer::unknown)?;
        let verdict = match request.operation {
            Operation::Create => queue::check(Change::Create(&new()?), &others),
            Operation::Update => queue::check(Change::Update { old: &old()?, new: &new()? }, &others),
            _ => queue::check(Change::Delete(&request.name), &others),
        };
        verdict.map(|()| Answer::Allowed).map_err(Answer::refused)
    }

    async fn job_queue(&self, name: &str) -> Result<JobQueue, LookupError> {
        let queues = self.cluster.queues().await?;
        let Some(found) = queues.iter().find(|queue| queue.metadata.name.as_deref() == Some(name)) else {
            return Ok(JobQueue::Missing(format!("queues.scheduling.volcano.sh {name:?} not found")));
        };
        let state = found.status.as_ref().and_then(|status| status.state);
        // Queues without a parent are the root's, once the queue controller has seen them.
        let is_child = |queue: &&Queue| queue.spec.parent == name && name != ROOT_QUEUE;
        Ok(JobQueue::Found { state, children: queues.iter().filter(is_child).count() })
    }

    async fn try_one<'a>(&self, text: &'a str, template: &Value) -> Result<(&'a str, Vec<String>), LookupError> {
        Ok((text, self.cluster.objections(template).await?))
    }

    /// What is said against the template of each task. Templates that are alike are tried once.
    async fn objections(&self, raw: &Value) -> Result<Vec<Vec<String>>, LookupError> {
        let tasks = raw.pointer("/spec/tasks").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let empty = Value::Object(Map::new());
        let templates: Vec<&Value> =
            tasks.iter().map(|task| task.get("template").filter(|found| !found.is_null()).unwrap_or(&empty)).collect();
        let texts: Vec<String> = templates.iter().map(ToString::to_string).collect();
        let different: BTreeMap<&str, &Value> = texts.iter().map(String::as_str).zip(templates).collect();
        let tried: Vec<_> =
            different.into_iter().map(|(text, template)| self.try_one(text, template).boxed()).collect();
        let said: BTreeMap<&str, Vec<String>> = stream::iter(tried).buffer_unordered(AT_ONCE).try_collect().await?;
        Ok(texts.iter().map(|text| said.get(text.as_str()).cloned().unwrap_or_default()).collect())
    }
}

fn patched(patch: json_patch::Patch) -> Answer {
    if patch.0.is_empty() { Answer::Allowed } else { Answer::Patched(patch) }
}

fn expect(operation: Operation, known: &[Operation]) -> Result<(), Answer> {
    if known.contains(&operation) {
        return Ok(());
    }
    let words =
        known.iter().map(|operation| format!("`{operation:?}`").to_uppercase()).collect::<Vec<_>>().join(" or ");
    Err(Answer::refused(format!("expect operation to be {words}")))
}

fn present<'a>(object: Option<&'a Value>, name: &str) -> Result<&'a Value, Answer> {
    object.ok_or_else(|| Answer::refused(format!("the review has no request.{name}")))
}

#[cfg(test)]
mod tests;
