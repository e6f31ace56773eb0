//! The active deadline of a Job.
