//! `cargo xtask site`: documentation, catalogue and tables as a static site, made by mdBook.
//!
//! What goes into the book is made in memory and its links are checked there, which costs `cargo xtask docs --check` no more
//! than a moment; mdBook itself is built when a site is wanted, once, below the target folder.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::program::{self, Ask};
use crate::tidy::links;
use crate::workspace::{SourceFile, Tree, read, root, say};

mod catalogue;
mod pages;
mod script;
mod summary;

/// The release of mdBook; built from the registry, with its own lock file.
const MDBOOK: &str = "0.5.4";

/// Everything of the book: pages and what they link to.
pub struct Book {
    /// Pages by their path in the book.
    pages: Tree,
    /// Files of the workspace that pages link to.
    copied: Vec<String>,
}

/// Builds the site below `target/site`.
pub fn run() -> Result<()> {
    program::build()?;
    let book = book(&program::ask, &read(&root())?)?;
    let dead = book.dead_links();
    if !dead.is_empty() {
        bail!("{} link(s) of the site lead nowhere:\n{}", dead.len(), dead.join("\n"));
    }
    let target = root().join("target");
    let mdbook = tool(&target)?;
    let source = target.join("site-source");
    book.write(&source)?;
    let site = target.join("site");
    let status = Command::new(&mdbook)
        .arg("build")
        .arg(&source)
        .arg("--dest-dir")
        .arg(&site)
        .status()
        .with_context(|| format!("failed to start {}", mdbook.display()))?;
    if !status.success() {
        bail!("mdBook ended with {status}");
    }
    say(&format!("{} pages in {}", book.pages.files.len(), site.join("index.html").display()));
    Ok(())
}

/// mdBook below the target folder; built if it is not there.
fn tool(target: &Path) -> Result<PathBuf> {
    let home = target.join("tools").join(format!("mdbook-{MDBOOK}"));
    let program = home.join("bin").join("mdbook");
    if program.is_file() {
        return Ok(program);
    }
    say(&format!("building mdBook {MDBOOK}, which is needed once and takes minutes"));
    let status = Command::new("cargo")
        .args(["install", "mdbook", "--version", MDBOOK, "--locked", "--no-default-features", "--features", "search"])
        .arg("--root")
        .arg(&home)
        .current_dir(root())
        .status()
        .context("failed to start `cargo install`")?;
    if !status.success() {
        bail!("`cargo install mdbook --version {MDBOOK}` ended with {status}");
    }
    Ok(program)
}

/// The whole book.
pub fn book(ask: Ask<'_>, tree: &Tree) -> Result<Book> {
    let (mut files, copied) = pages::of_workspace(tree);
    files.extend(catalogue::pages(ask, tree)?);
    files.sort_by(|one, other| one.path.cmp(&other.path));
    let summary = summary::of(&files);
    files.push(SourceFile { path: "SUMMARY.md".to_owned(), text: summary });
    Ok(Book { pages: Tree { files, tracked: None }, copied })
}

impl Book {
    /// Links between pages that lead nowhere, each in a line.
    pub fn dead_links(&self) -> Vec<String> {
        let copies = self.copied.iter().map(|path| SourceFile { path: path.clone(), text: String::new() });
        let files = self.pages.files.iter().cloned().chain(copies).collect();
        let all = Tree { files, tracked: None };
        links::check(&all).iter().map(|at| format!("site: {}:{}: {}", at.path, at.line, at.says)).collect()
    }

    fn write(&self, to: &Path) -> Result<()> {
        if to.exists() {
            std::fs::remove_dir_all(to).with_context(|| format!("failed to empty {}", to.display()))?;
        }
        let put = |path: PathBuf, bytes: &[u8]| -> Result<()> {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            std::fs::write(&path, bytes).with_context(|| format!("failed to write {}", path.display()))
        };
        put(to.join("book.toml"), SETTINGS.as_bytes())?;
        for page in &self.pages.files {
            put(to.join("src").join(&page.path), page.text.as_bytes())?;
        }
        for path in &self.copied {
            let bytes = std::fs::read(root().join(path)).with_context(|| format!("failed to read {path}"))?;
            put(to.join("src").join(path), &bytes)?;
        }
        Ok(())
    }
}

/// No preprocessor looks into the pages: what they say in double braces is theirs.
const SETTINGS: &str = r#"[book]
title = "jobsworth"
language = "en"

[build]
use-default-preprocessors = false
create-missing = false

[output.html]
default-theme = "light"
preferred-dark-theme = "navy"

[output.html.fold]
enable = true
level = 0
"#;

#[cfg(test)]
mod tests {
    use super::*;

    fn pretend(args: &[&str]) -> Result<String> {
        Ok(match args {
            ["list", "cases", ..] => {
                r#"[{"case": "ttl/zero", "claim": "zero | means", "source": "KEP-592, API", "requirements": ["TTL-001"], "needs": []}]"#
            }
            ["list", "claims", ..] => r#"[{"case": "ttl/zero", "claim": "it goes", "asks": "eventually: gone"}]"#,
            ["list", "requirements", ..] => {
                r#"[{"requirement": "TTL-001", "phrase": "deleted", "cases": ["ttl/zero"]},
                    {"requirement": "TTL-002", "phrase": "not too early", "cases": ["every case"]}]"#
            }
            ["list", what, ..] => return Ok(format!("| {what} |\n| --- |\n")),
            _ => "",
        }
        .to_owned())
    }

    fn tree() -> Tree {
        let file = |path: &str, text: &str| SourceFile { path: path.to_owned(), text: text.to_owned() };
        let case = "impl Case for This {\n    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {\n        scene.submit(counted(1, 1)).await?;\n        scene.wait(job().is_gone()).await\n    }\n}\n";
        Tree {
            files: vec![
                file("README.md", "# It\n[a folder](suites/) [a file](suites/list.txt) [a page](docs/judging.md)\n"),
                file("docs/judging.md", "# Verdicts\n[back](../README.md#it) [kinds](../suites/README.md)\n"),
                file("suites/README.md", "# Suites\n"),
                file("suites/list.txt", "x"),
                file("suites/src/ttl.rs", "//! Deletes what is finished.\n"),
                file("suites/src/ttl/zero.rs", case),
            ],
            tracked: None,
        }
    }

    #[test]
    fn every_page_is_in_the_summary_and_every_link_leads_somewhere() {
        let book = book(&pretend, &tree()).unwrap();
        assert_eq!(book.dead_links(), Vec::<String>::new());
        let summary = &book.pages.file("SUMMARY.md").unwrap().text;
        for page in book.pages.files.iter().filter(|page| page.path != "SUMMARY.md") {
            assert!(summary.contains(&format!("({})", page.path)), "{} is missing in {summary}", page.path);
        }
        assert_eq!(book.copied, ["suites/list.txt"]);
    }

    #[test]
    fn a_link_that_leads_nowhere_is_found_before_a_site_is_made() {
        let mut tree = tree();
        tree.files[1].text += "[away](nowhere.md)\n";
        let dead = book(&pretend, &tree).unwrap().dead_links();
        assert_eq!(dead.len(), 1, "{dead:?}");
    }

    #[test]
    fn the_page_of_a_suite_has_its_cases_with_script_and_claims() {
        let book = book(&pretend, &tree()).unwrap();
        let page = &book.pages.file("catalogue/ttl.md").unwrap().text;
        for part in [
            "Deletes what is finished.",
            "## zero",
            "zero | means",
            "1. submit: counted(1, 1)",
            "2. wait: job is gone",
            "| it goes | eventually: gone |",
        ] {
            assert!(page.contains(part), "{part} is missing in {page}");
        }
    }
}
