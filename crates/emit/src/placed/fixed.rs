//! Fixed pools as C: block sizes and counts, for the pools of a kernel or one's own.

use std::fmt::Write;

use super::source::{MUST_HOLD, comment, constant};
use crate::{File, Name};

/// Pools of fixed blocks whose counts were proven to serve a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaticPools {
    /// The name of files and symbols.
    pub name: Name,
    /// Lines for a comment: what they were made of, what was proven.
    pub about: Vec<String>,
    /// Bytes of a block and blocks of each pool, by ascending bytes.
    pub pools: Vec<(u64, u64)>,
    /// What bytes of blocks are multiples of.
    pub alignment: u64,
}

impl StaticPools {
    /// Bytes of all pools.
    pub fn bytes(&self) -> u64 {
        self.pools.iter().map(|(block, blocks)| block * blocks).sum()
    }

    /// The pools as CSV.
    pub fn csv(&self) -> File {
        let lines = self.pools.iter().map(|(block, blocks)| format!("{block},{blocks}\n"));
        File::new(format!("{}.csv", self.name.lower()), format!("block,blocks\n{}", lines.collect::<String>()))
    }

    /// The header and the source.
    pub fn c(&self) -> [File; 2] {
        let name = self.name.lower();
        [(format!("{name}.h"), self.header()), (format!("{name}.c"), self.source())]
            .map(|(name, text)| File::new(name, text))
    }

    fn header(&self) -> String {
        let (name, upper) = (self.name.lower(), self.name.upper());
        let mut each = String::new();
        for (number, (block, blocks)) in self.pools.iter().enumerate() {
            let _ = write!(
                each,
                " \\\n    POOL({number}, {}, {})",
                constant(*block, self.bytes()),
                constant(*blocks, self.bytes())
            );
        }
        let integer = self.integer();
        let (pools, bytes) = (self.pools.len(), constant(self.bytes(), self.bytes()));
        format!(
            "{}#ifndef {upper}_H\n#define {upper}_H\n\n#include <stddef.h>\n#include <stdint.h>\n\n\
             #ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n\
             /* Pools, their bytes together, and what the bytes of a block are a multiple of. */\n\
             #define {upper}_POOLS {pools}U\n#define {upper}_BYTES {bytes}\n#define {upper}_ALIGNMENT {}\n\n\
             /* Each pool with its number, bytes of a block and blocks: define POOL(number, block, blocks), as one that declares a\n \
             * pool of your kernel. */\n\
             #define {upper}_EACH(POOL){each}\n\n\
             /* A pool: bytes of a block, blocks, and where it begins if all pools lie in one buffer. */\n\
             typedef struct {{\n    {integer} block;\n    {integer} blocks;\n    {integer} offset;\n}} {name}_pool;\n\n\
             extern const {name}_pool {name}_pools[{upper}_POOLS];\n\n\
             /* The number of the pool that serves a request; {upper}_POOLS if none does. */\n\
             size_t {name}_pool_of(size_t size);\n\n\
             #ifdef __cplusplus\n}}\n#endif\n\n#endif\n",
            comment(name, "pools of fixed blocks", &self.about),
            constant(self.alignment, self.bytes()),
        )
    }

    fn source(&self) -> String {
        let (name, upper) = (self.name.lower(), self.name.upper());
        let mut text = comment(name, "pools of fixed blocks", &self.about);
        let _ = write!(text, "#include \"{name}.h\"\n\n{MUST_HOLD}\n");
        let mut offset = 0;
        let mut table = String::new();
        for (number, (block, blocks)) in self.pools.iter().enumerate() {
            let _ = writeln!(
                text,
                "#define BLOCK_{number} {}\n#define BLOCKS_{number} {}\n#define OFFSET_{number} {}",
                constant(*block, self.bytes()),
                constant(*blocks, self.bytes()),
                constant(offset, self.bytes())
            );
            let _ = writeln!(table, "    {{ BLOCK_{number}, BLOCKS_{number}, OFFSET_{number} }},");
            offset += block * blocks;
        }
        let _ = writeln!(text, "\nconst {name}_pool {name}_pools[{upper}_POOLS] = {{\n{table}}};\n");
        let _ = writeln!(text, "/* Blocks are aligned, pools ascend, and each begins where the one before ends. */");
        for number in 0..self.pools.len() {
            let _ = writeln!(text, "MUST_HOLD(BLOCK_{number} % {upper}_ALIGNMENT == 0, \"pool {number} is aligned\");");
            let end = format!("OFFSET_{number} + (BLOCK_{number} * BLOCKS_{number})");
            let next = number + 1;
            let _ = match next < self.pools.len() {
                true => writeln!(
                    text,
                    "MUST_HOLD(BLOCK_{number} < BLOCK_{next}, \"pool {next}\");\nMUST_HOLD({end} == OFFSET_{next}, \"pool {next}\");"
                ),
                false => writeln!(text, "MUST_HOLD({end} == {upper}_BYTES, \"all pools\");"),
            };
        }
        let _ = write!(
            text,
            "\nsize_t {name}_pool_of(size_t size)\n{{\n    size_t pool = 0U;\n    \
             while (pool < {upper}_POOLS && {name}_pools[pool].block < size) {{\n        pool++;\n    }}\n    return pool;\n}}\n"
        );
        text
    }

    fn integer(&self) -> &'static str {
        if self.bytes() <= u32::MAX.into() { "uint32_t" } else { "uint64_t" }
    }
}
