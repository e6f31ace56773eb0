//! The webhook from outside: its server over HTTPS, and the program.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod manifests;
mod program;
mod server;
mod site;
