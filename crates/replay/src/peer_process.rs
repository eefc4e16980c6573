//! A reference allocator driven one operation at a time, in a process of its own.
//!
//! ```text
//!   parent                               child: the same command, run again for one allocator
//!   ──────                               ────────────────────────────────────────────────────
//!   allocate size ──── standard input ─▶ the allocator serves it, the payload is written whole
//!   address, or 0 ◀── standard output ──
//!   free ─────────────────────────────▶  no answer
//!   look ─────────────────────────────▶  bytes of private memory written since before the allocator was made
//! ```
//!
//! So a crash of the allocator ends nothing but the child, and the adversary's own memory is none of the allocator's. The
//! footprint is what can be seen from outside:
//!
//! | memory | footprint |
//! |---|---|
//! | a region (dlmalloc, rlsf, talc, a library with an arena) | the *extent*: from the lowest address of a block to the highest end of one. Words that the allocator keeps for itself before and behind are not in it |
//! | of the system (libc, mimalloc, …) | the *pages* touched at once: addresses of mappings say nothing of what lies between |
//!
//! Addresses are the same in every run where the system lets them be (`fixed_addresses`).

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

use heapsmith_peers::{Allocator, Library, Work, with_fixed_addresses, with_peer, without_huge_pages};
use heapsmith_trace::{Bytes, Gap, Operation, PackedEvent};

use crate::driven::{Drive, PlacedBlock};
use crate::pages::{private_bytes, touch_stack};
use crate::reference::Reference;
use crate::region::Region;
use crate::slots::Slots;

/// The first argument of a command that is run as such a child: it hands the others to [`peer_child`].
pub const PEER_CHILD: &str = "--drive-peer";

/// Bytes of a command on the pipe: what is asked for, the slot, the size.
const COMMAND: usize = 16;
/// Commands that are read at once.
const GROUP: usize = 256;
const ALLOCATE: u32 = 0;
const FREE: u32 = 1;
const LOOK: u32 = 2;

/// What is taken for the footprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// From the lowest address of a block to the highest end of one.
    Addresses,
    /// Most bytes in pages touched at once.
    Pages,
}

/// Why a reference allocator cannot be driven.
#[derive(Debug, thiserror::Error)]
pub enum PeerProcessError {
    /// The child could not be run.
    #[error("{reference} cannot be run in a process of its own: {source}")]
    System {
        /// What should have run.
        reference: String,
        /// What the system said.
        source: io::Error,
    },
    /// The child ended before the first operation.
    #[error("{reference} cannot be driven: {said}")]
    Child {
        /// What should have run.
        reference: String,
        /// What it said, or how it ended.
        said: String,
    },
}

/// A reference allocator in a process of its own, as it is driven.
pub struct PeerProcess {
    child: Child,
    commands: BufWriter<ChildStdin>,
    answers: BufReader<Box<dyn Read>>,
    extent: Extent,
    /// Live blocks: bytes requested, by slot.
    sizes: Vec<u64>,
    empty: Vec<u32>,
    requested: u64,
    requested_peak: u64,
    /// The lowest address of a block, and the highest end.
    addresses: (u64, u64),
    touched: u64,
    operations: u64,
    /// The child no longer answers.
    is_dead: bool,
}

/// Operations between two looks at the pages.
const BETWEEN: u64 = 256;

impl PeerProcess {
    /// Starts `reference` with a region of this many bytes, if it needs one, and room for `blocks` live blocks: `command` is run
    /// with [`PEER_CHILD`] as its first argument.
    ///
    /// # Errors
    ///
    /// The command cannot be run, or the allocator cannot be made.
    pub fn start(
        command: &Path,
        reference: &Reference,
        extent: Extent,
        region: Bytes,
        blocks: u32,
    ) -> Result<PeerProcess, PeerProcessError> {
        let failed = |source| PeerProcessError::System { reference: reference.to_string(), source };
        let mut process = Command::new(command);
        process.arg(PEER_CHILD).arg(reference.to_string()).args([region.0, blocks.into()].map(|n| n.to_string()));
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = with_fixed_addresses(|| process.spawn()).map_err(failed)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed(io::Error::other("it has no pipes")));
        };
        let mut process = PeerProcess {
            child,
            commands: BufWriter::new(input),
            answers: BufReader::new(Box::new(output)),
            extent,
            sizes: vec![0; blocks as usize],
            empty: (0..blocks).rev().collect(),
            requested: 0,
            requested_peak: 0,
            addresses: (u64::MAX, 0),
            touched: 0,
            operations: 0,
            is_dead: false,
        };
        // It greets when the allocator is made.
        if process.answer().is_none() {
            return Err(process.last_words(reference));
        }
        Ok(process)
    }

    /// What a child said that never greeted.
    fn last_words(&mut self, reference: &Reference) -> PeerProcessError {
        let mut said = String::new();
        if let Some(stderr) = &mut self.child.stderr {
            let _ = stderr.take(4096).read_to_string(&mut said);
        }
        if said.trim().is_empty() {
            said = self.child.wait().map_or_else(|error| error.to_string(), |status| format!("it ended with {status}"));
        }
        PeerProcessError::Child { reference: reference.to_string(), said: said.trim().to_owned() }
    }

    /// Whether the allocator crashed, or ended its process.
    pub fn is_dead(&self) -> bool {
        self.is_dead
    }

    fn command(&mut self, kind: u32, slot: u32, size: u64) {
        let mut bytes = [0; COMMAND];
        bytes[..4].copy_from_slice(&kind.to_le_bytes());
        bytes[4..8].copy_from_slice(&slot.to_le_bytes());
        bytes[8..].copy_from_slice(&size.to_le_bytes());
        self.is_dead |= self.commands.write_all(&bytes).is_err();
    }

    /// The next answer; none if the child is dead.
    fn answer(&mut self) -> Option<u64> {
        let mut bytes = [0; 8];
        let answered = self.commands.flush().and_then(|()| self.answers.read_exact(&mut bytes));
        self.is_dead |= answered.is_err();
        (!self.is_dead).then_some(u64::from_le_bytes(bytes))
    }

    /// Looks at the pages, where they are the measure.
    pub fn look(&mut self) {
        if self.extent == Extent::Pages && !self.is_dead {
            self.command(LOOK, 0, 0);
            self.touched = self.touched.max(self.answer().unwrap_or(0));
        }
    }

    fn count(&mut self) {
        self.operations += 1;
        if self.operations.is_multiple_of(BETWEEN) {
            self.look();
        }
    }
}

impl std::fmt::Debug for PeerProcess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PeerProcess").field("child", &self.child).field("operations", &self.operations).finish()
    }
}

impl Drop for PeerProcess {
    fn drop(&mut self) {
        // It may be in the middle of anything, and has nothing to leave.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drive for PeerProcess {
    fn allocate(&mut self, size: u64) -> Option<PlacedBlock> {
        let slot = self.empty.pop()?;
        self.command(ALLOCATE, slot, size);
        let Some(address) = self.answer().filter(|&address| address != 0) else {
            self.empty.push(slot);
            return None;
        };
        self.sizes[slot as usize] = size;
        self.requested += size;
        self.requested_peak = self.requested_peak.max(self.requested);
        self.addresses = (self.addresses.0.min(address), self.addresses.1.max(address + size));
        self.count();
        Some(PlacedBlock { slot, offset: address, block: size })
    }

    fn free(&mut self, slot: u32) {
        self.command(FREE, slot, 0);
        self.requested -= std::mem::take(&mut self.sizes[slot as usize]);
        self.empty.push(slot);
        self.count();
    }

    fn requested_peak(&self) -> Bytes {
        Bytes(self.requested_peak)
    }

    fn footprint_peak(&self) -> Bytes {
        Bytes(match self.extent {
            Extent::Addresses => self.addresses.1.saturating_sub(self.addresses.0),
            Extent::Pages => self.touched,
        })
    }

    /// Nobody counts the accesses of an allocator that is not ours.
    fn accesses_max(&self) -> u64 {
        0
    }
}

/// The child: makes the allocator that the arguments after [`PEER_CHILD`] name, and does what `input` says until it ends.
///
/// # Errors
///
/// What is to be printed: the allocator cannot be made, or a pipe broke.
pub fn peer_child(arguments: &[String], input: &mut impl Read, output: &mut impl Write) -> Result<(), String> {
    without_huge_pages();
    let wrong = || format!("{}: wrong arguments for a child", arguments.join(" "));
    let [reference, region, blocks] = arguments else { return Err(wrong()) };
    let (Ok(region), Ok(blocks)) = (region.parse(), blocks.parse()) else { return Err(wrong()) };
    let reference: Reference = reference.parse().map_err(|error| format!("{error}"))?;
    let mut region = Region::new(Bytes(region)).map_err(|error| error.to_string())?;
    let source = region.source(Bytes(region.size().0));
    touch_stack();
    let obey = Obey { blocks, input, output };
    let obeyed = match &reference {
        Reference::Peer(peer) => with_peer(*peer, source, obey).map_err(|error| error.to_string())?,
        Reference::Library(path) => obey.run(Library::load(path).map_err(|error| error.to_string())?),
    };
    obeyed.map_err(|error| error.to_string())
}

/// Does what each command says.
struct Obey<'p, I, O> {
    blocks: usize,
    input: &'p mut I,
    output: &'p mut O,
}

impl<I: Read, O: Write> Work for Obey<'_, I, O> {
    type Output = io::Result<()>;

    fn run<A: Allocator>(self, mut allocator: A) -> io::Result<()> {
        let Obey { blocks, input, output } = self;
        let mut slots = Slots::new(blocks);
        let mut commands = [0_u8; COMMAND * GROUP];
        let (mut answers, mut there) = ([0_u8; 8 * GROUP], 0);
        output.write_all(&1_u64.to_le_bytes())?;
        output.flush()?;
        private_bytes().ok();
        let base = private_bytes().unwrap_or(0);
        loop {
            let read = input.read(&mut commands[there..])?;
            if read == 0 {
                return Ok(());
            }
            there += read;
            let whole = there / COMMAND * COMMAND;
            let mut answered = 0;
            for command in commands[..whole].chunks_exact(COMMAND) {
                let answer = obey(&mut allocator, &mut slots, command, base)?;
                if let Some(answer) = answer {
                    answers[answered..answered + 8].copy_from_slice(&answer.to_le_bytes());
                    answered += 8;
                }
            }
            commands.copy_within(whole..there, 0);
            there -= whole;
            output.write_all(&answers[..answered])?;
            output.flush()?;
        }
    }
}

/// Does one command; its answer, if it has one.
fn obey<A: Allocator>(
    allocator: &mut A,
    slots: &mut Slots<A::Receipt>,
    command: &[u8],
    base: u64,
) -> io::Result<Option<u64>> {
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0_u64, |value, &byte| value << 8 | u64::from(byte));
    let (kind, slot, size) = (number(&command[..4]) as u32, number(&command[4..8]) as u32, number(&command[8..]));
    let operation = match kind {
        ALLOCATE => Operation::Allocate,
        FREE => Operation::Free,
        _ => return Ok(Some(private_bytes()?.saturating_sub(base))),
    };
    let event = PackedEvent { size, slot, operation, alignment_log2: 0, gap: Gap::NONE };
    let served = slots.step(allocator, &event);
    if operation == Operation::Free {
        return Ok(None);
    }
    if served {
        slots.fill(slot, size, size);
    }
    Ok(Some(if served { slots.address(slot).unwrap_or(0) as u64 } else { 0 }))
}
