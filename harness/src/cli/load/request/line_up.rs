//! Whose Jobs they are: which controllers take turns, or which one is alone.

use super::{Arguments, place};
use crate::{
    cli::{
        Failure,
        controllers::{Asked, Controllers, located},
        small_file::read_at_most,
    },
    cluster::SubjectKind,
    load::{
        arm::{self, Arm, LineUp},
        installed::Owner,
    },
    plan::{PlanError, controller},
    subject::{BUILT_IN, Subject},
};
use std::path::Path;

/// What is compared with the built-in controller if nobody says otherwise.
const HEAD: &str = "reference";

impl Arguments {
    /// Who takes turns.
    ///
    /// # Errors
    /// When nobody is called so, or what is called so cannot be measured there.
    pub(super) fn line_up(&self, owner: Option<Owner>) -> Result<LineUp, Failure> {
        if self.controller.is_none() && self.controller_file.is_none() && self.manager.is_none() {
            if owner.is_some() {
                return Ok(LineUp::Alone(Subject::built_in().into()));
            }
            return self.compared();
        }
        let named: Vec<String> = self.controller.iter().cloned().collect();
        let files = self.controller_file.iter().cloned().collect();
        let asked = Controllers::of(named, files, self.manager.clone()).read(place::made(owner))?;
        let Asked { names, described } = asked;
        let known = Subject::known();
        let by_name = names.iter().map(|name| {
            let known_names = known.iter().map(|subject| subject.name.as_str());
            let found = known.iter().find(|subject| subject.name == *name).cloned();
            found.ok_or_else(|| PlanError::none_of("controller", name, known_names))
        });
        let mut subjects = by_name.collect::<Result<Vec<_>, _>>()?;
        for subject in described {
            subjects.push(located(subject)?);
        }
        if let Some(other) = subjects.iter().find(|subject| !can_be_measured(&subject.kind, owner)) {
            let says = format!("failed to plan the load: {} cannot be measured by a load", other.name);
            let help = match owner {
                None => "name a controller of batch/v1 Jobs that is built in or a program: loads are of these Jobs",
                Some(_) => {
                    "only the one that is there is: leave --controller out for the built-in one, or name the manager of one that \
                     is installed in the cluster of --provider existing with --manager"
                }
            };
            return Err(Failure::misuse_with(says, help));
        }
        match <[Subject; 1]>::try_from(subjects) {
            Ok([one]) => Ok(LineUp::Alone(one.into())),
            Err(several) => {
                let says = format!("failed to plan the load: {} controllers cannot be alone", several.len());
                Err(Failure::misuse_with(says, "name one, or compare two with --base and --head"))
            }
        }
    }

    /// Two that take turns.
    fn compared(&self) -> Result<LineUp, Failure> {
        let arm = |name: &str| {
            let names = Arm::names();
            Arm::named(name).ok_or_else(|| PlanError::none_of("controller", name, names.iter().map(String::as_str)))
        };
        let base = arm(self.base.as_deref().unwrap_or(BUILT_IN))?;
        let head = match &self.head_file {
            Some(path) => described(path)?,
            None => arm(self.head.as_deref().unwrap_or(HEAD))?,
        };
        Ok(LineUp::Compared { base, head })
    }

    /// Refuses workers where no built-in controller is started that could have them.
    ///
    /// # Errors
    /// When it is so.
    pub(super) fn suits_its_workers(&self, owner: Option<Owner>, line_up: &LineUp) -> Result<(), Failure> {
        let is_built_in = |(_, arm): &(_, &Arm)| arm.kind == SubjectKind::BuiltIn;
        if self.workers.is_none() || (owner.is_none() && line_up.arms().iter().any(is_built_in)) {
            return Ok(());
        }
        let says = "failed to plan the load: --workers is for the built-in controller as a process of ours";
        Err(Failure::misuse_with(says, "leave it out, or use --provider local with the built-in controller"))
    }
}

/// A controller that a file describes, and that can stand in for the built-in one.
fn described(path: &Path) -> Result<Arm, Failure> {
    let text = read_at_most(path, "controller file")?;
    let read = controller::parse(&text, &path.display().to_string()).map_err(PlanError::from)?;
    let subject = located(read)?;
    if arm::takes_turns(&subject) {
        return Ok(subject.into());
    }
    let says = format!("failed to plan the load: {} cannot take turns with another controller", subject.name);
    let help = "it must be a program that does all batch/v1 Jobs itself; one that has Jobs of its own through spec.managedBy is measured \
                alone, with --controller-file";
    Err(Failure::misuse_with(says, help))
}

/// Whether a load can be done by a controller, on local processes or where it is there already.
fn can_be_measured(kind: &SubjectKind, owner: Option<Owner>) -> bool {
    match owner {
        None => arm::is_measured(kind),
        Some(_) => matches!(kind, SubjectKind::BuiltIn | SubjectKind::Installed { .. }),
    }
}
