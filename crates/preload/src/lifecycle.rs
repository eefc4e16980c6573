//! The process from its first instruction to its last, and its children.
//!
//! | when | what |
//! |---|---|
//! | first request, or start | the process begins ([`crate::process`]) |
//! | before a fork | every lock is taken, so no heap is in the midst of something |
//! | in the parent | they are released |
//! | in the child | they are released; heaps of threads that are gone serve the next ones |
//! | end | heaps are verified and statistics written, where asked for; a guard looks at every block; with `_exit` statistics only |

use heapsmith::lock::RawLock;
use heapsmith_capture::witness;
use heapsmith_spec::Threads;

use crate::arena::Arena;
use crate::process::{begun, process};
use crate::{code, fault, heap_error, local, record, statistics, thread};

/// The process starts: called by the dynamic linker.
pub extern "C" fn start() {
    let process = process();
    statistics::begin(process);
    witness::begin();
    if process.guarded {
        fault::begin();
    }
    code::drop_what_has_run();
    // May allocate: the process has begun.
    // SAFETY: the handlers stay where they are.
    unsafe { libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child)) };
}

/// The process ends: called by the C library.
pub extern "C" fn end() {
    let Some(process) = begun() else { return };
    if process.guarded {
        process.audit();
    }
    if process.settings.check {
        process.arenas().iter().for_each(check);
    }
    statistics::write();
    record::ended();
}

fn check(arena: &Arena) {
    if let Err(violation) = arena.work(|heap| heap.check()) {
        heap_error::broken(violation);
    }
}

extern "C" fn before() {
    let Some(process) = begun() else { return };
    process.registry.lock();
    process.arenas().iter().for_each(|arena| arena.lock.lock());
    process.page_guard.iter().for_each(|guard| guard.lock.lock());
}

extern "C" fn in_parent() {
    let Some(process) = begun() else { return };
    // SAFETY: `before` took them.
    unsafe {
        process.page_guard.iter().for_each(|guard| guard.lock.unlock());
        process.arenas().iter().for_each(|arena| arena.lock.unlock());
        process.registry.unlock();
    }
}

extern "C" fn in_child() {
    let Some(process) = begun() else { return };
    if process.threads == Threads::Each {
        process.alone_with(local::serving::<Arena>());
    }
    process.owners.iter().for_each(|owners| owners.alone_with(thread::owner()));
    statistics::in_child();
    in_parent();
}
