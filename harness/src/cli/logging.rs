//! The program's own log, on stderr.

use super::{Global, LogFormat};
use tracing_subscriber::{EnvFilter, util::SubscriberInitExt};

/// Starts the log: warnings, or what `-vv` and `JOBSWORTH_LOG` ask for.
pub(super) fn start(global: Global) {
    // The client logs every refusal as an error, also those that are expected: while a server starts, and
    // when a case asks for one.
    let default = match global.verbose {
        0 | 1 => "warn,kube_client=off",
        2 => "warn,kube_client=off,jobsworth_harness=debug",
        _ => "debug",
    };
    let filter = EnvFilter::try_from_env("JOBSWORTH_LOG").unwrap_or_else(|_| EnvFilter::new(default));
    let colour = crate::report::console::Paint::choose(global.color, super::surroundings::of_stderr()).colours();
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(colour);
    // A second start, as in tests, keeps the first.
    let _ = match global.log_format {
        LogFormat::Text => lines.finish().try_init(),
        LogFormat::Json => lines.json().finish().try_init(),
    };
}
