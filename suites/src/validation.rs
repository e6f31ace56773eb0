//! Defaults and validation of a Job's spec, as tables.
