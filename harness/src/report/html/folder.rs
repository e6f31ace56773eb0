//! The folder of a run: what is in it, and how the page leads there.

use super::{Evidence, shown};
use crate::report::schema::Run;
use jobsworth_oracle::{Timeline, wire};
use maud::{Markup, html};
use std::{
    fmt::Write as _,
    fs::{self, File},
    io::BufReader,
    path::{Component, Path, PathBuf},
};

/// Files that are listed by name.
const LISTED: usize = 60;
/// Folders below each other that are looked into.
const DEPTH: usize = 6;

/// One file of a run's folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FoundFile {
    /// Below the folder, with `/` between its parts.
    pub path: String,
    /// Its size.
    pub bytes: u64,
}

/// A run's folder on disk.
#[derive(Debug)]
pub struct FolderFiles {
    root: PathBuf,
    files: Vec<FoundFile>,
}

impl FolderFiles {
    /// Looks into a folder; what cannot be read is not in it.
    #[must_use]
    pub fn of(root: &Path) -> Self {
        let mut files = Vec::new();
        collect(root, "", DEPTH, &mut files);
        files.sort();
        Self { root: root.to_owned(), files }
    }
}

fn collect(folder: &Path, before: &str, depth: usize, files: &mut Vec<FoundFile>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else { continue };
        let path = format!("{before}{name}");
        // A link may lead out of the folder.
        if kind.is_dir() && depth > 0 {
            collect(&entry.path(), &format!("{path}/"), depth - 1, files);
        } else if kind.is_file() && !name.starts_with('.') {
            files.push(FoundFile { path, bytes: entry.metadata().map(|data| data.len()).unwrap_or_default() });
        }
    }
}

impl Evidence for FolderFiles {
    fn timeline(&self, path: &str) -> Result<Timeline, String> {
        if !Path::new(path).components().all(|part| matches!(part, Component::Normal(_))) {
            return Err("its path leads out of the run's folder".to_owned());
        }
        let file = File::open(self.root.join(path)).map_err(|error| format!("failed to open {path}: {error}"))?;
        wire::read(BufReader::new(file)).map_err(|error| format!("failed to read {path}: {error}"))
    }

    fn files(&self) -> &[FoundFile] {
        &self.files
    }
}

/// A path below the folder as the target of a link: it stays a path whatever it is made of.
pub(super) fn link(path: &str) -> String {
    path.bytes().fold("./".to_owned(), |mut link, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' => link.push(char::from(byte)),
            byte => {
                let _ = write!(link, "%{byte:02X}");
            }
        }
        link
    })
}

/// What each file of a run holds.
const KNOWN: [(&str, &str); 7] = [
    ("run.json", "the run in one object"),
    ("verdicts.json", "every claim and invariant of every case, judged"),
    ("events.ndjson", "what happened, line by line"),
    ("junit.xml", "for CI"),
    ("summary.md", "for the page of a CI run"),
    ("report.html", "this page"),
    ("plan.yaml", "the plan"),
];

pub(super) fn section(run: &Run, files: &[FoundFile]) -> Markup {
    let is_recording = |file: &&FoundFile| file.path.ends_with(".timeline.ndjson");
    let recordings = files.iter().filter(is_recording).count();
    let others: Vec<&FoundFile> = files.iter().filter(|file| !is_recording(file)).collect();
    let has = |name: &str| files.iter().any(|file| file.path == name);
    let missing: Vec<&str> = KNOWN[..5].iter().map(|(name, _)| *name).filter(|name| !has(name)).collect();
    let named = run.cases.iter().filter_map(|case| case.timeline.as_deref()).filter(|path| !has(path)).count();
    html! {
        section #files aria-labelledby="files-h" {
            h2 #files-h { "Files of the run folder" }
            ul.names {
                @for file in others.iter().take(LISTED) {
                    li {
                        a href=(link(&file.path)) { (shown(&file.path)) } " "
                        span.dim { (size(file.bytes)) @if let Some((_, holds)) = KNOWN.iter().find(|(name, _)| *name == file.path) { " – " (holds) } }
                    }
                }
                @if others.len() > LISTED { li { "and " (others.len() - LISTED) " files more" } }
                @if recordings > 0 { li { (recordings) " recordings of cases below " a href="./cells/" { "cells/" } } }
            }
            @if !missing.is_empty() { p.note { "Not there: " (missing.join(", ")) "." } }
            @if named > 0 { p.note { (named) " recordings that the run names are not there." } }
        }
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..10_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}
