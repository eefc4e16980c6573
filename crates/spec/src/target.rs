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
//! Heaps for firmware (`cortex-m`, `riscv32`, `avr`) are explored with `check=header`, where their structure has it: nobody
//! watches a device whose heap is damaged. A target without it has a name of its own ([`Target::with_check`]):
//! `cortex-m check=off`.
//!
//! A program whose types need less or more alignment than any program may ask for has a target of its own
//! ([`Target::with_alignment`]): `cortex-m align=4`.

use std::fmt;
use std::str::FromStr;
use std::sync::Mutex;

use crate::keyword::Keyword;
use crate::{Check, MallocError, Spec, WordSize};

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
    /// What heaps check, where their structure can.
    pub check: Check,
    /// Whether there is an emulator of such a machine that counts instructions.
    pub emulated: bool,
    /// What is compared with where no baseline is named: a spec, a name of the catalogue, or `peer:` and a name.
    pub baseline: &'static str,
}

static TARGETS: [Target; 5] = [
    Target {
        name: "host",
        alignment: Some(Spec::MALLOC_ALIGNMENT),
        word: WordSize::Four,
        max_region: None,
        pointer: Some(8),
        malloc: true,
        peers: true,
        caches: true,
        check: Check::Off,
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
        check: Check::Header,
        emulated: true,
        baseline: "list(order=address, fit=first) align=8 check=header",
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
        check: Check::Header,
        emulated: false,
        baseline: "list(order=address, fit=first) align=16 check=header",
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
        check: Check::Header,
        emulated: false,
        baseline: "list(order=address, fit=first) word=2 check=header",
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
        check: Check::Off,
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

    /// The target of that name, with what differs from it behind it: `cortex-m`, `cortex-m align=4 check=off`.
    ///
    /// # Errors
    ///
    /// In words: there is none; the names that there are.
    pub fn named(name: &str) -> Result<&'static Target, String> {
        let mut words = name.split(' ');
        let usual = words.next().unwrap_or_default();
        let mut target = TARGETS.iter().find(|target| target.name == usual).ok_or_else(|| {
            let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            format!("there is no target {usual:?}; there are {}", names.join(", "))
        })?;
        for option in words {
            target = match option.split_once('=') {
                Some(("align", bytes)) => {
                    let bytes = bytes.parse().map_err(|_| format!("{bytes:?} is no alignment"))?;
                    target.with_alignment(bytes)?
                }
                Some(("check", level)) => {
                    let level = Check::from_word(level).ok_or_else(|| format!("{level:?} is not off or header"))?;
                    target.with_check(level)
                }
                _ => {
                    return Err(format!("behind {usual} there may be align=N and check=off or header, not {option:?}"));
                }
            };
        }
        Ok(target)
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
        let (word, max) = (self.word.bytes(), Spec::MAX_ALIGNMENT);
        if !alignment.is_power_of_two() || !(word..=max).contains(&alignment) {
            return Err(format!(
                "an alignment for {} is a power of two from {word}, its word, to {max}, not {alignment}",
                self.usual_form().name
            ));
        }
        Ok(self.usual_form().with(Some(alignment), self.check))
    }

    /// This target with heaps that check this, where their structure can. Each is made once, and lives as long as the process.
    pub fn with_check(&'static self, check: Check) -> &'static Target {
        self.usual_form().with(self.alignment, check)
    }

    /// The target of the table that this one differs from, or is.
    fn usual_form(&'static self) -> &'static Target {
        let is_usual = |target: &&Target| self.name.split(' ').next() == Some(target.name);
        TARGETS.iter().find(is_usual).unwrap_or(self)
    }

    /// This target of the table with another alignment, or other checks.
    fn with(&'static self, alignment: Option<u32>, check: Check) -> &'static Target {
        static MADE: Mutex<Vec<&'static Target>> = Mutex::new(Vec::new());
        let differs = alignment.filter(|_| alignment != self.alignment);
        if differs.is_none() && check == self.check {
            return self;
        }
        let mut options = differs.map_or(String::new(), |bytes| format!(" align={bytes}"));
        if check != self.check {
            options.push_str(&format!(" check={}", check.word().unwrap_or_default()));
        }
        let name = format!("{self}{options}");
        let mut made = MADE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(known) = made.iter().find(|known| known.name == name) {
            return known;
        }
        let baseline = match differs {
            None if self.alignment.is_none() || self.peers => self.baseline.to_owned(),
            _ => {
                let alignment = alignment.unwrap_or(self.word.bytes());
                let list = format!("list(order=address, fit=first) word={} align={alignment}", self.word.bytes());
                if check == Check::Header { format!("{list} check=header") } else { list }
            }
        };
        let target = Box::leak(Box::new(Target {
            name: name.leak(),
            alignment,
            check,
            malloc: self.malloc && alignment >= Some(Spec::MALLOC_ALIGNMENT),
            peers: self.peers && differs.is_none(),
            baseline: baseline.leak(),
            ..*self
        }));
        made.push(target);
        target
    }

    /// Where payloads are aligned to less than the target asks for: which programs they serve.
    pub fn lowered(&'static self) -> Option<String> {
        let Target { name, alignment: usual, .. } = self.usual_form();
        let (usual, alignment) = ((*usual)?, self.alignment?);
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

    /// A heap with the alignment of this target, where it has less, and with its checks, where its structure has them.
    pub fn suited(&self, spec: Spec) -> Spec {
        let aligned = Spec { alignment: spec.alignment.max(self.alignment.unwrap_or(1)), ..spec };
        let checked = Spec { check: aligned.check.max(self.check), ..aligned.clone() };
        if checked.can_check() { checked } else { aligned }
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
    fn heaps_for_firmware_check_where_they_can() {
        let text = |target: &Target, spec: &str| target.suited(resolve(spec).expect("a spec")).to_string();
        let [cortex_m, host] = ["cortex-m", "host"].map(|name| Target::named(name).expect("a target"));
        assert_eq!(text(cortex_m, "half-fit"), "half-fit align=8 check=header");
        assert_eq!(text(cortex_m, "stack"), "stack align=8", "nothing of a stack can be checked");
        assert_eq!(text(host, "half-fit"), "half-fit align=16");
        assert_eq!(text(host, "half-fit check=header"), "half-fit align=16 check=header", "what is asked for stays");
        let off = cortex_m.with_check(Check::Off);
        assert_eq!((off.name, text(off, "half-fit").as_str()), ("cortex-m check=off", "half-fit align=8"));
        assert!(!off.baseline.contains("check") && cortex_m.baseline.ends_with("check=header"));
        assert!(std::ptr::eq(off.with_check(Check::Header), cortex_m), "asked again, it is the usual one");
        let both = off.with_alignment(4).expect("it has words of 4 bytes");
        assert_eq!(both.name, "cortex-m align=4 check=off");
        assert!(std::ptr::eq(Target::named(both.name).expect("its name is read"), both));
        assert!(std::ptr::eq(cortex_m.with_alignment(4).expect("a power of two").with_check(Check::Off), both));
        assert!(both.lowered().is_some() && off.lowered().is_none());
        let host = host.with_check(Check::Header);
        assert!(host.malloc && host.peers && host.baseline == "peer:libc");
        for wrong in ["cortex-m check=all", "cortex-m word=4", "cortex-m  align=4", "cortex-m check=off align=x"] {
            assert!(Target::named(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_heap_with_less_alignment_does_not_suit() {
        let host = Target::host();
        let spec: Spec = "list".parse().expect("a spec");
        assert_eq!(host.verify(&spec), Err(Unsuited::Alignment { wanted: 16, found: 4 }));
        assert_eq!(host.verify(&host.suited(spec)), Ok(()));
        assert_eq!(host.verify(&"stack align=16".parse().expect("a spec")), Err(Unsuited::Malloc(MallocError::Stack)));
    }
}
