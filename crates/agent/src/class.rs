//! What the agent knows of a class: it lies in the upper bits of the tag of the class object.
//!
//! ```text
//!   63   62      61 … 59                     58 … 40            39 … 0
//!   0    array   bytes of padding,           number, from 1;    the class object's own tag;
//!                or log2(bytes of an element) 0: not known yet   0: it is not in the recording
//! ```
//!
//! The JVM reports the bytes that an object takes, up to a multiple of 8. What the object has of its own, header and
//! fields or elements, is known from its class: HotSpot of 64 bits with compressed references has headers of 12 bytes, 16 with an array's
//! length, and references of 4. Where this does not give the reported size (another layout, a class object with its static
//! fields), the reported size is taken.

use core::ffi::{CStr, c_char};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicU64, Ordering};

use heapsmith_capture::format::MAX_FRAMES;

use crate::jvmti::{Environment, Field, Natives, Object};

/// Bits of an object's own tag.
const OWN_BITS: u32 = 40;
/// Bits of the number of a class.
const NUMBER_BITS: u32 = 19;
/// The first bit of the padding, or of the logarithm of an element's bytes.
const LAYOUT_AT: u32 = OWN_BITS + NUMBER_BITS;
/// The bit that arrays have.
const ARRAY_AT: u32 = LAYOUT_AT + 3;

/// Bytes of an object's header.
const HEADER: i64 = 12;
/// Bytes of an array's header.
const ARRAY_HEADER: i64 = 16;
/// What sizes are multiples of.
const GRAIN: i64 = 8;
/// The modifier of a field that objects do not have.
const STATIC: i32 = 8;

/// The next class's number.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// A class of which objects are recorded.
#[derive(Clone, Copy)]
pub struct Class(u64);

/// The tag of an object without what is known of it as a class; 0 where it is not in the recording.
pub fn own(tag: i64) -> u64 {
    if tag < 0 { 0 } else { tag as u64 & ((1 << OWN_BITS) - 1) }
}

impl Class {
    /// The class of an object for which the JVM reported `size` bytes.
    pub fn of(jvm: Environment, natives: Natives, class: Object, size: i64) -> Class {
        let mut tag = 0;
        jvm.tag(class, &mut tag);
        let known = if tag < 0 { 0 } else { tag as u64 };
        if known >> OWN_BITS != 0 {
            return Class(known);
        }
        let number = NEXT.fetch_add(1, Ordering::Relaxed).min((1 << NUMBER_BITS) - 1);
        let fresh = layout(jvm, natives, class, size) << LAYOUT_AT | number << OWN_BITS | own(tag);
        jvm.set_tag(class, fresh as i64);
        Class(fresh)
    }

    /// A number that no other class has.
    pub fn number(self) -> u64 {
        self.0 >> OWN_BITS & ((1 << NUMBER_BITS) - 1)
    }

    /// Bytes of header and fields or elements of an object for which the JVM reported `size`.
    pub fn bytes(self, natives: Natives, object: Object, size: i64) -> i64 {
        let layout = (self.0 >> LAYOUT_AT & 7) as i64;
        let bytes = match self.0 >> ARRAY_AT & 1 {
            0 => size - layout,
            _ => ARRAY_HEADER + (i64::from(natives.length(object)) << layout),
        };
        if padded(bytes) == size { bytes } else { size }
    }
}

/// Puts the name of a class as class files have it into words, cut where they end, and says how many it takes.
pub fn name(jvm: Environment, class: Object, words: &mut [u64; MAX_FRAMES]) -> usize {
    with_text(
        jvm,
        |to| jvm.signature(class, to, null_mut()),
        |text| {
            let text = &text[..text.len().min(MAX_FRAMES * 8)];
            for (word, bytes) in words.iter_mut().zip(text.chunks(8)) {
                *word = bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
            }
            text.len().div_ceil(8)
        },
    )
}

fn padded(bytes: i64) -> i64 {
    (bytes + GRAIN - 1) / GRAIN * GRAIN
}

/// The four bits that say how objects of a class lie in memory, one of which has this size.
fn layout(jvm: Environment, natives: Natives, class: Object, size: i64) -> u64 {
    let element = |text: &[u8]| if let [b'[', element, ..] = text { width(*element) } else { 0 };
    let element = with_text(jvm, |to| jvm.signature(class, to, null_mut()), element);
    if element > 0 {
        return 8 | u64::from(element.trailing_zeros());
    }
    let padding = size - HEADER - fields(jvm, natives, class);
    if (0..GRAIN).contains(&padding) { padding as u64 } else { 0 }
}

/// Bytes of the fields of a class's objects, inherited ones too.
fn fields(jvm: Environment, natives: Natives, class: Object) -> i64 {
    let mut bytes = declared(jvm, class);
    let mut at = natives.superclass(class);
    while !at.is_null() {
        bytes += declared(jvm, at);
        let above = natives.superclass(at);
        natives.forget(at);
        at = above;
    }
    bytes
}

/// Bytes of the fields that a class itself declares.
fn declared(jvm: Environment, class: Object) -> i64 {
    let (mut count, mut fields): (i32, *mut Field) = (0, null_mut());
    if jvm.fields(class, &mut count, &mut fields) != 0 {
        return 0;
    }
    let mut bytes = 0;
    for place in 0..count.max(0) as usize {
        // SAFETY: the JVM's array has as many fields as it says.
        let field = unsafe { *fields.add(place) };
        let mut modifiers = 0;
        jvm.field_modifiers(class, field, &mut modifiers);
        if modifiers & STATIC == 0 {
            let width = |text: &[u8]| text.first().map_or(0, |first| width(*first));
            bytes += i64::from(with_text(jvm, |to| jvm.field_type(class, field, null_mut(), to, null_mut()), width));
        }
    }
    jvm.release(fields.cast());
    bytes
}

/// Bytes of a value, by the first letter of its type in class files.
fn width(letter: u8) -> u32 {
    match letter {
        b'Z' | b'B' => 1,
        b'C' | b'S' => 2,
        b'J' | b'D' => 8,
        _ => 4,
    }
}

/// What is made of a text that the JVM allocates; of none where it refuses.
fn with_text<T>(jvm: Environment, ask: impl FnOnce(&mut *mut c_char) -> i32, make: impl FnOnce(&[u8]) -> T) -> T {
    let mut text = null_mut();
    if ask(&mut text) != 0 || text.is_null() {
        return make(&[]);
    }
    // SAFETY: the JVM's text ends with a zero, and lives until it is released below.
    let made = make(unsafe { CStr::from_ptr(text) }.to_bytes());
    jvm.release(text.cast());
    made
}
