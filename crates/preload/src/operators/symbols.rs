//! The operators' symbols: a jump to what serves them, with no frame where the C++ library may throw.
//!
//! ```text
//!   HOW: not known ──find──▶ forwards: jump to NEXT
//!                        └─▶ verifies: call what is here; null of a `new`? jump to NEXT
//! ```

use core::arch::naked_asm;
use core::ffi::CStr;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use super::{ALIGNED_ARRAY, ALIGNED_NEW, ARRAY, NEW, delete, delete_sized, new, new_aligned};
use crate::process::process;

/// What the operators do.
static HOW: AtomicU32 = AtomicU32::new(UNKNOWN);
const UNKNOWN: u32 = 0;
const FORWARDS: u32 = 1;
const VERIFIES: u32 = 2;

/// The operators that a program would have without this library, by their numbers.
static NEXT: [AtomicUsize; OPERATORS.len()] = [const { AtomicUsize::new(0) }; OPERATORS.len()];

/// Whether it is verified what the operators do. The first call finds out, and where the next operators are.
extern "C" fn find() -> u32 {
    let process = process();
    let guarded = process.origins.is_some() && process.settings.operators;
    for ((name, _), next) in OPERATORS.iter().zip(&NEXT) {
        next.store(after_ours(name), Ordering::Relaxed);
    }
    for ((_, serves), next) in OPERATORS.iter().zip(&NEXT) {
        // Without a C++ library there is nobody to throw: what is here serves, and gives null without memory.
        let _ = next.compare_exchange(0, serves(), Ordering::Relaxed, Ordering::Relaxed);
    }
    let ours = || OPERATORS.iter().all(|(name, _)| is_ours(name));
    let how = if guarded && ours() && NEXT.iter().all(is_cpp_library) { VERIFIES } else { FORWARDS };
    HOW.store(how, Ordering::Release);
    how
}

/// The symbol of this name that follows ours, or that of a C++ library which only a plugin can see; 0 for none.
fn after_ours(name: &CStr) -> usize {
    // SAFETY: looks a name up, in libraries that are loaded already and stay so.
    unsafe {
        let mut found = libc::dlsym(libc::RTLD_NEXT, name.as_ptr());
        for library in [c"libstdc++.so.6", c"libc++abi.so.1", c"libc++.so.1"] {
            if found.is_null() {
                let library = libc::dlopen(library.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
                found = if library.is_null() { null_mut() } else { libc::dlsym(library, name.as_ptr()) };
            }
        }
        found.addr()
    }
}

/// Whether the program gets our operator of this name: it brings none of its own.
fn is_ours(name: &CStr) -> bool {
    // SAFETY: looks a name up.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    let ours = module((&raw const HOW).addr()).map(|module| module.dli_fbase);
    ours.is_some() && module(found.addr()).map(|module| module.dli_fbase) == ours
}

/// Whether an operator is that of a C++ library on its own. A module that has one inside of it calls its own operators, and
/// what they made may be freed elsewhere by ours.
fn is_cpp_library(operator: &AtomicUsize) -> bool {
    let Some(module) = module(operator.load(Ordering::Relaxed)).filter(|module| !module.dli_fname.is_null()) else {
        return false;
    };
    // SAFETY: a name of the dynamic linker's, which ends with a zero.
    let path = unsafe { CStr::from_ptr(module.dli_fname) }.to_bytes();
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    name.starts_with(b"libstdc++.so") || name.starts_with(b"libc++")
}

/// The module that an address lies in.
fn module(address: usize) -> Option<libc::Dl_info> {
    let mut found = libc::Dl_info {
        dli_fname: core::ptr::null(),
        dli_fbase: null_mut(),
        dli_sname: core::ptr::null(),
        dli_saddr: null_mut(),
    };
    // SAFETY: looks an address up, whatever it is.
    let known = unsafe { libc::dladdr(address as *const core::ffi::c_void, &raw mut found) } != 0;
    known.then_some(found)
}

/// An operator: its body, by what it does with what was returned.
macro_rules! operator {
    ($number:literal $name:ident $serves:path, $returned:literal) => {
        /// The operator of C++ of this symbol.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, reason = "the name is that of the symbol")]
        pub extern "C" fn $name() {
            naked_asm!(
                ".cfi_startproc",
                "mov eax, dword ptr [rip + {how}]",
                "cmp eax, {forwards}",
                "jne 2f",
                "jmp qword ptr [rip + {next} + 8 * {number}]",
                "2:",
                "push rbp",
                ".cfi_def_cfa_offset 16",
                ".cfi_offset rbp, -16",
                "mov rbp, rsp",
                ".cfi_def_cfa_register rbp",
                "push rdi",
                "push rsi",
                "push rdx",
                "push rcx",
                "test eax, eax",
                "jne 3f",
                "call {find}",
                "mov rdi, qword ptr [rbp - 8]",
                "mov rsi, qword ptr [rbp - 16]",
                "cmp eax, {forwards}",
                "je 4f",
                "3:",
                "call {serves}",
                $returned,
                ".cfi_remember_state",
                "leave",
                ".cfi_def_cfa rsp, 8",
                "ret",
                ".cfi_restore_state",
                "4:",
                "mov rdi, qword ptr [rbp - 8]",
                "mov rsi, qword ptr [rbp - 16]",
                "mov rdx, qword ptr [rbp - 24]",
                "leave",
                ".cfi_def_cfa rsp, 8",
                "jmp qword ptr [rip + {next} + 8 * {number}]",
                ".cfi_endproc",
                how = sym HOW,
                next = sym NEXT,
                find = sym find,
                serves = sym $serves,
                forwards = const FORWARDS,
                number = const $number,
            )
        }
    };
}

macro_rules! operators {
    ($($number:literal $kind:ident $name:ident $serves:path;)*) => {
        /// The operators' symbols, and what serves them here.
        const OPERATORS: [(&CStr, fn() -> usize); [$($number),*].len()] = [$((
            // A name of letters and digits, and the zero that ends it.
            match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => c"",
            },
            || $serves as *const () as usize,
        )),*];

        $(operators!(@ $kind $number $name $serves);)*
    };
    (@ new $number:literal $name:ident $serves:path) => {
        operator! { $number $name $serves, "test rax, rax; je 4f" }
    };
    (@ delete $number:literal $name:ident $serves:path) => {
        operator! { $number $name $serves, "" }
    };
}

operators! {
    0 new _Znwm new::<NEW>;
    1 new _ZnwmRKSt9nothrow_t new::<NEW>;
    2 new _Znam new::<ARRAY>;
    3 new _ZnamRKSt9nothrow_t new::<ARRAY>;
    4 new _ZnwmSt11align_val_t new_aligned::<ALIGNED_NEW>;
    5 new _ZnwmSt11align_val_tRKSt9nothrow_t new_aligned::<ALIGNED_NEW>;
    6 new _ZnamSt11align_val_t new_aligned::<ALIGNED_ARRAY>;
    7 new _ZnamSt11align_val_tRKSt9nothrow_t new_aligned::<ALIGNED_ARRAY>;
    8 delete _ZdlPv delete::<NEW>;
    9 delete _ZdlPvRKSt9nothrow_t delete::<NEW>;
    10 delete _ZdlPvm delete_sized::<NEW>;
    11 delete _ZdaPv delete::<ARRAY>;
    12 delete _ZdaPvRKSt9nothrow_t delete::<ARRAY>;
    13 delete _ZdaPvm delete_sized::<ARRAY>;
    14 delete _ZdlPvSt11align_val_t delete::<ALIGNED_NEW>;
    15 delete _ZdlPvSt11align_val_tRKSt9nothrow_t delete::<ALIGNED_NEW>;
    16 delete _ZdlPvmSt11align_val_t delete_sized::<ALIGNED_NEW>;
    17 delete _ZdaPvSt11align_val_t delete::<ALIGNED_ARRAY>;
    18 delete _ZdaPvSt11align_val_tRKSt9nothrow_t delete::<ALIGNED_ARRAY>;
    19 delete _ZdaPvmSt11align_val_t delete_sized::<ALIGNED_ARRAY>;
}
