//! The table of modules: which file an address of a site was in, and which version of that file.
//!
//! It lies in the rest of the recording's first granule, mapped like the header. An entry is
//! taken with one atomic addition and is whole when its first word says so. It is written
//! when a stack is named that has a frame in a module that the table does not know, so a
//! library that is loaded late, or gone at the end, is in it.
//!
//! Cost: a look at every entry for each frame of a stack that is named, which is seldom.

use core::sync::atomic::{AtomicU64, Ordering};

use crate::format::{header, module};
use crate::process::Process;
use crate::system::Object;
use crate::unwind::object;

/// Adds the modules of all frames to the table.
pub fn note(process: &Process, frames: &[u64]) {
    for &frame in frames {
        let taken = process.header_word(header::MODULES).load(Ordering::Acquire).min(module::MAX as u64);
        let knows = (0..taken).any(|number| {
            let entry = Entry::of(process, number);
            (entry.get(module::START)..entry.get(module::END)).contains(&frame)
        });
        if !knows && let Some(object) = object(frame) {
            let number = process.header_word(header::MODULES).fetch_add(1, Ordering::AcqRel);
            if number < module::MAX as u64 {
                write(&Entry::of(process, number), &object);
            }
        }
    }
}

/// An entry of the table.
struct Entry(*mut u64);

impl Entry {
    /// `number` is below [`module::MAX`], so the entry is mapped where sites are recorded.
    fn of(process: &Process, number: u64) -> Entry {
        let table = process.header.load(Ordering::Acquire).wrapping_add(module::TABLE / 8);
        Entry(table.wrapping_add(number as usize * (module::BYTES / 8)))
    }

    fn word(&self, word: usize) -> &AtomicU64 {
        // SAFETY: the entry is mapped, and `word` is one of it.
        unsafe { &*self.0.add(word).cast::<AtomicU64>() }
    }

    fn get(&self, word: usize) -> u64 {
        self.word(word).load(Ordering::Relaxed)
    }

    fn set(&self, word: usize, value: u64) {
        self.word(word).store(value, Ordering::Relaxed);
    }

    /// Writes bytes from a word on.
    unsafe fn copy(&self, word: usize, from: *const u8, length: usize) {
        // SAFETY: the caller vouches for the bytes, and for their room in the entry.
        unsafe { core::ptr::copy_nonoverlapping(from, self.0.add(word).cast(), length) };
    }
}

fn write(entry: &Entry, object: &Object) {
    entry.set(module::START, object.start as u64);
    entry.set(module::END, object.end as u64);
    // SAFETY: the dynamic linker's entry of a module that is loaded; its name ends with a zero.
    unsafe {
        entry.set(module::BIAS, (*object.link).bias as u64);
        if let Some(name) = (*object.link).name.as_ref() {
            let name = core::ffi::CStr::from_ptr(name).to_bytes();
            let length = name.len().min(module::LONGEST_PATH);
            entry.copy(module::PATH, name.as_ptr(), length);
            entry.set(module::PATH_LENGTH, length as u64);
        }
        if let Some((id, length)) = build_id(object) {
            let length = length.min(module::LONGEST_BUILD_ID);
            entry.copy(module::BUILD_ID, id, length);
            entry.set(module::BUILD_ID_LENGTH, length as u64);
        }
    }
    entry.word(module::WHOLE).store(1, Ordering::Release);
}

/// The note that says which build a module is, from its image in memory.
unsafe fn build_id(object: &Object) -> Option<(*const u8, usize)> {
    const NOTE: u32 = 4;
    const GNU_BUILD_ID: u32 = 3;
    let image = object.start as *const u8;
    // SAFETY: a module's image begins with its ELF header, if its first bytes say so; what the
    // header and the notes point at is in the image, or is not read.
    unsafe {
        if image.cast::<u32>().read_unaligned() != u32::from_le_bytes(*b"\x7fELF") {
            return None;
        }
        let word = |at: *const u8| at.cast::<u64>().read_unaligned() as usize;
        let half = |at: *const u8| at.cast::<u32>().read_unaligned();
        let (headers, sizes) = (word(image.add(32)), word(image.add(54)));
        let (size, count) = (sizes & 0xffff, sizes >> 16 & 0xffff);
        if headers.checked_add(size * count)? > 4096 {
            return None;
        }
        for number in 0..count {
            let segment = image.add(headers + number * size);
            if half(segment) != NOTE {
                continue;
            }
            let mut at = (*object.link).bias.wrapping_add(word(segment.add(16)));
            let end = at.checked_add(word(segment.add(40)))?;
            if at < object.start || end > object.end {
                continue;
            }
            while at + 12 <= end {
                let note = at as *const u8;
                let [name, length, kind] = [0, 4, 8].map(|place| half(note.add(place)) as usize);
                let text = at + 12 + name.next_multiple_of(4);
                let next = text.checked_add(length)?.next_multiple_of(4);
                if next > end {
                    break;
                }
                if kind == GNU_BUILD_ID as usize && name == 4 && half(note.add(12)) == u32::from_le_bytes(*b"GNU\0") {
                    return Some((text as *const u8, length));
                }
                at = next;
            }
        }
    }
    None
}
