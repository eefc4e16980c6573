//! Programs on an emulated Cortex-M3 print what they say, and its clock counts their instructions.

use heapsmith_emit::cortex_m3::{BOARD, NANOSECONDS_PER_INSTRUCTION, NANOSECONDS_PER_TICK, run};

/// Prints the ticks of 500 instructions that do nothing, and of 1,500.
const PROGRAM: &str = r#"
#include "board.h"

#define MEASURED(count) { start_clock(); const uint32_t begin = ticks(); \
    __asm__ volatile(".rept " count "\n nop\n .endr"); print_number(ticks() - begin); print("\n"); }

int main(void)
{
    MEASURED("500")
    MEASURED("1500")
    return 0;
}
"#;

#[test]
fn the_clock_counts_instructions() {
    let dir = tempfile::tempdir().expect("a folder");
    for (name, text) in BOARD.into_iter().chain([("program.c", PROGRAM)]) {
        std::fs::write(dir.path().join(name), text).expect("the file is written");
    }
    let text = run(dir.path(), &["program.c"]).unwrap_or_else(|error| panic!("{error}"));
    let ticks: Vec<u32> = text.lines().map(|line| line.parse().expect("a number")).collect();
    let [few, many] = ticks[..] else { panic!("two numbers: {text}") };
    let instructions = (many - few) * NANOSECONDS_PER_TICK / NANOSECONDS_PER_INSTRUCTION;
    assert!((999..=1001).contains(&instructions), "1,000 more instructions: {few} and {many} ticks");
}
