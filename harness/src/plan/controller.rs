//! Controllers that a user describes: in a file of their own, in a plan file, or in one line.

mod check;

use crate::{
    cluster::{
        ControllerProgram, SubjectKind,
        subject_kind::{ControllerImage, JobApi, ReadyWhen, Rule},
    },
    subject::Subject,
    yaml::{self, FileError, Limits},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_yaml::Spanned;
use std::{collections::BTreeMap, path::PathBuf};

pub(super) use check::Checker;

/// The schema that a controller file names in its first key.
pub const SCHEMA: &str = "jobsworth/controller/v1";
/// What a controller in one line begins with.
pub const PREFIX: &str = "program:";

const LIMITS: Limits = Limits { what: "controller", largest: 64 * 1024, documents: 1, depth: 16, nodes: 2_000 };

/// Reads and checks the text of a controller file; `name` is its path.
///
/// # Errors
/// All mistakes that were found, each with its place; mistakes of form alone and at once.
pub fn parse(text: &str, name: &str) -> Result<Subject, FileError> {
    let controller: ControllerText = yaml::one(text, name, &LIMITS)?;
    let mut checker = Checker::of(text);
    checker.schema(&controller);
    let subject = checker.subject(&controller);
    let subject = subject.named_by(&["--controller-file", name]);
    checker.done(subject).map_err(|problems| FileError {
        what: LIMITS.what,
        name: name.to_owned(),
        text: text.to_owned(),
        problems,
    })
}

/// The JSON schema of controller files.
#[must_use]
pub fn json_schema() -> schemars::Schema {
    schemars::schema_for!(ControllerText)
}

/// The controller of one line, `program: COMMAND`, whose Jobs are the manager's; without one it takes the place of the built-in
/// controller. Words are cut as a shell does it. Its name is the program's.
///
/// # Errors
/// In words, when there is no program, a quotation does not end, or a placeholder is not known.
pub fn of_line(line: &str, manager: Option<&str>) -> Result<Subject, String> {
    let command = line.strip_prefix(PREFIX).unwrap_or(line);
    let words = shlex::split(command).ok_or("a quotation in it does not end")?;
    let (program, arguments) = words.split_first().ok_or("it names no program")?;
    check::texts(words.iter().map(String::as_str), manager)?;
    manager.map_or(Ok(()), check::manager)?;
    let program = ControllerProgram {
        program: PathBuf::from(program),
        arguments: arguments.to_vec(),
        environment: BTreeMap::new(),
        manager: manager.map(str::to_owned),
        ready: ReadyWhen::Started,
        offers_ttl: false,
        metrics: None,
        rights: Vec::new(),
        api: JobApi::default(),
        service_account: None,
        webhook: None,
        manifests: Vec::new(),
        election: Vec::new(),
        marks: Vec::new(),
    };
    let subject = Subject::of(&name_of(&program), SubjectKind::Program(program));
    Ok(match manager {
        Some(manager) => subject.named_by(&["--controller", line, "--manager", manager]),
        None => subject.named_by(&["--controller", line]),
    })
}

/// A controller that is in the cluster already and has the Jobs of this manager. Its name is what follows the domain.
///
/// # Errors
/// In words, when no Job could name this manager.
pub fn installed(manager: &str) -> Result<Subject, String> {
    check::manager(manager)?;
    let name = as_name(manager.rsplit('/').next().unwrap_or(manager));
    let kind = SubjectKind::Installed { manager: manager.to_owned() };
    Ok(Subject::of(&name, kind).named_by(&["--manager", manager]))
}

fn name_of(program: &ControllerProgram) -> String {
    as_name(&program.program.file_stem().unwrap_or_default().to_string_lossy())
}

/// A text as the name of a cell's controller.
fn as_name(text: &str) -> String {
    let kept = text.to_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let kept = kept.trim_matches(|c: char| !c.is_ascii_alphabetic() && !c.is_ascii_digit());
    match kept.starts_with(|c: char| c.is_ascii_lowercase()) && check::is_free(kept) {
        true => kept.chars().take(check::LONGEST_NAME).collect(),
        false => format!("my-{kept}").chars().take(check::LONGEST_NAME).collect(),
    }
}

/// A Job controller, as a program that is started, as an image that runs in the cluster, or as one that is installed there. Texts of `command`, `environment`,
/// `ready` and `offers` may have placeholders: `{kubeconfig}`, `{manager}`, `{metrics-port}`, `{health-port}`, `{qps}`, `{burst}`,
/// `{namespace}`, `{gates}`, `{minor}`, `{ttl-kubeconfig}`, `{client-ca}`, `{tls-cert}`, `{tls-key}`, `{webhook-port}`,
/// `{webhook-health-port}`. An argument or a variable whose
/// placeholder stands for nothing, as `{gates}` where no gate is named, is left out.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Controller")]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct ControllerText {
    /// Always `jobsworth/controller/v1`; a file of its own begins with it, a plan's controllers need not have it.
    #[serde(default)]
    #[schemars(with = "Option<String>", extend("const" = SCHEMA))]
    schema: Option<Spanned<String>>,
    /// The name by which cells and reports call it: a-z, 0-9 and `-`.
    #[schemars(with = "String", regex(pattern = "^[a-z][a-z0-9-]{0,29}$"))]
    pub name: Spanned<String>,
    /// The program and its arguments. A program without a slash is looked for in PATH; one with a slash is taken from the folder in
    /// which jobsworth was started. Without a command the controller runs in the cluster already (`--provider existing`).
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    command: Vec<Spanned<String>>,
    /// Instead of a command: the image of a controller that its `manifests` run in pods of the cluster (`--provider kind` or
    /// `existing`). They may have `{image}`, `{manager}`, `{namespace}`, `{qps}`, `{burst}`, `{gates}` and `{minor}` in them, in quotes.
    #[serde(default)]
    #[schemars(with = "Option<ControllerImage>")]
    image: Option<Spanned<ControllerImage>>,
    /// Variables of its environment, which has nothing else but PATH and HOME.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, String>")]
    environment: BTreeMap<String, Spanned<String>>,
    /// The API whose Jobs it reconciles: only cases of that API are run with it.
    #[serde(default)]
    api: JobApi,
    /// Which Jobs are its own; all of them, where the API is not Kubernetes' own.
    #[schemars(with = "OwnershipText")]
    ownership: Spanned<OwnershipText>,
    /// How we know that it works; without it as soon as it was started.
    #[serde(default)]
    #[schemars(with = "Option<ReadyText>")]
    ready: Option<Spanned<ReadyText>>,
    /// What it does and shows besides reconciling Jobs.
    #[serde(default)]
    offers: OffersText,
    /// Rights beyond those of the built-in Job controller, in the whole cluster, as rules of a ClusterRole: for a lease, for example.
    #[serde(default)]
    rights: Vec<Rule>,
    /// As whom it comes to the API server, as `NAMESPACE/NAME`: `{kubeconfig}` then has the rights that the manifests give this
    /// service account, and no others. Without it, those of the built-in Job controller.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    service_account: Option<Spanned<String>>,
    /// Files with objects that are there before it starts, from the folder in which jobsworth was started: definitions, roles,
    /// webhook configurations. Those of a service are sent to the process in `webhook`, with our authority. With an `image`,
    /// these are the objects that run it; they are removed after the run.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    manifests: Vec<Spanned<String>>,
    /// Its admission webhook, if that is a program of its own.
    #[serde(default)]
    webhook: Option<WebhookText>,
}

/// The admission webhook of a controller: a second program, to which the API server sends reviews at `{webhook-port}`. It is ready
/// before the controller starts, and goes on when that is killed.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Webhook")]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct WebhookText {
    /// The program and its arguments, as for the controller.
    #[schemars(with = "Vec<String>")]
    command: Spanned<Vec<Spanned<String>>>,
    /// Variables of its environment, which has nothing else but PATH and HOME.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, String>")]
    environment: BTreeMap<String, Spanned<String>>,
    /// How we know that it works; without it as soon as it was started.
    #[serde(default)]
    #[schemars(with = "Option<ReadyText>")]
    ready: Option<Spanned<ReadyText>>,
    /// As whom it comes to the API server, as `NAMESPACE/NAME`.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    service_account: Option<Spanned<String>>,
}

/// How we know that a controller works.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "ReadyWhen")]
#[serde(rename_all = "kebab-case")]
pub(super) enum ReadyText {
    /// Of a program: this address on 127.0.0.1 answers a GET with 200; HTTPS needs the certificate that `{tls-cert}` names. Of an
    /// image: the API server answers this path, for example that of its proxy to a Service of the controller.
    Answers(String),
    /// The lease `NAMESPACE/NAME` has a holder that took or renewed it since the start.
    LeaseIsHeld(String),
    /// Of a program: it has written a line with this text.
    Prints(String),
    /// Of a program: it was started.
    Started,
    /// Of an image: the Deployment `NAMESPACE/NAME` is available. Without a word every Deployment of the manifests has to be.
    IsAvailable(String),
}

/// Which Jobs are a controller's own.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Ownership")]
#[serde(rename_all = "kebab-case")]
enum OwnershipText {
    /// All: it is in the place of the built-in Job controller, which does not run.
    DropIn,
    /// Those whose `spec.managedBy` is this, for example `example.com/mine`: it works beside the built-in controller.
    ManagedBy(String),
}

/// What a controller does and shows besides reconciling Jobs.
#[derive(Default, Deserialize, JsonSchema)]
#[schemars(rename = "Offers")]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct OffersText {
    /// Whether it deletes finished Jobs after their TTL. Without it the built-in TTL controller does that.
    #[serde(default)]
    ttl: bool,
    /// Address of its metrics on 127.0.0.1, for example `http://127.0.0.1:{metrics-port}/metrics`.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    metrics: Option<Spanned<String>>,
    /// Arguments with which it works only while it leads, added to the others where a case starts it twice; they may have placeholders. The
    /// Lease lasts for 4 s or less. Rights to Leases are given then, but where a service account says what the rights are.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    election: Vec<Spanned<String>>,
}

#[cfg(test)]
mod tests;
