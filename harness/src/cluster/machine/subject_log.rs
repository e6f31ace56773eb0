//! The log of a controller under test, which may print without end: it is written by us and up to a limit, at which the
//! controller is killed and its death says why. What other components write is known, and goes straight into their files.
//!
//! A limit of the kernel (`RLIMIT_FSIZE`) would not do: Go and Python take its signal for an error of one write and go on, so
//! a run would miss every panic after it and say nothing; and it would hold for every other file of the controller, too.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};

/// What one life of a controller may write.
pub(crate) const LIMIT: u64 = 256 * 1024 * 1024;
/// How much of either end is kept of a life that wrote more.
const KEPT: u64 = 1024 * 1024;
/// How much is read at once; a pipe holds as much.
const PART: usize = 64 * 1024;

/// What becomes of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// There is room for more.
    Left,
    /// The limit is reached.
    Full,
}

/// A log that is written by one life of a controller.
#[derive(Debug)]
pub(crate) struct SubjectLog {
    file: File,
    path: PathBuf,
    /// Where this life begins: earlier ones stand before.
    from: u64,
    written: u64,
    limit: u64,
    /// A disk that is full is told once.
    complained: bool,
}

impl SubjectLog {
    /// Opens the log for another life, which may write up to `limit` bytes.
    ///
    /// # Errors
    /// What the system said.
    pub fn open(path: &Path, limit: u64) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).read(true).mode(0o600).open(path)?;
        let from = file.metadata()?.len();
        Ok(Self { file, path: path.to_owned(), from, written: 0, limit, complained: false })
    }

    /// Writes as much of it as there is room for. A disk that is full is not the controller's fault, so it may go on.
    pub fn write(&mut self, part: &[u8]) -> Room {
        let room = usize::try_from(self.limit.saturating_sub(self.written)).unwrap_or(usize::MAX);
        let part = &part[..part.len().min(room)];
        if let Err(error) = self.file.write_all(part)
            && !std::mem::replace(&mut self.complained, true)
        {
            tracing::warn!(%error, log = %self.path.display(), "the log of the subject cannot be written");
        }
        self.written += part.len() as u64;
        if self.written < self.limit { Room::Left } else { Room::Full }
    }

    /// Writes what comes from there, until nothing more can come or the limit is reached; then calls `full` and
    /// [`cut`](Self::cut)s the log.
    pub fn fill(&mut self, from: &mut impl Read, full: impl FnOnce()) -> Room {
        let mut part = vec![0; PART];
        loop {
            match from.read(&mut part) {
                Ok(0) => return Room::Left,
                Ok(read) if self.write(&part[..read]) == Room::Full => break,
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    tracing::warn!(%error, log = %self.path.display(), "the subject's words cannot be read");
                    return Room::Left;
                }
            }
        }
        full();
        self.cut();
        Room::Full
    }

    /// Keeps the beginning and the end of what was written, with a line between them: a controller that is started again may
    /// write as much again.
    pub fn cut(&mut self) {
        if let Err(error) = self.shorten() {
            tracing::warn!(%error, log = %self.path.display(), "the log of the subject cannot be shortened");
        }
    }

    fn shorten(&mut self) -> io::Result<()> {
        let end = self.file.metadata()?.len();
        let (head, tail) = (self.from + KEPT.min(self.limit / 4), end.saturating_sub(KEPT.min(self.limit / 4)));
        if head >= tail {
            return Ok(());
        }
        let mut last = Vec::new();
        self.file.seek(SeekFrom::Start(tail))?;
        self.file.read_to_end(&mut last)?;
        self.file.set_len(head)?;
        let dropped = tail - head;
        write!(
            self.file,
            "\n[{dropped} bytes of the log were dropped here: it reached its limit of {} bytes]\n",
            self.limit
        )?;
        self.file.write_all(&last)
    }
}

/// Has a thread fill the log with what comes from there, and says what became of it.
///
/// # Panics
/// When a thread cannot be started.
pub(crate) fn fill_in_background(
    mut log: SubjectLog,
    mut from: impl Read + Send + 'static,
    full: impl FnOnce() + Send + 'static,
) -> Receiver<Room> {
    let (sender, receiver) = mpsc::channel();
    std::thread::Builder::new()
        .name("log-subject".to_owned())
        .spawn(move || {
            let room = log.fill(&mut from, full);
            // Whoever asked may not wait any more.
            let _ = sender.send(room);
            // A child of the controller may have more to say, and must not die of it that nobody reads.
            let _ = io::copy(&mut from, &mut io::sink());
        })
        .expect("a process that cannot start one thread cannot do anything");
    receiver
}

/// How a controller ended, with the reason where that was its log.
pub(crate) fn with_reason(status: String, room: Room) -> String {
    match room {
        Room::Left => status,
        Room::Full => format!("{status}, as the log of the subject reached its limit of {} MiB", LIMIT / (1024 * 1024)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use std::fs;
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::{Command, Stdio};
    use std::sync::{Arc, Mutex};

    const LITTLE: u64 = 4096;

    #[test]
    fn a_program_that_prints_endlessly_is_killed_and_its_log_keeps_both_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("subject.log");
        fs::write(&path, "an earlier life\n").unwrap();
        let log = SubjectLog::open(&path, LITTLE).unwrap();
        let mut child = Command::new("yes").stdout(Stdio::piped()).spawn().unwrap();
        let words = child.stdout.take().unwrap();
        let child = Arc::new(Mutex::new(child));
        let killed = Arc::clone(&child);
        let room = fill_in_background(log, words, move || killed.lock().unwrap().kill().unwrap());
        assert_eq!(room.recv().unwrap(), Room::Full);
        assert_eq!(child.lock().unwrap().wait().unwrap().signal(), Some(9));
        let kept = fs::read_to_string(&path).unwrap();
        assert!(kept.starts_with("an earlier life\ny\ny\n") && kept.ends_with("y\n"), "{kept}");
        assert!(kept.contains("[2048 bytes of the log were dropped here"), "{kept}");
        assert!(kept.len() < 3000, "{}", kept.len());
    }

    #[rstest]
    #[case::nothing("", Room::Left)]
    #[case::all_but_one_byte(&"x".repeat(4095), Room::Left)]
    #[case::all(&"x".repeat(4096), Room::Full)]
    fn what_is_below_the_limit_is_written_as_it_is(#[case] said: &str, #[case] room: Room) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("subject.log");
        let mut log = SubjectLog::open(&path, LITTLE).unwrap();
        assert_eq!(log.write(said.as_bytes()), room);
        assert_eq!(fs::read_to_string(&path).unwrap(), said);
    }

    #[test]
    fn each_life_has_its_own_room() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("subject.log");
        for life in 1..=3 {
            let mut log = SubjectLog::open(&path, LITTLE).unwrap();
            assert_eq!(log.fill(&mut io::repeat(b'x').take(LITTLE - 1), || panic!("there is room")), Room::Left);
            assert_eq!(fs::metadata(&path).unwrap().len(), life * (LITTLE - 1));
        }
    }

    #[test]
    fn a_death_says_that_the_log_was_full_only_where_it_was() {
        assert_eq!(with_reason("exit status: 1".to_owned(), Room::Left), "exit status: 1");
        let full = with_reason("signal: 9 (SIGKILL)".to_owned(), Room::Full);
        assert_eq!(full, "signal: 9 (SIGKILL), as the log of the subject reached its limit of 256 MiB");
    }
}
