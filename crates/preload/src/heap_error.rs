//! What is said when a heap finds that it was misused; then the program ends, as it would with the C library's own checks.

use core::fmt::Write;
use core::ptr::NonNull;

use heapsmith::{HeapError, HeapErrorKind, Violation};

use crate::diagnostics::{self, Line};
use crate::operators::Origin;
use crate::page_guard::Slot;
use crate::page_guard::State::Freed;
use crate::process::begun;
use crate::site::Sites;

/// Says what was misused, and ends the program.
pub fn stop(heap_error: &HeapError, base: NonNull<u8>, freed: NonNull<u8>) -> ! {
    let address = |offset: usize| base.as_ptr().addr().wrapping_add(offset);
    let (block, at) = (address(heap_error.block), address(heap_error.at));
    let mut line = Line::<256>::new();
    let _ = match heap_error.kind {
        HeapErrorKind::OutOfOrder => write!(line, "the block at {block:#x} was freed before a later one"),
        HeapErrorKind::DoubleFree => write!(line, "double free of the block at {block:#x}"),
        HeapErrorKind::Foreign => write!(line, "free of {block:#x}, where no block begins"),
        HeapErrorKind::HeaderDamaged => {
            write!(line, "the words before the block at {block:#x} were overwritten, at {at:#x}")
        }
        HeapErrorKind::Overrun => {
            write!(line, "overflow of the block at {block:#x}: the words behind it were overwritten, at {at:#x}")
        }
        HeapErrorKind::WrittenAfterFree => {
            write!(line, "the block at {block:#x} was written after it was freed, at {at:#x}")
        }
    };
    let whose = NonNull::new(block as *mut u8).unwrap_or(freed);
    end(line.bytes(), whose)
}

/// Says that a pointer that is freed came from nowhere here, and ends the program.
pub fn foreign(block: NonNull<u8>) -> ! {
    let mut line = Line::<256>::new();
    let _ = write!(line, "free of {:#x}, where no block begins", block.as_ptr().addr());
    end(line.bytes(), block)
}

/// Says that a block was freed by what is no partner of what made it, and ends the program.
pub fn mismatched(block: NonNull<u8>, made: Origin, freed: Origin) -> ! {
    let mut line = Line::<256>::new();
    let (at, made, freed) = (block.as_ptr().addr(), made.names().0, freed.names().1);
    let _ = write!(line, "the block at {at:#x} was made by {made} and freed by {freed}");
    end(line.bytes(), block)
}

/// Says that `delete` was called with another size than `new`, and ends the program.
pub fn wrong_size(block: NonNull<u8>, made: usize, freed: usize) -> ! {
    let mut line = Line::<256>::new();
    let at = block.as_ptr().addr();
    let _ = write!(line, "the block at {at:#x} was made with {made} bytes and deleted with {freed}");
    end(line.bytes(), block)
}

/// Says which block an access faulted at that nobody may make, and ends the program.
pub fn accessed(at: usize, writes: bool, nearest: Option<Slot>) -> ! {
    let mut line = Line::<256>::new();
    let (access, past) = if writes { ("write", "written") } else { ("read", "read") };
    let Some(Slot { block, size, state }) = nearest else {
        let _ = write!(line, "{access} at {at:#x}, where no block is");
        end(line.bytes(), NonNull::dangling());
    };
    let end_of = block + size;
    let _ = match state {
        Freed => write!(line, "the block at {block:#x} of {size} bytes was {past} after it was freed, at {at:#x}"),
        _ if at < block => {
            let by = block - at;
            write!(line, "underflow of the block at {block:#x} of {size} bytes: {access} {by} bytes before it")
        }
        _ => {
            let by = at - end_of;
            write!(line, "overflow of the block at {block:#x} of {size} bytes: {access} {by} bytes behind its end")
        }
    };
    end(line.bytes(), NonNull::new(block as *mut u8).unwrap_or(NonNull::dangling()))
}

/// Says which invariant of a heap is broken, and ends the program.
pub fn broken(violation: Violation) -> ! {
    let mut line = Line::<256>::new();
    let _ = write!(line, "the heap is broken: {violation}");
    diagnostics::line(&[line.bytes()]);
    // SAFETY: ends the process.
    unsafe { libc::abort() }
}

fn end(what: &[u8], block: NonNull<u8>) -> ! {
    diagnostics::line(&[what]);
    if let Some(process) = begun() {
        let tracker = process.tracker.as_ref();
        if let Some(size) = tracker.and_then(|tracker| tracker.asked_for(block)) {
            let mut line = Line::<64>::new();
            let _ = write!(line, "  it was asked for with {size} bytes");
            diagnostics::line(&[line.bytes()]);
        }
        match tracker.and_then(|tracker| tracker.stacks(block)) {
            Some((sites, allocated, freed)) => {
                tell(sites, allocated, b"  allocated at");
                tell(sites, freed, b"  freed at");
            }
            None => diagnostics::line(&[b"  heapsmith run --sites reports where it was allocated and freed"]),
        }
    }
    // SAFETY: ends the process.
    unsafe { libc::abort() }
}

fn tell(sites: &Sites, stack: u32, what: &[u8]) {
    let mut frames = sites.frames(stack).peekable();
    if frames.peek().is_none() {
        return;
    }
    diagnostics::line(&[what]);
    for frame in frames {
        let mut line = Line::<512>::new();
        // The return address is behind the call.
        segment(&mut line, frame as usize - 1);
        diagnostics::line(&[b"    ", line.bytes()]);
    }
}

/// An address as its module and the place in it, with the function where its name is known.
fn segment(line: &mut Line<512>, address: usize) {
    let mut found = libc::Dl_info {
        dli_fname: core::ptr::null(),
        dli_fbase: core::ptr::null_mut(),
        dli_sname: core::ptr::null(),
        dli_saddr: core::ptr::null_mut(),
    };
    // SAFETY: looks an address up, whatever it is.
    let known = unsafe { libc::dladdr(address as *const _, &raw mut found) } != 0;
    let text = |name: *const libc::c_char| {
        // SAFETY: null, or a name of the dynamic linker's, which ends with a zero.
        (!name.is_null()).then(|| unsafe { core::ffi::CStr::from_ptr(name) }.to_str().unwrap_or("?"))
    };
    let module = text(found.dli_fname).filter(|_| known).unwrap_or("?");
    let _ = write!(line, "{module}+{:#x}", address.wrapping_sub(found.dli_fbase.addr()));
    if let Some(function) = text(found.dli_sname).filter(|_| known) {
        let _ = write!(line, " ({function})");
    }
}
