//! The tables that the dynamic linker filled in: in which words of a module is what it takes from others.

use core::ffi::{CStr, c_char, c_long, c_void};
use core::sync::atomic::{AtomicPtr, Ordering};

use heapsmith_capture::system::{Image, PROT_READ, PROT_READ_WRITE, mprotect};

use super::PAGE;

/// The tables of a module.
pub struct Module {
    bias: usize,
    /// Its first address, and the first behind it.
    pub bounds: (usize, usize),
    protected: (usize, usize),
    symbols: *const Symbol,
    names: *const c_char,
    /// Where its relocations are, and how many: those of calls, and the others.
    relocations: [(*const Relocation, usize); 2],
}

#[repr(C)]
struct Dynamic {
    tag: i64,
    value: usize,
}

#[repr(C)]
struct Relocation {
    offset: usize,
    info: u64,
    addend: i64,
}

#[repr(C)]
pub struct Symbol {
    name: u32,
    others: u32,
    value: usize,
    size: usize,
}

impl Symbol {
    /// Whether the module takes it from another one.
    pub fn is_undefined(&self) -> bool {
        self.others >> 16 == 0
    }
}

/// Kinds of relocations: an address in data, one in the table of data, one in the table of calls.
const ADDRESS: u32 = 1;
const DATA: u32 = 6;
pub const CALL: u32 = 7;

impl Module {
    /// The module's tables; nothing where it has none, as the system's own.
    ///
    /// # Safety
    ///
    /// The image is that of a module that is loaded.
    pub unsafe fn of(image: &Image) -> Option<Module> {
        const LOAD: u32 = 1;
        const DYNAMIC: u32 = 2;
        const READ_ONLY: u32 = 0x6474_e552;
        // SAFETY: the dynamic linker's own table.
        let segments = unsafe { core::slice::from_raw_parts(image.segments, usize::from(image.count)) };
        let at = |address: usize| image.bias.wrapping_add(address);
        let mut module = Module {
            bias: image.bias,
            bounds: (usize::MAX, 0),
            protected: (0, 0),
            symbols: core::ptr::null(),
            names: core::ptr::null(),
            relocations: [(core::ptr::null(), 0); 2],
        };
        let mut table: *const Dynamic = core::ptr::null();
        for segment in segments {
            let (start, end) = (at(segment.address), at(segment.address + segment.size));
            match segment.kind {
                LOAD => module.bounds = (module.bounds.0.min(start), module.bounds.1.max(end)),
                DYNAMIC => table = start as *const Dynamic,
                READ_ONLY => module.protected = (start & !(PAGE - 1), end & !(PAGE - 1)),
                _ => {}
            }
        }
        // SAFETY: the table is in the module, and ends with a zero.
        unsafe { module.read(table.as_ref()?) };
        (!module.symbols.is_null() && !module.names.is_null()).then_some(module)
    }

    /// # Safety
    ///
    /// The first entry of the module's table, which ends with a zero.
    unsafe fn read(&mut self, first: &Dynamic) {
        const CALLS_BYTES: i64 = 2;
        const NAMES: i64 = 5;
        const SYMBOLS: i64 = 6;
        const OTHERS: i64 = 7;
        const OTHERS_BYTES: i64 = 8;
        const CALLS: i64 = 23;
        let mut entry: *const Dynamic = first;
        // SAFETY: the caller's promise.
        while let Some(found) = unsafe { entry.as_ref() }.filter(|entry| entry.tag != 0) {
            let count = found.value / size_of::<Relocation>();
            // Some dynamic linkers write addresses into this table, and others leave what the file says.
            let address = if found.value < self.bounds.0 { found.value.wrapping_add(self.bias) } else { found.value };
            match found.tag {
                CALLS_BYTES => self.relocations[0].1 = count,
                CALLS => self.relocations[0].0 = address as *const Relocation,
                OTHERS_BYTES => self.relocations[1].1 = count,
                OTHERS => self.relocations[1].0 = address as *const Relocation,
                NAMES => self.names = address as *const c_char,
                SYMBOLS => self.symbols = address as *const Symbol,
                _ => {}
            }
            // SAFETY: it was not the last.
            entry = unsafe { entry.add(1) };
        }
    }

    pub fn has(&self, address: *mut c_void) -> bool {
        (self.bounds.0..self.bounds.1).contains(&(address as usize))
    }

    /// Shows each word that the dynamic linker filled in by a name: its kind, where it is, the symbol, and the name.
    ///
    /// # Safety
    ///
    /// The module is loaded.
    pub unsafe fn words(&self, show: &mut dyn FnMut(u32, Word, &Symbol, &CStr)) {
        for (first, count) in self.relocations {
            for number in 0..if first.is_null() { 0 } else { count } {
                // SAFETY: the module's own tables.
                let (relocation, kind, symbol) = unsafe {
                    let relocation = &*first.add(number);
                    (relocation, relocation.info as u32, (relocation.info >> 32) as usize)
                };
                if !matches!(kind, ADDRESS | DATA | CALL) || symbol == 0 || kind == ADDRESS && relocation.addend != 0 {
                    continue;
                }
                let word = self.bias.wrapping_add(relocation.offset);
                if word % align_of::<usize>() == 0 && self.has(word as *mut c_void) {
                    // SAFETY: as before; names end with zeros.
                    let (symbol, name) = unsafe {
                        let symbol = &*self.symbols.add(symbol);
                        (symbol, CStr::from_ptr(self.names.add(symbol.name as usize)))
                    };
                    let word = Word { word, module: self.bounds, protected: self.protected };
                    show(kind, word, symbol, name);
                }
            }
        }
    }
}

/// A word of a module's table.
#[derive(Clone, Copy)]
pub struct Word {
    /// Where it is.
    pub word: usize,
    /// The module's first address, and the first behind it.
    module: (usize, usize),
    /// The pages that the dynamic linker made read-only.
    protected: (usize, usize),
}

impl Word {
    /// # Safety
    ///
    /// The module is loaded.
    pub unsafe fn get<'a>(self) -> &'a AtomicPtr<c_void> {
        // SAFETY: a word that the dynamic linker writes is aligned, and is a word of the module.
        unsafe { &*(self.word as *const AtomicPtr<c_void>) }
    }

    /// Whether something is in the same module: the piece of code that finds a function when it is first called.
    pub fn is_within(self, address: *mut c_void) -> bool {
        (self.module.0..self.module.1).contains(&(address as usize))
    }

    /// Writes the word; 1 where the system let it.
    ///
    /// # Safety
    ///
    /// The module is loaded.
    pub unsafe fn set(self, to: *mut c_void) -> c_long {
        let page = (self.word & !(PAGE - 1)) as *mut c_void;
        let is_protected = (self.protected.0..self.protected.1).contains(&self.word);
        // SAFETY: the page is the module's table; as it was protected before, it is again.
        unsafe {
            if is_protected && mprotect(page, PAGE, PROT_READ_WRITE) != 0 {
                return 0;
            }
            self.get().store(to, Ordering::Release);
            if is_protected {
                mprotect(page, PAGE, PROT_READ);
            }
        }
        1
    }
}
