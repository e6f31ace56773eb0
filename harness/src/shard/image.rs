//! The image of the program that runs: itself, and the libraries that it is linked with.

use super::ShardError;
use crate::cluster::kind::program_image::{self, ProgramImage};
use std::{
    fs::{self, File},
    io::{self, BufWriter},
    path::{Path, PathBuf},
    process::Command,
};

/// What the image is called that no registry has, for the program of this version.
pub const NAME: &str = concat!("jobsworth.invalid/jobsworth:v", env!("CARGO_PKG_VERSION"));
/// The program in it.
const PROGRAM: &str = "jobsworth";

/// Writes an archive with the image of this program, in the form of `docker save`. Blocks.
///
/// # Errors
/// When the program, a library or the archive cannot be used.
pub fn write(archive: &Path, name: &str) -> Result<(), ShardError> {
    let program = std::env::current_exe().map_err(failed("find", Path::new("the program that runs")))?;
    let content = stripped(&program)?;
    let more = libraries(&program)?;
    let image = ProgramImage { name, program: PROGRAM, content: &content, more: &more };
    let written = File::create(archive).and_then(|file| program_image::write(BufWriter::new(file), &image));
    written.map_err(failed("write", archive))
}

/// Without what only a debugger reads, where there is somebody who can take it out.
fn stripped(program: &Path) -> Result<Vec<u8>, ShardError> {
    let folder = tempfile::tempdir().map_err(failed("create", Path::new("a temporary folder")))?;
    let into = folder.path().join(PROGRAM);
    let strip = Command::new("strip").arg("-o").arg(&into).arg(program).output();
    let small = strip.is_ok_and(|output| output.status.success());
    let file = if small { into.as_path() } else { program };
    fs::read(file).map_err(failed("read", file))
}

/// What it is linked with, by its place without the leading slash: nothing for a program that needs no libraries.
fn libraries(program: &Path) -> Result<Vec<(String, Vec<u8>)>, ShardError> {
    let said = Command::new("ldd").arg(program).output().map_err(failed("ask ldd about", program))?;
    let places = places(&String::from_utf8_lossy(&said.stdout));
    places
        .into_iter()
        .map(|place| fs::read(&place).map(|content| (inside(&place), content)).map_err(failed("read", &place)))
        .collect()
}

/// The files that `ldd` names.
fn places(said: &str) -> Vec<PathBuf> {
    said.split_whitespace().filter(|word| word.starts_with('/') && !word.ends_with(':')).map(PathBuf::from).collect()
}

fn inside(place: &Path) -> String {
    place.display().to_string().trim_start_matches('/').to_owned()
}

fn failed(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ShardError + use<> {
    let path = path.to_owned();
    move |source| ShardError::File { what, path, source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::that_is_linked_with_some(
        "\tlinux-vdso.so.1 (0x7f)\n\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x7f)\n\t/lib64/ld-linux-x86-64.so.2 (0x7f)\n",
        &["lib/x86_64-linux-gnu/libc.so.6", "lib64/ld-linux-x86-64.so.2"]
    )]
    #[case::that_needs_none("\tstatically linked\n", &[])]
    #[case::that_is_no_dynamic_one("/usr/bin/x:\n\tnot a dynamic executable\n", &[])]
    fn the_libraries_of_a_program(#[case] said: &str, #[case] expected: &[&str]) {
        let found: Vec<String> = places(said).iter().map(|place| inside(place)).collect();
        assert_eq!(found, expected);
    }
}
