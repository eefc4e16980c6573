//! heaptrack's files: raw as recorded (`heaptrack -r`) and interpreted, file versions 1 to 3.
//!
//! ```text
//!   v 10400 3            program and file version; all numbers are hexadecimal
//!   c 1f                 milliseconds since the start
//!
//!   raw                                 interpreted
//!   m 5 a.out 400000 0 740   a module   s 4 main           a string (versions 1, 2: s main)
//!   t 401156 1      stack: address,     i 401156 1 2 3 1a  instruction: module function file line
//!                   parent              t 1 0              stack: instruction, parent
//!   + 64 2 1c6c2a0  allocate: size,     a 64 2             kind: size, stack
//!                   stack, address      + 0                allocate one of a kind
//!   - 1c6c2a0       free                - 0                free one of a kind
//! ```
//!
//! An interpreted file does not say which block of its kind is freed: the youngest is taken.
//! A reallocation is a free and an allocation in both. Threads and alignments are not
//! recorded. Call sites are the functions (raw: the module and the place in it) that call
//! the allocator; `operator new` is replaced by its caller.
//!
//! Memory: besides the live blocks, the file's distinct call stacks, as heaptrack itself.
//!
//! Source: the repository KDE/heaptrack, `src/track/libheaptrack.cpp`,
//! `src/interpret/heaptrack_interpret.cpp` and `src/analyze/accumulatedtracedata.cpp`.

mod stacks;

use heapsmith_trace::Nanoseconds;

use crate::importer::{Format, Importer, KEEP_DAMAGED, Text};
use crate::number::hexadecimal;
use crate::recording::{Recording, Taken};
use crate::source::Head;
use stacks::Stacks;

pub(crate) const IMPORTER: Importer = Importer {
    name: "heaptrack",
    about: "what heaptrack records, raw and interpreted",
    source: "KDE/heaptrack",
    input: "a heaptrack file",
    parameters: &[KEEP_DAMAGED],
    begins,
    format: Format::Text(|| Box::new(Heaptrack::default())),
};

/// The newest file version that is read.
const NEWEST: u64 = 3;
/// A kind is declared before it is used; a number beyond this is damage.
const MAX_KINDS: usize = 1 << 28;

fn begins(head: &Head) -> bool {
    let lines = head.lines();
    let mut first = lines.iter().skip_while(|line| line.starts_with('#'));
    first
        .next()
        .and_then(|line| numbers(line.strip_prefix("v ")?))
        .is_some_and(|numbers| (1..=2).contains(&numbers.len()))
}

fn numbers(text: &str) -> Option<Vec<u64>> {
    text.split_ascii_whitespace().map(hexadecimal).collect()
}

/// Blocks that are equal to the analysis: of one size, from one stack.
struct Kind {
    size: u64,
    stack: usize,
    live: Vec<u64>,
}

#[derive(Default)]
struct Heaptrack {
    version: u64,
    stacks: Stacks,
    kinds: Vec<Kind>,
    births: u64,
}

impl Text for Heaptrack {
    fn line(&mut self, line: &str, recording: &mut Recording<'_>) -> Taken {
        let (mode, rest) = line.split_at(line.chars().next().map_or(0, char::len_utf8));
        let rest = rest.trim_start();
        if self.version == 0 && !matches!(mode, "v" | "#") {
            return Err("no version line (v …) before the first record".into());
        }
        match mode {
            "v" => self.begin(rest),
            "c" => {
                let milliseconds = hexadecimal(rest).ok_or("the time is not a number")?;
                recording.time = Nanoseconds(milliseconds.saturating_mul(1_000_000));
                Ok(())
            }
            "s" => self.stacks.string(rest, self.version),
            "i" => self.stacks.instruction(rest),
            "m" => self.stacks.module(rest, self.version),
            "t" => self.stacks.stack(rest),
            "a" => self.kind(rest),
            "+" => self.allocate(rest, recording),
            "-" => self.free(rest, recording),
            "x" => {
                self.stacks.program(rest, self.version);
                Ok(())
            }
            "X" | "I" | "R" | "A" | "S" | "#" => Ok(()),
            _ => Err("a record of no known mode".into()),
        }
    }
}

impl Heaptrack {
    fn begin(&mut self, rest: &str) -> Taken {
        let numbers = numbers(rest).ok_or("the version is not a number")?;
        self.version = numbers.get(1).copied().unwrap_or(1).max(1);
        if self.version > NEWEST {
            return Err(format!(
                "heaptrack file version {}; read are 1 to {NEWEST}: record with an earlier heaptrack, or use a later heapsmith",
                self.version
            )
            .into());
        }
        Ok(())
    }

    fn kind(&mut self, rest: &str) -> Taken {
        let numbers = numbers(rest).ok_or("size or stack is not a number")?;
        let &[size, stack] = &numbers[..] else { return Err("not `a SIZE STACK`".into()) };
        if self.kinds.len() >= MAX_KINDS {
            return Err("more kinds of blocks than a program has".into());
        }
        self.kinds.push(Kind { size, stack: self.stacks.index(stack)?, live: Vec::new() });
        Ok(())
    }

    fn allocate(&mut self, rest: &str, recording: &mut Recording<'_>) -> Taken {
        let numbers = numbers(rest).ok_or("a field that is not a number")?;
        match numbers[..] {
            [size, stack, address] => {
                let stack = self.stacks.index(stack)?;
                recording.site = self.stacks.site(stack, recording);
                recording.allocate(address, size, 0)
            }
            [number] => {
                let kind = usize::try_from(number).ok().and_then(|number| self.kinds.get_mut(number));
                let kind = kind.ok_or_else(|| format!("kind {number} was not declared"))?;
                self.births += 1;
                kind.live.push(self.births);
                recording.site = self.stacks.site(kind.stack, recording);
                recording.allocate(self.births, kind.size, 0)
            }
            _ => Err("neither `+ KIND` nor `+ SIZE STACK ADDRESS`".into()),
        }
    }

    fn free(&mut self, rest: &str, recording: &mut Recording<'_>) -> Taken {
        let number = hexadecimal(rest).ok_or("not `- KIND` or `- ADDRESS`")?;
        if self.kinds.is_empty() {
            return recording.free(number);
        }
        let kind = usize::try_from(number).ok().and_then(|number| self.kinds.get_mut(number));
        let kind = kind.ok_or_else(|| format!("kind {number} was not declared"))?;
        // A block that was never seen counts as foreign; no block has this key.
        recording.free(kind.live.pop().unwrap_or(u64::MAX))
    }
}
