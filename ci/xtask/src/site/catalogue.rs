//! Pages of the catalogue, one for each suite, and tables of requirements, gates and versions.

use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::script;
use crate::program::Ask;
use crate::workspace::{SourceFile, Tree};

#[derive(Deserialize)]
struct Case {
    case: String,
    claim: String,
    source: String,
    requirements: Vec<String>,
    needs: Vec<String>,
}

#[derive(Deserialize)]
struct Claim {
    case: String,
    claim: String,
    asks: String,
}

#[derive(Deserialize)]
struct Requirement {
    requirement: String,
    phrase: String,
    cases: Vec<String>,
}

/// Every generated page.
pub fn pages(ask: Ask<'_>, tree: &Tree) -> Result<Vec<SourceFile>> {
    let json = |what: &str| ask(&["list", what, "--format", "json"]);
    let cases: Vec<Case> = serde_json::from_str(&json("cases")?).context("failed to read the list of cases")?;
    let claims: Vec<Claim> = serde_json::from_str(&json("claims")?).context("failed to read the list of claims")?;
    let requirements: Vec<Requirement> =
        serde_json::from_str(&json("requirements")?).context("failed to read the list of requirements")?;
    let mut suites: BTreeMap<&str, Vec<&Case>> = BTreeMap::new();
    for case in &cases {
        suites.entry(suite(&case.case)).or_default().push(case);
    }
    let mut pages: Vec<SourceFile> = suites
        .iter()
        .map(|(suite, cases)| SourceFile {
            path: format!("catalogue/{suite}.md"),
            text: of_suite(suite, cases, &claims, &requirements, tree),
        })
        .collect();
    pages.push(SourceFile { path: "tables/requirements.md".to_owned(), text: of_requirements(&requirements) });
    for (what, title) in [("gates", "Feature gates"), ("versions", "Versions")] {
        let table = ask(&["list", what, "--format", "markdown"])?;
        pages.push(SourceFile { path: format!("tables/{what}.md"), text: format!("# {title}\n\n{table}") });
    }
    Ok(pages)
}

fn suite(case: &str) -> &str {
    case.split('/').next().unwrap_or(case)
}

fn name(case: &str) -> &str {
    case.split_once('/').map_or(case, |(_, name)| name)
}

fn of_suite(suite: &str, cases: &[&Case], claims: &[Claim], requirements: &[Requirement], tree: &Tree) -> String {
    let folder = format!("suites/src/{}", suite.replace('-', "_"));
    let head = tree.file(&format!("{folder}.rs")).map(|file| head(&file.text)).unwrap_or_default();
    let mut text = format!("# Suite {suite}\n\n{head}\n");
    for case in cases {
        let file = format!("{folder}/{}.rs", name(&case.case).replace('-', "_"));
        let _ = write!(text, "\n## {}\n\n> {}\n\n", name(&case.case), plain(&case.claim));
        let _ = writeln!(text, "- Source: {}", plain(&case.source));
        for number in &case.requirements {
            let phrase = requirements.iter().find(|one| one.requirement == *number).map_or("", |one| &one.phrase);
            let _ = writeln!(text, "- [{number}](../tables/requirements.md): {}", plain(phrase));
        }
        if !case.needs.is_empty() {
            let _ = writeln!(text, "- Needs: {}", plain(&case.needs.join(", ")));
        }
        let _ = writeln!(text, "- Run it: `jobsworth run {}`", case.case);
        let steps = tree.file(&file).map(|file| script::in_words(&file.text)).unwrap_or_default();
        if !steps.is_empty() {
            text += "\nScript:\n\n";
            for (number, step) in steps.iter().enumerate() {
                let _ = writeln!(text, "{}. {}", number + 1, plain(step));
            }
        }
        text += "\n| claim | asks |\n| --- | --- |\n";
        for claim in claims.iter().filter(|claim| claim.case == case.case) {
            let _ = writeln!(text, "| {} | {} |", cell(&claim.claim), cell(&claim.asks));
        }
    }
    text
}

fn of_requirements(all: &[Requirement]) -> String {
    let mut text = "# Requirements\n\nEach numbered requirement, and the cases that check it.\n\n\
                    | number | requirement | cases |\n| --- | --- | --- |\n"
        .to_owned();
    for one in all {
        let link = |case: &String| match case.contains('/') {
            true => format!("[{case}](../catalogue/{}.md#{})", suite(case), name(case)),
            false => case.clone(),
        };
        let cases: Vec<String> = one.cases.iter().map(link).collect();
        let _ = writeln!(text, "| {} | {} | {} |", one.requirement, cell(&one.phrase), cases.join(", "));
    }
    text
}

/// The `//!` lines at the head of a file.
fn head(text: &str) -> String {
    let lines = text.lines().take_while(|line| line.starts_with("//!"));
    lines.map(|line| line.trim_start_matches("//!").trim()).collect::<Vec<_>>().join("\n")
}

/// Text that Markdown takes for nothing else.
fn plain(text: &str) -> String {
    let special = |c: char| matches!(c, '<' | '>' | '[' | ']' | '*' | '_' | '`' | '\\' | '#');
    text.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect()
}

/// The same within a table.
fn cell(text: &str) -> String {
    plain(text).replace('|', "\\|")
}
