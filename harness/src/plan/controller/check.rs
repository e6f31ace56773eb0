//! What a described controller must mean, beyond its form; all mistakes at once.

mod deployed;
mod ready;

use super::{ControllerText, OwnershipText, SCHEMA, WebhookText};
use crate::{
    cluster::{
        ControllerProgram, SubjectKind,
        subject_kind::{JobApi, Manifest, Placeholder, ReadyWhen, ServiceAccount, WebhookProgram, has, unknown},
    },
    nearest::nearest,
    subject::{Subject, VOLCANO},
    yaml::{Place, Problem},
};
use serde_yaml::{Location, Spanned};
use std::{collections::BTreeMap, path::PathBuf};

/// Most letters of a name.
pub(super) const LONGEST_NAME: usize = 30;
/// Most letters of `spec.managedBy`.
const LONGEST_MANAGER: usize = 63;
/// What the built-in controller is called in `spec.managedBy`.
const RESERVED: &str = "kubernetes.io/job-controller";

/// Looks for mistakes in a text and keeps them.
pub(in crate::plan) struct Checker<'t> {
    text: &'t str,
    problems: Vec<Problem>,
}

impl<'t> Checker<'t> {
    /// Of controllers in this text.
    pub fn of(text: &'t str) -> Self {
        Self { text, problems: Vec::new() }
    }

    /// What was checked, unless something is wrong with it.
    pub fn done<T>(mut self, checked: T) -> Result<T, Vec<Problem>> {
        self.problems.sort_by_key(|problem| (problem.line, problem.column));
        if self.problems.is_empty() { Ok(checked) } else { Err(self.problems) }
    }

    fn add(&mut self, at: &Location, says: impl Into<String>, help: Option<&str>) {
        self.problems.push(Place::of(self.text, at).problem(says, help.map(str::to_owned)));
    }

    /// A file of its own says what it is.
    pub(super) fn schema(&mut self, written: &ControllerText) {
        if written.schema.is_none() {
            let says = format!("the key `schema` is missing; its value is `{SCHEMA}`");
            self.problems.push(Place::default().problem(says, None));
        }
    }

    /// The controller that a text describes.
    pub fn subject(&mut self, written: &ControllerText) -> Subject {
        if let Some(schema) = written.schema.as_ref().filter(|schema| schema.value != SCHEMA) {
            let help = format!("this program reads `{SCHEMA}`");
            self.add(&schema.referenced, format!("the schema `{}` is not known", schema.value), Some(&help));
        }
        self.name(&written.name);
        let at = &written.ownership.referenced;
        let manager = match &written.ownership.value {
            OwnershipText::DropIn => None,
            OwnershipText::ManagedBy(manager) => Some(manager.clone()),
        };
        if let Some(Err(says)) = manager.as_deref().map(self::manager) {
            self.add(at, says, None);
        }
        if manager.is_some() && written.api != JobApi::Batch {
            let says = format!("Jobs of {} name no manager", written.api);
            self.add(at, says, Some("write `ownership: drop-in`"));
        }
        let named = manager.as_deref();
        self.commanded(&written.command, &written.environment, named);
        self.commanded(&written.offers.election, &BTreeMap::new(), named);
        if let Some(metrics) = &written.offers.metrics {
            self.placeholders(&metrics.value, &metrics.referenced, named);
            self.address(&metrics.value, &metrics.referenced);
        }
        if let Some(image) = &written.image {
            return self.deployed(written, image, manager);
        }
        let ready = written.ready.as_ref().map(|ready| self.ready(ready, named));
        let service_account = self.service_account(written.service_account.as_ref());
        let webhook = written.webhook.as_ref().and_then(|webhook| self.webhook(webhook, named));
        let name = written.name.value.clone();
        let Some((program, arguments)) = written.command.split_first() else {
            let Some(manager) = manager else {
                self.add(at, "a controller in the place of the built-in one needs a `command`", None);
                return Subject::of(&name, SubjectKind::BuiltIn);
            };
            return Subject::of(&name, SubjectKind::Installed { manager });
        };
        let program = ControllerProgram {
            program: PathBuf::from(&program.value),
            arguments: values(arguments),
            environment: variables(&written.environment),
            manager,
            ready: ready.flatten().unwrap_or(ReadyWhen::Started),
            offers_ttl: written.offers.ttl,
            metrics: written.offers.metrics.as_ref().map(|url| url.value.clone()),
            rights: written.rights.clone(),
            api: written.api,
            service_account,
            webhook,
            manifests: written.manifests.iter().map(|file| Manifest::File(PathBuf::from(&file.value))).collect(),
            election: values(&written.offers.election),
            marks: Vec::new(),
        };
        Subject::of(&name, SubjectKind::Program(program))
    }

    fn webhook(&mut self, written: &WebhookText, manager: Option<&str>) -> Option<WebhookProgram> {
        let at = &written.command.referenced;
        self.commanded(&written.command.value, &written.environment, manager);
        let ready = written.ready.as_ref().map(|ready| self.ready(ready, manager));
        let service_account = self.service_account(written.service_account.as_ref());
        let mut texts = written.command.value.iter().chain(written.environment.values());
        if !texts.any(|text| has(&text.value, Placeholder::WebhookPort)) {
            let help = "reviews come to the port `{webhook-port}`: pass it on";
            self.add(at, "the webhook is not told where it has to listen", Some(help));
        }
        let Some((program, arguments)) = written.command.value.split_first() else {
            self.add(at, "the webhook's command names no program", None);
            return None;
        };
        Some(WebhookProgram {
            program: PathBuf::from(&program.value),
            arguments: values(arguments),
            environment: variables(&written.environment),
            ready: ready.flatten().unwrap_or(ReadyWhen::Started),
            service_account,
        })
    }

    fn commanded(
        &mut self,
        command: &[Spanned<String>],
        environment: &BTreeMap<String, Spanned<String>>,
        manager: Option<&str>,
    ) {
        for text in command.iter().chain(environment.values()) {
            self.placeholders(&text.value, &text.referenced, manager);
        }
    }

    fn service_account(&mut self, written: Option<&Spanned<String>>) -> Option<ServiceAccount> {
        let written = written?;
        match ServiceAccount::try_from(written.value.clone()) {
            Ok(account) => Some(account),
            Err(says) => {
                self.add(&written.referenced, says, None);
                None
            }
        }
    }

    fn name(&mut self, written: &Spanned<String>) {
        let name = &written.value;
        let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let starts = name.starts_with(|c: char| c.is_ascii_lowercase());
        if !starts || name.len() > LONGEST_NAME || !name.chars().all(good) {
            let help = "a name has 1 to 30 of a-z, 0-9 and `-`, and starts with a letter";
            self.add(&written.referenced, format!("`{name}` cannot be the name of a controller"), Some(help));
        } else if !is_free(name) {
            self.add(
                &written.referenced,
                format!("`{name}` is a controller that comes along"),
                Some("choose another name"),
            );
        }
    }

    fn placeholders(&mut self, text: &str, at: &Location, manager: Option<&str>) {
        if let Err(says) = texts([text], manager) {
            self.add(at, says, None);
        }
    }
}

fn values(texts: &[Spanned<String>]) -> Vec<String> {
    texts.iter().map(|text| text.value.clone()).collect()
}

fn variables(written: &BTreeMap<String, Spanned<String>>) -> BTreeMap<String, String> {
    written.iter().map(|(name, text)| (name.clone(), text.value.clone())).collect()
}

/// Whether no controller that comes along, or could, has this name.
pub(super) fn is_free(name: &str) -> bool {
    name != VOLCANO && Subject::known().iter().all(|known| known.name != name)
}

/// Whether texts have known placeholders only, and the manager's only where there is one.
pub(super) fn texts<'t>(texts: impl IntoIterator<Item = &'t str>, manager: Option<&str>) -> Result<(), String> {
    for text in texts {
        if let Some(name) = unknown(text).first() {
            let names = Placeholder::ALL.into_iter().filter(|one| *one != Placeholder::Image).map(Placeholder::name);
            let near = nearest(name, names.clone()).first().map(|near| format!("; did you mean `{{{near}}}`?"));
            let all =
                || format!("; there are {}", names.map(|name| format!("{{{name}}}")).collect::<Vec<_>>().join(", "));
            return Err(format!("there is no placeholder `{{{name}}}`{}", near.unwrap_or_else(all)));
        }
        if has(text, Placeholder::Image) {
            return Err("`{image}` is of a controller in pods: a program on this machine has none".to_owned());
        }
        if has(text, Placeholder::Manager) && manager.is_none() {
            return Err("`{manager}` stands for nothing: the controller has no manager's name".to_owned());
        }
    }
    Ok(())
}

/// Whether a Job can name this manager: a domain, a slash, a path; and not the built-in controller's.
pub(super) fn manager(name: &str) -> Result<(), String> {
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '/');
    let (domain, path) = name.split_once('/').unwrap_or((name, ""));
    let is_label = |label: &str| {
        !label.is_empty()
            && label.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    if name == RESERVED {
        return Err(format!("`{name}` is the built-in controller"));
    }
    if path.is_empty() || name.len() > LONGEST_MANAGER || !name.chars().all(good) || !domain.split('.').all(is_label) {
        return Err(format!(
            "no Job can name `{name}` in spec.managedBy: it is a domain and a path, for example example.com/mine, of at most {LONGEST_MANAGER} letters"
        ));
    }
    Ok(())
}
