//! Command lines that the documents show: the program takes each of them.

use super::Program;
use clap::Parser as _;
use rstest::rstest;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// The README and the pages beside it.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let entries = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages = entries.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.chain([root.join("README.md")]).collect()
}

/// The command lines in the blocks of code of a page, with their comments.
fn commands(page: &str) -> Vec<String> {
    let whole = page.replace("\\\n", " ");
    let blocks = whole.split("```").skip(1).step_by(2);
    let lines = blocks.flat_map(str::lines).map(|line| line.trim().trim_start_matches("$ "));
    let lines = lines.map(|line| line.strip_prefix("cargo ").unwrap_or(line));
    lines.filter(|line| is_command(line)).map(str::to_owned).collect()
}

/// A run's own first line has the program's name and version; it is no command.
fn is_command(line: &str) -> bool {
    line.strip_prefix("jobsworth ").is_some_and(|rest| !rest.starts_with(|first: char| first.is_ascii_digit()))
}

/// Why the program does not take this command line; nothing if it does.
fn refusal(command: &str) -> Option<String> {
    let Some(words) = shlex::split(command) else { return Some("a quotation in it does not end".to_owned()) };
    Program::try_parse_from(words).err().map(|error| error.to_string())
}

#[test]
fn the_program_takes_every_command_line_of_the_documents() {
    let mut refused = Vec::new();
    for page in pages() {
        for command in commands(&fs::read_to_string(&page).unwrap()) {
            refused.extend(refusal(&command).map(|why| format!("{}: {command}\n{why}", page.display())));
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn the_page_about_releases_has_every_step() {
    let page = include_str!("../../../docs/release-qualification.md");
    let commands = commands(page);
    let steps: BTreeSet<&str> = commands.iter().filter_map(|command| command.split(' ').nth(1)).collect();
    let wanted = ["bundle", "compare", "doctor", "load", "plan", "run", "signoff", "slo", "sweep", "verify"];
    let missing: Vec<&str> = wanted.into_iter().filter(|step| !steps.contains(step)).collect();
    assert_eq!(missing, [""; 0], "{commands:?}");
}

#[rstest]
#[case::a_comment_is_not_read("```sh\njobsworth verify run.tar.zst  # is it what's said?\n```\n", 0)]
#[case::words_around_code_are_no_commands("jobsworth load --paris 3\n\n```sh\ncargo build\n```\njobsworth x\n", 0)]
#[case::the_first_line_of_a_run_is_none("```text\njobsworth 0.1.0  run 20261122  plan smoke\n```\n", 0)]
#[case::a_flag_that_is_not_there("```text\njobsworth load W1 --paris 3\n```\n", 1)]
#[case::a_value_that_cannot_be("```sh\njobsworth load W1 --pairs 0\n```\n", 1)]
#[case::a_command_that_is_not_there("```sh\ncargo jobsworth vouch RUN\n```\n", 1)]
#[case::an_argument_is_missing("```sh\njobsworth bundle RUN\n```\n", 1)]
#[case::behind_a_prompt("```console\n$ jobsworth doctor --yaml\n```\n", 1)]
#[case::on_the_next_line("```sh\njobsworth load W1 \\\n    --paris 3\n```\n", 1)]
#[case::a_quotation_does_not_end("```sh\njobsworth run -E 'suite(ttl)\n```\n", 1)]
#[case::each_block_is_read("```sh\njobsworth load --paris 3\n```\nand\n```sh\njobsworth doctor --yaml\n```\n", 2)]
fn what_a_page_shows_and_the_program_refuses(#[case] page: &str, #[case] count: usize) {
    let refused: Vec<String> = commands(page).iter().filter_map(|command| refusal(command)).collect();
    assert_eq!(refused.len(), count, "{refused:?}");
}
