//! The backoff limit of a Job, and the delay before pods are replaced.
