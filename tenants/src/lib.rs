//! Tenants of an API server: people and programs that use the Job API while a Job controller is under load.
//!
//! Each tenant waits for the answer to a request before it makes the next one: the loop is closed. So tenants are company for a
//! controller, and say what users of the API server get meanwhile; they are no instrument for the controller's latency, because a
//! slow server makes them ask less.
//!
//! Who comes is a [`mix`]; what each does is an [`errand`], with the Jobs of [`manifest`]. All of them share a [`world`], which
//! knows when it is over, and come as users of goose ([`attack`]). What they got is the [`report`], beside goose's own two.

pub mod access;
pub mod args;
pub mod attack;
pub mod errand;
pub mod manifest;
pub mod mix;
pub mod percentile;
pub mod report;
pub mod tally;
pub mod world;

use std::fs;
use std::sync::Arc;
use std::time::Instant;

use access::Access;
use args::Args;
use report::Report;
use world::World;

/// Why tenants could not come, or not be counted.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// A file or folder that was named.
    #[error("failed to {what} {path}: {why}")]
    File {
        /// What was done with it.
        what: &'static str,
        /// Where it is.
        path: String,
        /// What is wrong with it.
        why: String,
    },
    /// The load itself.
    #[error("failed to let tenants come: {0}")]
    Load(String),
    /// Jobs of tenants are still there.
    #[error("failed to remove the Jobs of tenants: {0}; delete those with the label {label}", label = manifest::LABEL)]
    LeftBehind(String),
}

/// Lets tenants come and go, and writes the reports.
///
/// # Errors
/// When a file cannot be read or written, goose refuses what it is told, or Jobs are left behind.
pub fn run(args: &Args) -> Result<Report, Trouble> {
    // Two providers of cryptography in one build would make rustls refuse to choose; ours is named here.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let access = Access::read(&args.ca, &args.token_file)?;
    let folder = |source: std::io::Error| Trouble::File {
        what: "make",
        path: args.report.display().to_string(),
        why: source.to_string(),
    };
    fs::create_dir_all(&args.report).map_err(folder)?;
    let shares = args.mix.shares(args.users);
    let world = Arc::new(World::of(args, access));
    let begun = Instant::now();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Trouble::Load(error.to_string()))?;
    let metrics = runtime.block_on(attack::execute(&world, &shares, args))?;
    let report = Report::of(&metrics, world.tally(), &shares, begun.elapsed(), world.why_over());
    report.write(&args.report)?;
    match world.tally().left_behind() {
        Some(why) => Err(Trouble::LeftBehind(why)),
        None => Ok(report),
    }
}
