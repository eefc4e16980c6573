//! The code of a function: what a jump at its beginning replaces, and what does the same elsewhere.

use heapsmith_capture::own_functions::{Few, Function, JUMP, Role};
use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic};
use object::{Object, ObjectSection};

use super::Symbol;

/// The code of a function; where its size is not known, up to the next one or the end of its section.
pub(super) fn code<'f>(file: &object::File<'f>, symbol: &Symbol, next: Option<u64>) -> Option<&'f [u8]> {
    let section = file
        .sections()
        .find(|section| (section.address()..section.address() + section.size()).contains(&symbol.address))?;
    let code = section.data().ok()?.get((symbol.address - section.address()) as usize..)?;
    let max = next.map_or(code.len(), |next| code.len().min((next - symbol.address) as usize));
    let size = symbol.size as usize;
    // Behind a function that is shorter than a jump, what fills up the place to the next one may be replaced, too.
    let is_filled = || {
        let behind = code.get(size..max.min(JUMP + LONGEST_INSTRUCTION)).unwrap_or_default();
        let filling = Decoder::new(64, behind, DecoderOptions::NONE).into_iter();
        let length =
            filling.take_while(|it| [Mnemonic::Nop, Mnemonic::Int3].contains(&it.mnemonic())).map(|it| it.len());
        size + length.sum::<usize>()
    };
    code.get(
        ..match size {
            0 => max,
            size if size < JUMP => is_filled(),
            size => size,
        },
    )
}

/// Bytes of an instruction at most.
const LONGEST_INSTRUCTION: usize = 15;

/// Finds what a jump at the beginning of `code` replaces, and what does the same elsewhere.
pub(super) fn movable(role: Role, address: u64, code: &[u8]) -> Result<Function, &'static str> {
    let (mut before, mut moved, mut fixes) = (Few::NONE, Few::NONE, Few::NONE);
    let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    while before.bytes().len() < JUMP {
        let instruction = decoder.decode();
        let from = before.bytes().len();
        if instruction.is_invalid() {
            return Err("it is shorter than a jump, or begins with what is no instruction");
        }
        let bytes = &code[from..decoder.position()];
        let constants = decoder.get_constant_offsets(&instruction);
        let at = moved.bytes().len();
        let room = "its first instructions are too long";
        before.add(bytes).ok_or(room)?;
        match relocated(&instruction, bytes, at as u64, address) {
            Some(longer) => {
                moved.add(&longer?).ok_or(room)?;
                fixes.add(&[(moved.bytes().len() - 4) as u8]).ok_or(room)?;
            }
            None if instruction.is_ip_rel_memory_operand() => {
                let field = constants.displacement_offset();
                let distance = i32::from_le_bytes(bytes[field..field + 4].try_into().map_err(|_| room)?);
                // As if the instruction were where `moved` would be at the function's address.
                let distance = distance.wrapping_add(from as i32 - at as i32);
                moved.add(&bytes[..field]).ok_or(room)?;
                moved.add(&distance.to_le_bytes()).ok_or(room)?;
                moved.add(&bytes[field + 4..]).ok_or(room)?;
                fixes.add(&[(at + field) as u8]).ok_or(room)?;
            }
            None => moved.add(bytes).ok_or(room)?,
        }
    }
    let mut moved_instructions = Decoder::with_ip(64, &code[..before.bytes().len()], address, DecoderOptions::NONE);
    if moved_instructions.iter().any(|instruction| {
        let target = instruction.near_branch_target();
        target > address && target < address + JUMP as u64
            || target != 0 && target == instruction.next_ip() && is_call(&instruction)
    }) {
        return Err("its first instructions jump among themselves");
    }
    // What follows an end or a jump is either not reached, or by a jump that is found here.
    // Behind the jump the instructions are still there.
    let replaced = address..address + JUMP as u64;
    for instruction in decoder.iter() {
        let target = instruction.near_branch_target();
        if target != replaced.start && replaced.contains(&target) {
            return Err("it jumps back between its first instructions");
        }
    }
    Ok(Function { role, address: address as usize, before, moved, fixes })
}

fn is_call(instruction: &Instruction) -> bool {
    instruction.flow_control() == FlowControl::Call
}

/// A jump or call with a distance, in the form that reaches far, `at` bytes behind `address`; nothing for other instructions.
fn relocated(instruction: &Instruction, bytes: &[u8], at: u64, address: u64) -> Option<Result<Vec<u8>, &'static str>> {
    if instruction.near_branch_target() == 0 {
        return None;
    }
    let opcode: Vec<u8> = match instruction.flow_control() {
        FlowControl::UnconditionalBranch => vec![0xE9],
        FlowControl::Call => vec![0xE8],
        FlowControl::ConditionalBranch if instruction.is_jcc_short_or_near() => {
            // The low four bits of either form's opcode are the condition.
            let short = instruction.is_jcc_short();
            vec![0x0F, 0x80 | bytes[bytes.len() - if short { 2 } else { 5 }] & 0x0F]
        }
        _ => return Some(Err("it begins with a loop")),
    };
    let end = address + at + opcode.len() as u64 + 4;
    let distance = instruction.near_branch_target().wrapping_sub(end) as i64;
    Some(match i32::try_from(distance) {
        Ok(distance) => Ok([opcode, distance.to_le_bytes().to_vec()].concat()),
        Err(_) => Err("it begins with a jump that cannot be moved"),
    })
}
