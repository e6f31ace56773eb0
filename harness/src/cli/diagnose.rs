//! Trouble, told on stderr: with the place in the file where there is one, and with the exit code.

use crate::{
    bundle::{BundleError, Stopped},
    cluster::{ClusterError, existing::Refusal, provider::NotReady},
    container_runtime::RuntimeError,
    node_image::NodeImageError,
    plan::{PlanError, filter::FilterError},
    report::{Exit, ReportError, escape::block, rejudge::RejudgeError},
    yaml::{FileError, Problem},
};
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report, Severity};
use std::{error::Error, io::Write, process::ExitCode};

/// Why a command could not do what it was asked to.
pub struct Failure {
    exit: Exit,
    reports: Vec<Report>,
}

impl Failure {
    /// The user asked for something that cannot be; nothing was started.
    pub fn misuse(says: impl Into<String>) -> Self {
        Self::of(Exit::Misuse, MietteDiagnostic::new(says))
    }

    /// The same, with a way out.
    pub fn misuse_with(says: impl Into<String>, help: impl Into<String>) -> Self {
        Self::of(Exit::Misuse, MietteDiagnostic::new(says).with_help(help))
    }

    /// It cannot be told whether the claims hold.
    pub fn undecided(says: impl Into<String>) -> Self {
        Self::of(Exit::Undecided, MietteDiagnostic::new(says))
    }

    /// A signal ended it; what was begun is removed.
    pub fn interrupted(signal: &'static str) -> Self {
        Self::of(Exit::Stopped(signal), MietteDiagnostic::new(format!("stopped by {signal}; nothing is left")))
    }

    fn of(exit: Exit, diagnostic: MietteDiagnostic) -> Self {
        Self { exit, reports: vec![Report::new(diagnostic)] }
    }

    /// Writes it to stderr.
    pub fn tell(&self) -> ExitCode {
        let colour = super::surroundings::of_stderr();
        let theme = match colour.terminal && !colour.no_color {
            true => GraphicalTheme::unicode(),
            false => GraphicalTheme::unicode_nocolor(),
        };
        let handler = GraphicalReportHandler::new_themed(theme).with_wrap_lines(false).with_links(false);
        for report in &self.reports {
            let mut text = String::new();
            if handler.render_report(&mut text, report.as_ref()).is_err() {
                text = report.to_string();
            }
            // Without a stderr there is nobody left to tell.
            let _ = writeln!(std::io::stderr(), "{}", text.trim_end());
        }
        self.exit.into()
    }
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Self {
        match error {
            PlanError::File(error) => Self { exit: Exit::Misuse, reports: of_file(&error) },
            PlanError::Filter(error) => Self { exit: Exit::Misuse, reports: vec![of_filter(&error)] },
            other => Self::misuse(whole(&other)),
        }
    }
}

impl From<ReportError> for Failure {
    fn from(error: ReportError) -> Self {
        Self::undecided(whole(&error))
    }
}

impl From<RejudgeError> for Failure {
    fn from(error: RejudgeError) -> Self {
        Self::undecided(error.to_string())
    }
}

impl From<BundleError> for Failure {
    fn from(error: BundleError) -> Self {
        match error {
            BundleError::Stopped(Stopped(signal)) => Self::interrupted(signal),
            BundleError::Runs(_) => Self::misuse(whole(&error)),
            BundleError::Refused { .. } => Self::of(
                Exit::Undecided,
                MietteDiagnostic::new(whole(&error))
                    .with_help("a bundle proves nothing without it, so none was written"),
            ),
            _ => Self::undecided(whole(&error)),
        }
    }
}

impl From<ClusterError> for Failure {
    fn from(error: ClusterError) -> Self {
        let asked = matches!(
            error,
            ClusterError::NameTaken { .. }
                | ClusterError::NoSuchCluster(_)
                | ClusterError::BadName(_)
                | ClusterError::Refused { .. }
        );
        if asked { Self::misuse(whole(&error)) } else { Self::undecided(whole(&error)) }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::misuse_with(block(&refusal.to_string()), block(&refusal.help()))
    }
}

impl From<NotReady> for Failure {
    fn from(why: NotReady) -> Self {
        match why.help {
            Some(help) => Self::misuse_with(block(&why.says), block(&help)),
            None => PlanError::NoProvider(why.says).into(),
        }
    }
}

impl From<NodeImageError> for Failure {
    fn from(error: NodeImageError) -> Self {
        let asked = matches!(
            error,
            NodeImageError::NoProgram { .. } | NodeImageError::NotRoot | NodeImageError::NoMirror { .. }
        );
        let whole = whole(&error);
        if asked { Self::misuse(whole) } else { Self::undecided(whole) }
    }
}

impl From<RuntimeError> for Failure {
    fn from(error: RuntimeError) -> Self {
        Self::undecided(whole(&error))
    }
}

/// An error with everything below it, fit for a terminal.
pub(super) fn whole(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut below = error.source();
    while let Some(cause) = below {
        let says = cause.to_string();
        // Some errors repeat their source in their own words.
        if !text.contains(&says) {
            text.push_str(": ");
            text.push_str(&says);
        }
        below = cause.source();
    }
    block(&text)
}

fn of_file(error: &FileError) -> Vec<Report> {
    let one = |problem: &Problem| {
        let says = if problem.line == 0 {
            format!("failed to read the {} {}: {}", error.what, error.name, problem.says)
        } else {
            format!("{}:{}:{}: {}", error.name, problem.line, problem.column, problem.says)
        };
        let mut diagnostic = MietteDiagnostic::new(block(&says)).with_severity(Severity::Error);
        diagnostic.help = problem.help.as_deref().map(block);
        if problem.line > 0 {
            diagnostic =
                diagnostic.with_label(LabeledSpan::at(problem.offset..problem.offset + problem.length, "here"));
        }
        Report::new(diagnostic).with_source_code(NamedSource::new(&error.name, drawable(&error.text)))
    };
    error.problems.iter().map(one).collect()
}

/// Text that can be drawn: hostile characters become dots of the same length, so that places stay.
fn drawable(text: &str) -> String {
    let dot = |c: char| match c {
        '\n' | '\t' => c.to_string(),
        c if crate::report::escape::terminal(&c.to_string()) != c.to_string() => ".".repeat(c.len_utf8()),
        c => c.to_string(),
    };
    text.chars().map(dot).collect()
}

fn of_filter(error: &FilterError) -> Report {
    let start: usize = error.text.chars().take(error.column - 1).map(char::len_utf8).sum();
    let end = error.text[start..].find([' ', ')', '(']).map_or(error.text.len(), |length| start + length);
    let says = format!("the filter is wrong at column {}: {}", error.column, error.says);
    let mut diagnostic = MietteDiagnostic::new(block(&says)).with_label(LabeledSpan::at(start..end, "here"));
    diagnostic.help = error.help.as_deref().map(block);
    Report::new(diagnostic).with_source_code(NamedSource::new("filter", drawable(&error.text)))
}
