//! The backoff limit per index.
