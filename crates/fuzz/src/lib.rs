//! Everything that reads what somebody else wrote, as targets for a coverage-guided fuzzer.
//!
//! ```text
//!   bytes ──▶ Target::attempt ──▶ a value or an error: else a panic
//!                │        └─ memory taken above Target::memory: a panic
//!                └─ as text, or as a file that lies in memory
//! ```
//!
//! | who runs them | on |
//! |---|---|
//! | `cargo xtask fuzz --guided` | what libFuzzer makes of the corpus, instrumented (`src/bin/guided.rs`) |
//! | `cargo test -p heapsmith-fuzz` | the corpus, as it is and with its lengths and bytes changed |
//!
//! `corpus/TARGET` has small files of each kind, cut from samples and tests, and what was found with them. An attempt is a
//! function of its bytes, so a finding that is put there stays found.

mod given;
mod inputs;
mod memory;
mod stores;
mod texts;

use std::path::PathBuf;

/// One kind of input.
#[derive(Debug)]
pub struct Target {
    /// Its name, which is also that of its folder of the corpus.
    pub name: &'static str,
    /// What reads it, in words of the table in docs/reference/inputs.md.
    read: fn(&'static str, &[u8]),
    /// Bytes of an input that are worth trying.
    pub length: usize,
    /// What reading may take at once, in bytes, besides what is kept from one attempt to the next.
    pub memory: usize,
}

/// What a few blocks of a reader take.
const SOME: usize = 8 << 20;

/// What unpacking may take.
const UNPACKING: usize = 160 << 20;

/// Whether a file begins as one that is packed: by zstd, xz or gzip.
fn is_packed(bytes: &[u8]) -> bool {
    let begins: [&[u8]; 3] = [b"\x28\xb5\x2f\xfd", b"\xfd7zXZ\0", b"\x1f\x8b"];
    begins.iter().any(|begin| bytes.starts_with(begin))
}

impl Target {
    const fn new(name: &'static str, length: usize, read: fn(&'static str, &[u8])) -> Target {
        Target { name, read, length, memory: SOME }
    }

    /// Reads these bytes.
    ///
    /// # Panics
    ///
    /// When what reads them does, when what it gives is not sound, or when it took more memory than it may.
    pub fn attempt(&self, bytes: &[u8]) {
        let bytes = &bytes[..bytes.len().min(self.length)];
        let ((), taken) = memory::taken_by(|| (self.read)(self.name, bytes));
        // A few bytes that are packed may ask for all that unpacking may take, whatever reads what is in them.
        let max = if is_packed(bytes) { self.memory.max(UNPACKING) } else { self.memory };
        assert!(taken <= max, "{}: {} bytes took {taken} bytes of memory", self.name, bytes.len());
    }

    /// The folder of its corpus.
    pub fn corpus(&self) -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus").join(self.name)
    }

    /// The target of a name.
    pub fn named(name: &str) -> Option<&'static Target> {
        TARGETS.iter().find(|target| target.name == name)
    }
}

/// All of them.
pub static TARGETS: [Target; 24] = [
    Target::new("spec", 256, texts::spec),
    Target::new("question", 512, texts::question),
    Target { memory: 64 << 20, ..Target::new("space", 2048, texts::space) },
    Target::new("check", 2048, texts::check),
    Target::new("saved", 1024, texts::saved),
    Target::new("board", 2048, inputs::imported),
    Target::new("systemview", 2048, inputs::imported),
    Target::new("esp-idf", 1024, inputs::imported),
    Target::new("nuttx", 1024, inputs::imported),
    Target::new("rep", 1024, inputs::imported),
    Target::new("memory-replay", 1024, inputs::imported),
    Target::new("heaptrack", 1024, inputs::imported),
    Target::new("bytehound", 2048, inputs::imported),
    Target::new("mtrace", 1024, inputs::imported),
    Target::new("calls", 1024, inputs::imported),
    Target::new("wee-alloc", 1024, inputs::imported),
    Target::new("lifetimes", 1024, inputs::lifetimes),
    Target::new("csv", 1024, inputs::imported),
    // The dictionary of xz within the budget of memory, the window of zstd.
    Target { memory: UNPACKING, ..Target::new("packed", 1024, inputs::packed) },
    Target { memory: 64 << 20, ..Target::new("trace", 8192, inputs::trace) },
    Target { memory: 80 << 20, ..Target::new("capture", 4096, inputs::capture) },
    Target { memory: 64 << 20, ..Target::new("log", 1024, inputs::log) },
    Target { memory: 64 << 20, ..Target::new("recording", 4096, stores::recording) },
    Target { memory: 64 << 20, ..Target::new("store", 40_000, stores::store) },
];
