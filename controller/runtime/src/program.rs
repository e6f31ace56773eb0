//! A program around one controller: it serves its health, takes part in the election, works while it leads, and ends whole.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::client::Api;
use crate::controller::{Controller, Shutdown, lead};
use crate::exit::Failure;
use crate::fence::Fence;
use crate::lease::{Candidate, Election};
use crate::liveness::Liveness;
use crate::metrics::{LeaseLabels, Metrics};
use crate::panics;
use crate::server::{Server, State};
use crate::supervise::{How, PartExit, Supervisor};

/// What a program has before its controller works.
#[derive(Debug)]
pub struct Program {
    /// Until when writes may leave. Shut at first if there is an election, else open.
    pub fence: Arc<Fence>,
    /// What `/livez` is answered from.
    pub liveness: Arc<Liveness>,
    /// What the server answers from.
    pub state: Arc<State>,
    /// Where it is counted who leads.
    pub metrics: Arc<Metrics>,
    /// Who asks for the lease, and which one; `None` for a program that runs alone.
    pub election: Option<(Api, Election)>,
}

impl Program {
    /// Serves, and works with the controller that `make` makes, until `stop` or until the lease is lost. The controller is made
    /// when the lease is held: a standby watches nothing.
    ///
    /// # Errors
    /// When the lease was lost, or a part of the program ended.
    pub async fn run<C: Controller>(
        &self,
        server: Server,
        make: impl FnOnce() -> C,
        stop: &CancellationToken,
    ) -> Result<(), Failure> {
        let server_stop = CancellationToken::new();
        let mut front = Supervisor::new(&self.liveness);
        front.spawn("server", server.serve(server_stop.clone()));
        let working = async {
            if let Some((api, election)) = &self.election {
                // A standby is ready, too: it does what it is there for.
                self.state.set_ready(true);
                self.elected(api, election, make, stop).await
            } else {
                let led = lead(&make(), &self.fence, &self.liveness, stop, || self.state.set_ready(true)).await;
                led.map(drop).map_err(Failure::Part)
            }
        };
        let ended = tokio::select! {
            biased;
            exit = front.first_exit() => Err(Failure::Part(exit)),
            ended = panics::caught(working) => ended.unwrap_or_else(|panic| Err(panicked("main", panic))),
        };
        if let Err(Failure::Part(exit)) = &ended {
            // Nothing leaves any more, whoever of the others still is at work. What left before may arrive yet, so the lease is
            // not given back: until it has run out, nobody else begins.
            self.fence.close();
            tracing::error!(%exit, "this program is not whole any more and ends");
        }
        server_stop.cancel();
        front.join().await?;
        ended
    }

    /// Waits for the lease and works for as long as it is held.
    async fn elected<C: Controller>(
        &self,
        api: &Api,
        election: &Election,
        make: impl FnOnce() -> C,
        stop: &CancellationToken,
    ) -> Result<(), Failure> {
        let labels = LeaseLabels { name: election.name.clone() };
        let status = self.metrics.leader_election_master_status.get_or_create_owned(&labels);
        let holds = |holds: bool| status.set(i64::from(holds));
        holds(false);
        let mut candidate = Candidate::new(api.clone(), Arc::clone(&self.fence), election.clone());
        let won = panics::caught(candidate.win(stop)).await.map_err(|panic| panicked("election", panic))?;
        if !won {
            return Ok(());
        }
        holds(true);
        tracing::info!("holds the lease");
        // The lease is renewed until the last round has ended; without it everything is dropped where it stands.
        let never = CancellationToken::new();
        let controller = make();
        let ended = tokio::select! {
            biased;
            kept = panics::caught(candidate.keep(&never)) => match kept {
                Ok(_) => Err(Failure::LeaseLost),
                Err(panic) => Err(panicked("election", panic)),
            },
            led = lead(&controller, &self.fence, &self.liveness, stop, || {}) => led.map_err(Failure::Part),
        };
        match ended {
            Ok(Shutdown::Clean) => candidate.release().await,
            Ok(Shutdown::Cut) => {
                tracing::warn!("calls that were cut off may arrive yet, so the lease is left to run out")
            }
            Err(failure) => {
                holds(false);
                return Err(failure);
            }
        }
        Ok(())
    }
}

fn panicked(part: &'static str, panic: String) -> Failure {
    Failure::Part(PartExit { part, how: How::Panicked(panic) })
}
