//! Jobsworth's own controllers out of a checkout: built, or brought up to date, before anything is started.
//!
//! Whether it is fresh is cargo's to say, so cargo is asked when our own program lies in the target folder of a workspace that
//! has the controller, unless every source is clearly older than the program. Elsewhere, as after an installation, the program is
//! there or it is not.

mod sources;

use self::sources::Sources;
use super::OWN_PROGRAMS;
use std::{
    env,
    ffi::OsString,
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The package of our own program. Built for both, a controller shares every dependency with the program that is there.
const OWN: &str = "jobsworth";
/// Cargo marks its target folders with this file.
const MARK: &str = "CACHEDIR.TAG";

/// Why there is no controller that could be started.
#[derive(Debug, thiserror::Error)]
pub enum NotReady {
    /// It is not there, and nothing here could build it.
    #[error("failed to find the program {}", .0.display())]
    Missing(PathBuf),
    /// Cargo could not be started.
    #[error("failed to start cargo, which brings {program} up to date: {source}")]
    NoCargo {
        /// The program.
        program: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// Cargo could not build it, and has said why.
    #[error("failed to build {program}: cargo ended with {status}")]
    NotBuilt {
        /// The program.
        program: &'static str,
        /// How cargo ended.
        status: std::process::ExitStatus,
    },
}

/// Makes a controller program ready. Blocks while cargo builds; `tell` hears that, line by line, and nothing if all is fresh.
///
/// # Errors
/// When the program is not there, or cannot be built.
pub fn make_ready(program: &Path, tell: &dyn Fn(&str)) -> Result<(), NotReady> {
    let own = OWN_PROGRAMS.into_iter().find(|own| program.ends_with(own));
    let place = own.and_then(|own| {
        let place = Place::of(program)?;
        let sources = place.sources(own)?;
        Some((own, place, sources))
    });
    match place {
        Some((_, _, sources)) if sources.are_clearly_older_than(program) => Ok(()),
        Some((own, place, _)) => place.build(own, tell),
        None if program.is_file() => Ok(()),
        None => Err(NotReady::Missing(program.to_owned())),
    }
}

/// Where in a checkout a program lies.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    /// A folder of the workspace.
    workspace: PathBuf,
    target: PathBuf,
    /// The triple, if cargo was told one.
    triple: Option<OsString>,
    profile: OsString,
}

impl Place {
    /// A program of cargo lies in `target/PROFILE` or `target/TRIPLE/PROFILE`.
    fn of(program: &Path) -> Option<Self> {
        let profile = program.parent()?;
        let above = profile.parent()?;
        let (target, triple) = match above.join(MARK).is_file() {
            true => (above, None),
            false => (above.parent().filter(|target| target.join(MARK).is_file())?, above.file_name()),
        };
        // A target folder may be anywhere; `cargo run` and `cargo test` tell their programs where the sources are.
        let told = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let beside = target.parent().map(Path::to_owned);
        let workspace = [told, beside].into_iter().flatten().find(|folder| folder.join("Cargo.toml").is_file())?;
        let (target, triple) = (target.to_owned(), triple.map(OsString::from));
        Some(Self { workspace, target, triple, profile: profile.file_name()?.to_owned() })
    }

    /// What the program is built from, if the workspace has both packages: that of somebody with own cases has not.
    fn sources(&self, program: &str) -> Option<Sources> {
        let asked = self.cargo().args(["metadata", "--no-deps", "--format-version", "1"]).output().ok()?;
        let sources = Sources::of(program, &asked.stdout)?;
        sources.workspace_has(OWN).then_some(sources)
    }

    fn build(&self, program: &'static str, tell: &dyn Fn(&str)) -> Result<(), NotReady> {
        let no_cargo = |source| NotReady::NoCargo { program, source };
        let mut command = self.cargo();
        command.args(self.arguments(program)).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(no_cargo)?;
        let output = child.stderr.take().expect("it is piped");
        let mut begun = false;
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if !begun && line.trim_start().starts_with("Compiling") {
                begun = true;
                tell(&format!("{program} is missing or older than its sources: cargo builds it now"));
            }
            // All that cargo says of what is fresh.
            if !line.trim_start().starts_with("Finished") || begun {
                tell(&line);
            }
        }
        let status = child.wait().map_err(no_cargo)?;
        if status.success() { Ok(()) } else { Err(NotReady::NotBuilt { program, status }) }
    }

    fn arguments(&self, program: &str) -> Vec<OsString> {
        let both = ["build", "--package", OWN, "--package", program, "--bin", program];
        let mut arguments: Vec<OsString> = both.map(OsString::from).into();
        // The folder of the profile `dev` has another name.
        let profile = if self.profile == "debug" { "dev".into() } else { self.profile.clone() };
        arguments.extend(["--profile".into(), profile, "--target-dir".into(), self.target.clone().into()]);
        arguments.extend(self.triple.iter().flat_map(|triple| ["--target".into(), triple.clone()]));
        arguments
    }

    /// The cargo that started us, if one did; its words are ours to show, so without colour.
    fn cargo(&self) -> Command {
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.current_dir(&self.workspace).env("CARGO_TERM_COLOR", "never").stdin(Stdio::null());
        command
    }
}

#[cfg(test)]
mod tests;
