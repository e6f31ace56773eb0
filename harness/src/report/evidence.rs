//! What reports are made of besides `run.json`: the recordings and files of a run's folder.

use jobsworth_oracle::{Timeline, wire};
use std::{
    fs::{self, File},
    io::BufReader,
    path::{Component, Path, PathBuf},
};

/// Folders below each other that are looked into.
const DEPTH: usize = 6;

/// The folder of a run, or what stands for it.
pub trait Evidence {
    /// The timeline at this path below the run's folder.
    ///
    /// # Errors
    /// Why it cannot be read, in words.
    fn timeline(&self, path: &str) -> Result<Timeline, String>;

    /// The text of the file at this path below the run's folder.
    ///
    /// # Errors
    /// Why it cannot be read, in words.
    fn text(&self, path: &str) -> Result<String, String>;

    /// Every file of the run's folder.
    fn files(&self) -> &[FoundFile];
}

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

    fn inside(&self, path: &str) -> Result<PathBuf, String> {
        if !Path::new(path).components().all(|part| matches!(part, Component::Normal(_))) {
            return Err("its path leads out of the run's folder".to_owned());
        }
        Ok(self.root.join(path))
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
        let file = File::open(self.inside(path)?).map_err(|error| format!("failed to open {path}: {error}"))?;
        wire::read(BufReader::new(file)).map_err(|error| format!("failed to read {path}: {error}"))
    }

    fn text(&self, path: &str) -> Result<String, String> {
        fs::read_to_string(self.inside(path)?).map_err(|error| format!("failed to read {path}: {error}"))
    }

    fn files(&self) -> &[FoundFile] {
        &self.files
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_read_and_a_path_that_leads_out_of_it_is_not() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("cells/a")).unwrap();
        fs::write(folder.path().join("cells/a/x.timeline.ndjson"), "half a li").unwrap();
        fs::write(folder.path().join("run.json"), "{}").unwrap();
        let found = FolderFiles::of(folder.path());
        let paths: Vec<&str> = found.files().iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["cells/a/x.timeline.ndjson", "run.json"]);
        assert!(found.timeline("cells/a/x.timeline.ndjson").unwrap_err().contains("failed to read"));
        assert!(found.timeline("../run.json").unwrap_err().contains("leads out"));
        assert!(found.timeline("/etc/passwd").unwrap_err().contains("leads out"));
    }
}
