//! Damage to a file: bits flipped, parts cut, repeated, dropped and exchanged, numbers made extreme.

use fastrand::Rng;

/// Numbers at which something often breaks.
const EXTREMES: [u64; 16] = [
    0,
    1,
    2,
    3,
    0x7f,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0xffff_ffff_ffff_fff0,
    u64::MAX,
];

/// Words that texts of numbers and names may not expect.
const WORDS: [&str; 20] = [
    "-1",
    "0",
    "1e999",
    "NaN",
    "inf",
    "0x",
    "0xffffffffffffffffff",
    "99999999999999999999999",
    "\0",
    "\n",
    "\r\n",
    "\t",
    ",",
    "\"",
    "'",
    "\u{1b}[31m",
    "ß",
    "\u{feff}",
    "\\",
    "=",
];

/// A file with one to six changes; parts of another may come into it.
pub fn damaged(draw: &mut Rng, file: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = file.to_vec();
    for _ in 0..draw.usize(1..=6) {
        change(draw, &mut bytes, other);
    }
    bytes
}

fn change(draw: &mut Rng, bytes: &mut Vec<u8>, other: &[u8]) {
    if bytes.is_empty() {
        bytes.extend_from_slice(part(draw, other, 40));
        return;
    }
    let at = draw.usize(..bytes.len());
    match draw.u8(..12) {
        0 | 1 => bytes[at] ^= 1 << draw.u8(..8),
        2 => bytes[at] = draw.u8(..),
        3 => bytes.truncate(at),
        4 => drop(bytes.drain(at..(at + draw.usize(1..20)).min(bytes.len()))),
        5 => {
            let repeated = part(draw, bytes, 80).to_vec();
            bytes.splice(at..at, repeated);
        }
        6 => drop(bytes.splice(at..at, WORDS[draw.usize(..WORDS.len())].bytes())),
        7 => {
            let end = (at + draw.usize(1..40)).min(bytes.len());
            bytes[at..end].fill(draw.choice([0, 0xff, b' ', b'9']).unwrap_or(0));
        }
        8 => drop(bytes.splice(at..at, part(draw, other, 60).iter().copied())),
        9 => number_in_text(draw, bytes, at),
        _ => number_in_bytes(draw, bytes, at),
    }
}

/// Some bytes of a file.
fn part<'a>(draw: &mut Rng, file: &'a [u8], max: usize) -> &'a [u8] {
    if file.is_empty() {
        return file;
    }
    let at = draw.usize(..file.len());
    &file[at..(at + draw.usize(1..=max)).min(file.len())]
}

/// Makes the first number of a text from a place on extreme.
fn number_in_text(draw: &mut Rng, bytes: &mut Vec<u8>, at: usize) {
    let Some(first) = bytes[at..].iter().position(u8::is_ascii_digit) else { return };
    let first = at + first;
    let length = bytes[first..].iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(bytes.len() - first);
    let number = EXTREMES[draw.usize(..EXTREMES.len())];
    let text = if draw.bool() { number.to_string() } else { format!("{number:x}") };
    bytes.splice(first..first + length, text.into_bytes());
}

/// Makes a number of one, two, four or eight bytes extreme, in either order; fields mostly lie at multiples of four.
fn number_in_bytes(draw: &mut Rng, bytes: &mut [u8], at: usize) {
    let length = 1 << draw.usize(..4);
    let at = if draw.bool() { at & !3 } else { at };
    let number = EXTREMES[draw.usize(..EXTREMES.len())];
    let (little, big) = (number.to_le_bytes(), number.to_be_bytes());
    let field = if draw.bool() { &little[..length] } else { &big[8 - length..] };
    let end = (at + length).min(bytes.len());
    bytes[at..end].copy_from_slice(&field[..end - at]);
}
