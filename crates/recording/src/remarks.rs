//! What a recording could not say, and how that is put.

use heapsmith_trace::plural;

use crate::format::{LEFT, RESTRICTED_CALLS};

/// What a recording could not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Remarks {
    /// Frees of blocks that were allocated before the recording began (in a parent, mostly); left out.
    pub unknown_frees: u64,
    /// Reallocations of such blocks; each is an allocation in the trace.
    pub unknown_reallocations: u64,
    /// Blocks whose place was allocated again without a free; the trace frees them then.
    pub missed_frees: u64,
    /// Reallocations for which there was no memory; left out.
    pub failed_reallocations: u64,
    /// Blocks at addresses that a record cannot hold; left out.
    pub unrecordable: u64,
    /// Call sites were asked for, and the program's C library cannot say which module an address is in.
    pub no_modules: bool,
    /// The program ran already when the recording began, so blocks from before are unknown.
    pub attached: bool,
    /// Earlier records are in traces of their own, so blocks from before are unknown.
    pub resumed: bool,
    /// Functions of the program's own were recorded, in place of `malloc`.
    pub own_functions: bool,
    /// What ended the recording before the program ended.
    pub stopped: Option<Stopped>,
}

/// What ended a recording before its program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// The system's error.
    Error(i32),
    /// The program restricted its system calls (seccomp), and what was kept ready for that was used up.
    RestrictedCalls,
    /// The command that had attached itself to the program was gone.
    Left,
}

impl Stopped {
    pub(crate) fn of(code: i32) -> Option<Stopped> {
        match code {
            0 => None,
            RESTRICTED_CALLS => Some(Stopped::RestrictedCalls),
            LEFT => Some(Stopped::Left),
            error => Some(Stopped::Error(error)),
        }
    }

    /// What it was, and what to do.
    pub fn advice(self) -> String {
        const FILE_TOO_LARGE: i32 = 27;
        match self {
            Stopped::RestrictedCalls => format!("{self}, and what it does then is not all recorded"),
            Stopped::Left => self.to_string(),
            Stopped::Error(FILE_TOO_LARGE) => {
                format!("{self}: the program's limit of the size of files (ulimit -f) is its recording's too")
            }
            Stopped::Error(_) => format!("{self}; make room, or choose another place with -o"),
        }
    }
}

impl std::fmt::Display for Stopped {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stopped::Error(error) => std::io::Error::from_raw_os_error(*error).fmt(to),
            Stopped::RestrictedCalls => to.write_str("the program restricted its system calls (seccomp)"),
            Stopped::Left => to.write_str("the heapsmith that recorded it was gone"),
        }
    }
}

/// Counted events, and what is said of them.
struct Kind {
    before: &'static str,
    one: &'static str,
    many: &'static str,
    after: &'static str,
}

const fn frees(before: &'static str, after: &'static str) -> Kind {
    Kind { before, one: "free", many: "frees", after }
}

const INHERITED: Kind = frees("left out: ", "of blocks that a process inherited from its parent");
const EARLIER: Kind = frees("left out: ", "of blocks from before the recording");
const MISSED: Kind = frees("", "in a way that the recorder cannot see; the traces free those blocks late");
/// Where functions are recorded by their symbols, not all may be known.
const UNNAMED: Kind = frees(
    "left out: ",
    "of blocks that no recorded function was seen to give: a process inherited them, there are other functions that allocate, the \
     compiler has put one of them into its callers, or a library began before the recorder",
);
const UNNAMED_FREES: Kind = frees(
    "",
    "by no recorded function, late in the traces: there are other functions that free, or the compiler has put one of them \
     into its callers",
);
const REALLOCATIONS: Kind =
    Kind { before: "recorded as allocations: ", one: "reallocation", many: "reallocations", after: "of such blocks" };
const UNRECORDABLE: Kind = Kind {
    before: "left out: ",
    one: "block",
    many: "blocks",
    after: "at addresses that the record format cannot hold",
};
const NO_MODULES: &str = "call sites have no names: the program's C library cannot say which file an address is in; glibc can from \
                          version 2.35 on";
const RESUMED: &str =
    "what was recorded before is in traces of its own (--rotate): blocks and call sites of then are not known";

impl Remarks {
    /// With what another recording could not say.
    pub fn and(mut self, other: &Remarks) -> Remarks {
        self.unknown_frees += other.unknown_frees;
        self.unknown_reallocations += other.unknown_reallocations;
        self.missed_frees += other.missed_frees;
        self.failed_reallocations += other.failed_reallocations;
        self.unrecordable += other.unrecordable;
        self.no_modules |= other.no_modules;
        self.attached |= other.attached;
        self.resumed |= other.resumed;
        self.own_functions |= other.own_functions;
        self
    }

    /// What there is to say, a sentence each, but for what ended the recording.
    pub fn sentences(&self) -> Vec<String> {
        let (unknown, missed) = match self {
            Remarks { own_functions: true, .. } => (UNNAMED, UNNAMED_FREES),
            Remarks { attached: true, .. } | Remarks { resumed: true, .. } => (EARLIER, MISSED),
            _ => (INHERITED, MISSED),
        };
        let counts = [
            (self.unknown_frees, unknown),
            (self.unknown_reallocations, REALLOCATIONS),
            (self.missed_frees, missed),
            (self.unrecordable, UNRECORDABLE),
        ];
        let counted = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, Kind { before, one, many, after })| format!("{before}{} {after}", plural(*count, one, many)));
        let said = [(self.no_modules, NO_MODULES), (self.resumed, RESUMED)];
        let said = said.into_iter().filter(|(is_so, _)| *is_so).map(|(_, sentence)| sentence.to_owned());
        said.chain(counted).collect()
    }
}
