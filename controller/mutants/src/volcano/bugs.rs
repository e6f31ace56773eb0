//! The bugs of the Volcano controller, one file per theme.

pub mod gangs;
pub mod kills;
pub mod news;
pub mod objects;
pub mod orders;
pub mod policies;
pub mod retries;
pub mod statuses;
pub mod times;
