//! One builder at a time over all processes: a locked file that says who builds what.

use std::fs::{self, File, TryLockError};
use std::io::{self, Seek, Write};
use std::path::Path;

/// Held while building; the kernel lets go of it when we die.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Lock {
    /// Takes it, or waits for it; `waiting` hears what its holder says about itself.
    ///
    /// # Errors
    /// When the file cannot be opened or locked.
    pub fn take(path: &Path, waiting: impl FnOnce(String)) -> io::Result<Self> {
        let file = File::options().create(true).truncate(false).read(true).write(true).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                waiting(fs::read_to_string(path).unwrap_or_default().trim().to_owned());
                file.lock()?;
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        Ok(Self { file })
    }

    /// Tells those who wait. Only a courtesy, so a failure is no error.
    pub fn says(&self, text: &str) {
        let mut file = &self.file;
        let _ = self.file.set_len(0);
        let _ = file.rewind();
        let _ = file.write_all(text.as_bytes());
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.file.set_len(0);
        let _ = self.file.unlock();
    }
}
