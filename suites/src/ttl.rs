//! KEP-592: finished Jobs are removed when their time is over.
