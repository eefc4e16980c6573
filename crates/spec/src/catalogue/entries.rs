//! The entries.
//!
//! Levels of the 2006 paper are full or none; "free lists" there are lists of freed blocks in
//! front of a heap, which is this crate's `freelists` layer.

use super::Entry;

/// Mamagkakis, Baloukas, Atienza, Catthoor, Soudris, Thanailakis: "Reducing memory
/// fragmentation in network applications with dynamic memory allocators optimized for
/// performance", Computer Communications 29, 2006.
pub(super) const NETWORK: &[&str] = &["Mamagkakis et al. 2006"];

/// Peintner, Bukhatwa, Patel: "Analysing dynamic memory allocation in embedded systems for
/// multi-channel modems".
const MODEMS: &[&str] = &["Peintner et al."];

/// Diamantstein, Stroud-Taylor, Trostanovsky: "malloc(): Through the Looking Glass".
const LOOKING_GLASS: &[&str] = &["Diamantstein et al."];

/// Donahue, Hampton, Deters, Nye, Cytron, Kavi: "Storage allocation for real-time, embedded
/// systems", EMSOFT 2001.
const REAL_TIME: &[&str] = &["Donahue et al. 2001"];

/// Li, Mohanty, Kavi: "A page-based hybrid (software-hardware) dynamic memory allocator".
const PAGES: &[&str] = &["Li et al."];

pub(super) const ENTRIES: &[Entry] = &[
    // ---- operating systems
    Entry {
        name: "windows-ce",
        spec: "list(order=lifo, fit=first, split=always, coalesce=every-call)",
        note: "The table merges free blocks on every allocation or free and does not mention \
               splitting; without it one large free block would go to the first request whole, \
               so blocks are split. Word and alignment are not stated. The links are single in \
               the table; here a list may be linked both ways, which changes the cost of \
               removing a block but not its choice.",
        source: "Mamagkakis et al. 2006, Table 1 (Windows CE)",
        papers: NETWORK,
    },
    Entry {
        name: "windows-xp",
        spec: "freelists(8..=1024 step 8) \
               list(order=fifo, fit=first, split=always, coalesce=immediate) align=8",
        note: "The table counts 127 lists from 8 to 1024 bytes; steps of 8 over that range make \
               128. The order inside a list is not stated: last in first out. When blocks are \
               coalesced is not stated: at each free that reaches the heap.",
        source: "Mamagkakis et al. 2006, Table 1 (Windows XP)",
        papers: NETWORK,
    },
    Entry {
        name: "lea-2.7.2",
        spec: "bins(lea, order=size, split=always, coalesce>=69) align=8",
        note: "The table has levels from 0% for small blocks to 100% for large ones and names no \
               sizes; these follow the allocator itself. Its default keeps freed blocks of \
               requests up to 64 bytes uncoalesced, which with a 4-byte header and 8-byte \
               alignment is every request up to 68. A block is split when the rest is at least \
               the smallest block; small blocks escape splitting because their bins hold one \
               size each. The kept blocks are merged here only as their neighbours are freed; \
               the original also sweeps them up before large requests.",
        source: "Mamagkakis et al. 2006, Table 1 (Linux); D. Lea, malloc.c 2.7.2, 2002 \
                 (DEFAULT_MXFAST, request2size, MINSIZE); bins of 2.6",
        papers: NETWORK,
    },
    Entry {
        name: "enea-ose",
        spec: "classes(32..=4096 double)",
        note: "The table has eight lists, best fit among them, no heap, no splitting and no \
               coalescing. The sizes are left to the configuration of the system: eight powers of \
               two up to a page are chosen here, and larger requests are refused.",
        source: "Mamagkakis et al. 2006, Table 1 (Enea OSE)",
        papers: NETWORK,
    },
    Entry {
        name: "uclinux",
        spec: "classes(16..=4096 double, then step 4096)",
        note: "The table rounds up to a power of two up to 4 KB and to a multiple of 4 KB above, \
               without splitting or coalescing. The smallest power is not stated: 16. The table \
               speaks of two lists; here every class has a list, which serves the same requests \
               from the same sizes.",
        source: "Mamagkakis et al. 2006, Table 1 (uClinux)",
        papers: NETWORK,
    },
    // ---- proposed for network applications
    Entry {
        name: "network-drr",
        spec: "freelists(16,1476) list(order=address, fit=first, split=always, coalesce=immediate)",
        note: "The order of the heap's list is not stated: by address. So is the order inside \
               the free lists: last in first out.",
        source: "Mamagkakis et al. 2006, section 6 (deficit round robin)",
        papers: NETWORK,
    },
    Entry {
        name: "network-easyport",
        spec: "freelists(66,1514) list(order=address, fit=first, split=always, coalesce=immediate)",
        note: "As network-drr.",
        source: "Mamagkakis et al. 2006, section 6 (Easyport)",
        papers: NETWORK,
    },
    Entry {
        name: "network-url",
        spec: "freelists(8,11,20) list(order=address, fit=first, split=always, coalesce=immediate)",
        note: "As network-drr.",
        source: "Mamagkakis et al. 2006, section 6 (URL-based switching)",
        papers: NETWORK,
    },
    // ---- the classic single lists
    Entry {
        name: "first-fit",
        spec: "list(order=address, fit=first, split=always, coalesce=immediate)",
        note: "The sources treat several orders of the list; by address is chosen, which Johnstone and \
               Wilson 1998 measured among those that fragment least.",
        source: "Knuth 1968, The Art of Computer Programming 1, section 2.5; Wilson et al. 1995",
        papers: LOOKING_GLASS,
    },
    Entry {
        name: "next-fit",
        spec: "list(order=address, fit=next, split=always, coalesce=immediate)",
        note: "As first-fit, with a pointer to where the last search ended.",
        source: "Knuth 1968, section 2.5; Wilson et al. 1995",
        papers: &[],
    },
    Entry {
        name: "best-fit",
        spec: "list(order=address, fit=best, split=always, coalesce=immediate)",
        note: "As first-fit, over the whole list; of equals the lowest address.",
        source: "Knuth 1968, section 2.5; Wilson et al. 1995",
        papers: LOOKING_GLASS,
    },
    Entry {
        name: "worst-fit",
        spec: "list(order=address, fit=worst, split=always, coalesce=immediate)",
        note: "As best-fit, with the largest block.",
        source: "Wilson et al. 1995",
        papers: &[],
    },
    // ---- by size, in logarithmic time
    Entry {
        name: "red-black-tree",
        spec: "tree(red-black, fit=best, split=always, coalesce=immediate)",
        note: "The paper keeps all free segments in a tree for best fit and states neither how \
               equal sizes are kept nor tags: equal sizes hang at one node, with boundary tags.",
        source: "Diamantstein, Stroud-Taylor and Trostanovsky, section 2.2.6 (Free Red-Black Tree)",
        papers: LOOKING_GLASS,
    },
    Entry {
        name: "skip-list",
        spec: "skiplist(seed=1, split=always, coalesce=immediate)",
        note: "Proposed in the paper's future work in place of the tree; a quarter of the sizes \
               reaches each further level.",
        source: "Diamantstein, Stroud-Taylor and Trostanovsky, section 5.4; Pugh 1990, Skip lists",
        papers: LOOKING_GLASS,
    },
    Entry {
        name: "binned-tree",
        spec: "bins(lea, each=tree, split=always, coalesce=immediate)",
        note: "The paper proposes bins for its tree without stating their sizes: Lea's, which it \
               speaks of with malloc().",
        source: "Diamantstein, Stroud-Taylor and Trostanovsky, section 5.4",
        papers: LOOKING_GLASS,
    },
    Entry {
        name: "binned-skip-list",
        spec: "bins(lea, each=skiplist, split=always, coalesce=immediate)",
        note: "As binned-tree, with a skip list in each bin.",
        source: "Diamantstein, Stroud-Taylor and Trostanovsky, section 5.4",
        papers: LOOKING_GLASS,
    },
    // ---- in constant time
    Entry {
        name: "tlsf",
        spec: "tlsf(second-level=5)",
        note: "32 lists a power of two. The source starts with one free block over the whole \
               region; here the never-used end of the region is no free block and is extended \
               when no list serves, and when it is used up the list below is looked at as well.",
        source: "Masmano, Ripoll, Crespo and Real 2004, TLSF: a new dynamic memory allocator for \
                 real-time systems",
        papers: &[],
    },
    Entry {
        name: "half-fit",
        spec: "half-fit",
        note: "As tlsf, without a second level: a list a power of two.",
        source: "Ogasawara 1995, An algorithm with constant execution time for dynamic storage \
                 allocation",
        papers: &[],
    },
    // ---- without free lists
    Entry {
        name: "linear",
        spec: "bump",
        note: "The source keeps two positions and no headers, and frees nothing. Here a block has \
               a header of one word, so that heaps can be walked and blocks resized; a free only \
               marks it.",
        source: "Diamantstein, Stroud-Taylor and Trostanovsky, section 2.2.1",
        papers: LOOKING_GLASS,
    },
    Entry {
        name: "stack",
        spec: "stack",
        note: "What happens when another block than the last is freed is not stated: it is refused \
               and stays used. A block below the last cannot grow.",
        source: "Diamantstein, Stroud-Taylor and Trostanovsky, section 2.2.2",
        papers: LOOKING_GLASS,
    },
    Entry {
        name: "pool-64",
        spec: "fixed(64)",
        note: "The size of the blocks is the user's: 64 bytes are chosen. The source links its free \
               blocks both ways and splits the region beforehand; here the links are single and \
               blocks are cut as they are needed.",
        source: "Diamantstein, Stroud-Taylor and Trostanovsky, section 2.2.3",
        papers: LOOKING_GLASS,
    },
    // ---- compared for modems
    Entry {
        name: "peintner-first-slow",
        spec: "list(order=implicit, fit=first, split=always, coalesce=immediate, tags=off)",
        note: "A word of 32 bits; the alignment is not stated: the word.",
        source: "Peintner, Bukhatwa and Patel, sections 4.3 and 4.4 (First fit, slow free)",
        papers: MODEMS,
    },
    Entry {
        name: "peintner-first-fast",
        spec: "list(order=implicit, fit=first, split=always, coalesce=immediate)",
        note: "As peintner-first-slow, with boundary tags.",
        source: "Peintner, Bukhatwa and Patel, sections 4.3 and 4.4 (First fit fast free)",
        papers: MODEMS,
    },
    Entry {
        name: "peintner-best-slow",
        spec: "list(order=implicit, fit=best, split=always, coalesce=immediate, tags=off)",
        note: "As peintner-first-slow.",
        source: "Peintner, Bukhatwa and Patel, sections 4.3 and 4.4 (Best fit, slow free)",
        papers: MODEMS,
    },
    Entry {
        name: "peintner-best-fast",
        spec: "list(order=implicit, fit=best, split=always, coalesce=immediate)",
        note: "As peintner-first-slow, with boundary tags.",
        source: "Peintner, Bukhatwa and Patel, sections 4.3 and 4.4 (Best fit fast free)",
        papers: MODEMS,
    },
    // ---- for real time and embedded systems
    Entry {
        name: "knuth-buddy",
        spec: "buddy(knuth)",
        note: "The paper's blocks carry a bit for their status and the size; both share one word \
               here. A heap of 256 bytes is one free block at first in the paper; here the region \
               may have any length, and what was never used is not counted.",
        source: "Knuth 1968, section 2.5; Donahue et al. 2001, sections 2.2 to 2.4",
        papers: REAL_TIME,
    },
    Entry {
        name: "estranged-buddy",
        spec: "buddy(estranged)",
        note: "The five steps in their order. Which list step 4 searches first is not stated: \
               buddy-busy, as in the steps before it. Never-used memory is taken after step 5; \
               in the paper it is a large block and so taken in step 4.",
        source: "Donahue et al. 2001, sections 2.5 to 2.7",
        papers: REAL_TIME,
    },
    Entry {
        name: "phk",
        spec: "pages(page=4096, min=16, search=linear)",
        note: "The bitmaps are in the directory, not at the start of the page, so that a page of \
               two objects holds two. The paper does not state the order of pages with a free \
               object: last in first out. A page that becomes empty is freed at once. phkmalloc \
               1.89 itself places requests as with order=phk, info=page, retain=16, resize=off.",
        source: "Li, Mohanty and Kavi, sections II and III (PHK, page of 4096, objects from 16)",
        papers: PAGES,
    },
    // ---- runs of blocks of one size, without headers
    Entry {
        name: "slab",
        spec: "spans(8..=64 step 8,80..=112 step 16,128..=512 double(4), span=4096, empty=keep(4096)) \
               buddy(knuth) align=8",
        note: "A slab is a page whose free objects are linked, the first with room serves, and what is empty is kept \
               until memory runs short. The source has a cache for each kind of object, which keeps what its constructor \
               made; here one for each size, as its kmem_alloc has, whose sizes are not stated. Left out: colours, and \
               records and links outside for objects above an eighth of a page.",
        source: "Bonwick 1994, The slab allocator: an object-caching kernel memory allocator, sections 3 and 4",
        papers: &[],
    },
    Entry {
        name: "tcmalloc-like",
        spec: "spans(8..=56 step 8,64..=2048 double(8),2304..=8192 step 256, span=65536, next=last) \
               tree(red-black, fit=best, split=always, coalesce=immediate) word=8",
        note: "A span of pages is cut into objects of one class, linked; a table says whose span a page is; what no class \
               serves is taken by best fit from the page heap. Classes are 8 bytes apart, then wider, 256 at most. Left \
               out: the caches of threads, spans of other lengths for larger classes, and classes above 8 KiB.",
        source: "Ghemawat and Menage, TCMalloc: thread-caching malloc (Small object allocation; Spans)",
        papers: &[],
    },
    Entry {
        name: "jemalloc-like",
        spec: "spans(16..=112 step 16,128..=14336 double(4), span=65536, free=bitmap, next=lowest, metadata=outside) \
               tree(red-black, fit=best, split=always, coalesce=immediate) word=8 align=16",
        note: "Four classes to each doubling up to 14 KiB; a bit for each region of a slab, kept outside of it; of the slabs \
               with room the one at the lowest address serves. Left out: arenas and the caches of threads, slabs as long as \
               their class needs, and purging.",
        source: "jemalloc(3), table of size classes; Evans 2006, A scalable concurrent malloc(3) implementation for FreeBSD",
        papers: &[],
    },
    Entry {
        name: "mimalloc-like",
        spec: "spans(16..=112 step 16,128..=8192 double(4), span=65536, empty=keep(1)) \
               tree(red-black, fit=best, split=always, coalesce=immediate) word=8 align=16",
        note: "A page of 64 KiB has a list of its free blocks and belongs to one class; the first page with room serves; an \
               empty one stays for a while. Left out: three lists for each page (here one, so a block is used again at \
               once), free blocks of other threads, and larger pages for larger classes.",
        source: "Leijen, Zorn and de Moura 2019, Mimalloc: free list sharding in action, sections 2 and 3",
        papers: &[],
    },
    Entry {
        name: "snmalloc-like",
        spec: "spans(16..=112 step 16,128..=16384 double(4), span=65536, next=last) \
               buddy(knuth) word=8 align=16",
        note: "Slabs of 64 KiB with a list through what was freed; what was never used is taken in order; large blocks are \
               powers of two. Left out: messages between threads, short slabs, and medium classes.",
        source: "Li\u{e9}tar et al. 2019, snmalloc: a message passing allocator, sections 3 and 4",
        papers: &[],
    },
];
