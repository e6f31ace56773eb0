//! The workspace as xtask sees it: its root, its files, its output.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// A text file of the workspace, with its path from the root in forward slashes.
#[derive(Clone, Debug)]
pub struct SourceFile {
    pub path: String,
    pub text: String,
}

/// What tidy looks at: every text file, and what git knows of them.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    pub files: Vec<SourceFile>,
    /// Paths in git's index; `None` where the tree is no git checkout.
    pub tracked: Option<Vec<String>>,
}

impl Tree {
    /// The file at `path`, if the tree has it.
    pub fn file(&self, path: &str) -> Option<&SourceFile> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Files whose name ends with `suffix`.
    pub fn ending<'a>(&'a self, suffix: &'a str) -> impl Iterator<Item = &'a SourceFile> {
        self.files.iter().filter(move |file| file.path.ends_with(suffix))
    }
}

/// The folder of the workspace's Cargo.toml.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

/// Reads every text file that git tracks or would track; without git, every file outside build folders.
pub fn read(root: &Path) -> Result<Tree> {
    let listed = git_list(root, &["ls-files", "--cached", "--others", "--exclude-standard"]);
    let (paths, tracked) = match listed {
        Some(paths) => (paths, git_list(root, &["ls-files", "--cached"])),
        None => (walk(root)?, None),
    };
    let mut files = Vec::new();
    for path in paths {
        let Ok(bytes) = std::fs::read(root.join(&path)) else { continue };
        if let Ok(text) = String::from_utf8(bytes) {
            files.push(SourceFile { path, text });
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(Tree { files, tracked })
}

/// Standard output of a program run at the workspace's root; its standard error is part of a failure's message.
pub fn output_of(root: &Path, program: &str, args: &[&str]) -> Result<String> {
    let output = Command::new(program)
        .args(args)
        .current_dir(root)
        .stdin(std::process::Stdio::null())
        .output()
        .with_context(|| format!("failed to start `{program}`"))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        bail!("`{program} {}` ended with {}: {}", args.join(" "), output.status, stderr.trim());
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{program}` wrote something that is not UTF-8"))
}

/// One line for the person at the terminal. A closed pipe is not an error.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// One line about what went wrong.
pub fn complain(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

fn git_list(root: &Path, args: &[&str]) -> Option<Vec<String>> {
    let text = output_of(root, "git", args).ok()?;
    let mut paths: Vec<String> = text.lines().map(str::to_owned).collect();
    paths.sort();
    paths.dedup();
    Some(paths)
}

fn walk(root: &Path) -> Result<Vec<String>> {
    let mut paths = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| format!("failed to list {}", folder.display()))? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default();
            if path.is_dir() {
                if name != "target" && name != ".git" {
                    folders.push(path);
                }
            } else if let Ok(relative) = path.strip_prefix(root) {
                paths.push(relative.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    Ok(paths)
}
