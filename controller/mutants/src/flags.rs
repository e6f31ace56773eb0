//! Flags of a program that is to be rejected, beside those of the controller in it.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use jobsworth_controller::parts::Transport;

use crate::decorator::Decorator;
use crate::outage::{FaultInjector, Outage};
use crate::wire::{self, log::Log};

/// What is wrong with the controller, and with its network.
#[derive(Debug, Args)]
pub struct Wrong {
    /// Which bug, for example M05. Without it: none
    #[arg(long, value_name = "NUMBER")]
    pub mutant: Option<String>,

    /// What is wrong with the network
    #[arg(long, value_name = "OUTAGE", value_enum, default_value_t)]
    outage: Outage,

    /// Where to write down what was asked and answered
    #[arg(long, value_name = "FILE")]
    wire_log: Option<PathBuf>,
}

impl Wrong {
    /// What carries requests through the bug, the log and the outage.
    ///
    /// # Errors
    /// When the log cannot be written.
    pub fn transport(&self, bug: Arc<dyn Decorator>) -> anyhow::Result<Transport> {
        let log = Log::to(self.wire_log.as_deref()).context("open the wire log")?;
        Ok(wire::transport(bug, Arc::new(FaultInjector::of(self.outage)), Arc::new(log)))
    }
}
