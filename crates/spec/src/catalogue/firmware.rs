//! The heaps that firmware has, by name: specs with the addresses of the originals.
//!
//! `crates/cli/tests/it/originals` holds them against what the originals gave, and names the versions in full. An exploration
//! compares with one of them where it is the baseline, and not with all as with the catalogue.

use super::Entry;

pub(super) const FIRMWARE: &[Entry] = &[
    Entry {
        name: "freertos-heap4",
        spec: "chunks(header=2, index=address, fit=first, unit=8, remainder=24, coalesce=immediate)",
        note: "A port of 32 bits that aligns to 8 bytes. Headers have the next free block and the size; here the size of the \
               block before, and links in the free block both ways, so a free need not search from the start of the list where \
               the block before is free. heap_5 with one region is the same.",
        source: "FreeRTOS-Kernel V11.1.0, portable/MemMang/heap_4.c",
        papers: &[],
    },
    Entry {
        name: "freertos-heap2",
        spec: "chunks(header=2, index=size, unit=8, remainder=24, coalesce=never)",
        note: "As freertos-heap4: one list by size, whose first block that is large enough is the best; nothing is joined.",
        source: "FreeRTOS-Kernel V11.1.0, portable/MemMang/heap_2.c",
        papers: &[],
    },
    Entry {
        name: "o1heap",
        spec: "chunks(header=4, index=powers, sizes=powers, unit=32, coalesce=immediate)",
        note: "A machine of 32 bits, where a header has 16 bytes: both neighbours, the size and a flag. Here it has both sizes and \
               as much space. Its statistics, 24 bytes, are not kept, and a last header of 16 bytes ends the region.",
        source: "o1heap, commit b3a1aa43 (2025-05-12), o1heap/o1heap.c",
        papers: &[],
    },
    Entry {
        name: "tlsf-conte",
        spec: "chunks(header=tags, index=two-level, coalesce=immediate)",
        note: "A machine of 32 bits: payloads at multiples of 4, 32 lists for each power of two, by the bytes of payloads. With \
               align=8 all sizes are multiples of 8, which the original has on 64 bits only. Its first block has the address \
               of the previous one in a free block; here its size.",
        source: "mattconte/tlsf, commit deff9ab5 (2020-03-29), tlsf.c",
        papers: &[],
    },
    Entry {
        name: "umm-malloc",
        spec: "chunks(header=packed, index=lifo, fit=best, unit=8, coalesce=immediate)",
        note: "Blocks of 8 bytes by number, and headers of two 16-bit links to the neighbours; here the sizes of both. UMM_BEST_FIT, \
               the default; UMM_FIRST_FIT is fit=first. A reallocation of the original may move a block down to join the one \
               before; here it grows to the right or moves as a whole.",
        source: "rhempel/umm_malloc, commit ed68d0b5 (2025-02-25), src/umm_malloc.c",
        papers: &[],
    },
    Entry {
        name: "sys-heap",
        spec: "chunks(header=packed, index=rings, unit=8, coalesce=immediate)",
        note: "A machine of 32 bits and up to 32,767 units of 8 bytes, as CONFIG_SYS_HEAP_SMALL_ONLY; CONFIG_SYS_HEAP_ALLOC_LOOPS is \
               3, the default. The table of buckets has those of the largest region.",
        source: "Zephyr, lib/heap/heap.c and heap.h",
        papers: &[],
    },
    Entry {
        name: "sys-heap-big",
        spec: "chunks(header=2, index=rings, unit=8, remainder=8, coalesce=immediate)",
        note: "As sys-heap, for more than 32,767 units, as CONFIG_SYS_HEAP_BIG_ONLY. A remainder of 8 bytes is a header that is in \
               no bucket until a neighbour is freed.",
        source: "Zephyr, lib/heap/heap.c and heap.h",
        papers: &[],
    },
];
