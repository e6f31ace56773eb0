//! Which pods belong to a Job: adoption and release.
