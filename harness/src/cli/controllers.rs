//! The flags that say which controllers are put to the test, and where their programs are.

use super::{Failure, small_file::read_at_most};
use crate::{
    cluster::{SubjectKind, provider::Made, subject_kind::Manifest},
    plan::{PlanError, controller},
    subject::Subject,
};
use clap::Args;
use std::{
    collections::BTreeMap,
    env,
    path::{Path, PathBuf},
};

/// Whom to put to the test.
#[derive(Args, Clone, Debug)]
pub(super) struct Controllers {
    /// The controller under test; several make several cells: `builtin` (without this flag), `reference` in its place,
    /// `beside` it through spec.managedBy; or a program of yours, as 'program: ./my-controller --kubeconfig {kubeconfig}'.
    #[arg(long, value_name = "NAME[,NAME]", env = "JOBSWORTH_CONTROLLER", help_heading = "Cells")]
    controller: Vec<String>,
    /// A file that describes a controller of yours: how it is started, which Jobs are its own, when it is ready.
    #[arg(long, value_name = "FILE", env = "JOBSWORTH_CONTROLLER_FILE", help_heading = "Cells")]
    controller_file: Vec<PathBuf>,
    /// The value of spec.managedBy that makes a Job the controller's own: of the program in --controller, or, without one, of a
    /// controller that is installed in the cluster of --provider existing.
    #[arg(long, value_name = "DOMAIN/NAME", env = "JOBSWORTH_MANAGER", help_heading = "Cells")]
    manager: Option<String>,
}

/// What was asked for.
pub(super) struct Asked {
    /// Controllers by name.
    pub names: Vec<String>,
    /// Controllers that were described.
    pub described: Vec<Subject>,
}

impl Controllers {
    /// As if these flags had been given.
    pub fn of(controller: Vec<String>, controller_file: Vec<PathBuf>, manager: Option<String>) -> Self {
        Self { controller, controller_file, manager }
    }

    /// Reads what the flags name.
    ///
    /// # Errors
    /// When a file cannot be read, or describes no controller.
    pub fn read(self, clusters: Made) -> Result<Asked, Failure> {
        let (lines, names): (Vec<String>, Vec<String>) =
            self.controller.into_iter().partition(|text| text.starts_with(controller::PREFIX));
        let names = names.iter().flat_map(|names| names.split(',')).map(|name| name.trim().to_owned()).collect();
        let mut described = Vec::new();
        for path in &self.controller_file {
            let text = read_at_most(path, "controller file")?;
            let read = controller::parse(&text, &path.display().to_string());
            described.push(read.map_err(PlanError::from)?);
        }
        let manager = self.manager.as_deref();
        for line in &lines {
            let unreadable = |why| PlanError::Unreadable { what: "the controller", text: line.clone(), why };
            described.push(controller::of_line(line, manager).map_err(unreadable)?);
        }
        if let (Some(manager), []) = (manager, lines.as_slice()) {
            if clusters == Made::ForTheRun {
                let says = format!(
                    "failed to give Jobs to {manager}: no controller is installed in clusters that are made for the run"
                );
                let help = "name its program with --controller 'program: ...', or its cluster with --provider existing";
                return Err(Failure::misuse_with(says, help));
            }
            let unreadable = |why| PlanError::Unreadable { what: "the manager", text: manager.to_owned(), why };
            described.push(controller::installed(manager).map_err(unreadable)?);
        }
        Ok(Asked { names, described })
    }
}

/// A described controller, ready to be started from any folder: its program is there, and it has a PATH and a HOME.
///
/// # Errors
/// When there is no such program, or no such manifest.
pub(super) fn located(subject: Subject) -> Result<Subject, Failure> {
    let SubjectKind::Program(mut program) = subject.kind else { return Ok(subject) };
    program.program = located_program(&program.program, &format!("the controller {}", subject.name))?;
    surrounded(&mut program.environment);
    if let Some(webhook) = &mut program.webhook {
        webhook.program =
            located_program(&webhook.program, &format!("the webhook of the controller {}", subject.name))?;
        surrounded(&mut webhook.environment);
    }
    for manifest in &mut program.manifests {
        let Manifest::File(file) = manifest else { continue };
        let found = std::path::absolute(&*file).ok().filter(|file| file.is_file());
        *file = found.ok_or_else(|| {
            let says = format!("failed to find the manifest {} of the controller {}", file.display(), subject.name);
            Failure::misuse_with(says, "the path is taken from the folder in which jobsworth was started")
        })?;
    }
    Ok(Subject { kind: SubjectKind::Program(program), ..subject })
}

fn located_program(program: &Path, whose: &str) -> Result<PathBuf, Failure> {
    find(program).ok_or_else(|| {
        let help = match program.components().count() {
            1 => "it is not in PATH; a path with a slash is taken from the folder in which jobsworth was started",
            _ => "the path is taken from the folder in which jobsworth was started; build it first?",
        };
        Failure::misuse_with(format!("failed to find the program {} of {whose}", program.display()), help)
    })
}

/// What every process of a user's has of our environment.
fn surrounded(environment: &mut BTreeMap<String, String>) {
    for name in ["PATH", "HOME"] {
        if let Ok(value) = env::var(name) {
            environment.entry(name.to_owned()).or_insert(value);
        }
    }
}

fn find(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 || program.is_absolute() {
        return std::path::absolute(program).ok().filter(|file| file.is_file());
    }
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(program)).find(|file| file.is_file())
}
