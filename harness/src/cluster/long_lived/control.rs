//! What other processes may ask of a cluster's daemon: one line of JSON each way over a private socket.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;

use crate::cluster::contract::{Change, ClusterError, Component, UnexpectedExit};

/// Socket paths are limited to some 100 bytes, and cluster folders may be deep: the name is short.
const SOCKET: &str = "ctl";
/// No command takes longer: a restart is given up after a minute.
const ANSWER_LIMIT: Duration = Duration::from_secs(90);
/// A change may have to build the programs of another version first.
const CHANGE_LIMIT: Duration = Duration::from_secs(60 * 60);

/// A request to the daemon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Command {
    /// Start the subject unless it runs.
    Start,
    /// Kill the subject with -9.
    Crash,
    /// Start the subject again with the same flags.
    Restart,
    /// Stop the subject in its tracks.
    Pause,
    /// Let it go on.
    Resume,
    /// End the subject in order.
    Stop,
    /// Answer with the first component that ended unasked, now or when there is one.
    #[serde(rename = "casualty")]
    UnexpectedExit,
    /// Change what the cluster is.
    Change(Change),
    /// End the whole cluster.
    Down,
}

/// The daemon's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Answer {
    /// Done.
    Done,
    /// Not done; why.
    Failed(String),
    /// A component ended unasked.
    Ended {
        /// Which one.
        component: Component,
        /// How.
        status: String,
        /// What it wrote last.
        last_lines: Vec<String>,
    },
}

impl From<UnexpectedExit> for Answer {
    fn from(unexpected_exit: UnexpectedExit) -> Self {
        let UnexpectedExit { component, status, last_lines } = unexpected_exit;
        Self::Ended { component, status, last_lines }
    }
}

/// The socket of a cluster.
#[must_use]
pub fn socket(folder: &Path) -> PathBuf {
    folder.join(SOCKET)
}

/// Asks the daemon of the cluster in `folder` to do something, and waits until it is done.
///
/// # Errors
/// When the daemon is gone, or could not do it.
pub async fn ask(folder: &Path, command: Command) -> Result<(), ClusterError> {
    let (what, limit) = match &command {
        Command::Change(_) => ("change it".to_owned(), CHANGE_LIMIT),
        other => (format!("{other:?}").to_lowercase(), ANSWER_LIMIT),
    };
    let failed = |why: String| ClusterError::Daemon { what, why };
    match tokio::time::timeout(limit, exchange(folder, command)).await {
        Ok(Ok(Answer::Done)) => Ok(()),
        Ok(Ok(Answer::Failed(why))) => Err(failed(why)),
        Ok(Ok(Answer::Ended { component, status, .. })) => Err(failed(format!("{component} ended with {status}"))),
        Ok(Err(error)) => Err(failed(error.to_string())),
        Err(_) => Err(failed(format!("no answer within {} s", limit.as_secs()))),
    }
}

/// Waits for the first component that ends unasked; `None` when the daemon itself goes away.
pub async fn unexpected_exit(folder: &Path) -> Option<UnexpectedExit> {
    match exchange(folder, Command::UnexpectedExit).await {
        Ok(Answer::Ended { component, status, last_lines }) => Some(UnexpectedExit { component, status, last_lines }),
        _ => None,
    }
}

async fn exchange(folder: &Path, command: Command) -> std::io::Result<Answer> {
    let mut stream = UnixStream::connect(socket(folder)).await?;
    stream.write_all(line(&command).as_bytes()).await?;
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer).await?;
    if answer.is_empty() {
        return Err(std::io::Error::other("the holder went away without an answer"));
    }
    serde_json::from_str(&answer).map_err(std::io::Error::other)
}

/// A message as it is written.
pub(crate) fn line(message: &impl Serialize) -> String {
    let mut text = serde_json::to_string(message).expect("our messages are JSON");
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use jobsworth_api::{KubeVersion, Minor};
    use rstest::rstest;

    #[rstest]
    #[case::gates(Change::gate("JobSuccessPolicy", false), r#"{"change":{"gates":{"JobSuccessPolicy":false}}}"#)]
    #[case::an_emulation(Change::Emulation(Some(Minor::new(1, 32))), r#"{"change":{"emulation":"1.32"}}"#)]
    #[case::no_emulation(Change::Emulation(None), r#"{"change":{"emulation":null}}"#)]
    #[case::a_version(Change::Version(KubeVersion::new(1, 36, 4)), r#"{"change":{"version":"1.36.4"}}"#)]
    #[case::one_server(Change::ApiServer(KubeVersion::new(1, 36, 4)), r#"{"change":{"apiServer":"1.36.4"}}"#)]
    fn a_holder_of_an_older_program_understands_a_change(#[case] change: Change, #[case] told: &str) {
        let command = Command::Change(change);
        assert_eq!(line(&command).trim_end(), told);
        assert_eq!(serde_json::from_str::<Command>(told).unwrap(), command);
    }
}
