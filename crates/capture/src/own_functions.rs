//! The functions of a program's own allocator, as the command tells the recorder of them.
//!
//! ```text
//!   HEAPSMITH_FUNCTIONS = FUNCTION;FUNCTION;…:PROGRAM
//!   FUNCTION            = ROLE ADDRESS BEFORE MOVED FIXES        in hexadecimal; all of the file, not of memory
//! ```
//!
//! The command has read the program's file and found where its functions begin; the recorder only writes. `BEFORE` are the
//! bytes that a jump to a hook takes the place of, and `MOVED` is what does the same elsewhere. The numbers of 32 bits at
//! `FIXES` are distances to places outside, as if `MOVED` were at `ADDRESS`.

use core::ffi::CStr;
use core::fmt::{Display, Formatter, Result, Write};

/// The environment variable.
pub const VARIABLE: &CStr = c"HEAPSMITH_FUNCTIONS";
/// Bytes of a jump, which are replaced.
pub const JUMP: usize = 5;
/// Functions that a program may have.
pub const LIMIT: usize = 32;

/// What a function does, and which of its arguments say what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Role {
    /// `(size)`
    Malloc,
    /// `(count, size)`
    Calloc,
    /// `(block, size)`
    Realloc,
    /// `(block)`
    Free,
    /// `(alignment, size)`
    Memalign,
    /// `(where to, alignment, size)`
    PosixMemalign,
    /// `(size, alignment)`
    MallocAligned,
    /// `(size, flags)`, of which the lowest six bits are the logarithm of the alignment
    Mallocx,
    /// `(block, count, size)`
    Reallocarray,
    /// `(size)`, aligned to a page
    Valloc,
    /// What a thread's cache frees at its end, with which the thread has ended: glibc's.
    ThreadCache,
    /// The destructors of a thread, with which it has ended: musl's.
    ThreadDestructors,
    /// The thread ends: musl's, where nothing has a destructor.
    ThreadExit,
    /// `(code)`: the process ends.
    Exit,
    /// `prctl`, which may restrict the process's system calls.
    Prctl,
    /// `syscall`, which may do so, too.
    Syscall,
    /// `(which, limit)`: the process may lower a limit.
    Setrlimit,
    /// `(process, which, limit)`: the same.
    Prlimit,
    /// `(block)`: how large it is.
    UsableSize,
}

impl Role {
    /// All, in the order of their numbers.
    pub const ALL: [Role; 19] = [
        Role::Malloc,
        Role::Calloc,
        Role::Realloc,
        Role::Free,
        Role::Memalign,
        Role::PosixMemalign,
        Role::MallocAligned,
        Role::Mallocx,
        Role::Reallocarray,
        Role::Valloc,
        Role::ThreadCache,
        Role::ThreadDestructors,
        Role::ThreadExit,
        Role::Exit,
        Role::Prctl,
        Role::Syscall,
        Role::Setrlimit,
        Role::Prlimit,
        Role::UsableSize,
    ];

    /// Whether it gives, moves or ends blocks of the program's.
    pub fn is_of_blocks(self) -> bool {
        (self as u8) < Role::ThreadCache as u8
    }
}

/// Some bytes, in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Few<const N: usize> {
    bytes: [u8; N],
    count: usize,
}

impl<const N: usize> Few<N> {
    /// None.
    pub const NONE: Few<N> = Few { bytes: [0; N], count: 0 };

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.count]
    }

    /// Adds some; nothing where there is no room.
    pub fn add(&mut self, bytes: &[u8]) -> Option<()> {
        self.bytes.get_mut(self.count..self.count + bytes.len())?.copy_from_slice(bytes);
        self.count += bytes.len();
        Some(())
    }

    fn read(text: &[u8]) -> Option<Self> {
        let mut few = Few::NONE;
        for pair in text.chunks(2) {
            few.add(&[number(pair)? as u8])?;
        }
        Some(few)
    }
}

impl<const N: usize> Display for Few<N> {
    fn fmt(&self, to: &mut Formatter<'_>) -> Result {
        self.bytes().iter().try_for_each(|byte| write!(to, "{byte:02x}"))
    }
}

/// A function of the program's allocator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// What it does.
    pub role: Role,
    /// Where it begins, in the file's addresses.
    pub address: usize,
    /// Whole instructions at its beginning, of at least [`JUMP`] bytes together.
    pub before: Few<24>,
    /// What does the same as those, and then goes on behind them, wherever it is.
    pub moved: Few<64>,
    /// Where in `moved` distances to places outside are.
    pub fixes: Few<8>,
}

impl Display for Function {
    fn fmt(&self, to: &mut Formatter<'_>) -> Result {
        let Function { role, address, before, moved, fixes } = self;
        write!(to, "{:x} {address:x} {before} {moved} {fixes}", *role as u8)?;
        to.write_char(';')
    }
}

impl Function {
    /// One that does nothing, at no address.
    pub const NONE: Function =
        Function { role: Role::Free, address: 0, before: Few::NONE, moved: Few::NONE, fixes: Few::NONE };

    fn read(text: &[u8]) -> Option<Function> {
        let mut fields = text.split(|byte| *byte == b' ');
        let mut next = || fields.next();
        Some(Function {
            role: *Role::ALL.get(number(next()?)?)?,
            address: number(next()?)?,
            before: Few::read(next()?)?,
            moved: Few::read(next()?)?,
            fixes: Few::read(next()?)?,
        })
    }
}

/// Reads the functions; says how many there are, and the path of the program that has them. Nothing where the text is of
/// another form, or has too many.
pub fn read<'t>(text: &'t [u8], functions: &mut [Function; LIMIT]) -> Option<(usize, &'t [u8])> {
    let end = text.iter().position(|byte| *byte == b':')?;
    let mut count = 0;
    for function in text[..end].split(|byte| *byte == b';').filter(|function| !function.is_empty()) {
        *functions.get_mut(count)? = Function::read(function)?;
        count += 1;
    }
    Some((count, &text[end + 1..]))
}

fn number(digits: &[u8]) -> Option<usize> {
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    digits.iter().try_fold(0, |value, digit| Some(value << 4 | char::from(*digit).to_digit(16)? as usize))
}
