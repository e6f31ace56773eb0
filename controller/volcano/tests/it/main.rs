//! The webhook from outside: its server over HTTPS, and the program.

mod program;
mod server;
mod site;
