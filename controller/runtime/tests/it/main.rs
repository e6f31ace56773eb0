//! The runtime against an API server of a few lines, and its own server over real connections.

mod access;
mod fake;
mod feeds;
mod server;
