//! Process lists.
