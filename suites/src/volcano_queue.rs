//! Queues: which of them take Volcano Jobs, and who opens and closes them.

crate::cases! {
    queues_that_take_no_jobs,
    orders_open_and_close_queues,
    a_new_queue_is_open,
}
