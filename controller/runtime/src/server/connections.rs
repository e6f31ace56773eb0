//! Connections as they come in: how many may be open, and that none of them holds up the others.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{MissedTickBehavior, interval, sleep};
use tokio_util::sync::CancellationToken;

/// After an error of the operating system; it is mostly that there are too many open files.
const ACCEPT_AGAIN_AFTER: Duration = Duration::from_millis(100);

/// Who answers at an address.
pub trait Host {
    /// Takes over what the files of certificates hold by now.
    fn look_again(&mut self);

    /// All that happens on one connection; `None` closes it.
    fn connection(&self, stream: TcpStream) -> Option<impl Future<Output = ()> + Send + 'static>;
}

/// How many connections there may be, and how often a host looks again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// How many may be open. For one more the oldest is closed.
    pub connections: usize,
    /// How often [`Host::look_again`] is called.
    pub look_again: Duration,
}

/// Lets `host` answer until `stop`, and hands back the connections that are open then. Whoever drops them cuts them off.
pub async fn accept(listener: &TcpListener, pace: Pace, host: &mut impl Host, stop: &CancellationToken) -> JoinSet<()> {
    let mut open = JoinSet::new();
    let mut by_age: VecDeque<AbortHandle> = VecDeque::new();
    let mut look_again = interval(pace.look_again);
    look_again.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let accepted = tokio::select! {
            biased;
            () = stop.cancelled() => return open,
            Some(_) = open.join_next() => {
                by_age.retain(|connection| !connection.is_finished());
                continue;
            }
            _ = look_again.tick() => {
                host.look_again();
                continue;
            }
            accepted = listener.accept() => accepted,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::debug!(%error, "no connection was accepted");
                // Clients can make the one kind of error as often as they like, and are not to make others wait by it.
                if !matches!(error.kind(), ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset) {
                    sleep(ACCEPT_AGAIN_AFTER).await;
                }
                continue;
            }
        };
        let Some(connection) = host.connection(stream) else { continue };
        while by_age.len() >= pace.connections {
            by_age.pop_front().inspect(AbortHandle::abort);
        }
        by_age.push_back(open.spawn(connection));
    }
}
