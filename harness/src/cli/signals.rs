//! Ctrl-C and SIGTERM: the first stops in order, the second at once.

use crate::run::Interrupt;
use std::{io, time::Duration};
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::watch,
};

/// How long a run has to end by itself after the second signal, before reports are written without it.
const MOMENT: Duration = Duration::from_secs(2);

/// Hears signals and passes them on.
pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    asked: watch::Sender<Interrupt>,
}

/// Starts listening; from here on a signal no longer ends the process by itself.
pub(super) fn listen() -> io::Result<Signals> {
    Ok(Signals {
        interrupt: signal(SignalKind::interrupt())?,
        terminate: signal(SignalKind::terminate())?,
        asked: watch::Sender::new(Interrupt::None),
    })
}

impl Signals {
    /// What the user has asked for so far.
    pub(super) fn interrupt(&self) -> watch::Receiver<Interrupt> {
        self.asked.subscribe()
    }

    /// Returns at the first signal, with its name. For work that has nothing to save.
    pub(super) async fn first(&mut self) -> &'static str {
        tokio::select! {
            _ = self.interrupt.recv() => "SIGINT",
            _ = self.terminate.recv() => "SIGTERM",
        }
    }

    /// Returns a moment after the second signal; says what each does.
    pub(super) async fn insisted(&mut self, tell: &dyn Fn(&str)) -> &'static str {
        loop {
            let asked = *self.asked.borrow();
            let name = tokio::select! {
                _ = self.interrupt.recv() => "SIGINT",
                _ = self.terminate.recv() => "SIGTERM",
                () = tokio::time::sleep(MOMENT), if matches!(asked, Interrupt::AtOnce(_)) => {
                    let Interrupt::AtOnce(name) = asked else { continue };
                    return name;
                }
            };
            tell(match asked {
                Interrupt::None => "stopping in order; once more stops at once, reports are written either way",
                Interrupt::Orderly(_) | Interrupt::AtOnce(_) => "stopping at once",
            });
            self.asked.send_modify(|asked| {
                *asked = match *asked {
                    Interrupt::None => Interrupt::Orderly(name),
                    Interrupt::Orderly(first) | Interrupt::AtOnce(first) => Interrupt::AtOnce(first),
                };
            });
        }
    }
}
