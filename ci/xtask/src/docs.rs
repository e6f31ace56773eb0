//! `cargo xtask docs`: the pages that are made from the program, so that they cannot disagree with it.
//!
//! The program prints its own catalogue and invariants as Markdown; the command reference is its help, gathered. Which function
//! of the reference controller meets which requirement is read from the sources. The JSON schemas are what the program prints of them.

use std::path::Path;

use anyhow::{Context, Result, bail};

use self::requirements::Coverage;
use crate::program::{self, Ask};
use crate::site;
use crate::workspace::{Tree, read, root, say};

mod history;
mod judged;
mod mentions;
mod requirements;
mod volcano;

const PRODUCER: &str = "<!-- Made by `cargo xtask docs`. Do not edit by hand. -->";

struct Page {
    path: &'static str,
    text: String,
    /// What is wrong with what the page says, however fresh it is.
    problems: Vec<String>,
}

impl Page {
    fn new(path: &'static str, head: &str, body: &str) -> Self {
        Self { path, text: framed(head, body), problems: Vec::new() }
    }
}

/// Writes every generated page.
pub fn write() -> Result<()> {
    program::build()?;
    for page in pages(&program::ask, &read(&root())?)? {
        let path = root().join(page.path);
        std::fs::write(&path, page.text).with_context(|| format!("failed to write {}", page.path))?;
        say(&format!("wrote {}", page.path));
        for problem in &page.problems {
            say(&format!("{}: {problem}", page.path));
        }
    }
    Ok(())
}

/// Fails if a generated page is missing or differs from what the program that was built says, or a link of the site leads nowhere.
pub fn compare() -> Result<()> {
    let tree = read(&root())?;
    let pages = pages(&program::ask, &tree)?;
    let stale = stale(&root(), &pages);
    let problems = pages.iter().flat_map(|page| page.problems.iter().map(|text| format!("{}: {text}", page.path)));
    let mut problems: Vec<String> = problems.collect();
    problems.extend(site::book(&program::ask, &tree)?.dead_links());
    for line in stale.iter().chain(&problems) {
        say(line);
    }
    if !problems.is_empty() {
        bail!("{} problem(s) in generated pages", problems.len());
    }
    if !stale.is_empty() {
        bail!("{} generated page(s) are out of date; run `cargo xtask docs` and commit the result", stale.len());
    }
    Ok(())
}

fn stale(root: &Path, pages: &[Page]) -> Vec<String> {
    pages
        .iter()
        .filter_map(|page| match std::fs::read_to_string(root.join(page.path)) {
            Err(_) => Some(format!("{}: missing", page.path)),
            Ok(found) => first_difference(&found, &page.text).map(|line| format!("{}:{line}: differs", page.path)),
        })
        .collect()
}

fn first_difference(found: &str, wanted: &str) -> Option<usize> {
    if found == wanted {
        return None;
    }
    let same = found.lines().zip(wanted.lines()).take_while(|(a, b)| a == b).count();
    Some(same + 1)
}

fn pages(ask: Ask<'_>, tree: &Tree) -> Result<Vec<Page>> {
    let list = |what: &str| ask(&["list", what, "--format", "markdown"]);
    let cases = list("cases")?;
    let coverage = Coverage::read(tree, &cases);
    let (requirements, invariants) = (list("requirements")?, list("invariants")?);
    let volcano = volcano::Coverage::read(tree, &requirements);
    let judged = judged::Judged::read(tree, &requirements);
    let bugs = history::Bugs::read(tree, &cases, &invariants);
    let mut pages = vec![
        Page::new("docs/catalogue.md", CATALOGUE, &cases),
        Page::new("docs/invariants.md", INVARIANTS, &invariants),
        Page::new("docs/races.md", RACES, &list("races")?),
        Page::new("docs/cli.md", COMMANDS, &reference(ask)?),
        Page {
            problems: coverage.problems(),
            ..Page::new("docs/reference-requirements.md", requirements::HEAD, &coverage.page())
        },
        Page { problems: judged.problems(), ..Page::new("docs/requirements-judged.md", judged::HEAD, &judged.page()) },
        Page { problems: bugs.problems(), ..Page::new("docs/historical-bugs.md", history::HEAD, &bugs.page()) },
        Page {
            problems: volcano.problems(),
            ..Page::new("docs/volcano-requirements.md", volcano::HEAD, &volcano.page())
        },
    ];
    for (path, name) in SCHEMAS {
        pages.push(Page { path, text: ask(&["schema", name])?, problems: Vec::new() });
    }
    Ok(pages)
}

/// The schemas that are published, and what the program calls them.
const SCHEMAS: [(&str, &str); 13] = [
    ("docs/schema/plan.json", "plan"),
    ("docs/schema/controller.json", "controller"),
    ("docs/schema/run.json", "run"),
    ("docs/schema/events.json", "events"),
    ("docs/schema/verdicts.json", "verdicts"),
    ("docs/schema/manifest.json", "manifest"),
    ("docs/schema/compare.json", "compare"),
    ("docs/schema/compare-load.json", "compare-load"),
    ("docs/schema/history.json", "history"),
    ("docs/schema/load-profile.json", "load-profile"),
    ("docs/schema/objectives.json", "objectives"),
    ("docs/schema/calibration.json", "calibration"),
    ("docs/schema/load.json", "load"),
];

const CATALOGUE: &str = "# Catalogue

Every case: what it claims, who says so, the requirement numbers it checks (`suites/requirements.txt`), and what a cell must
offer for it to run. How a case is judged: [judging.md](judging.md).";

const INVARIANTS: &str = "# Universal invariants

What is judged in every case, whatever the case is about: one set for the Jobs of Kubernetes, one for those of Volcano. What a watch history cannot show of them is said in
[judging.md](judging.md#universal-invariants).";

const RACES: &str = "# Races

Two reasons for a Job to end, in every order: what may come of it by the model (`harness/race_model`), and the case that judges it. *Cannot
be* says why no Job meets both so; *open* is legal, and judged by no case. *In one sync*: one look of the controller finds both. *One after
the other*: the first is stored before the second is true. *Crash before the write*: the controller has decided for the first and
dies before that is stored, the second comes true meanwhile. *Write refused once*: the same, but it lives. *Late watch*: the write for the
first is on its way when the second comes true, and the controller hears of that only after the write has come to something.

Pods that are told to stop linger until everything is decided. Some encounters have further cases, by how pods go: `at-once`, as soon as they
are told; `with-their-node`, lost, so that no container tells how it ended; `held`, kept by a finalizer of somebody else's. What may come of
an encounter does not depend on it.

`jobsworth run races` runs all cases of this table, `jobsworth run -P races` on both controllers; a run that names nothing has a few of them.";

const COMMANDS: &str = "# Commands

The help of every command, as the program prints it. What of it is stable: [stability.md](stability.md).";

fn framed(head: &str, body: &str) -> String {
    format!("{PRODUCER}\n\n{head}\n\n{}\n", body.trim())
}

fn reference(ask: Ask<'_>) -> Result<String> {
    let mut text = String::new();
    describe(ask, &mut Vec::new(), &mut text)?;
    Ok(text)
}

fn describe(ask: Ask<'_>, path: &mut Vec<String>, text: &mut String) -> Result<()> {
    let mut args: Vec<&str> = path.iter().map(String::as_str).collect();
    args.push("--help");
    let help = ask(&args)?;
    let title = ["jobsworth"].into_iter().chain(path.iter().map(String::as_str)).collect::<Vec<_>>().join(" ");
    let body: Vec<&str> = help.trim_end().lines().map(str::trim_end).collect();
    text.push_str(&format!("\n## `{title}`\n\n```text\n{}\n```\n", body.join("\n")));
    for name in subcommands(&help) {
        path.push(name);
        describe(ask, path, text)?;
        path.pop();
    }
    Ok(())
}

/// Names under `Commands:` in a help text. `help` is left out: it repeats the others.
fn subcommands(help: &str) -> Vec<String> {
    help.lines()
        .skip_while(|line| line.trim_end() != "Commands:")
        .skip(1)
        .take_while(|line| line.is_empty() || line.starts_with("  "))
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn pretend(args: &[&str]) -> Result<String> {
        Ok(match args {
            ["--help"] => "Judges Jobs\n\nUsage: x\n\nCommands:\n  run      Runs\n  cluster  Clusters\n           and more\n  help     Help\n\nOptions:\n  -h  Help\n",
            ["cluster", "--help"] => "Clusters\n\nCommands:\n  up  Starts one\n",
            ["list", "cases", ..] => "| case |\n| --- |\n",
            _ => "text  \n",
        }
        .to_owned())
    }

    #[test]
    fn the_reference_walks_into_every_command_but_help() {
        let text = reference(&pretend).unwrap();
        let titles: Vec<&str> = text.lines().filter(|line| line.starts_with("## ")).collect();
        assert_eq!(
            titles,
            ["## `jobsworth`", "## `jobsworth run`", "## `jobsworth cluster`", "## `jobsworth cluster up`"]
        );
    }

    #[test]
    fn every_page_says_that_it_is_made() {
        let made = pages(&pretend, &Tree::default()).unwrap();
        // JSON has no comments.
        let (pages, schemas): (Vec<_>, Vec<_>) = made.iter().partition(|page| page.path.ends_with(".md"));
        assert!(pages.iter().all(|page| page.text.starts_with(PRODUCER)) && schemas.len() == SCHEMAS.len());
    }

    #[test]
    fn a_program_that_fails_fails_the_page() {
        let broken = |_: &[&str]| -> Result<String> { bail!("no such command") };
        assert!(pages(&broken, &Tree::default()).is_err());
    }

    #[rstest]
    #[case::equal_texts_do_not_differ("a\nb\n", "a\nb\n", None)]
    #[case::the_first_changed_line_is_named("a\nx\n", "a\nb\n", Some(2))]
    #[case::a_cut_text_differs_after_its_end("a\n", "a\nb\n", Some(2))]
    fn differences(#[case] found: &str, #[case] wanted: &str, #[case] line: Option<usize>) {
        assert_eq!(first_difference(found, wanted), line);
    }

    #[test]
    fn missing_and_changed_pages_are_stale() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("same.md"), "a\n").unwrap();
        std::fs::write(folder.path().join("other.md"), "a\n").unwrap();
        let page = |path, text: &str| Page { path, text: text.to_owned(), problems: Vec::new() };
        let found = stale(folder.path(), &[page("same.md", "a\n"), page("other.md", "b\n"), page("none.md", "c\n")]);
        assert_eq!(found, ["other.md:1: differs", "none.md: missing"]);
    }
}
