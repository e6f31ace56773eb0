//! What several commands need of their process: an executor, and programs beside ours.

use super::Failure;
use crate::{
    cluster::SubjectKind,
    report::escape::terminal,
    subject::checkout::{self, NotReady},
};
use std::{
    collections::BTreeSet,
    io::{self, Write as _},
    path::Path,
};

pub(super) fn block_on<T>(future: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::undecided(format!("failed to start the runtime: {error}")))?;
    Ok(runtime.block_on(future))
}

/// Controllers that are not Kubernetes' own come as programs beside ours. In a checkout they are built, here and not later:
/// once a cluster is up, a case may be about seconds.
pub(super) fn controllers_are_ready<'a>(subjects: impl Iterator<Item = &'a SubjectKind>) -> Result<(), Failure> {
    programs_are_ready(subjects.filter_map(SubjectKind::program))
}

/// The same for any programs that lie beside ours.
pub(super) fn programs_are_ready<'a>(programs: impl Iterator<Item = &'a Path>) -> Result<(), Failure> {
    let programs: BTreeSet<&Path> = programs.collect();
    let tell = |line: &str| {
        // Progress is a courtesy; stdout belongs to the result.
        let _ = writeln!(io::stderr(), "{}", terminal(line));
    };
    programs.into_iter().try_for_each(|program| checkout::make_ready(program, &tell)).map_err(|error| {
        let help = match &error {
            NotReady::Missing(_) => {
                "it is a program beside this one: put it there, or run `cargo jobsworth` in a checkout, which builds it"
            }
            NotReady::NoCargo { .. } => "install Rust, or run an installed program with what it starts beside it",
            NotReady::NotBuilt { .. } => "what cargo said stands above",
        };
        Failure::misuse_with(error.to_string(), help)
    })
}
