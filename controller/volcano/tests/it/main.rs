//! The webhook from outside: its server over HTTPS, and the program.

mod manifests;
mod program;
mod server;
mod site;
