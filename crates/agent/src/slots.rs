//! The numbers of the JVM's tool interface that the agent uses, as its specification gives them.
//!
//! The interface is a table of function pointers; the specification numbers its slots from 1.
//! A capability is a bit of 16 bytes. An event has a number from 50 on, and its callback is in
//! the table of callbacks at the event's number less 50. A test of `heapsmith-recording` compiles a
//! C program against the JDK's own header and compares every number here with it.
//!
//! Source: Java Virtual Machine Tool Interface, version 11, *Function Index* (each with its position),
//! *Capability*, *Event Index*.

/// The version that is asked for: 11, the first with sampled allocations at any interval.
pub const VERSION: i32 = 0x300B_0000;
/// The bits of a version that name the interface.
pub const INTERFACE_MASK: i32 = 0x7000_0000;
/// The value of these bits for the tool interface.
pub const INTERFACE_TOOL: i32 = 0x3000_0000;
/// The first bit of the major version in a version.
pub const MAJOR_AT: u32 = 16;
/// The bits of the major version, once it is shifted down.
pub const MAJOR_MASK: i32 = 0xfff;

/// The index of `GetEnv` in the invocation interface.
pub const GET_ENV: usize = 6;

/// Indices of functions of the native interface, from 0.
pub mod native {
    /// `GetSuperclass`.
    pub const GET_SUPERCLASS: usize = 10;
    /// `DeleteLocalRef`.
    pub const DELETE_LOCAL_REF: usize = 23;
    /// `GetArrayLength`.
    pub const GET_ARRAY_LENGTH: usize = 171;
}

/// Slots of functions, from 1.
pub mod function {
    /// `SetEventNotificationMode`.
    pub const SET_EVENT_NOTIFICATION_MODE: usize = 2;
    /// `GetVersionNumber`.
    pub const GET_VERSION_NUMBER: usize = 88;
    /// `Deallocate`.
    pub const DEALLOCATE: usize = 47;
    /// `GetClassSignature`.
    pub const GET_CLASS_SIGNATURE: usize = 48;
    /// `GetClassFields`.
    pub const GET_CLASS_FIELDS: usize = 53;
    /// `GetFieldName`.
    pub const GET_FIELD_NAME: usize = 60;
    /// `GetFieldModifiers`.
    pub const GET_FIELD_MODIFIERS: usize = 62;
    /// `GetTag`.
    pub const GET_TAG: usize = 106;
    /// `SetTag`.
    pub const SET_TAG: usize = 107;
    /// `ForceGarbageCollection`.
    pub const FORCE_GARBAGE_COLLECTION: usize = 108;
    /// `IterateThroughHeap`.
    pub const ITERATE_THROUGH_HEAP: usize = 116;
    /// `SetEventCallbacks`.
    pub const SET_EVENT_CALLBACKS: usize = 122;
    /// `GetPotentialCapabilities`.
    pub const GET_POTENTIAL_CAPABILITIES: usize = 140;
    /// `AddCapabilities`.
    pub const ADD_CAPABILITIES: usize = 142;
    /// `SetHeapSamplingInterval`.
    pub const SET_HEAP_SAMPLING_INTERVAL: usize = 156;
}

/// Bits of capabilities.
pub mod capability {
    /// Bytes of a set of capabilities.
    pub const BYTES: usize = 16;
    /// `can_tag_objects`.
    pub const TAG_OBJECTS: u32 = 0;
    /// `can_generate_garbage_collection_events`.
    pub const GARBAGE_COLLECTION: u32 = 31;
    /// `can_generate_object_free_events`.
    pub const OBJECT_FREE: u32 = 32;
    /// `can_generate_sampled_object_alloc_events`.
    pub const SAMPLED_OBJECT_ALLOC: u32 = 43;
}

/// Numbers of events.
pub mod event {
    /// The number of the first callback.
    pub const FIRST: usize = 50;
    /// How many callbacks there are.
    pub const COUNT: usize = 37;
    /// `VMInit`.
    pub const VM_INIT: usize = 50;
    /// `VMDeath`.
    pub const VM_DEATH: usize = 51;
    /// `GarbageCollectionFinish`.
    pub const GARBAGE_COLLECTION_FINISH: usize = 82;
    /// `ObjectFree`.
    pub const OBJECT_FREE: usize = 83;
    /// `SampledObjectAlloc`.
    pub const SAMPLED_OBJECT_ALLOC: usize = 86;
}

/// A walk through the heap.
pub mod heap {
    /// The filter that passes over objects with a tag.
    pub const FILTER_TAGGED: i32 = 4;
    /// How many callbacks there are; the one for an object is the first.
    pub const CALLBACKS: usize = 16;
    /// What that callback answers for the walk to go on.
    pub const VISIT_OBJECTS: i32 = 0x100;
}
