//! What the JVM reports while the program runs.
//!
//! HotSpot samples an allocation where a thread's buffer ends; buffers that were handed out before the event was on end
//! too late, and hide up to some MB of objects. So the JVM collects once before the program begins: every
//! thread gets a new buffer then. What is in the heap after that and has no tag was there before, and is counted.
//!
//! The event `VMObjectAlloc` is not used: HotSpot samples what the JVM allocates for the program (clones, reflection) like
//! everything else, and would report it twice. A tag does not distinguish these two: later versions (25, not 17) lose the
//! tag of a clone right after its first report. Its death is reported all the same.
//!
//! A collection on request (`--java-collect`) is run by the thread whose object made it due, inside its event: it waits
//! for the collection as for any other, so deaths are at the same place of the trace however busy the machine is.
//! The JVM posts deaths from a thread of its own, some time after the collection; switching the event on once more,
//! on as it is, makes HotSpot of JDK 17 and later post what is due at once. Others post a little later, or already did.
//! One thread at a time does this: a thread that waits until another has posted holds up the collection of a third (JDK
//! 17), and all wait for each other. What is due meanwhile is left to the next collection.

use core::ffi::c_void;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::class::{self, Class};
use crate::jvmti::{Callbacks, Census, Environment, Natives, Object};
use crate::slots::event;
use heapsmith_capture::current;
use heapsmith_capture::event::Event;
use heapsmith_capture::format::{ADDRESS_SHIFT, header, mark, operation};
use heapsmith_capture::record::{record, record_named};

/// Bytes between two collections on request; 0 for none.
pub static COLLECT_EVERY: AtomicU64 = AtomicU64::new(0);

/// Bytes allocated since the last collection on request.
static SINCE: AtomicU64 = AtomicU64::new(0);

/// Whether a thread runs a collection on request.
static COLLECTING: AtomicBool = AtomicBool::new(false);

/// The next object's tag. 0 is no tag.
static NEXT_TAG: AtomicU64 = AtomicU64::new(1);

/// The tag of objects that are not in the recording.
const LEFT_OUT: i64 = -1;

/// Whether the program has begun.
static BEGUN: AtomicBool = AtomicBool::new(false);

/// The events that the agent wants once its callbacks are set.
pub const WANTED: [usize; 5] = [
    event::VM_INIT,
    event::VM_DEATH,
    event::GARBAGE_COLLECTION_FINISH,
    event::OBJECT_FREE,
    event::SAMPLED_OBJECT_ALLOC,
];

type Allocated = extern "C" fn(Environment, Natives, Object, Object, Object, i64);

/// The callbacks.
pub fn callbacks() -> Callbacks {
    let mut callbacks = Callbacks::NONE;
    let begun: extern "C" fn(Environment, *mut c_void, Object) = begun;
    let ends: extern "C" fn(Environment, *mut c_void) = ends;
    let collected: extern "C" fn(Environment) = collected;
    let freed: extern "C" fn(Environment, i64) = freed;
    let allocated: Allocated = allocated;
    callbacks.set(event::VM_INIT, begun as *const c_void);
    callbacks.set(event::VM_DEATH, ends as *const c_void);
    callbacks.set(event::GARBAGE_COLLECTION_FINISH, collected as *const c_void);
    callbacks.set(event::OBJECT_FREE, freed as *const c_void);
    callbacks.set(event::SAMPLED_OBJECT_ALLOC, allocated as *const c_void);
    callbacks
}

/// An object was allocated, by the program or by the JVM for it.
extern "C" fn allocated(jvm: Environment, natives: Natives, _: Object, object: Object, class: Object, size: i64) {
    let tag = NEXT_TAG.fetch_add(1, Ordering::Relaxed);
    if jvm.set_tag(object, tag as i64) != 0 {
        // Its death would never be known.
        if let Some(process) = current::process() {
            process.count_unrecordable();
        }
        return;
    }
    let its = Class::of(jvm, natives, class, size);
    let event = event(operation::ALLOCATE, tag, its.bytes(natives, object, size) as usize);
    // SAFETY: the JVM calls this on the thread that it is about.
    unsafe { record_named(event, its.number(), |words| class::name(jvm, class, words)) };
    if is_due(size as u64) && !COLLECTING.swap(true, Ordering::Acquire) {
        collect(jvm);
        COLLECTING.store(false, Ordering::Release);
    }
}

/// An object is dead: a collection took it.
extern "C" fn freed(_: Environment, tag: i64) {
    let own = class::own(tag);
    if own != 0 {
        write(operation::FREE, own);
    }
}

/// A collection is done; what it found dead is reported after this.
extern "C" fn collected(_: Environment) {
    if BEGUN.load(Ordering::Relaxed) {
        write(operation::MARK, mark::COLLECTION);
    }
}

/// The JVM reports objects from here on, and every one of them from the next collection on.
extern "C" fn begun(jvm: Environment, _: *mut c_void, _: Object) {
    jvm.collect();
    note(header::EARLY_OBJECTS, jvm.tag_the_rest(LEFT_OUT));
    BEGUN.store(true, Ordering::Relaxed);
}

/// The JVM ends; what is live stays so.
extern "C" fn ends(jvm: Environment, _: *mut c_void) {
    if COLLECT_EVERY.load(Ordering::Relaxed) > 0 {
        collect(jvm);
    }
    // What is dead and not yet reported is, as in `collect`.
    jvm.enable(event::OBJECT_FREE, true);
    note(header::UNSEEN_OBJECTS, jvm.tag_the_rest(LEFT_OUT));
    if let Some(process) = current::process() {
        process.end();
    }
}

/// Whether a collection on request is due after this many bytes more.
fn is_due(size: u64) -> bool {
    let every = COLLECT_EVERY.load(Ordering::Relaxed);
    // Of two threads that see it due, one takes the bytes.
    every > 0 && SINCE.fetch_add(size, Ordering::Relaxed) + size >= every && SINCE.swap(0, Ordering::Relaxed) >= every
}

fn collect(jvm: Environment) {
    jvm.collect();
    jvm.enable(event::OBJECT_FREE, true);
}

/// An event with a tag or a label in place of an address.
fn event(operation: u64, number: u64, size: usize) -> Event {
    Event { operation, address: (number << ADDRESS_SHIFT) as usize, size, alignment: 0 }
}

/// Writes an event down that no class belongs to.
fn write(operation: u64, number: u64) {
    // SAFETY: the JVM calls this on the thread that it is about.
    unsafe { record(event(operation, number, 0)) }
}

/// Writes a census into two words of the header.
fn note(word: usize, census: Census) {
    if let Some(process) = current::process() {
        process.note(word, census.objects);
        process.note(word + 1, census.bytes);
    }
}
