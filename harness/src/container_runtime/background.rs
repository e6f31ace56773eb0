//! Where everything that is asked of a runtime over its socket is done: what was begun there is finished, though who
//! asked for it has gone, and though his own async runtime is ending.

use std::sync::{OnceLock, mpsc};

use tokio::runtime::Runtime;

/// The async runtime of all of that; it never ends.
pub fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("containers")
            .enable_all()
            .build()
            .expect("a process that cannot start one thread cannot do anything")
    })
}

/// Does it in the [`runtime`] and waits, from wherever but there.
pub fn block_on<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    runtime().spawn(async move {
        // Nobody but the line below listens.
        let _ = sender.send(work.await);
    });
    receiver.recv().expect("the containers' runtime never ends")
}
