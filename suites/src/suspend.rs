//! Suspended and resumed Jobs.
