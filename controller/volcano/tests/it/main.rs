//! The controller and the webhook from outside, and the program.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "../../../runtime/tests/it/fake.rs"]
mod api_server;
mod certificate;
mod controller;
mod deployment;
mod examples;
mod manifests;
mod program;
mod reviews;
mod rights;
mod server;
mod site;
mod world;
