//! Sign-off sheets: what a KEP asks for before it graduates, and which runs have shown it.
//!
//! What is asked for is data ([`kep`]), what was shown comes from the folders of runs ([`stored`]). [`sheet`] puts both together,
//! purely: the same KEP and the same folders make the same bytes, whenever and wherever. What nothing has shown is a red line.

mod html;
pub mod kep;
mod markdown;
pub mod sheet;
pub mod stored;

pub use html::render as html;
pub use markdown::render as markdown;

#[cfg(test)]
mod tests;
