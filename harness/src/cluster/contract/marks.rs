//! What tells a controller that is a program from another one: the sum of its file, and the flags of the process that runs.
//!
//! Only those that were looked at when the plan was made are looked at again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::attestation::Mark;
use super::{ClusterError, Component, ControllerProgram, SubjectKind};

/// What a release and the sum of its program are told under.
const PROGRAM: &str = "program";
/// What the flags of a process are told under.
const FLAGS: &str = "flags";

/// A program of this release whose file is this one.
///
/// # Errors
/// When the file cannot be read.
pub(crate) fn of_program(component: Component, version: &str, file: &Path) -> Result<Mark, ClusterError> {
    let sum = crate::binaries::sha256(file).map_err(ClusterError::Binaries)?;
    Ok(Mark::new(component, PROGRAM, format!("{version} sha256:{sum}")))
}

/// The marks of a controller's programs as they are now, and the flags of those of its processes whose ids are known.
fn now(kind: &SubjectKind, pids: &BTreeMap<Component, u32>) -> Result<Vec<Mark>, ClusterError> {
    let SubjectKind::Program(program) = kind else { return Ok(Vec::new()) };
    let mut marks = Vec::new();
    for before in program.marks.iter().filter(|mark| mark.what == PROGRAM) {
        let Some(file) = file_of(program, before.component) else { continue };
        // A file with the same sum is of the same release.
        let version = before.says.split(' ').next().unwrap_or_default();
        marks.push(of_program(before.component, version, file)?);
        marks.extend(pids.get(&before.component).and_then(|pid| flags(*pid, before.component, file)));
    }
    Ok(marks)
}

fn file_of(program: &ControllerProgram, component: Component) -> Option<&PathBuf> {
    match component {
        Component::Subject => Some(&program.program),
        Component::Webhook => program.webhook.as_ref().map(|webhook| &webhook.program),
        _ => None,
    }
}

/// The flags of a process, as the system has them. What stands before them is the program, and whatever runs it.
fn flags(pid: u32, component: Component, file: &Path) -> Option<Mark> {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let words: Vec<String> = words(&bytes);
    let own = words.iter().position(|word| Path::new(word) == file).map_or(0, |at| at + 1);
    Some(Mark::new(component, FLAGS, words[own..].join(" ")))
}

fn words(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    text.split_terminator('\0').map(str::to_owned).collect()
}

/// The marks of a controller whose processes have these ids. Programs are large: others go on meanwhile.
pub(crate) async fn marks_of(kind: SubjectKind, pids: BTreeMap<Component, u32>) -> Result<Vec<Mark>, ClusterError> {
    let looked = tokio::task::spawn_blocking(move || now(&kind, &pids)).await;
    looked.map_err(|error| ClusterError::Unproven(error.to_string()))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::contract::attest::compare_marks;
    use std::io::{Read as _, Write as _};
    use std::process::{Command, Stdio};

    fn looked_at(file: &Path) -> SubjectKind {
        let SubjectKind::Program(program) = SubjectKind::drop_in(file) else { unreachable!() };
        let marks = vec![of_program(Component::Subject, "v1.15.1", file).unwrap()];
        SubjectKind::Program(ControllerProgram { marks, ..program })
    }

    #[test]
    fn a_program_that_was_replaced_after_it_was_looked_at_is_not_the_one() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "one").unwrap();
        let kind = looked_at(file.path());
        let attested = |kind: &SubjectKind| {
            compare_marks(kind.marks(), &now(kind, &BTreeMap::new()).unwrap()).iter().all(|row| row.ok)
        };
        assert!(attested(&kind) && kind.marks()[0].says.starts_with("v1.15.1 sha256:"));
        fs::write(file.path(), "two").unwrap();
        assert!(!attested(&kind));
    }

    #[test]
    fn the_flags_of_a_process_are_what_follows_its_program() {
        let file = Path::new("/bin/cat");
        let mut child =
            Command::new(file).args(["-u", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        // It has its flags for sure once it works.
        let (mut ask, mut answer) = (child.stdin.take().unwrap(), [0]);
        ask.write_all(b"x").unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut answer).unwrap();
        let marks = now(&looked_at(file), &[(Component::Subject, child.id())].into());
        drop(ask);
        child.wait().unwrap();
        assert_eq!(marks.unwrap()[1].says, "-u -");
        assert!(now(&SubjectKind::BuiltIn, &BTreeMap::new()).unwrap().is_empty(), "nobody looked at it");
    }
}
