//! The few functions of the JVM's tool interface, and of its native interface, that the agent calls.
//!
//! ```text
//!   *mut environment ──▶ word 0 ──▶ table of function pointers, slot n at word n − 1
//! ```
//!
//! Invariants:
//!
//! - **J1**: an [`Environment`] is what the JVM gave for [`VERSION`](crate::slots::VERSION) or hands to a callback, and
//!   lives until the JVM ends; its table has the specification's functions at the specification's slots.
//! - **J2**: the JVM's threads call callbacks only while it lives.

use core::ffi::{c_char, c_void};
use core::mem::transmute;
use core::ptr::null;

use crate::slots::{GET_ENV, VERSION, capability, event, function, heap, native};

/// An object, as the JVM hands it to a callback: valid until the callback returns.
pub type Object = *mut c_void;

/// A field of a class.
pub type Field = *mut c_void;

/// The native interface of the thread that a callback runs on.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Natives(*mut *const *const c_void);

/// What a function answers; 0 is success.
pub type ErrorCode = i32;

/// The JVM's environment for this agent.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Environment(*mut *const *const c_void);

/// The JVM, as it hands itself to an agent.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Machine(*mut *const *const c_void);

/// A set of capabilities.
#[repr(C, align(8))]
pub struct Capabilities([u8; capability::BYTES]);

impl Natives {
    /// The class that a class extends; null for none.
    pub fn superclass(self, class: Object) -> Object {
        // SAFETY: the slot holds a function of this signature (J1).
        unsafe {
            let called: extern "C" fn(Natives, Object) -> Object = transmute(*(*self.0).add(native::GET_SUPERCLASS));
            called(self, class)
        }
    }

    /// How many elements an array has.
    pub fn length(self, array: Object) -> i32 {
        // SAFETY: the slot holds a function of this signature (J1).
        unsafe {
            let called: extern "C" fn(Natives, Object) -> i32 = transmute(*(*self.0).add(native::GET_ARRAY_LENGTH));
            called(self, array)
        }
    }

    /// Ends the use of an object that this interface gave.
    pub fn forget(self, object: Object) {
        // SAFETY: the slot holds a function of this signature (J1).
        unsafe {
            let called: extern "C" fn(Natives, Object) = transmute(*(*self.0).add(native::DELETE_LOCAL_REF));
            called(self, object);
        }
    }
}

/// The callbacks, by event.
pub struct Callbacks([*const c_void; event::COUNT]);

/// The walk through the heap calls this for every object: class's tag, size, the object's tag, length, the caller's data.
pub type Visit = extern "C" fn(i64, i64, *mut i64, i32, *mut c_void) -> i32;

impl Capabilities {
    /// No capabilities.
    pub const NONE: Capabilities = Capabilities([0; capability::BYTES]);

    /// Adds a capability.
    pub fn add(&mut self, bit: u32) {
        self.0[bit as usize / 8] |= 1 << (bit % 8);
    }

    /// Whether a capability is in the set.
    pub fn has(&self, bit: u32) -> bool {
        self.0[bit as usize / 8] >> (bit % 8) & 1 == 1
    }
}

impl Callbacks {
    /// No callbacks.
    pub const NONE: Callbacks = Callbacks([null(); event::COUNT]);

    /// Sets the callback of an event.
    pub fn set(&mut self, event: usize, callback: *const c_void) {
        self.0[event - event::FIRST] = callback;
    }
}

impl Machine {
    /// The environment, or why there is none: the JVM is older than the version.
    pub fn environment(self) -> Result<Environment, ErrorCode> {
        let mut environment = Environment(core::ptr::null_mut());
        // SAFETY: the JVM's own table has `GetEnv` there, which writes an environment (J1).
        let outcome = unsafe {
            let get = *(*self.0).add(GET_ENV);
            let get: extern "C" fn(Machine, *mut Environment, i32) -> ErrorCode = transmute(get);
            get(self, &mut environment, VERSION)
        };
        if outcome == 0 && !environment.0.is_null() { Ok(environment) } else { Err(outcome) }
    }
}

macro_rules! functions {
    ($($(#[$note:meta])* fn $name:ident($($argument:ident: $type:ty),*) at $slot:ident;)*) => {
        impl Environment {
            $(
                $(#[$note])*
                pub fn $name(self, $($argument: $type),*) -> ErrorCode {
                    // SAFETY: the slot holds a function of this signature (J1); pointers are made by this crate's
                    // own callers, for the length of the call.
                    unsafe {
                        let called = *(*self.0).add(function::$slot - 1);
                        let called: extern "C" fn(Environment, $($type),*) -> ErrorCode = transmute(called);
                        called(self, $($argument),*)
                    }
                }
            )*
        }
    };
}

functions! {
    /// The version of the interface that the JVM has.
    fn version(to: &mut i32) at GET_VERSION_NUMBER;
    /// What the JVM could do.
    fn potential(to: &mut Capabilities) at GET_POTENTIAL_CAPABILITIES;
    /// Asks for capabilities.
    fn acquire(wanted: &Capabilities) at ADD_CAPABILITIES;
    /// Sets all callbacks; `bytes` is their size.
    fn call_back(callbacks: &Callbacks, bytes: i32) at SET_EVENT_CALLBACKS;
    /// Switches an event on (1) or off (0), for all threads where `thread` is null.
    fn switch(mode: i32, event: i32, thread: Object) at SET_EVENT_NOTIFICATION_MODE;
    /// Bytes between two sampled allocations; at 0 every one is.
    fn sample_every(bytes: i32) at SET_HEAP_SAMPLING_INTERVAL;
    /// Gives memory back that the JVM allocated for an answer.
    fn release(memory: *mut c_void) at DEALLOCATE;
    /// The name of a class as class files have it, to be released; `generic` may be null.
    fn signature(class: Object, to: &mut *mut c_char, generic: *mut *mut c_char) at GET_CLASS_SIGNATURE;
    /// The fields that a class itself declares, to be released.
    fn fields(class: Object, count: &mut i32, to: &mut *mut Field) at GET_CLASS_FIELDS;
    /// The type of a field as class files have it, to be released; `name` and `generic` may be null.
    fn field_type(class: Object, field: Field, name: *mut *mut c_char, to: &mut *mut c_char, generic: *mut *mut c_char)
        at GET_FIELD_NAME;
    /// The modifiers of a field.
    fn field_modifiers(class: Object, field: Field, to: &mut i32) at GET_FIELD_MODIFIERS;
    /// The tag of an object; 0 for none.
    fn tag(object: Object, to: &mut i64) at GET_TAG;
    /// Sets the tag of an object.
    fn set_tag(object: Object, tag: i64) at SET_TAG;
    /// Collects all that is dead, and returns when that is done.
    fn collect() at FORCE_GARBAGE_COLLECTION;
    /// Calls back for every object of the heap that passes the filter, dead or not.
    fn walk(filter: i32, class: Object, callbacks: &[*const c_void; heap::CALLBACKS], data: *mut c_void)
        at ITERATE_THROUGH_HEAP;
}

/// Objects and their bytes.
#[derive(Clone, Copy, Default)]
pub struct Census {
    pub objects: u64,
    pub bytes: u64,
}

impl Environment {
    /// Switches an event on or off for all threads.
    pub fn enable(self, event: usize, on: bool) -> ErrorCode {
        self.switch(i32::from(on), event as i32, core::ptr::null_mut())
    }

    /// Gives a tag to what is in the heap without one, dead or not, and says how much that is.
    pub fn tag_the_rest(self, tag: i64) -> Census {
        extern "C" fn count(_: i64, size: i64, its_tag: *mut i64, _: i32, data: *mut c_void) -> i32 {
            // SAFETY: the walk passes on its argument from below, and nobody else has it; the tag is the object's to
            // be written.
            unsafe {
                let (tag, census) = &mut *data.cast::<(i64, Census)>();
                census.objects += 1;
                census.bytes += size as u64;
                *its_tag = *tag;
            }
            heap::VISIT_OBJECTS
        }
        let visit: Visit = count;
        let mut callbacks = [null(); heap::CALLBACKS];
        callbacks[0] = visit as *const c_void;
        let mut data = (tag, Census::default());
        self.walk(heap::FILTER_TAGGED, core::ptr::null_mut(), &callbacks, (&raw mut data).cast());
        data.1
    }
}

/// The text after `-agentpath:…=`; null where there is none.
pub type OptionString = *const c_char;
