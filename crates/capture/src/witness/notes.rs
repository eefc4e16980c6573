//! The notes, from inside the started program.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr::{null, null_mut};
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

use super::{BYTES, MAGIC, word};
use crate::pages::wiped_pages;
use crate::system::{
    MAP_SHARED, Module, O_RDWR_CLOEXEC, PR_GET_NAME, RTLD_DEFAULT, close, dladdr, dlsym, errno, getenv, getppid, map,
    open_with_mode, read, set_errno, set_process,
};

/// What is known of the page; a forked child sees zeros.
#[repr(C)]
struct Witness {
    page: AtomicPtr<AtomicU64>,
    /// Whether this process is the one that was started.
    started: AtomicBool,
}

static WITNESS: AtomicPtr<Witness> = AtomicPtr::new(null_mut());

impl Witness {
    fn of_process() -> Option<&'static Witness> {
        // SAFETY: null, or a page that is never unmapped; zeros are a valid witness.
        unsafe { WITNESS.load(Ordering::Acquire).as_ref() }
            .filter(|witness| !witness.page.load(Ordering::Relaxed).is_null())
    }

    fn word(&self, word: usize) -> &AtomicU64 {
        // SAFETY: the page is mapped, and `word` is one of it.
        unsafe { &*self.page.load(Ordering::Relaxed).add(word) }
    }
}

/// The program begins with the library. The second call does nothing.
pub fn begin() {
    static BEGUN: AtomicBool = AtomicBool::new(false);
    if BEGUN.swap(true, Ordering::Relaxed) {
        return;
    }
    let kept = errno();
    if let Some(witness) = open_page() {
        if witness.started.load(Ordering::Relaxed) {
            let set = |word: usize, value: u64| witness.word(word).store(value, Ordering::Relaxed);
            let mut name = [0_u64; 2];
            // SAFETY: the system writes 16 bytes.
            unsafe { set_process(PR_GET_NAME, name.as_mut_ptr()) };
            set(word::NAME, name[0]);
            set(word::NAME + 1, name[1]);
            set(word::ENDED, 0);
            set(word::REFUSED, 0);
            set(word::OTHER_MALLOC, u64::from(has_other_malloc()));
            witness.word(word::LOADED).fetch_add(1, Ordering::Release);
        } else {
            witness.word(word::OTHERS).fetch_add(1, Ordering::Relaxed);
        }
    }
    set_errno(kept);
}

/// The started process has ended in order.
pub fn ended() {
    if let Some(witness) = Witness::of_process()
        && witness.started.load(Ordering::Relaxed)
    {
        witness.word(word::ENDED).store(1, Ordering::Release);
    }
}

/// The statistics of the started process could not be written whole; it may have closed its standard error by then.
pub fn untold() {
    if let Some(witness) = Witness::of_process()
        && witness.started.load(Ordering::Relaxed)
    {
        witness.word(word::UNTOLD).store(1, Ordering::Release);
    }
}

/// The process cannot be recorded, for this error of the system's. A program may ask for memory before libraries begin.
pub fn refused(error: c_int) {
    begin();
    let Some(witness) = Witness::of_process() else { return };
    if witness.started.load(Ordering::Relaxed) {
        witness.word(word::REFUSED).store(error as u64, Ordering::Release);
    } else {
        witness.word(word::OTHERS_REFUSED).fetch_add(1, Ordering::Relaxed);
    }
}

/// Whether the `malloc` that the program meets is in another file than this library.
fn has_other_malloc() -> bool {
    let base_of = |address: *const c_void| {
        let mut module = Module { name: null(), base: null_mut(), symbol: null(), address: null_mut() };
        // SAFETY: looks an address up, whatever it is.
        (unsafe { dladdr(address, &mut module) } != 0).then_some(module.base)
    };
    // SAFETY: looks a name up.
    let malloc = unsafe { dlsym(RTLD_DEFAULT, c"malloc".as_ptr()) };
    base_of(malloc) != base_of(has_other_malloc as *const c_void) && !is_stub(malloc)
}

/// Whether a function's address is a stub: a program that is not position-independent and takes the address of `malloc` has
/// one of its own, by which all its files know the function, wherever that is. Its symbol has an address and no definition.
fn is_stub(function: *const c_void) -> bool {
    /// An entry of a table of symbols (ELF-64).
    #[repr(C)]
    struct Symbol {
        name: u32,
        info: u8,
        other: u8,
        section: u16,
        value: u64,
        size: u64,
    }
    const UNDEFINED: u16 = 0;
    const SYMBOL: c_int = 1;
    type Look = unsafe extern "C" fn(*const c_void, *mut Module, *mut *const Symbol, c_int) -> c_int;
    // SAFETY: looks a name up.
    let look = unsafe { dlsym(RTLD_DEFAULT, c"dladdr1".as_ptr()) };
    if look.is_null() {
        return false;
    }
    let mut module = Module { name: null(), base: null_mut(), symbol: null(), address: null_mut() };
    let mut symbol: *const Symbol = null();
    // SAFETY: the C library's function of this name has this type; it looks an address up, and points to a symbol of a file
    // that stays mapped, or leaves the null.
    unsafe {
        let look: Look = core::mem::transmute(look);
        look(function, &raw mut module, &raw mut symbol, SYMBOL) != 0
            && symbol.as_ref().is_some_and(|symbol| symbol.section == UNDEFINED)
    }
}

/// The page that the environment names, if it is one.
fn open_page() -> Option<&'static Witness> {
    // SAFETY: the names end with zeros.
    let (path, command) = unsafe { (getenv(c"HEAPSMITH_WITNESS".as_ptr()), getenv(c"HEAPSMITH_STARTED_BY".as_ptr())) };
    if path.is_null() {
        return None;
    }
    // SAFETY: the path ends with a zero; the file is closed by who opened it.
    let page = unsafe {
        let file = open_with_mode(path, O_RDWR_CLOEXEC, 0);
        if file < 0 {
            return None;
        }
        let mut magic = 0_u64;
        let is_page = read(file, (&raw mut magic).cast(), 8) == 8 && magic == MAGIC;
        let page = if is_page { map(BYTES, MAP_SHARED, file, 0) } else { null_mut() };
        close(file);
        page
    };
    let witness: *mut Witness = wiped_pages(size_of::<Witness>()).cast();
    // SAFETY: zeros are a valid witness.
    let witness = unsafe { witness.as_ref() }.filter(|_| !page.is_null())?;
    witness.page.store(page.cast(), Ordering::Relaxed);
    // SAFETY: asks for a number.
    let parent = unsafe { getppid() };
    witness.started.store(number(command) == Some(parent as u64), Ordering::Relaxed);
    WITNESS.store((&raw const *witness).cast_mut(), Ordering::Release);
    Some(witness)
}

fn number(text: *const c_char) -> Option<u64> {
    if text.is_null() {
        return None;
    }
    // SAFETY: an environment variable ends with a zero.
    let digits = unsafe { CStr::from_ptr(text) }.to_bytes();
    digits.iter().try_fold(0_u64, |number, digit| {
        digit.is_ascii_digit().then(|| number.wrapping_mul(10).wrapping_add(u64::from(digit - b'0')))
    })
}
