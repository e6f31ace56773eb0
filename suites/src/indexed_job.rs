//! KEP-2214: every completion has an index.
