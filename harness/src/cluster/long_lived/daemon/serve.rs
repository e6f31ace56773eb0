//! The daemon's side of the socket.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use futures::stream::{FuturesUnordered, StreamExt};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};

use crate::cluster::contract::{Change, Cluster, ClusterError, RunningSubject};
use crate::cluster::long_lived::control::{self, Answer, Command};
use crate::error_text::in_full;

/// A command is a word, or a change of some gates; whoever sends more is not one of ours.
const COMMAND_MAX: u64 = 8 * 1024;

/// A subject that has not answered by then is started anew.
const PROOF_OF_LIFE: Duration = Duration::from_secs(3);

/// Whether the daemon goes on after a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    GoOn,
    TakeDown,
}

/// The socket, for its owner only; the folder is 0700 besides.
pub(super) fn listen(folder: &Path) -> Result<UnixListener, ClusterError> {
    let path = control::socket(folder);
    let failed = |source| ClusterError::File { what: "listen on", path: path.clone(), source };
    let listener = UnixListener::bind(&path).map_err(failed)?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).map_err(failed)?;
    Ok(listener)
}

/// Answers until somebody asks for the end. Commands run side by side: a wait for an unexpected exit must
/// not keep a crash from being done.
pub(super) async fn serve(listener: UnixListener, cluster: &dyn Cluster, subject: &dyn RunningSubject) {
    let mut running = FuturesUnordered::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                if let Ok((stream, _)) = accepted {
                    running.push(answer(stream, cluster, subject));
                }
            }
            Some(after) = running.next() => {
                if after == After::TakeDown {
                    return;
                }
            }
        }
    }
}

async fn answer(stream: UnixStream, cluster: &dyn Cluster, subject: &dyn RunningSubject) -> After {
    let (reader, mut writer) = stream.into_split();
    let mut text = String::new();
    let mut reader = BufReader::new(reader).take(COMMAND_MAX);
    let read = reader.read_line(&mut text).await;
    let command = read.ok().and_then(|_| serde_json::from_str::<Command>(&text).ok());
    let after = if command == Some(Command::Down) { After::TakeDown } else { After::GoOn };
    let answer = match command {
        Some(Command::UnexpectedExit) => first_unexpected_exit(cluster, reader).await,
        Some(Command::Change(change)) => Some(changed(&change, cluster).await),
        Some(command) => Some(obey(command, subject).await),
        None => Some(Answer::Failed(format!("`{}` is no command", text.trim_end()))),
    };
    if let Some(answer) = answer {
        // Whoever asked may be gone; what was asked is done.
        let _ = writer.write_all(control::line(&answer).as_bytes()).await;
    }
    after
}

async fn obey(command: Command, subject: &dyn RunningSubject) -> Answer {
    let done = match command {
        Command::Start => start(subject).await,
        Command::Restart => subject.restart().await,
        Command::Crash => subject.crash().await,
        Command::Pause => subject.pause().await,
        Command::Resume => subject.resume().await,
        Command::Stop => subject.stop().await,
        Command::UnexpectedExit | Command::Change(_) | Command::Down => Ok(()),
    };
    done.map_or_else(|error| Answer::Failed(error.to_string()), |()| Answer::Done)
}

async fn changed(change: &Change, cluster: &dyn Cluster) -> Answer {
    cluster.change(change).await.map_or_else(|error| Answer::Failed(in_full(&error)), |_report| Answer::Done)
}

/// Whoever starts a subject gets one that runs, whatever the last user did to it.
async fn start(subject: &dyn RunningSubject) -> Result<(), ClusterError> {
    subject.resume().await?;
    match tokio::time::timeout(PROOF_OF_LIFE, subject.metrics()).await {
        Ok(Ok(_)) => Ok(()),
        _ => subject.restart().await,
    }
}

/// `None` when the one who asked goes away first.
async fn first_unexpected_exit(cluster: &dyn Cluster, mut reader: impl tokio::io::AsyncRead + Unpin) -> Option<Answer> {
    let mut unexpected_exit = cluster.unexpected_exit();
    tokio::select! {
        seen = unexpected_exit.wait_for(Option::is_some) => seen.ok().and_then(|seen| seen.clone()).map(Answer::from),
        _ = reader.read_u8() => None,
    }
}
