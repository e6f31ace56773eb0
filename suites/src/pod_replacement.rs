//! When a pod that is on its way out is replaced.
