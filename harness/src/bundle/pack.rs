//! Packing: what is in a run's folder and may leave the machine, in one archive.

use super::{
    BundleError, Heard, Limits,
    manifest::{self, Covers, FileRecord, LeftOut, MANIFEST, Manifest, RunFolder},
    secrets, sha256, sha256_of_file,
};
use crate::{
    report::{
        evidence::{Evidence, FolderFiles, FoundFile},
        html, rejudge,
        schema::{Program, Run},
        store, stored,
    },
    whole_file,
};
use jobsworth_oracle::Timeline;
use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, BufWriter},
    path::{Path, PathBuf},
};
use tar::{Builder, Header};
use zstd::Encoder;

/// Of 22; beyond it, time doubles for a few hundredths of the size.
const LEVEL: i32 = 9;
/// 1980-01-01: an archive must not say when it was made, and some programs cannot show earlier years.
const THEN: u64 = 315_532_800;
/// Longest path in an archive, in bytes; what `unpack` accepts.
pub(super) const LONGEST_PATH: usize = 1_000;

/// A bundle that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// How many files are in it, the manifest not counted.
    pub files: usize,
    /// Their size.
    pub bytes: u64,
    /// Size of the archive.
    pub packed: u64,
    /// SHA-256 of the archive.
    pub sha256: String,
    /// What is not in it.
    pub left_out: Vec<LeftOut>,
}

/// A file on its way into an archive.
struct Chosen {
    record: FileRecord,
    content: Content,
}

enum Content {
    /// As it is on disk.
    At(PathBuf),
    /// Made anew.
    Made(Vec<u8>),
}

/// Packs runs; `heard` is told each file as it is looked through.
///
/// # Errors
/// When a run cannot be read or was edited, when a file that is needed holds a secret, or when the archive cannot be written;
/// then there is none.
pub fn pack(folders: &[PathBuf], to: &Path, limits: Limits, heard: Heard<'_>) -> Result<Packed, BundleError> {
    let (mut chosen, mut left_out, mut runs) = (Vec::new(), Vec::new(), Vec::new());
    let mut programs = BTreeSet::new();
    for folder in folders {
        let run = stored::run(folder)?;
        let name = name_of(&run)?;
        if runs.iter().any(|known: &RunFolder| known.id == run.id) {
            return Err(BundleError::Runs(format!("{name} is given twice")));
        }
        as_it_was_written(folder)?;
        let found = Looked::through(&run, folder, &name, limits, heard)?;
        chosen.extend(found.chosen);
        left_out.extend(found.left_out);
        programs.insert(run.program.version.clone());
        runs.push(RunFolder { id: run.id, folder: name });
    }
    chosen.sort_by(|one: &Chosen, other| one.record.path.cmp(&other.record.path));
    left_out.sort();
    runs.sort_by(|one, other| one.id.cmp(&other.id));
    let bytes = chosen.iter().map(|file| file.record.bytes).sum();
    if chosen.len() >= limits.files || bytes > limits.bytes {
        let (most, large) = (limits.files, limits.bytes);
        return Err(BundleError::Runs(format!(
            "they have {} files of {bytes} bytes; the largest bundle has {most} of {large}",
            chosen.len()
        )));
    }
    let version = programs.into_iter().collect::<Vec<_>>().join(", ");
    let manifest = Manifest {
        schema: MANIFEST.to_owned(),
        program: Program { name: "jobsworth".to_owned(), version },
        covers: Covers::Everything,
        runs,
        files: chosen.iter().map(|file| file.record.clone()).collect(),
        left_out: left_out.clone(),
    };
    whole_file::write_by(to, |file| write(file, &manifest, &chosen, heard))?;
    let (sha256, packed) = sha256_of_file(to)?;
    Ok(Packed { files: chosen.len(), bytes, packed, sha256, left_out })
}

/// Its id, which is a folder in the archive.
fn name_of(run: &Run) -> Result<String, BundleError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let id = &run.id;
    if id.is_empty() || id.len() > 100 || id.starts_with('.') || !id.chars().all(plain) {
        let says = format!("the id of one is not one of ours: {}", crate::report::escape::terminal(id));
        return Err(BundleError::Runs(says));
    }
    Ok(id.clone())
}

/// A folder whose recordings are not those that its run wrote is not handed on as if they were.
fn as_it_was_written(folder: &Path) -> Result<(), BundleError> {
    for record in manifest::read(folder)?.iter().flat_map(|manifest| &manifest.files) {
        let refused = |because: &str| BundleError::Refused { path: record.path.clone(), because: because.to_owned() };
        if !rejudge::is_inside(&record.path) {
            return Err(refused("it is not a path inside the run's folder"));
        }
        let path = folder.join(&record.path);
        if !path.exists() {
            return Err(refused("the run wrote it, and it is gone"));
        }
        if sha256_of_file(&path)?.0 != record.sha256 {
            return Err(refused("it is not what the run wrote: its SHA-256 differs from the one in manifest.json"));
        }
    }
    Ok(())
}

/// The files of one run, looked through.
#[derive(Default)]
struct Looked {
    chosen: Vec<Chosen>,
    left_out: Vec<LeftOut>,
}

impl Looked {
    fn through(run: &Run, folder: &Path, name: &str, limits: Limits, heard: Heard<'_>) -> Result<Self, BundleError> {
        let needed: BTreeSet<&str> = run.cases.iter().filter_map(|case| case.timeline.as_deref()).collect();
        let found = FolderFiles::of(folder);
        let (mut looked, mut kept) = (Self::default(), Vec::new());
        for file in found.files() {
            // Made below: its swimlanes are packed, so that nothing could be found in it.
            if matches!(file.path.as_str(), manifest::NAME | "report.html") {
                continue;
            }
            heard(&file.path)?;
            let path = format!("{name}/{}", file.path);
            match record(&folder.join(&file.path), &path, file, limits)? {
                Ok(record) => {
                    kept.push(file.clone());
                    looked.chosen.push(Chosen { record, content: Content::At(folder.join(&file.path)) });
                }
                Err(because) if is_needed(&file.path, &needed) => {
                    return Err(BundleError::Refused { path: file.path.clone(), because });
                }
                Err(because) => looked.left_out.push(LeftOut { path, because }),
            }
        }
        let page = html::render(run, &Kept { found: &found, kept }).into_bytes();
        let path = format!("{name}/report.html");
        let record = FileRecord { bytes: page.len() as u64, sha256: sha256(&page), path };
        looked.chosen.push(Chosen { record, content: Content::Made(page) });
        Ok(looked)
    }
}

fn is_needed(path: &str, timelines: &BTreeSet<&str>) -> bool {
    matches!(path, "run.json" | "verdicts.json") || timelines.contains(path)
}

/// What is known of a file, or why it is left out.
fn record(at: &Path, path: &str, file: &FoundFile, limits: Limits) -> Result<Result<FileRecord, String>, BundleError> {
    if let Some(because) = secrets::by_name(path) {
        return Ok(Err(because.to_owned()));
    }
    if file.bytes > limits.file {
        return Ok(Err(format!("it has {} bytes; the largest file has {}", file.bytes, limits.file)));
    }
    if path.len() > LONGEST_PATH {
        return Ok(Err(format!("its path has {} bytes; the longest has {LONGEST_PATH}", path.len())));
    }
    let content = fs::read(at).map_err(|source| BundleError::File { what: "read", path: at.to_owned(), source })?;
    if content.contains(&0) || std::str::from_utf8(&content).is_err() {
        return Ok(Err("it is not text, so that it cannot be searched for secrets".to_owned()));
    }
    Ok(match secrets::find(&content) {
        Some(secret) => Err(secret.to_string()),
        None => Ok(FileRecord { path: path.to_owned(), bytes: content.len() as u64, sha256: sha256(&content) }),
    })
}

/// A run's folder without what is left out.
struct Kept<'a> {
    found: &'a FolderFiles,
    kept: Vec<FoundFile>,
}

impl Evidence for Kept<'_> {
    fn timeline(&self, path: &str) -> Result<Timeline, String> {
        self.found.timeline(path)
    }

    fn text(&self, path: &str) -> Result<String, String> {
        self.found.text(path)
    }

    fn files(&self) -> &[FoundFile] {
        &self.kept
    }
}

fn write(file: &mut File, manifest: &Manifest, chosen: &[Chosen], heard: Heard<'_>) -> Result<(), BundleError> {
    let mut encoder = Encoder::new(BufWriter::new(file), LEVEL)?;
    encoder.include_checksum(true)?;
    let mut archive = Builder::new(encoder);
    append(&mut archive, manifest::NAME, store::json(manifest).as_bytes())?;
    for Chosen { record, content } in chosen {
        heard(&record.path)?;
        match content {
            Content::Made(content) => append(&mut archive, &record.path, content)?,
            Content::At(path) => {
                let failed = |source| BundleError::File { what: "read", path: path.clone(), source };
                let content = fs::read(path).map_err(failed)?;
                if sha256(&content) != record.sha256 {
                    return Err(BundleError::Changed(record.path.clone()));
                }
                append(&mut archive, &record.path, &content)?;
            }
        }
    }
    archive.into_inner()?.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?;
    Ok(())
}

fn append(archive: &mut Builder<impl io::Write>, path: &str, content: &[u8]) -> io::Result<()> {
    let mut header = Header::new_gnu();
    header.set_size(content.len() as u64);
    header.set_mode(0o644);
    header.set_mtime(THEN);
    header.set_uid(0);
    header.set_gid(0);
    archive.append_data(&mut header, path, content)
}
