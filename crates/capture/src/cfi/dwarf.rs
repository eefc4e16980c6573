//! The numbers that unwind tables are written in, by the names of their standards
//! (in capitals).
//!
//! Source: DWARF 4 §7.23 (call frame instructions); Linux Standard Base 5 §10.5 (pointer encodings); System V ABI for x86-64,
//! figure 3.36 (registers).

/// Instructions whose low six bits are an operand: the high two.
pub const DW_CFA_ADVANCE_LOC: u8 = 0x40;
pub const DW_CFA_OFFSET: u8 = 0x80;
pub const DW_CFA_RESTORE: u8 = 0xc0;
/// The bits of these, and those of their operand.
pub const PRIMARY: u8 = 0xc0;
pub const OPERAND: u8 = 0x3f;

pub const DW_CFA_NOP: u8 = 0x00;
pub const DW_CFA_ADVANCE_LOC1: u8 = 0x02;
pub const DW_CFA_ADVANCE_LOC2: u8 = 0x03;
pub const DW_CFA_ADVANCE_LOC4: u8 = 0x04;
pub const DW_CFA_OFFSET_EXTENDED: u8 = 0x05;
pub const DW_CFA_RESTORE_EXTENDED: u8 = 0x06;
pub const DW_CFA_UNDEFINED: u8 = 0x07;
pub const DW_CFA_SAME_VALUE: u8 = 0x08;
pub const DW_CFA_REGISTER: u8 = 0x09;
pub const DW_CFA_REMEMBER_STATE: u8 = 0x0a;
pub const DW_CFA_RESTORE_STATE: u8 = 0x0b;
pub const DW_CFA_DEF_CFA: u8 = 0x0c;
pub const DW_CFA_DEF_CFA_REGISTER: u8 = 0x0d;
pub const DW_CFA_DEF_CFA_OFFSET: u8 = 0x0e;
pub const DW_CFA_DEF_CFA_EXPRESSION: u8 = 0x0f;
pub const DW_CFA_EXPRESSION: u8 = 0x10;
pub const DW_CFA_OFFSET_EXTENDED_SF: u8 = 0x11;
pub const DW_CFA_DEF_CFA_SF: u8 = 0x12;
pub const DW_CFA_DEF_CFA_OFFSET_SF: u8 = 0x13;
pub const DW_CFA_VAL_OFFSET: u8 = 0x14;
pub const DW_CFA_VAL_OFFSET_SF: u8 = 0x15;
pub const DW_CFA_VAL_EXPRESSION: u8 = 0x16;
pub const DW_CFA_GNU_ARGS_SIZE: u8 = 0x2e;

/// The form of a pointer: the low four bits of its encoding.
pub const FORM: u8 = 0x0f;
pub const DW_EH_PE_ABSPTR: u8 = 0x00;
pub const DW_EH_PE_UDATA4: u8 = 0x03;
pub const DW_EH_PE_UDATA8: u8 = 0x04;
pub const DW_EH_PE_SDATA4: u8 = 0x0b;
pub const DW_EH_PE_SDATA8: u8 = 0x0c;
/// What a pointer is relative to: the high four.
pub const RELATIVE_TO: u8 = 0xf0;
pub const DW_EH_PE_PCREL: u8 = 0x10;
pub const DW_EH_PE_DATAREL: u8 = 0x30;

/// Registers of x86-64.
pub const RBP: u64 = 6;
pub const RSP: u64 = 7;
/// The column of the return address.
pub const RETURN_ADDRESS: u64 = 16;
