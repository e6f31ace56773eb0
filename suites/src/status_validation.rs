//! Validation of a Job's status, as a table of every rule.
