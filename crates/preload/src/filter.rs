//! What a filter of system calls (seccomp) would say: the kernel's small machine, as `seccomp(2)` restricts it.
//!
//! ```text
//!   number, processor, place, six arguments ──words──▶ A, X, 16 cells ──jumps forwards only──▶ an action
//! ```
//!
//! Source: `net/core/filter.c` and `kernel/seccomp.c` of Linux; McCanne and Jacobson 1993, *The BSD Packet Filter*.

use libc::{c_long, sock_filter};

/// The processor, as the kernel numbers it (`AUDIT_ARCH_X86_64`).
const X86_64: u32 = 0xc000_003e;

/// Cells of the machine's memory.
const CELLS: usize = 16;

/// Bytes of what a filter sees of a call.
const SEEN: u32 = 64;

/// A call as a filter sees it.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// Its number.
    pub number: c_long,
    /// What is passed.
    pub arguments: [u64; 6],
}

impl Call {
    /// The word at this offset of `struct seccomp_data`.
    fn word(self, offset: u32) -> Option<u32> {
        let word = |index: u32, value: u64| (value >> (32 * (index % 2))) as u32;
        match offset / 4 {
            _ if !offset.is_multiple_of(4) => None,
            0 => Some(self.number as u32),
            1 => Some(X86_64),
            // The place that the call comes from is not known.
            2 | 3 => Some(0),
            index => self.arguments.get(index as usize / 2 - 2).map(|argument| word(index, *argument)),
        }
    }
}

/// Whether a program that makes this call goes on: the call is made, or refused with an error. A filter that the kernel would
/// not take forbids nothing.
pub fn permits(filter: &[sock_filter], call: Call) -> bool {
    const KILL_PROCESS: u32 = 0x8000_0000;
    const KILL_THREAD: u32 = 0;
    const TRAP: u32 = 0x0003_0000;
    const ACTION: u32 = 0xffff_0000;
    let action = run(filter, call).map(|action| action & ACTION);
    !matches!(action, Some(KILL_PROCESS | KILL_THREAD | TRAP))
}

/// The action that a filter ends with; none if it is none of the kernel's filters.
fn run(filter: &[sock_filter], call: Call) -> Option<u32> {
    let (mut a, mut x, mut cells, mut at) = (0_u32, 0_u32, [0_u32; CELLS], 0_usize);
    // Jumps go forwards, so every instruction is executed once at most.
    while let Some(&sock_filter { code, jt, jf, k }) = filter.get(at) {
        at += 1;
        let jump = |holds: bool| usize::from(if holds { jt } else { jf });
        let operand = if code & 0x08 == 0 { k } else { x };
        match code {
            0x20 => a = call.word(k)?,
            0x80 => a = SEEN,
            0x81 => x = SEEN,
            0x00 => a = k,
            0x01 => x = k,
            0x60 => a = *cells.get(k as usize)?,
            0x61 => x = *cells.get(k as usize)?,
            0x02 => *cells.get_mut(k as usize)? = a,
            0x03 => *cells.get_mut(k as usize)? = x,
            0x07 => x = a,
            0x87 => a = x,
            0x04 | 0x0c => a = a.wrapping_add(operand),
            0x14 | 0x1c => a = a.wrapping_sub(operand),
            0x24 | 0x2c => a = a.wrapping_mul(operand),
            // A division by zero ends the filter with 0.
            0x34 | 0x3c => match a.checked_div(operand) {
                Some(quotient) => a = quotient,
                None => return Some(0),
            },
            0x44 | 0x4c => a |= operand,
            0x54 | 0x5c => a &= operand,
            0x64 | 0x6c => a = a.wrapping_shl(operand),
            0x74 | 0x7c => a = a.wrapping_shr(operand),
            0x84 => a = a.wrapping_neg(),
            0xa4 | 0xac => a ^= operand,
            0x05 => at = at.checked_add(k as usize)?,
            0x15 | 0x1d => at += jump(a == operand),
            0x25 | 0x2d => at += jump(a > operand),
            0x35 | 0x3d => at += jump(a >= operand),
            0x45 | 0x4d => at += jump(a & operand != 0),
            0x06 => return Some(k),
            0x16 => return Some(a),
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALLOW: u32 = 0x7fff_0000;
    const KILL: u32 = 0x8000_0000;
    const REFUSE: u32 = 0x0005_0001;

    fn step(code: u16, jt: u8, jf: u8, k: u32) -> sock_filter {
        sock_filter { code, jt, jf, k }
    }

    fn call(number: c_long, arguments: [u64; 6]) -> Call {
        Call { number, arguments }
    }

    #[test]
    fn a_list_of_calls_is_told_from_all_others() {
        // Another processor, then brk and write, then all others.
        let filter = [
            step(0x20, 0, 0, 4),
            step(0x15, 1, 0, X86_64),
            step(0x06, 0, 0, KILL),
            step(0x20, 0, 0, 0),
            step(0x15, 1, 0, libc::SYS_brk as u32),
            step(0x15, 0, 1, libc::SYS_write as u32),
            step(0x06, 0, 0, ALLOW),
            step(0x06, 0, 0, KILL),
        ];
        let may = |number| permits(&filter, call(number, [0; 6]));
        assert!(may(libc::SYS_brk) && may(libc::SYS_write));
        assert!(!may(libc::SYS_mmap) && !may(libc::SYS_madvise));
    }

    #[test]
    fn arguments_are_looked_at_in_both_halves() {
        // mmap is killed where it asks for pages that can be executed, or lies above 4 GiB; the rest is refused with an error.
        let filter = [
            step(0x20, 0, 0, 16 + 2 * 8),
            step(0x45, 0, 1, libc::PROT_EXEC as u32),
            step(0x06, 0, 0, KILL),
            step(0x20, 0, 0, 16 + 4),
            step(0x25, 0, 1, 0),
            step(0x06, 0, 0, 0),
            step(0x06, 0, 0, REFUSE),
        ];
        let may =
            |address: u64, access: i32| permits(&filter, call(libc::SYS_mmap, [address, 1, access as u64, 0, 0, 0]));
        assert!(may(0, libc::PROT_READ));
        assert!(!may(0, libc::PROT_READ | libc::PROT_EXEC));
        assert!(!may(1 << 32, libc::PROT_READ));
    }

    #[test]
    fn the_machine_counts_and_keeps() {
        // ((number + 3) * 2 - 1) ^ 5, kept, fetched, shifted, halved by division: returned as the action.
        let filter = [
            step(0x20, 0, 0, 0),
            step(0x04, 0, 0, 3),
            step(0x24, 0, 0, 2),
            step(0x14, 0, 0, 1),
            step(0xa4, 0, 0, 5),
            step(0x02, 0, 0, 7),
            step(0x00, 0, 0, 0),
            step(0x61, 0, 0, 7),
            step(0x87, 0, 0, 0),
            step(0x64, 0, 0, 4),
            step(0x34, 0, 0, 2),
            step(0x16, 0, 0, 0),
        ];
        assert_eq!(run(&filter, call(9, [0; 6])), Some((((9 + 3) * 2 - 1) ^ 5) * 8));
        assert_eq!(run(&[step(0x34, 0, 0, 0)], call(1, [0; 6])), Some(0), "a division by zero");
    }

    #[test]
    fn what_is_no_filter_forbids_nothing() {
        for filter in [
            &[][..],
            &[step(0x20, 0, 0, 3)],
            &[step(0x20, 0, 0, 64)],
            &[step(0x05, 0, 0, u32::MAX)],
            &[step(0xff, 0, 0, 0)],
        ] {
            assert!(permits(filter, call(0, [0; 6])), "{:?}", filter.len());
        }
    }
}
