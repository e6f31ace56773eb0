//! A plan from flags and a small catalogue.
