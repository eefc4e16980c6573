//! The bytes of a recording, as the preloaded library writes them and the decoder reads
//! them. This file is compiled into both.
//!
//! ```text
//!   granule 0     1        2        3        4 …            (256 KiB each)
//!           ├──────┼────────┼────────┼────────┼────
//!           │header│window 1│block   │window 3│block
//!                      ▲        │
//!                      └────────┘ a copy of window 1 as it was when it was full
//! ```
//!
//! A **window** is the granule that one thread writes to, mapped into the program. When it
//! is full, it is written as a **block** behind the file's end, and begun again. Windows
//! and blocks start with the same 64 bytes, in words of 8:
//!
//! ```text
//!   word 0  MAGIC_BLOCK
//!   word 1  granule number of the window
//!   word 2  sequence << 32 | bytes of records published
//!   word 3  sequence << 32 | bytes of records that a trace has already; of windows, by who rotates traces
//!   word 4  stacks that the window had named before that sequence
//!   word 5… zero
//! ```
//!
//! Blocks of earlier sequences than that of word 3 are gone: their granules are holes of the file.
//!
//! A block whose sequence is its window's present one was perhaps not written whole; the
//! window has the same records, so the block is passed over. The one store to word 2 both
//! publishes a record and, at a flush, forgets the records that were flushed.
//!
//! A record is one or two words:
//!
//! ```text
//!   word 0  63 … 20            19 … 3              2 … 0
//!           address >> 3 (44)  ticks since the     operation
//!                              last stamp (17),
//!                              or the size
//! ```
//!
//! | operation | words | bits 3…19 | word 1 |
//! |---|---|---|---|
//! | allocate | 2 | ticks | log2(alignment) << 56, size |
//! | allocate small | 1 | size; the stamp is that of the record before | |
//! | free | 1 | ticks, taken before the block was freed | |
//! | reallocate begins | 1 | ticks, taken before; the old address | |
//! | reallocate ends | 2 | ticks, taken after; the new address, 0 if there is none | size |
//! | clock | 2 | bits 3…63: ticks | nanoseconds of the monotonic clock |
//! | thread | 1 | bits 3…62: the number of the thread that writes from here on; with bit 63, of one that ends | |
//! | site | 1 | bit 3: 0; bits 4…63: 1 and the number of a stack of this window, counted from 0 | |
//! | new site | 1 and frames | bit 3: 1; bits 4…63: how many frames | return addresses, the innermost first |
//!
//! A site is that of the next allocation or end of a reallocation of the same window. Where
//! sites are recorded, the rest of granule 0 is a table of modules: the program and the
//! libraries that frames are in, [`module::BYTES`] each.
//!
//! In a recording of a Java virtual machine the tag of an object takes the place of the address >> 3, and its class that of
//! a site: the frames are the bytes of its name as class files have it, the first one lowest, filled up with zeros. There are
//! no reallocations; their first operation is a mark:
//!
//! | operation | words | bits 3…19 | word 1 |
//! |---|---|---|---|
//! | mark | 1 | ticks; a label in place of the address | |

/// The first word of a recording: `HSRECORD`, as a little-endian number.
pub const MAGIC_FILE: u64 = u64::from_le_bytes(*b"HSRECORD");
/// The version of everything in this file.
pub const VERSION: u64 = 1;
/// The first word of a window or block.
pub const MAGIC_BLOCK: u64 = u64::from_le_bytes(*b"HSBLOCK1");
/// Bytes of a granule.
pub const GRANULE: usize = 256 * 1024;
/// Bytes before the first record of a window or block.
pub const BLOCK_HEADER: usize = 64;
/// Bytes of the file's header that are used.
pub const FILE_HEADER: usize = 8192;

/// In place of the system's error: the program restricted its system calls (seccomp), and the reserve is used up.
pub const RESTRICTED_CALLS: i32 = 1 << 16;

/// In place of the system's error: the command that attached itself to the process is gone.
pub const LEFT: i32 = 1 << 17;

/// Words of the file's header.
pub mod header {
    /// [`MAGIC_FILE`](super::MAGIC_FILE); written last, so that a header that has it is whole.
    pub const MAGIC: usize = 0;
    /// [`VERSION`](super::VERSION).
    pub const VERSION: usize = 1;
    /// The process.
    pub const PID: usize = 2;
    /// Its parent when the recording began.
    pub const PARENT: usize = 3;
    /// 1 when ticks are of the processor's time stamp counter, 0 when they are nanoseconds.
    pub const COUNTER: usize = 4;
    /// Ticks when the recording began.
    pub const START_TICKS: usize = 5;
    /// Nanoseconds of the monotonic clock when the recording began.
    pub const START_TIME: usize = 6;
    /// Ticks when the process ended in order; 0 before.
    pub const END_TICKS: usize = 7;
    /// Nanoseconds when the process ended in order.
    pub const END_TIME: usize = 8;
    /// The system's error that ended the recording early; 0 for none.
    pub const STOPPED: usize = 9;
    /// Ticks when it did; later events are not all there.
    pub const STOP_TICKS: usize = 10;
    /// Blocks at addresses that a record cannot hold.
    pub const UNRECORDABLE: usize = 11;
    /// Bytes of the path of the executable.
    pub const PATH_LENGTH: usize = 12;
    /// Bytes of the command line, its parts ended by zeros.
    pub const COMMAND_LENGTH: usize = 13;
    /// The most frames of a site; 0 where none are recorded.
    pub const FRAMES: usize = 14;
    /// Entries of the table of modules that were taken.
    pub const MODULES: usize = 15;
    /// 1 when the C library cannot say which module an address is in, so that sites have one frame and no module.
    pub const NO_MODULES: usize = 16;
    /// 1 when the objects of a Java virtual machine are recorded.
    pub const JAVA: usize = 17;
    /// Bytes between two collections on request; 0 for none.
    pub const COLLECT_EVERY: usize = 18;
    /// Objects that were there before the machine reported all; their bytes are in the next word.
    pub const EARLY_OBJECTS: usize = 19;
    /// Objects that were in the heap at the end and had never been reported; their bytes are in the next word.
    pub const UNSEEN_OBJECTS: usize = 21;
    /// 1 when a command attached itself to the running process, so that blocks from before are unknown.
    pub const ATTACHED: usize = 23;
    /// Nanoseconds of the monotonic clock when that command last noted that it is there.
    pub const NOTED: usize = 24;
    /// 1 when functions of the program's own are recorded in place of `malloc`.
    pub const OWN_FUNCTIONS: usize = 25;
    /// Of how many blocks one is recorded; 0 and 1 where all are.
    pub const SAMPLE: usize = 26;
    /// 1 when the program asked how large a block is, which every allocator answers in its own way.
    pub const ASKS_SIZES: usize = 27;
    /// Nanoseconds of processors that the process had taken when it ended in order; 0 before, where a command attached itself, and
    /// where the program restricted its system calls.
    pub const PROCESSOR_TIME: usize = 28;
    /// The word where the path begins.
    pub const PATH: usize = 64;
    /// The word where the command line begins.
    pub const COMMAND: usize = 576;
    /// Most bytes of the path.
    pub const LONGEST_PATH: usize = (COMMAND - PATH) * 8;
    /// Most bytes of the command line; what is longer is cut.
    pub const LONGEST_COMMAND: usize = super::FILE_HEADER - COMMAND * 8;
}

/// The table of modules, and the words of its entries.
pub mod module {
    /// Where in the file the table begins.
    pub const TABLE: usize = super::FILE_HEADER;
    /// Bytes of an entry.
    pub const BYTES: usize = 512;
    /// Entries that there is room for.
    pub const MAX: usize = (super::GRANULE - TABLE) / BYTES;
    /// 1 when the entry is whole.
    pub const WHOLE: usize = 0;
    /// The first address of the module.
    pub const START: usize = 1;
    /// The first address behind it.
    pub const END: usize = 2;
    /// What an address in the module's file is less than in memory.
    pub const BIAS: usize = 3;
    /// Bytes of the build id.
    pub const BUILD_ID_LENGTH: usize = 4;
    /// The word where the build id begins.
    pub const BUILD_ID: usize = 5;
    /// Most bytes of the build id.
    pub const LONGEST_BUILD_ID: usize = (PATH_LENGTH - BUILD_ID) * 8;
    /// Bytes of the path; 0 for the program itself.
    pub const PATH_LENGTH: usize = 9;
    /// The word where the path begins.
    pub const PATH: usize = 10;
    /// Most bytes of the path; what is longer is cut.
    pub const LONGEST_PATH: usize = BYTES - PATH * 8;
}

/// The most frames that a site may have.
pub const MAX_FRAMES: usize = 16;

/// Operations of records.
pub mod operation {
    /// Where the next block is asked for.
    pub const SITE: u64 = 0;
    /// A place worth finding again, in a recording of a Java virtual machine, which has no reallocations.
    pub const MARK: u64 = 4;
    /// A block was allocated.
    pub const ALLOCATE: u64 = 1;
    /// A block is about to be freed.
    pub const FREE: u64 = 2;
    /// A block was allocated at the stamp of the record before, with a size below 2^17.
    pub const ALLOCATE_SMALL: u64 = 3;
    /// A block is about to be reallocated.
    pub const REALLOCATE_BEGINS: u64 = 4;
    /// It has been, or could not be.
    pub const REALLOCATE_ENDS: u64 = 5;
    /// What the clock says.
    pub const CLOCK: u64 = 6;
    /// Another thread writes here from now on.
    pub const THREAD: u64 = 7;
}

/// The bit of a thread that says that it ends.
pub const THREAD_ENDS: u64 = 1 << 63;

/// The bit of a site that says that its frames follow.
pub const NEW_SITE: u64 = 1 << OPERATION_BITS;
/// The first bit of the number of a site, or of its frames.
pub const SITE_AT: u32 = OPERATION_BITS + 1;
/// Labels of marks.
pub mod mark {
    /// A garbage collection is done; the frees of what it found dead come after it.
    pub const COLLECTION: u64 = 1;
}

/// Bits of the operation.
pub const OPERATION_BITS: u32 = 3;
/// Bits of ticks, or of a small size.
pub const TICK_BITS: u32 = 17;
/// The first bit of the address in a word.
pub const ADDRESS_AT: u32 = OPERATION_BITS + TICK_BITS;
/// The bits of an address that are always zero: no allocator aligns to less.
pub const ADDRESS_SHIFT: u32 = 3;
/// Bits of an address that fit.
pub const ADDRESS_BITS: u32 = 64 - ADDRESS_AT + ADDRESS_SHIFT;
/// The first bit of the logarithm of the alignment in an allocation's second word.
pub const ALIGNMENT_AT: u32 = 56;
