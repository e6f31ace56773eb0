//! The wish that a run may end.

use tokio::sync::watch;

/// How far a run has been asked to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Interrupt {
    /// Not at all.
    None,
    /// In order: mark running cases as incomplete, take clusters down, write reports.
    Orderly(&'static str),
    /// At once: reports, nothing else.
    AtOnce(&'static str),
}

/// Returns once a stop was asked for, with the name of the signal; never if nobody can ask any more.
pub async fn asked(interrupt: &mut watch::Receiver<Interrupt>) -> &'static str {
    let asked = interrupt.wait_for(|interrupt| *interrupt != Interrupt::None).await.map(|asked| *asked);
    match asked {
        Ok(Interrupt::Orderly(signal) | Interrupt::AtOnce(signal)) => signal,
        _ => std::future::pending().await,
    }
}
