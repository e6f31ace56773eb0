//! Tables of questions to the API server: each row is one write, and what must be answered to it.

use crate::{draft::Draft, volcano::Gang};
use jobsworth_api::Resource;
use jobsworth_harness::{Scene, Stop, scene::Write};
use jobsworth_oracle::{
    Expectations, Predicate,
    property::eventually,
    vocabulary::{answer, answers::AnswerWord},
};
use serde_json::{Value, json};

/// A controller that nobody runs: its Jobs stay as the API server made them.
const NOBODY: &str = "tables.jobsworth.dev/nobody";

/// One question and its answer.
#[derive(Clone, Debug)]
pub struct Row {
    question: Question,
    expected: Expected,
}

#[derive(Clone, Debug)]
enum Expected {
    Accepted(Option<Predicate>),
    Refused(Predicate),
}

/// A write to come, and the writes that lead up to it.
#[derive(Clone, Debug)]
pub struct Question {
    says: String,
    /// What the question is about.
    kind: Resource,
    job: Value,
    named: bool,
    /// Where, if not in the case's namespace.
    namespace: Option<&'static str>,
    /// Fields that nobody knows are no fault.
    lenient: bool,
    steps: Vec<Step>,
    dry_run: bool,
}

#[derive(Clone, Debug)]
enum Step {
    Create,
    CreateInCronJob,
    Update(Value),
    UpdateStatus(Value),
}

/// How a field is at fault, as the API server spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The value is not allowed, or may not change.
    Invalid,
    /// There is no value.
    Required,
    /// The value is not one of the known ones.
    NotSupported,
    /// The value is in the list already.
    Duplicate,
    /// The text is too long.
    TooLong,
    /// The list is too long.
    TooMany,
}

impl Fault {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Invalid => "FieldValueInvalid",
            Self::Required => "FieldValueRequired",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Duplicate => "FieldValueDuplicate",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
        }
    }
}

/// A row about the creation of `job`, unless steps follow. `says` begins with the number of its requirement.
///
/// The Job gets a name of its own and, unless it says otherwise, a manager that does not exist: no controller
/// touches it.
#[must_use]
pub fn row(says: &str, job: Draft) -> Question {
    let mut job = job.json();
    if job["spec"].get("managedBy").is_none() {
        job["spec"]["managedBy"] = NOBODY.into();
    }
    Question::of(says, Resource::JOBS, job)
}

/// A row about the creation of a Volcano Job, unless steps follow; `{ns}` in it stands for the case's namespace.
///
/// The last write is only asked for show, of which webhooks are told as of any other (VJ-090): no controller has anything to do for
/// a question.
#[must_use]
pub fn volcano_row(says: &str, job: Gang) -> Question {
    Question::of(says, Resource::VOLCANO_JOBS, job.json()).dry_run()
}

impl Question {
    fn of(says: &str, kind: Resource, job: Value) -> Self {
        let steps = vec![Step::Create];
        let says = says.to_owned();
        Self { says, kind, job, named: false, namespace: None, lenient: false, steps, dry_run: false }
    }

    /// Asked in this namespace, not in the case's own.
    #[must_use]
    pub fn in_namespace(mut self, namespace: &'static str) -> Self {
        self.namespace = Some(namespace);
        self
    }

    /// Asked as a client that does not mind that fields are dropped.
    #[must_use]
    pub fn dropping_unknown_fields(mut self) -> Self {
        self.lenient = true;
        self
    }

    /// The Job keeps this name.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.job["metadata"]["name"] = name.into();
        self.named = true;
        self
    }

    /// The Job is left to the controller under test, and suspended, so that no pod of it runs.
    #[must_use]
    pub fn unmanaged(mut self) -> Self {
        if let Some(spec) = self.job["spec"].as_object_mut() {
            spec.remove("managedBy");
            spec.insert("suspend".to_owned(), true.into());
        }
        self
    }

    /// With a status in the request that creates it.
    #[must_use]
    pub fn carrying_status(mut self, status: Value) -> Self {
        self.job["status"] = status;
        self
    }

    /// The last write is only asked for show: nothing is stored.
    #[must_use]
    pub fn dry_run(mut self) -> Self {
        self.dry_run = true;
        self
    }

    /// Asked, for show, as the template of a CronJob.
    #[must_use]
    pub fn in_cron_job(mut self) -> Self {
        self.steps = vec![Step::CreateInCronJob];
        self.dry_run()
    }

    /// Then `patch` is merged into the Job.
    #[must_use]
    pub fn then(mut self, patch: Value) -> Self {
        self.steps.push(Step::Update(patch));
        self
    }

    /// Then this is merged into the Job's status, on the status subresource.
    #[must_use]
    pub fn status(self, status: impl Into<Value>) -> Self {
        self.at_status(json!({"status": status.into()}))
    }

    /// Then `patch` is merged into the whole Job, on the status subresource.
    #[must_use]
    pub fn at_status(mut self, patch: Value) -> Self {
        self.steps.push(Step::UpdateStatus(patch));
        self
    }

    fn addressed(&self, write: Write) -> Write {
        let write = if self.lenient { write.dropping_unknown_fields() } else { write };
        match self.namespace {
            Some(namespace) => write.in_namespace(namespace),
            None => write,
        }
    }

    /// The last write is refused by a webhook, which says so in these words among others (VJ-328).
    #[must_use]
    pub fn refused_by_webhook(self, text: &'static str) -> Row {
        self.refused_as(|answer| answer.is_refused_as(400, "admission webhook").and(answer.is_refused_as(400, text)))
    }

    /// The last write is accepted.
    #[must_use]
    pub fn accepted(self) -> Row {
        Row { question: self, expected: Expected::Accepted(None) }
    }

    /// The last write is accepted, and the answer has this value at this JSON pointer; `null` is absence too.
    #[must_use]
    pub fn has(self, pointer: &'static str, value: impl Into<Value>) -> Row {
        self.accepted().and(pointer, value)
    }

    /// The last write is accepted, and the answer has the same value at both JSON pointers.
    #[must_use]
    pub fn has_same(self, pointer: &'static str, other: &'static str) -> Row {
        self.accepted().and_also(|answer| answer.has_same(pointer, other))
    }

    /// The last write is accepted with a warning that contains `text`.
    #[must_use]
    pub fn warns(self, text: &'static str) -> Row {
        self.accepted().and_also(|answer| answer.warns(text))
    }

    /// The last write is accepted without a warning.
    #[must_use]
    pub fn does_not_warn(self) -> Row {
        self.accepted().and_also(AnswerWord::has_no_warning)
    }

    /// The last write is refused, and this field alone is at fault.
    #[must_use]
    pub fn refused(self, fault: Fault, field: &'static str) -> Row {
        self.refused_saying(fault, field, "")
    }

    /// The last write is refused, this field alone is at fault, and the message about it contains `text`.
    #[must_use]
    pub fn refused_saying(self, fault: Fault, field: &'static str, text: &'static str) -> Row {
        self.refused_as(|answer| answer.is_refused_only(field, fault.as_str(), text))
    }

    /// The last write is refused; this field is at fault, and so are others.
    #[must_use]
    pub fn refused_among_others(self, fault: Fault, field: &'static str) -> Row {
        self.refused_as(|answer| answer.is_refused(field, fault.as_str()))
    }

    /// The last write is refused in these words, by which every other answer is told from this one.
    #[must_use]
    pub fn refused_as(self, how: impl FnOnce(&AnswerWord) -> Predicate) -> Row {
        let refused = how(&answer(&self.says));
        Row { question: self, expected: Expected::Refused(refused) }
    }
}

impl Row {
    /// What an accepted row also has in its answer.
    #[must_use]
    pub fn and(self, pointer: &'static str, value: impl Into<Value>) -> Self {
        self.and_also(|answer| answer.has(pointer, value))
    }

    fn and_also(mut self, more: impl FnOnce(&AnswerWord) -> Predicate) -> Self {
        let more = more(&answer(&self.question.says));
        if let Expected::Accepted(known) = &mut self.expected {
            *known = Some(match known.take() {
                Some(known) => known.and(more),
                None => more,
            });
        }
        self
    }

    /// The sentence.
    #[must_use]
    pub fn says(&self) -> &str {
        &self.question.says
    }

    /// The number of the requirement that it is about.
    #[must_use]
    pub fn requirement(&self) -> &str {
        self.says().split(' ').next().unwrap_or_default()
    }

    /// Whether the write must be refused.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        matches!(self.expected, Expected::Refused(_))
    }

    /// The same question, under a sentence with this ending, where the rule that refuses it does not hold.
    ///
    /// The manager may be the controller under test: the Job wants no pods, and what it could not bear is only
    /// asked for show.
    #[must_use]
    pub fn where_it_does_not_hold(mut self, ending: &str) -> Self {
        self.question.says.push_str(ending);
        self.question.job["spec"]["parallelism"] = 0.into();
        Self { question: self.question.dry_run(), expected: Expected::Accepted(None) }
    }

    fn predicate(&self) -> Predicate {
        let accepted = answer(self.says()).is_accepted();
        match &self.expected {
            Expected::Accepted(None) => accepted,
            Expected::Accepted(Some(more)) => accepted.and(more.clone()),
            Expected::Refused(refused) => refused.clone(),
        }
    }

    /// Does the writes of the row, the last one under the row's sentence.
    async fn ask(&self, number: usize, scene: &mut Scene) -> Result<(), Stop> {
        let mut job = in_this(scene.namespace(), &self.question.job);
        if !self.question.named {
            job["metadata"]["name"] = format!("row-{number}").into();
        }
        let steps = self.question.steps.iter().map(|step| step.write(&self.question.kind, &job));
        let mut steps: Vec<Write> = steps.map(|write| self.question.addressed(write)).collect();
        let probe = steps.pop();
        for step in steps {
            scene.must(step).await?;
        }
        if let Some(probe) = probe {
            let probe = if self.question.dry_run { probe.dry_run() } else { probe };
            scene.attempt(self.says(), probe).await?;
        }
        Ok(())
    }
}

impl Step {
    fn write(&self, kind: &Resource, job: &Value) -> Write {
        let name = job["metadata"]["name"].as_str().unwrap_or_default();
        match self {
            Self::Create => Write::create_of(kind, job.clone()),
            Self::CreateInCronJob => Write::create("apis/batch/v1", "cronjobs", cron_job(job)),
            Self::Update(patch) => Write::patch_of(kind, name, patch.clone()),
            Self::UpdateStatus(patch) => Write::patch_of(kind, name, patch.clone()).part("status"),
        }
    }
}

/// The object with the name of this namespace wherever it says `{ns}`.
fn in_this(namespace: &str, object: &Value) -> Value {
    match object {
        Value::String(text) => text.replace("{ns}", namespace).into(),
        Value::Array(items) => items.iter().map(|item| in_this(namespace, item)).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, field)| (name.clone(), in_this(namespace, field)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}

fn cron_job(job: &Value) -> Value {
    json!({
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": job["metadata"],
        "spec": {"schedule": "0 0 1 1 *", "suspend": true, "jobTemplate": {"spec": job["spec"]}},
    })
}

/// Asks every row, one after another.
///
/// # Errors
/// When a write that only leads up to a question is refused, or there is no answer at all.
pub async fn ask(rows: &[Row], scene: &mut Scene) -> Result<(), Stop> {
    for (number, row) in rows.iter().enumerate() {
        row.ask(number, scene).await?;
    }
    Ok(())
}

/// One claim a row: its sentence, and that it is answered as it says.
#[must_use]
pub fn answers(rows: &[Row]) -> Expectations {
    rows.iter().fold(Expectations::new(), |all, row| all.and(row.says(), eventually(row.predicate())))
}
