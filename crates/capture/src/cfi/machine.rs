//! The instructions of an unwind table, run up to a place in the code.

use super::dwarf::{
    DW_CFA_GNU_ARGS_SIZE, DW_CFA_ADVANCE_LOC, DW_CFA_ADVANCE_LOC1, DW_CFA_ADVANCE_LOC2, DW_CFA_ADVANCE_LOC4, DW_CFA_DEF_CFA,
    DW_CFA_DEF_CFA_EXPRESSION, DW_CFA_DEF_CFA_OFFSET, DW_CFA_DEF_CFA_OFFSET_SF, DW_CFA_DEF_CFA_REGISTER, DW_CFA_DEF_CFA_SF,
    DW_CFA_EXPRESSION, DW_CFA_NOP, DW_CFA_OFFSET, DW_CFA_OFFSET_EXTENDED, DW_CFA_OFFSET_EXTENDED_SF, DW_CFA_REGISTER,
    DW_CFA_REMEMBER_STATE, DW_CFA_RESTORE, DW_CFA_RESTORE_EXTENDED, DW_CFA_RESTORE_STATE, DW_CFA_SAME_VALUE, DW_CFA_UNDEFINED,
    DW_CFA_VAL_EXPRESSION, DW_CFA_VAL_OFFSET, DW_CFA_VAL_OFFSET_SF, OPERAND, PRIMARY, RBP, RETURN_ADDRESS, RSP,
};
use super::reader::Reader;
use super::{Common, Frame};

/// States that may be remembered at once.
const DEPTH: usize = 8;

/// Where frame and registers are.
#[derive(Clone, Copy, Default)]
pub(super) struct State {
    /// 0 where the frame is computed in a way that is not understood.
    register: u64,
    offset: i64,
    /// Where `rbp` is saved, from the frame.
    rbp: Option<i64>,
    /// The return address is not where it should be: the outermost function.
    outermost: bool,
    /// `rbp` is somewhere else.
    lost: bool,
}

/// What runs the instructions.
#[derive(Default)]
pub(super) struct Machine {
    pub(super) state: State,
    pub(super) initial: State,
    remembered: [State; DEPTH],
    depth: usize,
}

impl Machine {
    /// Runs the instructions for the code up to `until`.
    pub(super) fn run(&mut self, mut code: Reader, cie: &Common, until: u64) -> Option<()> {
        let mut location = 0_u64;
        while !code.is_empty() {
            let instruction = code.u8()?;
            let advance = match (instruction & PRIMARY, instruction) {
                (DW_CFA_ADVANCE_LOC, _) => u64::from(instruction & OPERAND),
                (_, DW_CFA_ADVANCE_LOC1) => u64::from(code.u8()?),
                (_, DW_CFA_ADVANCE_LOC2) => code.unsigned(2)?,
                (_, DW_CFA_ADVANCE_LOC4) => code.unsigned(4)?,
                _ => {
                    self.step(instruction, &mut code, cie)?;
                    continue;
                }
            };
            location += advance * cie.code;
            if location > until {
                break;
            }
        }
        Some(())
    }

    /// Runs an instruction that does not advance.
    fn step(&mut self, instruction: u8, code: &mut Reader, cie: &Common) -> Option<()> {
        let operand = u64::from(instruction & OPERAND);
        match instruction & PRIMARY {
            DW_CFA_OFFSET => {
                let offset = code.uleb()? as i64 * cie.data;
                self.saved(operand, Some(offset));
            }
            DW_CFA_RESTORE => self.restored(operand),
            _ if self.frame_moves(instruction, code, cie)? => {}
            _ => self.register_moves(instruction, code, cie)?,
        }
        Some(())
    }

    /// Runs an instruction that defines the frame's place, or remembers it; false for another.
    fn frame_moves(&mut self, instruction: u8, code: &mut Reader, cie: &Common) -> Option<bool> {
        let state = &mut self.state;
        match instruction {
            DW_CFA_DEF_CFA => (state.register, state.offset) = (code.uleb()?, code.uleb()? as i64),
            DW_CFA_DEF_CFA_SF => (state.register, state.offset) = (code.uleb()?, code.sleb()? * cie.data),
            DW_CFA_DEF_CFA_REGISTER => state.register = code.uleb()?,
            DW_CFA_DEF_CFA_OFFSET => state.offset = code.uleb()? as i64,
            DW_CFA_DEF_CFA_OFFSET_SF => state.offset = code.sleb()? * cie.data,
            DW_CFA_DEF_CFA_EXPRESSION => {
                let length = code.uleb()?;
                code.skip(length)?;
                state.register = 0;
            }
            DW_CFA_REMEMBER_STATE => {
                *self.remembered.get_mut(self.depth)? = *state;
                self.depth += 1;
            }
            DW_CFA_RESTORE_STATE => {
                self.depth = self.depth.checked_sub(1)?;
                *state = *self.remembered.get(self.depth)?;
            }
            _ => return Some(false),
        }
        Some(true)
    }

    /// Runs an instruction that defines a register's place.
    fn register_moves(&mut self, instruction: u8, code: &mut Reader, cie: &Common) -> Option<()> {
        match instruction {
            DW_CFA_NOP => {}
            DW_CFA_OFFSET_EXTENDED => {
                let (register, offset) = (code.uleb()?, code.uleb()? as i64 * cie.data);
                self.saved(register, Some(offset));
            }
            DW_CFA_OFFSET_EXTENDED_SF => {
                let (register, offset) = (code.uleb()?, code.sleb()? * cie.data);
                self.saved(register, Some(offset));
            }
            DW_CFA_RESTORE_EXTENDED => {
                let register = code.uleb()?;
                self.restored(register);
            }
            DW_CFA_UNDEFINED | DW_CFA_SAME_VALUE => {
                let register = code.uleb()?;
                self.saved(register, None);
                self.state.outermost |= instruction == DW_CFA_UNDEFINED && register == RETURN_ADDRESS;
            }
            DW_CFA_EXPRESSION | DW_CFA_VAL_EXPRESSION => {
                let (register, length) = (code.uleb()?, code.uleb()?);
                code.skip(length)?;
                self.misplaced(register);
            }
            DW_CFA_REGISTER | DW_CFA_VAL_OFFSET | DW_CFA_VAL_OFFSET_SF => {
                let (register, _) = (code.uleb()?, code.uleb()?);
                self.misplaced(register);
            }
            // The size of pushed arguments, which changes nothing.
            DW_CFA_GNU_ARGS_SIZE => _ = code.uleb()?,
            _ => return None,
        }
        Some(())
    }

    fn saved(&mut self, register: u64, offset: Option<i64>) {
        match register {
            RBP => (self.state.rbp, self.state.lost) = (offset, false),
            RETURN_ADDRESS => self.state.outermost = offset != Some(-8),
            _ => {}
        }
    }

    fn restored(&mut self, register: u64) {
        match register {
            RBP => (self.state.rbp, self.state.lost) = (self.initial.rbp, self.initial.lost),
            RETURN_ADDRESS => self.state.outermost = self.initial.outermost,
            _ => {}
        }
    }

    fn misplaced(&mut self, register: u64) {
        match register {
            RBP => self.state.lost = true,
            RETURN_ADDRESS => self.state.outermost = true,
            _ => {}
        }
    }

    /// The frame, if it is where it is understood.
    pub(super) fn frame(&self) -> Option<Frame> {
        let State { register, offset, rbp, outermost, lost } = self.state;
        if outermost || lost || (register != RBP && register != RSP) {
            return None;
        }
        let rbp_saved_below = match rbp {
            Some(offset) if offset >= 0 => return None,
            offset => offset.map(|offset| -offset),
        };
        Some(Frame { by_rbp: register == RBP, offset, rbp_saved_below })
    }
}
