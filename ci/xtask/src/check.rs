//! `cargo xtask check`: the steps between a change and its merge, what costs nothing first.
//!
//! Some run side by side: clusters by kind wait more than they work, and all that is compiled for the others is nothing but work.

use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::component::require_component;
use crate::test_programs::TestPrograms;
use crate::workspace::{root, say};
use crate::{alone, docs, format, kind, program, tidy};

struct Step {
    name: String,
    work: Work,
}

enum Work {
    Command(Vec<String>),
    Format,
    Tidy,
    Docs,
    Kind,
    Clippy(Vec<String>),
    /// Whether these packages compile with no features but those that each asks for by itself.
    Alone(Vec<String>),
}

/// Runs all steps, or those from `from` on; the first failure ends the run.
pub fn run(from: Option<&str>) -> Result<()> {
    let steps = steps(&alone::groups(&packages()?)?);
    let names: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
    let first = match from {
        None => 0,
        Some(name) => names
            .iter()
            .position(|known| *known == name)
            .with_context(|| format!("no step is called `{name}`; the steps are {}", names.join(", ")))?,
    };
    let begun = Instant::now();
    let mut rest = &steps[first..];
    while let Some((step, after)) = rest.split_first() {
        let (meanwhile, next) = after.split_at(step.meanwhile(after));
        step.take_beside(meanwhile)?;
        rest = next;
    }
    say(&format!("all {} steps passed in {}", steps.len() - first, seconds(begun.elapsed())));
    Ok(())
}

impl Step {
    /// How many of the steps after this one run while it runs.
    fn meanwhile(&self, after: &[Self]) -> usize {
        match self.work {
            Work::Kind => after.iter().take_while(|step| step.work.compiles()).count(),
            _ => 0,
        }
    }

    fn take_beside(&self, meanwhile: &[Self]) -> Result<()> {
        let tests = match self.work {
            // Before the others hold cargo's lock on the target folder, one after the other.
            Work::Kind => kind::build().with_context(|| again(self))?,
            _ => TestPrograms::default(),
        };
        thread::scope(|scope| {
            let others = scope.spawn(|| meanwhile.iter().try_for_each(|step| step.take(&TestPrograms::default())));
            let own = self.take(&tests);
            let others = others.join().unwrap_or_else(|panicked| std::panic::resume_unwind(panicked));
            own.and(others)
        })
    }

    /// Takes the step with the tests that were built for it.
    fn take(&self, tests: &TestPrograms) -> Result<()> {
        let started = Instant::now();
        say(&format!("==> {}: {}", self.name, self.work.text()));
        let done = self.work.perform(tests);
        let word = if done.is_ok() { "ok in" } else { "failed after" };
        say(&format!("    {} {word} {}", self.name, seconds(started.elapsed())));
        done.with_context(|| again(self))
    }
}

fn steps(alone: &[Vec<String>]) -> Vec<Step> {
    let step = |name: &str, work| Step { name: name.to_owned(), work };
    let mut steps = vec![
        step("format", Work::Format),
        step("tidy", Work::Tidy),
        step("kind", Work::Kind),
        step("docs", Work::Docs),
        step("clippy", Work::Clippy(vec!["--all-targets".to_owned()])),
        // Left out of `--all-targets`, as `cargo test` leaves them out: the step `kind` runs three; the others are for people.
        step(
            "clippy-in-pods",
            Work::Clippy(kind::IN_PODS.iter().copied().chain(["extremes", "volcano_cost"]).flat_map(test).collect()),
        ),
    ];
    let alone = alone.iter().enumerate();
    steps.extend(alone.map(|(at, group)| step(&format!("alone-{}", at + 1), Work::Alone(group.clone()))));
    steps.push(step("test", Work::Command(tidy::TEST_COMMAND.map(str::to_owned).into())));
    steps
}

/// The words by which cargo takes this test.
fn test(name: &str) -> [String; 2] {
    ["--test".to_owned(), name.to_owned()]
}

/// The lints of these targets; a warning is an error.
fn clippy(targets: &[String]) -> Vec<String> {
    let before = ["cargo", "clippy", "--workspace", "--all-features"].map(str::to_owned).into_iter();
    before.chain(targets.iter().cloned()).chain(["--", "-D", "warnings"].map(str::to_owned)).collect()
}

fn again(step: &Step) -> String {
    format!(
        "step `{}` failed; repeat it with `{}`, go on with `cargo xtask check --from {}`",
        step.name,
        step.work.text(),
        step.name
    )
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

impl Work {
    fn text(&self) -> String {
        match self {
            Work::Command(words) => words.join(" "),
            Work::Format => "cargo xtask format --check".to_owned(),
            Work::Tidy => "cargo xtask tidy".to_owned(),
            Work::Docs => "cargo xtask docs --check".to_owned(),
            Work::Kind => kind::COMMANDS.to_owned(),
            Work::Clippy(targets) => clippy(targets).join(" "),
            Work::Alone(group) => alone::command(group).join(" "),
        }
    }

    /// Whether it only compiles, and asks what was compiled.
    fn compiles(&self) -> bool {
        matches!(self, Work::Docs | Work::Clippy(_) | Work::Alone(_))
    }

    fn perform(&self, tests: &TestPrograms) -> Result<()> {
        match self {
            Work::Command(words) => perform_command(words),
            Work::Format => format::run(true),
            Work::Tidy => tidy::run(),
            Work::Docs => program::build_with_tests().and_then(|()| docs::compare()),
            Work::Kind => kind::run(tests),
            Work::Clippy(targets) => {
                require_component("clippy", "clippy").and_then(|()| perform_command(&clippy(targets)))
            }
            Work::Alone(group) => perform_command(&alone::command(group)),
        }
    }
}

fn perform_command(words: &[String]) -> Result<()> {
    let (program, args) = words.split_first().context("a step without a command")?;
    let status = Command::new(program)
        .args(args)
        .current_dir(root())
        .status()
        .with_context(|| format!("failed to start `{program}`"))?;
    if !status.success() {
        bail!("it ended with {status}");
    }
    Ok(())
}

/// The crates of this workspace.
pub fn packages() -> Result<Vec<String>> {
    Ok(tidy::edges::read_packages(&root(), tidy::edges::Depth::Workspace)?
        .into_iter()
        .map(|package| package.name)
        .collect())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::formatting_comes_first(0, "format")]
    #[case::tidy_is_cheap_and_comes_second(1, "tidy")]
    #[case::real_nodes_come_as_soon_as_the_program_is_there(2, "kind")]
    #[case::tests_are_compiled_beside_them(3, "docs")]
    #[case::lints_come_beside_them(4, "clippy")]
    #[case::each_crate_is_checked_alone(6, "alone-1")]
    #[case::tests_come_last(7, "test")]
    fn the_order_of_steps(#[case] place: usize, #[case] name: &str) {
        let steps = steps(&[vec!["jobsworth-api".to_owned()]]);
        assert_eq!(steps[place].name, name);
    }

    #[rstest]
    #[case::real_nodes_leave_the_machine_idle("kind", 5)]
    #[case::nothing_else_has_company("docs", 0)]
    #[case::not_even_when_begun_with("alone-1", 0)]
    fn what_only_works_is_done_while_real_nodes_come_up(#[case] name: &str, #[case] meanwhile: usize) {
        let steps = steps(&[vec!["a".to_owned()], vec!["b".to_owned()]]);
        let at = steps.iter().position(|step| step.name == name).unwrap();
        assert_eq!(steps[at].meanwhile(&steps[at + 1..]), meanwhile);
    }

    #[test]
    fn the_last_step_is_the_command_of_the_readme() {
        let steps = steps(&[]);
        assert_eq!(steps.last().map(|step| step.work.text()), Some("cargo test --features e2e".to_owned()));
    }

    #[test]
    fn a_failure_names_the_command_and_the_way_on() {
        let step = Step { name: "format".into(), work: Work::Format };
        assert_eq!(
            again(&step),
            "step `format` failed; repeat it with `cargo xtask format --check`, go on with `cargo xtask check --from format`"
        );
    }
}
