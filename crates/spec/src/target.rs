//! Where a heap will live: what its machine and its callers ask of every heap, before any is explored.
//!
//! | target | alignment | word | largest region | why |
//! |---|---:|---:|---:|---|
//! | `host` | 16 | 4 | – | `malloc` on x86-64 and AArch64: `max_align_t` is 16 bytes (System V ABI for AMD64, figure 3.1) |
//! | `cortex-m` | 8 | 4 | 512 MiB | no type is aligned to more than 8 (AAPCS32, section 5.1); SRAM of the Armv7-M memory map |
//! | `riscv32` | 16 | 4 | 4 GiB | `long double` is aligned to 16 bytes (RISC-V ELF psABI, C type details of ILP32) |
//! | `avr` | 2 | 2 | 32 KiB | every type is aligned to 1 byte (GCC, AVR ABI), so the word decides |
//! | `network-2006` | the word's | 4 | – | Mamagkakis et al. 2006 name no target; words of 4 bytes |
//!
//! The word is the one of spaces that leave it open; where a space has it as a factor, it stays one. A word of 2 bytes reaches
//! over 32 KiB, half of the address space of an AVR, and more than most have.
//!
//! A program whose types need less or more alignment than any program may ask for has a target of its own
//! ([`Target::with_alignment`]): `cortex-m align=4`.

use std::fmt;
use std::str::FromStr;
use std::sync::Mutex;

use crate::{MallocError, Spec, WordSize};

/// Where a heap will live.
#[derive(Debug, PartialEq, Eq)]
pub struct Target {
    /// Its name on the command line and in stores.
    pub name: &'static str,
    /// What every payload's address is a multiple of, in bytes; none: of the word.
    pub alignment: Option<u32>,
    /// The word where nothing else is said.
    pub word: WordSize,
    /// Bytes that a region has at most.
    pub max_region: Option<u64>,
    /// Bytes of a pointer; none where requests are no structures of a program.
    pub pointer: Option<u32>,
    /// Whether heaps have to serve any program as `malloc`.
    pub malloc: bool,
    /// Whether reference allocators, which run here, are compared.
    pub peers: bool,
    /// Whether memory is behind caches, so that work is ranked by the counted cost, which has a model of them, and not by
    /// accesses alone. The papers rank by accesses.
    pub caches: bool,
    /// Whether there is an emulator of such a machine that counts instructions.
    pub emulated: bool,
    /// What is compared with where no baseline is named: a spec, a name of the catalogue, or `peer:` and a name.
    pub baseline: &'static str,
}

/// Before the alignment in the name of a target with another one.
const ALIGN: &str = " align=";

const TARGETS: [Target; 5] = [
    Target {
        name: "host",
        alignment: Some(Spec::MALLOC_ALIGNMENT),
        word: WordSize::Four,
        max_region: None,
        pointer: Some(8),
        malloc: true,
        peers: true,
        caches: true,
        emulated: false,
        baseline: "peer:libc",
    },
    Target {
        name: "cortex-m",
        alignment: Some(8),
        word: WordSize::Four,
        max_region: Some(512 << 20),
        pointer: Some(4),
        malloc: false,
        peers: false,
        caches: false,
        emulated: true,
        baseline: "list(order=address, fit=first) align=8",
    },
    Target {
        name: "riscv32",
        alignment: Some(16),
        word: WordSize::Four,
        max_region: Some(1 << 32),
        pointer: Some(4),
        malloc: false,
        peers: false,
        caches: false,
        emulated: false,
        baseline: "list(order=address, fit=first) align=16",
    },
    Target {
        name: "avr",
        alignment: Some(2),
        word: WordSize::Two,
        max_region: Some(1 << 15),
        pointer: Some(2),
        malloc: false,
        peers: false,
        caches: false,
        emulated: false,
        baseline: "list(order=address, fit=first) word=2",
    },
    Target {
        name: "network-2006",
        alignment: None,
        word: WordSize::Four,
        max_region: None,
        pointer: None,
        malloc: false,
        peers: true,
        caches: false,
        emulated: false,
        baseline: "lea-2.7.2",
    },
];

impl Target {
    /// Every target.
    pub fn all() -> &'static [Target] {
        &TARGETS
    }

    /// Programs on this machine.
    pub fn host() -> &'static Target {
        &TARGETS[0]
    }

    /// The network applications of the 2006 paper.
    pub fn network_2006() -> &'static Target {
        &TARGETS[4]
    }

    /// The target of that name.
    ///
    /// # Errors
    ///
    /// In words: there is none; the names that there are.
    pub fn named(name: &str) -> Result<&'static Target, String> {
        if let Some((name, alignment)) = name.split_once(ALIGN) {
            let alignment = alignment.parse().map_err(|_| format!("{alignment:?} is no alignment"))?;
            return Target::named(name)?.with_alignment(alignment);
        }
        TARGETS.iter().find(|target| target.name == name).ok_or_else(|| {
            let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            format!("there is no target {name:?}; there are {}", names.join(", "))
        })
    }

    /// This target for programs whose types need an alignment of this many bytes, and no more. What aligns to less than this
    /// target cannot serve as `malloc`. It is compared with what aligns alike: first fit by address, no reference allocators.
    ///
    /// Each is made once, and lives as long as the process.
    ///
    /// # Errors
    ///
    /// In words: it is no power of two, less than a word, or more than a heap has.
    pub fn with_alignment(&'static self, alignment: u32) -> Result<&'static Target, String> {
        static MADE: Mutex<Vec<&'static Target>> = Mutex::new(Vec::new());
        if let Some((usual, _)) = self.name.split_once(ALIGN) {
            return Target::named(usual)?.with_alignment(alignment);
        }
        let (word, max) = (self.word.bytes(), Spec::MAX_ALIGNMENT);
        if !alignment.is_power_of_two() || !(word..=max).contains(&alignment) {
            return Err(format!(
                "an alignment for {self} is a power of two from {word}, its word, to {max}, not {alignment}"
            ));
        }
        if self.alignment == Some(alignment) {
            return Ok(self);
        }
        let name = format!("{self}{ALIGN}{alignment}");
        let mut made = MADE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(known) = made.iter().find(|known| known.name == name) {
            return Ok(known);
        }
        let baseline = format!("list(order=address, fit=first) word={word} align={alignment}");
        let target = Box::leak(Box::new(Target {
            name: name.leak(),
            alignment: Some(alignment),
            malloc: self.malloc && alignment >= Spec::MALLOC_ALIGNMENT,
            peers: false,
            baseline: baseline.leak(),
            ..*self
        }));
        made.push(target);
        Ok(target)
    }

    /// Where payloads are aligned to less than the target asks for: which programs they serve.
    pub fn lowered(&self) -> Option<String> {
        let (name, _) = self.name.split_once(ALIGN)?;
        let (usual, alignment) = (Target::named(name).ok()?.alignment?, self.alignment?);
        (alignment < usual).then(|| {
            format!(
                "payloads are aligned to {alignment} bytes, and {name} asks for {usual}: the pick serves only types that need no \
                 more. NAME_ASSERT_ALIGNED(type) of its emitted C fails to compile for others"
            )
        })
    }

    /// The usual target: that of programs on this machine for what was recorded of one, else that of the 2006 paper.
    pub fn usual(recorded: bool) -> &'static Target {
        if recorded { Target::host() } else { Target::network_2006() }
    }

    /// What is not translated of sizes that were recorded on a 64-bit machine, where the target has smaller pointers.
    pub fn untranslated(&self) -> Option<String> {
        let bytes = self.pointer.filter(|&bytes| bytes < 8)?;
        Some(format!(
            "sizes are replayed as they were recorded. On a 64-bit machine every pointer, size_t and long of a structure has 8 \
             bytes, and {bytes} or fewer on {self}: such requests are smaller there. Headers, links and alignment of the heaps are \
             those of {self}"
        ))
    }

    /// Whether a heap gives what the target asks for: its alignment, and `malloc`'s rules where it has them.
    ///
    /// # Errors
    ///
    /// What it lacks.
    pub fn verify(&self, spec: &Spec) -> Result<(), Unsuited> {
        if self.malloc {
            spec.for_malloc().map_err(Unsuited::Malloc)?;
        }
        match self.alignment {
            Some(wanted) if spec.alignment < wanted => Err(Unsuited::Alignment { wanted, found: spec.alignment }),
            _ => Ok(()),
        }
    }

    /// Whether the figures of a heap with this alignment can be compared with those of heaps for this target: a coarser
    /// alignment costs memory, which a heap that gives less does not pay.
    pub fn compares(&self, alignment: u32) -> bool {
        self.alignment.is_none_or(|wanted| alignment >= wanted)
    }

    /// A heap with the alignment of this target, where it has less.
    pub fn aligned(&self, spec: Spec) -> Spec {
        Spec { alignment: spec.alignment.max(self.alignment.unwrap_or(1)), ..spec }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A reference that is read by its name.
impl FromStr for &'static Target {
    type Err = String;

    fn from_str(name: &str) -> Result<&'static Target, String> {
        Target::named(name)
    }
}

/// What a heap lacks for a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unsuited {
    /// It cannot serve as `malloc`.
    #[error(transparent)]
    Malloc(MallocError),
    /// Its payloads are aligned to less.
    #[error("its payloads are aligned to {found} bytes, where {wanted} are needed")]
    Alignment {
        /// What the target asks for, in bytes.
        wanted: u32,
        /// What the heap gives, in bytes.
        found: u32,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve;

    #[test]
    fn a_target_is_found_by_its_name_and_its_baseline_suits_it() {
        for target in Target::all() {
            assert_eq!(Target::named(target.name), Ok(target));
            if let Ok(baseline) = resolve(target.baseline) {
                assert_eq!(target.verify(&baseline), Ok(()), "{target}");
            }
        }
        assert!(Target::named("z80").is_err_and(|why| why.contains("cortex-m, riscv32, avr, network-2006")));
    }

    #[test]
    fn a_target_with_another_alignment_is_found_by_its_name_and_compares_equals() {
        let four =
            Target::named("cortex-m").and_then(|target| target.with_alignment(4)).expect("it has words of 4 bytes");
        assert_eq!((four.name, four.alignment), ("cortex-m align=4", Some(4)));
        assert!(std::ptr::eq(Target::named("cortex-m align=4").expect("it is made again"), four), "once");
        assert!(four.lowered().is_some_and(|why| why.contains("4 bytes, and cortex-m asks for 8")));
        assert_eq!(resolve(four.baseline).map(|spec| spec.alignment), Ok(4));
        assert_eq!(four.with_alignment(8), Target::named("cortex-m"), "asked again, it is of the usual one");
        let host = Target::host();
        assert!(host.with_alignment(16).is_ok_and(|same| std::ptr::eq(same, host)));
        let coarse = host.with_alignment(64).expect("a power of two");
        assert!(coarse.malloc && coarse.lowered().is_none() && !coarse.peers);
        assert!(!host.with_alignment(8).expect("a power of two").malloc);
        for refused in [0, 2, 3, 8192] {
            assert!(host.with_alignment(refused).is_err_and(|why| why.contains("power of two from 4")), "{refused}");
        }
        assert!(
            Target::named("avr")
                .is_ok_and(|avr| avr.with_alignment(4).is_ok_and(|four| resolve(four.baseline).is_ok()))
        );
        assert!(Target::named("host align=x").is_err());
    }

    #[test]
    fn a_heap_with_less_alignment_does_not_suit() {
        let host = Target::host();
        let spec: Spec = "list".parse().expect("a spec");
        assert_eq!(host.verify(&spec), Err(Unsuited::Alignment { wanted: 16, found: 4 }));
        assert_eq!(host.verify(&host.aligned(spec)), Ok(()));
        assert_eq!(host.verify(&"stack align=16".parse().expect("a spec")), Err(Unsuited::Malloc(MallocError::Stack)));
    }
}
