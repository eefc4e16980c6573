//! Other readings of the sources that describe an operating system's allocator.
//!
//! A source leaves much open, and two sources of one allocator differ. An entry of the catalogue is one reading; those here
//! are the others. A claim about an operating system is tested under all of them. They are not explored and not compared
//! with a pick: they have names so that each can be replayed, emitted and attacked by itself.

use super::Entry;
use super::entries::NETWORK;

const DOCUMENTED: &str = "Microsoft, Heaps (Windows CE 5.0), MSDN aa450550, 2004; Mamagkakis et al. 2006, reference 12";

pub(super) const READINGS: &[Entry] = &[
    Entry {
        name: "freertos/heap_2",
        spec: "tree(red-black, fit=best, split=always, coalesce=never, tags=off) word=8",
        note: "Places requests above 8 bytes where heap_2.c of FreeRTOS V11.1.0 does, whose list in order of size is a tree \
               here. A word of 8 is its header, a link and a size of 4 bytes each.",
        source: "FreeRTOS V11.1.0, portable/MemMang/heap_2.c",
        papers: &[],
    },
    Entry {
        name: "freertos/heap_4",
        spec: "list(order=address, fit=first, split=always, coalesce=immediate, tags=off) word=8",
        note: "Places requests above 8 bytes where heap_4.c of FreeRTOS V11.1.0 does, and heap_5.c with one region. A word of 8 \
               is its header, a link and a size of 4 bytes each.",
        source: "FreeRTOS V11.1.0, portable/MemMang/heap_4.c",
        papers: &[],
    },
    Entry {
        name: "windows-ce/documented",
        spec: "list(order=implicit, fit=next, split=always, coalesce=immediate)",
        note: "The documentation links all blocks of a heap singly, free and used, searches first fit from \
               the last allocated or freed item, and merges free blocks forward on every call. A search from \
               where the last ended is next fit; merging forward joins a block with those after it at a \
               constant cost, which boundary tags give here. The paper's table is likely drawn from this page.",
        source: DOCUMENTED,
        papers: NETWORK,
    },
    Entry {
        name: "windows-ce/sweep",
        spec: "list(order=implicit, fit=next, split=always, coalesce=every-call)",
        note: "As windows-ce/documented, with the merging on every call taken as a walk over the whole heap: \
               the same blocks at the same addresses, at a higher cost.",
        source: DOCUMENTED,
        papers: NETWORK,
    },
    Entry {
        name: "windows-ce/neighbours",
        spec: "list(order=lifo, fit=first, split=always, coalesce=immediate)",
        note: "As windows-ce, with the merging on every call taken as that of the freed block with its \
               neighbours, which leaves no free neighbours apart either.",
        source: "Mamagkakis et al. 2006, Table 1 (Windows CE)",
        papers: NETWORK,
    },
    Entry {
        name: "windows-xp/coalescing",
        spec: "bins(exact 8..=1024 step 8, order=fifo, tries=all, split=always, coalesce=immediate) align=8",
        note: "The table says that coalescing and splitting are fully supported. In this reading they are so \
               in the lists too: a list is a bin of free blocks of its size, from which blocks are split and \
               merged, with one bin for all larger ones.",
        source: "Mamagkakis et al. 2006, Table 1 (Windows XP)",
        papers: NETWORK,
    },
    Entry {
        name: "lea-2.7.2/immediate",
        spec: "bins(lea, order=size, split=always, coalesce=immediate) align=8",
        note: "As lea-2.7.2 with its limit for fast bins at 0 (M_MXFAST), so that every freed block is \
               coalesced: it contradicts the table's 0% for small blocks, and shows what they cost.",
        source: "D. Lea, malloc.c 2.7.2, 2002 (M_MXFAST)",
        papers: NETWORK,
    },
    Entry {
        name: "lea-2.7.2/fast-bins",
        spec: "freelists(4..=68 step 8) \
               bins(lea, order=size, split=always, coalesce=immediate) align=8",
        note: "As lea-2.7.2, with the fast bins as lists of their own in front of the bins: a block of a fast \
               bin serves its own size alone until all are consolidated, which happens here when the region \
               is full and in the original before every large request.",
        source: "D. Lea, malloc.c 2.7.2, 2002 (fastbins, malloc_consolidate)",
        papers: NETWORK,
    },
    Entry {
        name: "enea-ose/searched",
        spec: "bins(log(1), order=size, split=never, coalesce=never)",
        note: "The paper's section 5 calls the best fit of this allocator extremely slow, since it passes too \
               many blocks. In this reading a block has the size of the request that it was cut for, and the \
               lists, one for each doubling (eight from 16 to 2048 bytes), are kept in order of size and \
               searched for the best fit.",
        source: "Mamagkakis et al. 2006, Table 1 (Enea OSE) and section 5",
        papers: NETWORK,
    },
    Entry {
        name: "enea-ose/one-list",
        spec: "list(order=lifo, fit=best, split=never, coalesce=never)",
        note: "As enea-ose/searched with all free blocks in one list, which a request searches whole: the \
               slowest that the paper's words allow.",
        source: "Mamagkakis et al. 2006, Table 1 (Enea OSE) and section 5",
        papers: NETWORK,
    },
    Entry {
        name: "uclinux/pages",
        spec: "pages(page=4096, min=16, search=linear)",
        note: "The sizes are those of the table, from pages that hold one size each, without headers, as the \
               kernel's own allocator does it. A page that becomes empty is free for any size, which the \
               table does not mention. The second allocator of that system, which places small requests at \
               one end of memory and large ones at the other, is no level of any heap here.",
        source: "Mamagkakis et al. 2006, Table 1 (uClinux)",
        papers: NETWORK,
    },
];
