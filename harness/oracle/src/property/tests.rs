//! Claims against hand-made timelines.
