//! The flags that say which controllers are put to the test, and where their programs are.

use super::{Failure, small_file::read_at_most};
use crate::{
    cluster::{
        ControllerProgram, DeployedController, SubjectKind, deployed,
        provider::Made,
        subject_kind::{ControllerImage, Manifest},
    },
    plan::{PlanError, controller},
    subject::{NotVolcano, Subject, VOLCANO},
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
    /// `beside` it through spec.managedBy; for Volcano's Jobs `volcano-reference`, or `volcano` itself; or a program of yours, as
    /// 'program: ./my-controller --kubeconfig {kubeconfig}'.
    #[arg(long, value_name = "NAME[,NAME]", env = "JOBSWORTH_CONTROLLER", help_heading = "Cells")]
    controller: Vec<String>,
    /// A file that describes a controller of yours: how it is started, which Jobs are its own, when it is ready.
    #[arg(long, value_name = "FILE", env = "JOBSWORTH_CONTROLLER_FILE", help_heading = "Cells")]
    controller_file: Vec<PathBuf>,
    /// The value of spec.managedBy that makes a Job the controller's own: of the program in --controller, or, without one, of a
    /// controller that is installed in the cluster of --provider existing.
    #[arg(long, value_name = "DOMAIN/NAME", env = "JOBSWORTH_MANAGER", help_heading = "Cells")]
    manager: Option<String>,
    /// The folder with vc-controller-manager and vc-webhook-manager, for `--controller volcano`. With --provider existing that
    /// is the Volcano that is installed there, and no folder is named.
    #[arg(long, value_name = "DIR", env = "JOBSWORTH_VOLCANO_BINARIES", help_heading = "Cells")]
    volcano_binaries: Option<PathBuf>,
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
        Self { controller, controller_file, manager, volcano_binaries: None }
    }

    /// The flags by which a run says the same that finds no file of ours; those that name files are left out.
    pub fn flags_elsewhere(&self) -> Vec<String> {
        let named = self.controller.iter().map(|text| format!("--controller={text}"));
        named.chain(self.manager.iter().map(|name| format!("--manager={name}"))).collect()
    }

    /// Whether they name files, which are found here and nowhere else.
    pub fn names_files(&self) -> bool {
        !self.controller_file.is_empty() || self.volcano_binaries.is_some()
    }

    /// Reads what the flags name.
    ///
    /// # Errors
    /// When a file cannot be read, or describes no controller.
    pub fn read(self, clusters: Made) -> Result<Asked, Failure> {
        let (lines, names): (Vec<String>, Vec<String>) =
            self.controller.into_iter().partition(|text| text.starts_with(controller::PREFIX));
        let names = names.iter().flat_map(|names| names.split(',')).map(|name| name.trim().to_owned());
        let (volcano, names): (Vec<String>, Vec<String>) = names.partition(|name| name == VOLCANO);
        let mut described = Vec::new();
        if !volcano.is_empty() {
            described.push(match (clusters, self.volcano_binaries.as_deref()) {
                (Made::Before, None) => Subject::installed_volcano(),
                (_, folder) => volcano_in(folder)?,
            });
        }
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

/// Volcano's own controller, from the programs in this folder.
fn volcano_in(folder: Option<&Path>) -> Result<Subject, Failure> {
    let folder = folder.ok_or_else(|| {
        let says = "failed to find Volcano's own programs: nobody said where they are";
        Failure::misuse_with(says, "name the folder that has them with --volcano-binaries DIR")
    })?;
    Subject::volcano(folder).map_err(|error| {
        let help = match &error {
            NotVolcano::Missing(_) => "the folder must have vc-controller-manager and vc-webhook-manager",
            NotVolcano::Unreadable(_) => "it must be readable, so that its sum can stand in the report",
            NotVolcano::OtherRelease { .. } | NotVolcano::TwoReleases { .. } => {
                "build both from one tag of release 1.15"
            }
            NotVolcano::Start { .. } | NotVolcano::Silent { .. } | NotVolcano::Unversioned { .. } => {
                "run it with --version yourself: it must say a line like `Version: v1.15.1`, and end"
            }
        };
        Failure::misuse_with(crate::error_text::in_full(&error), help)
    })
}

/// A described controller, ready to be started from any folder: its program, or the file of its image, is there, and so are its
/// manifests. A program has a PATH and a HOME.
///
/// # Errors
/// When there is no such program, image or manifest, or a manifest has a placeholder that stands for nothing.
pub(super) fn located(subject: Subject) -> Result<Subject, Failure> {
    let kind = match subject.kind {
        SubjectKind::Program(program) => SubjectKind::Program(located_process(&subject.name, program)?),
        SubjectKind::Deployed(controller) => SubjectKind::Deployed(located_image(&subject.name, controller)?),
        kind @ (SubjectKind::BuiltIn | SubjectKind::Installed { .. } | SubjectKind::InstalledVolcano) => kind,
    };
    Ok(Subject { kind, ..subject })
}

fn located_process(name: &str, mut program: ControllerProgram) -> Result<ControllerProgram, Failure> {
    program.program = located_program(&program.program, &format!("the controller {name}"))?;
    surrounded(&mut program.environment);
    if let Some(webhook) = &mut program.webhook {
        webhook.program = located_program(&webhook.program, &format!("the webhook of the controller {name}"))?;
        surrounded(&mut webhook.environment);
    }
    located_manifests(name, &mut program.manifests)?;
    Ok(program)
}

fn located_image(name: &str, mut controller: DeployedController) -> Result<DeployedController, Failure> {
    controller.image = match controller.image {
        ControllerImage::Program(file) => {
            ControllerImage::Program(located_program(&file, &format!("the image of the controller {name}"))?)
        }
        ControllerImage::Archive(file) => ControllerImage::Archive(located_file(&file, "image archive", name)?),
        name @ ControllerImage::Name(_) => name,
    };
    located_manifests(name, &mut controller.manifests)?;
    deployed::check(&controller).map_err(|error| Failure::misuse(crate::error_text::in_full(&error)))?;
    Ok(controller)
}

fn located_manifests(name: &str, manifests: &mut [Manifest]) -> Result<(), Failure> {
    for manifest in manifests {
        let Manifest::File(file) = manifest else { continue };
        *file = located_file(file, "manifest", name)?;
    }
    Ok(())
}

fn located_file(file: &Path, what: &str, name: &str) -> Result<PathBuf, Failure> {
    let found = std::path::absolute(file).ok().filter(|file| file.is_file());
    found.ok_or_else(|| {
        let says = format!("failed to find the {what} {} of the controller {name}", file.display());
        Failure::misuse_with(says, "the path is taken from the folder in which jobsworth was started")
    })
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
