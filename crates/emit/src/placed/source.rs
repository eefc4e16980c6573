//! A plan as C: C99 and later, C++ too.

use std::fmt::Write;

use super::neighbours::neighbours;
use super::{PlacedBlock, StaticPlan};
use crate::literal::lines;
use crate::{EmitError, File};

/// Blocks that C is written for at most: more assertions take a compiler minutes.
pub const MAX_BLOCKS: usize = 100_000;

/// What an assertion is called in each language.
pub(super) const MUST_HOLD: &str = "\
#ifdef __cplusplus
#define MUST_HOLD(condition, why) static_assert(condition, why)
#elif defined(__STDC_VERSION__) && (__STDC_VERSION__ >= 201112L)
#define MUST_HOLD(condition, why) _Static_assert(condition, why)
#else
/* C99 has no such assertion: an array of a negative length does not compile. */
#define MUST_HOLD(condition, why) extern int must_hold[(condition) ? 1 : -1]
#endif
";

impl StaticPlan {
    /// The header and the source.
    ///
    /// # Errors
    ///
    /// [`EmitError::TooManyBlocks`] above [`MAX_BLOCKS`].
    ///
    /// # Panics
    ///
    /// If two blocks that live at once begin at the same offset: a plan is verified before.
    pub fn c(&self) -> Result<[File; 2], EmitError> {
        if self.blocks.len() > MAX_BLOCKS {
            return Err(EmitError::TooManyBlocks { blocks: self.blocks.len(), max: MAX_BLOCKS });
        }
        let name = self.name.lower();
        let files = [(format!("{name}.h"), self.header()), (format!("{name}.c"), self.source())];
        Ok(files.map(|(name, text)| File::new(name, text)))
    }

    fn header(&self) -> String {
        let (name, upper) = (self.name.lower(), self.name.upper());
        let (bytes, alignment, blocks) =
            (self.constant(self.bytes), self.constant(self.alignment()), self.blocks.len());
        let integer = self.integer();
        format!(
            "{}#ifndef {upper}_H\n#define {upper}_H\n\n#include <stddef.h>\n#include <stdint.h>\n\n\
             #ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n\
             /* Bytes of the buffer, what its address has to be a multiple of, and blocks in it. */\n\
             #define {upper}_BYTES {bytes}\n#define {upper}_ALIGNMENT {alignment}\n#define {upper}_BLOCKS {blocks}U\n\n\
             /* A block: where it begins in the buffer, and its bytes. */\n\
             typedef struct {{\n    {integer} offset;\n    {integer} size;\n}} {name}_block;\n\n\
             /* The blocks, in the order of {name}.csv, which has their names and lifetimes. */\n\
             extern const {name}_block {name}_blocks[{upper}_BLOCKS];\n\n\
             /* The address of a block in the buffer; NULL for a number that no block has. */\n\
             void *{name}_address(void *buffer, size_t block);\n\n\
             #ifdef __cplusplus\n}}\n#endif\n\n#endif\n",
            comment(name, "a static memory plan", &self.about),
        )
    }

    fn source(&self) -> String {
        let (name, upper) = (self.name.lower(), self.name.upper());
        let mut text = comment(name, "a static memory plan", &self.about);
        let _ = writeln!(text, "#include \"{name}.h\"\n\n{MUST_HOLD}");
        for (number, PlacedBlock { offset, size, .. }) in self.blocks.iter().enumerate() {
            let (offset, size) = (self.constant(*offset), self.constant(*size));
            let _ = writeln!(text, "#define OFFSET_{number} {offset}\n#define SIZE_{number} {size}");
        }
        let _ = writeln!(text, "\nconst {name}_block {name}_blocks[{upper}_BLOCKS] = {{");
        (0..self.blocks.len()).for_each(|number| {
            let _ = writeln!(text, "    {{ OFFSET_{number}, SIZE_{number} }},");
        });
        let _ = writeln!(
            text,
            "}};\n\nMUST_HOLD({upper}_BYTES <= SIZE_MAX, \"the buffer can be addressed\");\n\
             \n/* Every block ends within the buffer, and is aligned. */"
        );
        for (number, PlacedBlock { alignment, .. }) in self.blocks.iter().enumerate() {
            let _ = writeln!(
                text,
                "MUST_HOLD(SIZE_{number} <= {upper}_BYTES && OFFSET_{number} <= {upper}_BYTES - SIZE_{number}, \"block {number}\");"
            );
            if *alignment > 1 {
                let alignment = self.constant(*alignment);
                let _ = writeln!(text, "MUST_HOLD(OFFSET_{number} % {alignment} == 0, \"block {number}\");");
            }
        }
        text.push_str(
            "\n/* Of neighbours at some moment the lower ends before the upper begins: no two blocks that live at once overlap. */\n",
        );
        let pairs = neighbours(&self.blocks).expect("a verified plan");
        for (lower, upper) in pairs {
            let _ = writeln!(
                text,
                "MUST_HOLD(OFFSET_{lower} <= OFFSET_{upper} && SIZE_{lower} <= OFFSET_{upper} - OFFSET_{lower}, \"blocks {lower} and {upper}\");"
            );
        }
        let _ = write!(
            text,
            "\nvoid *{name}_address(void *buffer, size_t block)\n{{\n    if (block >= {upper}_BLOCKS) {{\n        return NULL;\n    }}\n    \
             return (unsigned char *)buffer + (size_t){name}_blocks[block].offset;\n}}\n"
        );
        text
    }

    /// A number of that type, so that nothing wraps where `int` has 16 bits.
    fn constant(&self, number: u64) -> String {
        constant(number, self.bytes)
    }

    /// The type that holds every offset.
    fn integer(&self) -> &'static str {
        if self.bytes <= u32::MAX.into() { "uint32_t" } else { "uint64_t" }
    }
}

/// A number as a constant of the type that holds `max`.
pub(super) fn constant(number: u64, max: u64) -> String {
    if max <= u32::MAX.into() { format!("UINT32_C({number})") } else { format!("UINT64_C({number})") }
}

/// The comment at the beginning of a file.
pub(super) fn comment(name: &str, what: &str, about: &[String]) -> String {
    let mut text = format!("/* {name}: {what}, written by heapsmith {}.\n *\n", env!("CARGO_PKG_VERSION"));
    for line in about.iter().flat_map(|line| lines(&line.replace("*/", "* /"), 110)) {
        let _ = writeln!(text, " * {line}");
    }
    text + " */\n"
}
