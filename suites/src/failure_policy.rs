//! Pod failure policies: what a failed pod means for its Job.
