//! Log lines on stderr, as many as `RUST_LOG` says; without it those that tell what a user asked for.

use std::io::stderr;

use tracing_subscriber::EnvFilter;

use crate::flags::LogFormat;

/// From now on the process logs. Once per process.
///
/// # Panics
/// When the process logs already.
pub fn begin(format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(stderr);
    match format {
        LogFormat::Text => lines.with_ansi(false).init(),
        LogFormat::Json => lines.json().init(),
    }
}
