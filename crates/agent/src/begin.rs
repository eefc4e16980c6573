//! The JVM loads the agent: what it can do is asked, and the recording begins.
//!
//! An agent that cannot record says why on standard error and lets the program run.

use core::ffi::{CStr, c_int, c_void};
use core::sync::atomic::Ordering;

use crate::events::{COLLECT_EVERY, WANTED, callbacks};
use crate::jvmti::{Callbacks, Capabilities, Environment, Machine, OptionString};
use crate::slots::{INTERFACE_MASK, INTERFACE_TOOL, MAJOR_AT, MAJOR_MASK, capability};
use heapsmith_capture::current;
use heapsmith_capture::format::header;
use heapsmith_capture::thread::MANY;

/// The first version of Java whose JVM reports every allocation.
const OLDEST: i32 = 11;

/// What the JVM has to be able to do, with its names.
const NEEDED: [(u32, &str); 4] = [
    (capability::SAMPLED_OBJECT_ALLOC, "can_generate_sampled_object_alloc_events"),
    (capability::OBJECT_FREE, "can_generate_object_free_events"),
    (capability::GARBAGE_COLLECTION, "can_generate_garbage_collection_events"),
    (capability::TAG_OBJECTS, "can_tag_objects"),
];

unsafe extern "C" {
    fn write(file: c_int, from: *const c_void, length: usize) -> isize;
}

/// The JVM calls this before it has any object or second thread.
///
/// # Safety
///
/// As the tool interface's specification says: `machine` is the JVM, `options` null or a text that ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn Agent_OnLoad(machine: Machine, options: OptionString, _: *mut c_void) -> c_int {
    if !options.is_null() {
        // SAFETY: the JVM's options end with a zero.
        let options = unsafe { CStr::from_ptr(options) };
        COLLECT_EVERY.store(every(options.to_bytes()), Ordering::Relaxed);
    }
    if let Err(cause) = begin(machine) {
        say(&["heapsmith: nothing of this JVM is recorded: ", cause.0, cause.1, "\n"]);
    }
    0
}

/// Why nothing is recorded, in two parts.
struct Cause(&'static str, &'static str);

fn begin(machine: Machine) -> Result<(), Cause> {
    let jvm = machine.environment().map_err(|_| too_old())?;
    let mut version = 0;
    let asked = jvm.version(&mut version);
    let is_tool = version & INTERFACE_MASK == INTERFACE_TOOL;
    if asked != 0 || !is_tool || version >> MAJOR_AT & MAJOR_MASK < OLDEST {
        return Err(too_old());
    }
    acquire(jvm)?;
    // Every event has its own stamp, as the JVM has many threads.
    MANY.store(true, Ordering::Relaxed);
    let Some(process) = current::process() else {
        return Err(Cause("no file can be written to the folder that HEAPSMITH_RECORD names", ": make room in it"));
    };
    process.note(header::JAVA, 1);
    process.note(header::COLLECT_EVERY, COLLECT_EVERY.load(Ordering::Relaxed));
    let callbacks = callbacks();
    let refused = Cause("it refuses to report allocations", ": is another profiler loaded? Leave it out");
    let mut outcome = jvm.call_back(&callbacks, size_of::<Callbacks>() as i32);
    outcome |= jvm.sample_every(0);
    for event in WANTED {
        outcome |= jvm.enable(event, true);
    }
    if outcome == 0 { Ok(()) } else { Err(refused) }
}

fn too_old() -> Cause {
    Cause("it is older than Java 11, the first that reports every object", ": run the program with JDK 11 or later")
}

fn acquire(jvm: Environment) -> Result<(), Cause> {
    const INSTEAD: &str = ": use a JDK that is built from OpenJDK (HotSpot), 11 or later";
    let (mut potential, mut wanted) = (Capabilities::NONE, Capabilities::NONE);
    jvm.potential(&mut potential);
    for (bit, name) in NEEDED {
        if !potential.has(bit) {
            say(&["heapsmith: this JVM has no ", name, "\n"]);
            return Err(Cause("it cannot report every object", INSTEAD));
        }
        wanted.add(bit);
    }
    if jvm.acquire(&wanted) != 0 {
        return Err(Cause("it does not grant what it said it can do", INSTEAD));
    }
    Ok(())
}

/// The number in `collect=NUMBER`; 0 for anything else, which the command never writes.
fn every(options: &[u8]) -> u64 {
    let digits = options.strip_prefix(b"collect=").unwrap_or_default();
    digits.iter().fold(0, |number: u64, digit| {
        number.saturating_mul(10).saturating_add(u64::from(digit.wrapping_sub(b'0').min(9)))
    })
}

fn say(parts: &[&str]) {
    for part in parts {
        // SAFETY: as many bytes as it says.
        unsafe { write(2, part.as_ptr().cast(), part.len()) };
    }
}
