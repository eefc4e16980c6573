/* packet_heap: see packet_heap.h.
 *
 *     freelists(54,66,74,78,94,337,347,370,376,378,386,394,441,939,1309,1514)
 *     list(order=address, fit=first, split>=66, coalesce=immediate)
 *
 * Of MISRA C:2012 the advisory rule 15.5 is not kept: functions return where they are done. Other
 * deviations are noted in place, with their reason.
 */
#include "packet_heap.h"

/* Under an operating system blocks are copied by its C library. */
#if __STDC_HOSTED__ && (defined(__unix__) || defined(__APPLE__) || defined(_WIN32))
#include <string.h>
#endif

#ifndef PACKET_HEAP_ASSERT
#define PACKET_HEAP_ASSERT(condition) ((void)0)
#endif
#ifndef PACKET_HEAP_LOCK
#define PACKET_HEAP_LOCK(heap) ((void)0)
#define PACKET_HEAP_UNLOCK(heap) ((void)0)
#endif
#ifndef PACKET_HEAP_TRACE
#define PACKET_HEAP_TRACE(heap, what, old, block, size, alignment) ((void)0)
#endif

typedef packet_heap Heap;
typedef uint32_t Word;
/* Counts words from the region's base, and holds whatever a word holds. */
typedef uint32_t Index;
/* The same where it becomes an address: as wide as that is computed. */
typedef uint_fast32_t Place;

/* Bytes in a word; what every payload is a multiple of; words of the largest region. */
#define WORD 4U
#define ALIGNMENT 4U
#define MAX_WORDS 1073741823U

/* Control words: TOP names the wilderness, HIGH keeps the most that TOP ever was. */
#define TOP 0U
#define HIGH 1U
#define INDEX 2U
#define LAYERS 3U
#define CONTROL 19U
#define FIRST 20U

#ifdef __cplusplus
#define MUST_HOLD static_assert
#elif defined(__STDC_VERSION__) && (__STDC_VERSION__ >= 201112L)
#define MUST_HOLD _Static_assert
#else
/* C99 has no such assertion: an array of a negative length does not compile. */
#define MUST_HOLD(condition, why) extern int must_hold[(condition) ? 1 : -1]
#endif

MUST_HOLD(sizeof(Word) == WORD, "a word of the heap has the size that the links are made for");
MUST_HOLD(sizeof(Index) >= sizeof(Word), "an index holds whatever a word holds");
MUST_HOLD((ALIGNMENT % WORD) == 0U, "payloads are aligned to whole words");
MUST_HOLD((ALIGNMENT & (ALIGNMENT - 1U)) == 0U, "the alignment is a power of two");

/* Whether no block can hold this many bytes. */
static inline bool is_too_large(size_t size)
{
    return size > 4294967284U;
}

/* Whether no region has an address that is a multiple of this many bytes, and room behind it. */
static inline bool is_too_coarse(size_t alignment)
{
    return alignment > 2147483646U;
}

/* Words of a region of this many bytes. */
static inline Index words_in(size_t bytes)
{
    const size_t words = bytes / WORD;

    return (words < MAX_WORDS) ? (Index)words : MAX_WORDS;
}

/* The address of a word: alignments are asked of addresses, not of indexes. */
static inline uintptr_t address_of(const Word *word)
{
    /* cppcheck-suppress misra-c2012-11.4 ; an address is a number here, and is never made a pointer again */
    return (uintptr_t)word;
}

/* ---- The words of the region ------------------------------------------------------------------
 *
 * An index counts words from the region's base. Index 0 is a control word, so 0 is never a block:
 * it means none. Indexes come from headers and links, which hold only what was written here.
 */

/* Loops that fill or copy write through IN_LOOP: no compiler then makes a call of memset or memcpy of them, which a
 * program without a C library could not link. Under an operating system it may. */
#if defined(__unix__) || defined(__APPLE__) || defined(_WIN32)
#define IN_LOOP
#else
#define IN_LOOP volatile
#endif

static inline Index load(const Heap *heap, Place at)
{
    PACKET_HEAP_ASSERT(at < heap->length);
    return heap->words[at];
}

static inline void store(Heap *heap, Place at, Index value)
{
    PACKET_HEAP_ASSERT(at < heap->length);
    heap->words[at] = (Word)value;
}

/* The same in a loop. */
static inline void fill(Heap *heap, Index at, Index value)
{
    IN_LOOP Word *const word = &heap->words[at];

    PACKET_HEAP_ASSERT(at < heap->length);
    *word = (Word)value;
}

/* Copies the contents of a block, of whatever type they are, to another. */
static void copy(Heap *heap, Index to, Index from, size_t bytes)
{
#if __STDC_HOSTED__ && (defined(__unix__) || defined(__APPLE__) || defined(_WIN32))
    /* NOLINTNEXTLINE(clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling): both blocks have as many bytes */
    (void)memcpy(&heap->words[to], &heap->words[from], bytes);
#else
    IN_LOOP unsigned char *const target = (unsigned char *)&heap->words[to];
    const IN_LOOP unsigned char *const source = (const unsigned char *)&heap->words[from];

    for (size_t at = 0U; at < bytes; at++) {
        target[at] = source[at];
    }
#endif
}

/* ---- The block format -------------------------------------------------------------------------
 *
 * A block is named by the index of its payload's first word; its header is the word before:
 *
 *              used                        free
 *   at-1   | words | P | 1 |          | words | P | 0 |     header
 *   at     | payload       |          | links         |
 *   end-2  |               |          | words         |     boundary tag
 *   end-1    the header of the block that follows
 *
 * `words` is the size of the block in words, header included. P says that the block before is used.
 * The wilderness, never-used memory, begins with a header of size 0, marked used: it ends every walk.
 */

#define USED 1U
#define PREVIOUS_USED 2U

static inline Index header(Index words, Index flags)
{
    return (words << 2U) | flags;
}

static inline Index words_of(Index head)
{
    return head >> 2U;
}

static inline bool is_used(Index head)
{
    return (head & USED) != 0U;
}

/* Words that every block is a multiple of, and words of the smallest block. */
#define GRANULE 1U
#define MIN_BLOCK 4U
/* Bytes of the smallest request that splits its block. */
#define SPLIT_FROM 66U

/* Words of the block that serves a request of `size` bytes; 0 if no block can. */
static Index words_for(size_t size)
{
    Index words;

    if ((size == 0U) || is_too_large(size)) {
        return 0U;
    }
    words = (((Index)size + (WORD - 1U)) / WORD) + 1U;
    return (words < MIN_BLOCK) ? MIN_BLOCK : words;
}

/* ---- Doubly linked lists of free blocks -------------------------------------------------------
 *
 *   block at     | next, 0: last      |
 *   block at+1   | previous, 0: first |
 *
 * `head` is the control word of the first block.
 */

#define NEXT 0U
#define PREVIOUS 1U

/* Makes `previous` point forward at `forward`, and `next` back at `back`. */
static void chain_point(Heap *heap, Index head, Index previous, Index next, Index forward, Index back)
{
    store(heap, (previous == 0U) ? head : (previous + NEXT), forward);
    if (next != 0U) {
        store(heap, next + PREVIOUS, back);
    }
}

/* Links `block` after `previous`; 0 is the front. */
static void chain_insert_after(Heap *heap, Index head, Index previous, Index block)
{
    const Index next = load(heap, (previous == 0U) ? head : (previous + NEXT));

    store(heap, block + NEXT, next);
    store(heap, block + PREVIOUS, previous);
    chain_point(heap, head, previous, next, block, block);
}

/* Takes `block` out and returns the block that followed it. */
static Index chain_unlink(Heap *heap, Index head, Index block)
{
    const Index next = load(heap, block + NEXT);
    const Index previous = load(heap, block + PREVIOUS);

    chain_point(heap, head, previous, next, next, previous);
    return next;
}

/* Puts `with` where `old` is. They may overlap. */
static void chain_replace(Heap *heap, Index head, Index old, Index with)
{
    const Index next = load(heap, old + NEXT);
    const Index previous = load(heap, old + PREVIOUS);

    store(heap, with + NEXT, next);
    store(heap, with + PREVIOUS, previous);
    chain_point(heap, head, previous, next, with, with);
}

/* Verifies the links of a list whose blocks lie below `top`; `left` blocks may be on it, and it takes
 * those that are off `left`. Returns the number of the broken invariant, or 0. */
static unsigned int chain_check(const Heap *heap, Index head, Index top, Index *left)
{
    Index previous = 0U;
    Index block = load(heap, head);

    while (block != 0U) {
        if ((*left == 0U) || (block < FIRST) || (block >= top) || is_used(load(heap, block - 1U)) ||
            (words_of(load(heap, block - 1U)) < MIN_BLOCK)) {
            return 5U;
        }
        if (load(heap, block + PREVIOUS) != previous) {
            return 5U;
        }
        *left -= 1U;
        previous = block;
        block = load(heap, block + NEXT);
    }
    return 0U;
}

/* ---- The index: one list of all free blocks, in the order of addresses --------
 *
 *   HEAD --> free --> free --> free --> 0
 *
 * Knuth 1968, section 2.5; Wilson, Johnstone, Neely and Boles 1995 (sequential fits).
 */

#define HEAD INDEX

static void index_clear(Heap *heap)
{
    store(heap, HEAD, 0U);
}

/* First fit: the first free block of `need` words, or 0. */
static Index index_find(const Heap *heap, Index need)
{
    Index block = load(heap, HEAD);

    while ((block != 0U) && (words_of(load(heap, block - 1U)) < need)) {
        block = load(heap, block + NEXT);
    }
    return block;
}

/* The last free block before `block`, or 0. */
static Index index_locate(const Heap *heap, Index block)
{
    Index previous = 0U;
    Index next = load(heap, HEAD);

    while ((next != 0U) && (next < block)) {
        previous = next;
        next = load(heap, next + NEXT);
    }
    return previous;
}

/* Adds a free block after `place`, which `index_locate` returned for it. */
static void index_insert_at(Heap *heap, Index block, Index place)
{
    chain_insert_after(heap, HEAD, place, block);
}

/* Adds a free block. */
static void index_insert(Heap *heap, Index block)
{
    index_insert_at(heap, block, index_locate(heap, block));
}

/* Takes a free block out. */
static void index_remove(Heap *heap, Index block)
{
    (void)chain_unlink(heap, HEAD, block);
}

/* Puts the free block `with` where `old` was. */
static void index_replace(Heap *heap, Index old, Index with)
{
    chain_replace(heap, HEAD, old, with);
}

/* Verifies the list, on which `free_blocks` blocks must be. */
static unsigned int index_check(const Heap *heap, Index top, Index free_blocks)
{
    Index left = free_blocks;
    const unsigned int broken = chain_check(heap, HEAD, top, &left);
    Index block = load(heap, HEAD);

    if (broken != 0U) {
        return broken;
    }
    if (left != 0U) {
        return 5U;
    }
    while (block != 0U) {
        const Index next = load(heap, block + NEXT);

        if ((next != 0U) && (next <= block)) {
            return 6U;
        }
        block = next;
    }
    return 0U;
}

/* ---- The pool: splits blocks and extends the wilderness ---------------------------------------
 *
 *   | control | block | block | ... | 0 | wilderness |
 *                                     ^ header of size 0, the word before TOP
 *
 * I1  The blocks tile the region from the first to the wilderness, in multiples of the granule.
 * I2  P of every header is the status of the block before.
 * I3  The last word of every free block is its size.
 * I4  No two free blocks touch, and none touches the wilderness.
 *
 * Knuth 1968, section 2.5; Wilson, Johnstone, Neely and Boles 1995.
 */

/* Lets the wilderness begin at `top`; `flags` tell of the block before. */
static void set_top(Heap *heap, Index top, Index flags)
{
    store(heap, top - 1U, header(0U, USED | flags));
    store(heap, TOP, top);
    if (top > load(heap, HIGH)) {
        store(heap, HIGH, top);
    }
}

/* Writes the header and the tag of a free block. */
static void write_free(Heap *heap, Index block, Index words, Index flags)
{
    store(heap, block - 1U, header(words, flags));
    store(heap, (block + words) - 2U, words);
}

/* Notes in `block` whether the block before it is used. */
static void tell_next(Heap *heap, Index block, bool used)
{
    const Index head = load(heap, block - 1U);

    store(heap, block - 1U, used ? (head | PREVIOUS_USED) : (head & ~(Index)PREVIOUS_USED));
}

/* Makes a used block of the first `words` words of the wilderness, which begins at `top`. */
static void extend(Heap *heap, Index top, Index words)
{
    const Index flags = load(heap, top - 1U) & PREVIOUS_USED;

    store(heap, top - 1U, header(words, USED | flags));
    set_top(heap, top + words, PREVIOUS_USED);
}

/* Takes a free block for a request that needs `need` words, and splits off the rest if the request
 * is large enough. */
static void take(Heap *heap, Index block, Index need, size_t size)
{
    const Index head = load(heap, block - 1U);
    const Index words = words_of(head);

    if (((words - need) >= MIN_BLOCK) && (size >= SPLIT_FROM)) {
        const Index remainder = block + need;

        store(heap, block - 1U, header(need, USED | (head & PREVIOUS_USED)));
        index_replace(heap, block, remainder);
        write_free(heap, remainder, words - need, PREVIOUS_USED);
        return;
    }
    index_remove(heap, block);
    store(heap, block - 1U, head | USED);
    tell_next(heap, block + words, true);
}

/* ---- Freeing and coalescing ------------------------------------------------------------------ */

/* Makes a used block free together with its free neighbours. */
static void merge_neighbours(Heap *heap, Index block, Index words, Index flags)
{
    const Index next_head = load(heap, (block + words) - 1U);
    Index previous = 0U;
    Index next = 0U;
    Index merged = block;
    Index merged_words = words;
    Index merged_flags = flags;

    if ((flags & PREVIOUS_USED) == 0U) {
        previous = block - load(heap, block - 2U);
    }
    if (previous != 0U) {
        merged = previous;
        merged_words += block - previous;
        merged_flags = load(heap, previous - 1U) & PREVIOUS_USED;
    }
    if (words_of(next_head) == 0U) {
        /* The wilderness follows: it begins earlier now. */
        if (previous != 0U) {
            index_remove(heap, previous);
        }
        set_top(heap, merged, merged_flags);
        return;
    }
    if (!is_used(next_head)) {
        next = block + words;
        merged_words += words_of(next_head);
    }
    if (previous != 0U) {
        /* The block before grows and keeps its place. */
        if (next != 0U) {
            index_remove(heap, next);
        }
    } else if (next != 0U) {
        index_replace(heap, next, merged);
    } else {
        index_insert(heap, merged);
    }
    write_free(heap, merged, merged_words, merged_flags);
    if (next == 0U) {
        tell_next(heap, merged + merged_words, false);
    }
}

/* Frees a used block whose header was read. */
static void pool_release(Heap *heap, Index block, Index head)
{
    const Index words = words_of(head);
    const Index flags = head & PREVIOUS_USED;

    merge_neighbours(heap, block, words, flags);
}

/* ---- Requests ------------------------------------------------------------------------------- */

/* Words of the block that serves a request of `size` bytes; 0 if no block can. */
static inline Index pool_need(size_t size)
{
    return words_for(size);
}

/* A block for a request of `size` bytes that needs `need` words, or 0. */
static Index pool_allocate_words(Heap *heap, size_t size, Index need)
{
    Index block;
    Index top;

    block = index_find(heap, need);
    if (block != 0U) {
        take(heap, block, need, size);
        return block;
    }
    top = load(heap, TOP);
    if ((top + need) <= heap->length) {
        extend(heap, top, need);
        return top;
    }
    return 0U;
}

/* ---- Alignments above the heap's own ----------------------------------------------------------
 *
 * The gap before an aligned payload becomes a free block, as the header must be right before
 * the payload.
 */

/* Words from `at` to the next aligned payload that leaves no gap, or one large enough to be a block. */
static Index gap_before(const Heap *heap, Index at, Index step)
{
    const Index base = (Index)(address_of(heap->words) / WORD);
    const Index gap = (step - ((base + at) & (step - 1U))) & (step - 1U);

    if ((gap == 0U) || (gap >= MIN_BLOCK)) {
        return gap;
    }
    return gap + (((MIN_BLOCK - gap) + (step - 1U)) & ~(step - 1U));
}

/* Takes an aligned block out of a free one; the gap and the rest stay free. */
static Index carve(Heap *heap, Index free_block, size_t size, Index need, Index step)
{
    const Index head = load(heap, free_block - 1U);
    const Index end = free_block + words_of(head);
    const Index gap = gap_before(heap, free_block, step);
    const Index block = free_block + gap;
    Index flags = head & PREVIOUS_USED;

    if (gap != 0U) {
        write_free(heap, free_block, gap, flags);
        flags = 0U;
    } else {
        index_remove(heap, free_block);
    }
    if ((((end - block) - need) >= MIN_BLOCK) && (size >= SPLIT_FROM)) {
        const Index remainder = block + need;

        store(heap, block - 1U, header(need, USED | flags));
        write_free(heap, remainder, end - remainder, PREVIOUS_USED);
        index_insert(heap, remainder);
        return block;
    }
    store(heap, block - 1U, header(end - block, USED | flags));
    tell_next(heap, end, true);
    return block;
}

/* Takes an aligned block off the wilderness; the gap before it becomes a free block. */
static Index extend_aligned(Heap *heap, Index need, Index step)
{
    const Index top = load(heap, TOP);
    const Index gap = gap_before(heap, top, step);

    if ((top + gap + need) > heap->length) {
        return 0U;
    }
    if (gap != 0U) {
        extend(heap, top, gap);
        write_free(heap, top, gap, load(heap, top - 1U) & PREVIOUS_USED);
        index_insert(heap, top);
        tell_next(heap, top + gap, false);
    }
    extend(heap, top + gap, need);
    return top + gap;
}

/* A block at a multiple of `alignment`, which exceeds the heap's own, or 0. */
static Index pool_allocate_aligned(Heap *heap, size_t size, size_t alignment)
{
    const Index need = pool_need(size);
    Index step;
    Index enough;
    Index block;

    if ((need == 0U) || ((alignment & (alignment - 1U)) != 0U) || is_too_coarse(alignment)) {
        return 0U;
    }
    step = (Index)(alignment / WORD);
    /* A free block of this many words holds an aligned payload wherever it lies. */
    enough = need + step + MIN_BLOCK;
    block = index_find(heap, enough);
    return (block != 0U) ? carve(heap, block, size, need, step) : extend_aligned(heap, need, step);
}

/* ---- Changing the size of a block in place ---------------------------------------------------- */

/* Takes what is missing from the wilderness, or from the free block that follows. */
static bool grow_in_place(Heap *heap, Index block, size_t size, Index need)
{
    const Index head = load(heap, block - 1U);
    const Index words = words_of(head);
    const Index flags = head & PREVIOUS_USED;
    const Index next = block + words;
    const Index next_head = load(heap, next - 1U);
    Index end;

    if (words_of(next_head) == 0U) {
        if ((block + need) > heap->length) {
            return false;
        }
        store(heap, block - 1U, header(need, USED | flags));
        set_top(heap, block + need, PREVIOUS_USED);
        return true;
    }
    if (is_used(next_head) || ((words + words_of(next_head)) < need)) {
        return false;
    }
    end = next + words_of(next_head);
    index_remove(heap, next);
    if ((((end - block) - need) >= MIN_BLOCK) && (size >= SPLIT_FROM)) {
        const Index remainder = block + need;

        store(heap, block - 1U, header(need, USED | flags));
        write_free(heap, remainder, end - remainder, PREVIOUS_USED);
        index_insert(heap, remainder);
        return true;
    }
    store(heap, block - 1U, header(end - block, USED | flags));
    tell_next(heap, end, true);
    return true;
}

/* Resizes the block to `size` bytes in place, if it can. */
static bool pool_resize(Heap *heap, Index block, size_t size)
{
    const Index need = pool_need(size);
    const Index head = load(heap, block - 1U);

    if (need == 0U) {
        return false;
    }
    if (need > words_of(head)) {
        return grow_in_place(heap, block, size, need);
    }
    if (((words_of(head) - need) >= MIN_BLOCK) && (size >= SPLIT_FROM)) {
        store(heap, block - 1U, header(need, USED | (head & PREVIOUS_USED)));
        pool_release(heap, block + need, header(words_of(head) - need, USED | PREVIOUS_USED));
    }
    return true;
}

/* ---- The pool as a heap ---------------------------------------------------------------------- */

/* Bytes that the owner of the block may use. */
static size_t pool_usable(const Heap *heap, Index block)
{
    return ((size_t)words_of(load(heap, block - 1U)) - 1U) * WORD;
}

/* Resizes the block in place, after a request for a new one was refused. */
static bool pool_resize_joined(Heap *heap, Index block, size_t size)
{
    const Index need = pool_need(size);

    if (need == 0U) {
        return false;
    }
    return (size <= pool_usable(heap, block)) || grow_in_place(heap, block, size, need);
}

/* A block for a request, or 0. */
static Index pool_allocate_apart(Heap *heap, size_t size, size_t alignment)
{
    Index need;

    if ((alignment > ALIGNMENT) || ((alignment & (alignment - 1U)) != 0U)) {
        return pool_allocate_aligned(heap, size, alignment);
    }
    need = pool_need(size);
    return (need == 0U) ? 0U : pool_allocate_words(heap, size, need);
}

/* An empty pool, which leaves the words from LAYERS up to CONTROL, set to 0, to layers. False if the
 * region is too small. */
static bool pool_init(Heap *heap)
{
    if ((FIRST + MIN_BLOCK) > heap->length) {
        return false;
    }
    for (Index at = LAYERS; at < CONTROL; at++) {
        fill(heap, at, 0U);
    }
    index_clear(heap);
    store(heap, HIGH, 0U);
    set_top(heap, FIRST, PREVIOUS_USED);
    return true;
}

/* ---- Looking at every block ------------------------------------------------------------------- */

/* The number of the first invariant that is broken, or 0. */
static unsigned int pool_check(const Heap *heap)
{
    const Index top = load(heap, TOP);
    Index block = FIRST;
    Index free_blocks = 0U;
    bool before_is_used = true;

    if ((top < FIRST) || (top > heap->length) || (top > load(heap, HIGH))) {
        return 9U;
    }
    while (block < top) {
        const Index head = load(heap, block - 1U);
        const Index words = words_of(head);

        if ((words < MIN_BLOCK) || ((words & (GRANULE - 1U)) != 0U) || (words > (top - block))) {
            return 1U;
        }
        if (((head & PREVIOUS_USED) != 0U) != before_is_used) {
            return 2U;
        }
        if (!is_used(head) && (load(heap, (block + words) - 2U) != words)) {
            return 3U;
        }
        if (!before_is_used && !is_used(head)) {
            return 4U;
        }
        before_is_used = is_used(head);
        free_blocks += is_used(head) ? 0U : 1U;
        block += words;
    }
    if ((words_of(load(heap, top - 1U)) != 0U) || !is_used(load(heap, top - 1U))) {
        return 1U;
    }
    if (((load(heap, top - 1U) & PREVIOUS_USED) != 0U) != before_is_used) {
        return 2U;
    }
    if (!before_is_used) {
        return 4U;
    }
    return index_check(heap, top, free_blocks);
}

/* Counts the blocks. */
static void pool_statistics(const Heap *heap, struct packet_heap_statistics *counts)
{
    Index block = FIRST;
    Index words = words_of(load(heap, block - 1U));

    counts->footprint = (size_t)load(heap, TOP) * WORD;
    counts->footprint_peak = (size_t)load(heap, HIGH) * WORD;
    while (words != 0U) {
        const size_t payload = ((size_t)words - 1U) * WORD;

        if (is_used(load(heap, block - 1U))) {
            counts->used_blocks++;
            counts->used_bytes += payload;
        } else {
            counts->free_blocks++;
            counts->free_bytes += payload;
            if (payload > counts->largest_free) {
                counts->largest_free = payload;
            }
        }
        block += words;
        words = words_of(load(heap, block - 1U));
    }
}

/* What few requests need is a function of its own, so that the others save no registers for it; not where size is what counts. */
#if defined(__GNUC__) && !defined(__OPTIMIZE_SIZE__)
#define RARE static __attribute__((noinline, cold))
#define SELDOM static __attribute__((noinline))
#else
#define RARE static
#define SELDOM static
#endif

/* The two functions of a hit begin where such a processor fetches: their first instructions come at once. */
#if defined(__GNUC__) && defined(__x86_64__) && !defined(__OPTIMIZE_SIZE__)
#define FETCH_ALIGNED __attribute__((aligned(32)))
#else
#define FETCH_ALIGNED
#endif

/* ---- The layer: free lists for chosen sizes ---------------------------------------------------
 *
 * A freed block of a listed size waits on its list for the next request of that size. It stays used
 * in the eyes of the pool, so it is neither split nor coalesced. When the pool cannot serve a
 * request, every list returns its blocks to it and the request is tried again.
 *
 * L1  Every block on a list is used in the pool and has exactly the list's size.
 * L2  A list does not run in a circle.
 *
 * Mamagkakis et al. 2006, section 4; Wilson, Johnstone, Neely and Boles 1995 (quick lists).
 */

#define FREELISTS 16U
#define FREELIST_HEADS 3U

/* Words of the blocks that a free list holds. */
static inline Index freelist_words(Place list)
{
    static const uint16_t words[FREELISTS] = {
        15U, 18U, 20U, 21U, 25U, 86U, 88U, 94U, 95U, 96U, 98U, 100U, 112U, 236U, 329U, 380U,
    };

    return words[list];
}

/* The free list that serves blocks of `steps` words; FREELISTS if none does. */
static inline Place freelist_at(Place steps)
{
    static const uint8_t list_at[381] = {
        16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 0U,
        16U, 16U, 1U, 16U, 2U, 3U, 16U, 16U, 16U, 4U, 16U, 16U, 16U, 16U, 16U, 16U,
        16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U,
        16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U,
        16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U,
        16U, 16U, 16U, 16U, 16U, 16U, 5U, 16U, 6U, 16U, 16U, 16U, 16U, 16U, 7U, 8U,
        9U, 16U, 10U, 16U, 11U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U,
        12U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U,
        16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U,
        16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U,
        16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U,
        16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U,
        16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U,
        16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U,
        16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 13U, 16U, 16U, 16U,
        16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U,
        16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U,
        16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U,
        16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U,
        16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U,
        16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 14U, 16U, 16U, 16U, 16U, 16U, 16U,
        16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U,
        16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U,
        16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 16U, 15U,
    };

    return list_at[steps];
}

/* The free list that serves blocks of `words` words; FREELISTS if none does. */
static inline Place freelist_of(Index words)
{
    return (words < 381U) ? freelist_at(words) : FREELISTS;
}

/* The free list that holds blocks of `words` words and of no other size; FREELISTS or more if none does. */
static inline Place freelist_holding(Index words)
{
    return (words < 381U) ? freelist_at(words) : FREELISTS;
}

/* The free list that serves requests of `size` bytes, from 1 to 1516; FREELISTS or more if none does. */
static inline Place freelist_for(size_t size)
{
    const Place steps = (Place)((size + 7U) / 4U);

    return freelist_at(steps);
}

/* Takes the first block of a list, or 0. */
static inline Index freelist_pop(Heap *heap, Place list)
{
    const Index block = load(heap, FREELIST_HEADS + list);

    if (block != 0U) {
        const Index next = load(heap, block);

        store(heap, FREELIST_HEADS + list, next);
    }
    return block;
}

/* Puts a block on a list. */
static inline void freelist_push(Heap *heap, Place list, Place block)
{
    store(heap, block, load(heap, FREELIST_HEADS + list));
    store(heap, FREELIST_HEADS + list, (Index)block);
}

/* Flushes every cached block into the pool. Returns whether there was one. */
static bool freelists_flush(Heap *heap)
{
    bool any = false;

    for (Place list = 0U; list < FREELISTS; list++) {
        Index block = freelist_pop(heap, list);

        while (block != 0U) {
            any = true;
            pool_release(heap, block, load(heap, block - 1U));
            block = freelist_pop(heap, list);
        }
    }
    return any;
}

/* Serves a request that the pool refused, after a flush. */
static Index freelists_after_flush(Heap *heap, size_t size, size_t alignment)
{
    Index block = 0U;

    if (freelists_flush(heap)) {
        /* The request itself, no longer rounded up to a list's size. */
        block = pool_allocate_apart(heap, size, alignment);
    }
    return block;
}

/* Serves a request for an alignment of its own. */
RARE Index freelists_apart(Heap *heap, size_t size, size_t alignment)
{
    const Index block = pool_allocate_apart(heap, size, alignment);

    return (block != 0U) ? block : freelists_after_flush(heap, size, alignment);
}

/* Serves a request for which no list has a block. */
SELDOM Index freelists_miss(Heap *heap, size_t size, size_t alignment)
{
    Index need = pool_need(size);
    Place list;
    Index block;

    if (need == 0U) {
        return 0U;
    }
    list = freelist_of(need);
    if (list < FREELISTS) {
        need = freelist_words(list);
    }
    block = pool_allocate_words(heap, size, need);
    return (block != 0U) ? block : freelists_after_flush(heap, size, alignment);
}

/* The block that waits for a request, or 0. */
static inline Place freelists_hit(Heap *heap, size_t size)
{
    if ((size - 1U) < 1516U) {
        const Place list = freelist_for(size);

        if (list < FREELISTS) {
            return freelist_pop(heap, list);
        }
    }
    return 0U;
}

static inline Index freelists_allocate(Heap *heap, size_t size, size_t alignment)
{
    Index block;

    if ((alignment > ALIGNMENT) || ((alignment & (alignment - 1U)) != 0U)) {
        return freelists_apart(heap, size, alignment);
    }
    block = (Index)freelists_hit(heap, size);
    return (block != 0U) ? block : freelists_miss(heap, size, alignment);
}

/* Frees a block that no list holds. */
SELDOM void freelists_release(Heap *heap, Place block)
{
    pool_release(heap, (Index)block, load(heap, block - 1U));
}

static inline void freelists_free(Heap *heap, Place block)
{
    const Index head = load(heap, block - 1U);
    const Place list = freelist_holding(words_of(head));

    if (list < FREELISTS) {
        freelist_push(heap, list, block);
    } else {
        freelists_release(heap, block);
    }
}

static unsigned int freelists_check(const Heap *heap)
{
    const unsigned int broken = pool_check(heap);
    const Index top = load(heap, TOP);

    if (broken != 0U) {
        return broken;
    }
    for (Place list = 0U; list < FREELISTS; list++) {
        Index left = top;

        for (Index block = load(heap, FREELIST_HEADS + list); block != 0U; block = load(heap, block)) {
            if (left == 0U) {
                return 12U;
            }
            if ((block < FIRST) || (block >= top) || !is_used(load(heap, block - 1U)) ||
                (words_of(load(heap, block - 1U)) != freelist_words(list))) {
                return 11U;
            }
            left--;
        }
    }
    return 0U;
}

/* Changes the size of a block, in place where it can; else by a new block, the old one's contents and
 * its release. 0 if the request is refused: the block is as it was. */
static Index resize_or_move(Heap *heap, Index block, size_t size, size_t alignment)
{
    const bool lies_right = (address_of(&heap->words[block]) & (alignment - 1U)) == 0U;
    Index moved;

    if ((lies_right || (alignment == 0U)) && pool_resize(heap, block, size)) {
        return block;
    }
    moved = freelists_allocate(heap, size, alignment);
    if (moved != 0U) {
        const size_t old_bytes = pool_usable(heap, block);

        copy(heap, moved, block, (old_bytes < size) ? old_bytes : size);
        freelists_free(heap, block);
    } else if ((lies_right || (alignment == 0U)) && pool_resize_joined(heap, block, size)) {
        /* What was joined for a new block lets this one grow where it is. */
        return block;
    } else {
        /* It is refused. */
    }
    return moved;
}

/* ---- The heap as others see it ---------------------------------------------------------------- */

static inline Place place_in(const Heap *heap, const void *block)
{
    /* cppcheck-suppress misra-c2012-11.5 ; a block of this heap begins at a word */
    const Word *const word = (const Word *)block;

    /* cppcheck-suppress [misra-c2012-10.8, misra-c2012-18.4] ; both point into the region, `word` behind its base */
    return (Place)(word - heap->words);
}

static inline Index index_of(const Heap *heap, const void *block)
{
    return (Index)place_in(heap, block);
}

static inline void *pointer_to(const Heap *heap, Place block)
{
    return (block == 0U) ? NULL : &heap->words[block];
}

bool packet_heap_init(packet_heap *heap, void *region, size_t bytes)
{
    /* cppcheck-suppress misra-c2012-11.5 ; whether it begins at a word is looked at below */
    heap->words = (Word *)region;
    heap->length = words_in(bytes);
    if ((region == NULL) || ((address_of(heap->words) % WORD) != 0U)) {
        return false;
    }
    return pool_init(heap);
}

/* A request that is no hit. */
SELDOM void *allocate_new(Heap *heap, size_t size, size_t alignment)
{
    void *block;

    PACKET_HEAP_LOCK(heap);
    block = pointer_to(heap, freelists_allocate(heap, size, alignment));
    PACKET_HEAP_TRACE(heap, 'a', NULL, block, size, alignment);
    PACKET_HEAP_UNLOCK(heap);
    return block;
}

FETCH_ALIGNED void *packet_heap_allocate(packet_heap *heap, size_t size)
{
#ifndef __OPTIMIZE_SIZE__
    void *block;

    PACKET_HEAP_LOCK(heap);
    block = pointer_to(heap, freelists_hit(heap, size));
    if (block != NULL) {
        PACKET_HEAP_TRACE(heap, 'a', NULL, block, size, 0U);
        PACKET_HEAP_UNLOCK(heap);
        return block;
    }
    PACKET_HEAP_UNLOCK(heap);
#endif
    return allocate_new(heap, size, 0U);
}

/* cppcheck-suppress misra-c2012-8.7 ; it is for programs */
void *packet_heap_allocate_aligned(packet_heap *heap, size_t size, size_t alignment)
{
#ifndef __OPTIMIZE_SIZE__
    if (alignment <= 4U) {
        void *block;

        PACKET_HEAP_LOCK(heap);
        block = pointer_to(heap, freelists_hit(heap, size));
        if (block != NULL) {
            PACKET_HEAP_TRACE(heap, 'a', NULL, block, size, alignment);
            PACKET_HEAP_UNLOCK(heap);
            return block;
        }
        PACKET_HEAP_UNLOCK(heap);
    }
#endif
    return allocate_new(heap, size, alignment);
}

void *packet_heap_reallocate(packet_heap *heap, void *block, size_t size, size_t alignment)
{
    void *moved;

    if (block == NULL) {
        return packet_heap_allocate_aligned(heap, size, alignment);
    }
    PACKET_HEAP_LOCK(heap);
    moved = pointer_to(heap, resize_or_move(heap, index_of(heap, block), size, alignment));
    PACKET_HEAP_TRACE(heap, 'r', block, moved, size, alignment);
    PACKET_HEAP_UNLOCK(heap);
    return moved;
}

FETCH_ALIGNED void packet_heap_free(packet_heap *heap, void *block)
{
    if (block != NULL) {
        PACKET_HEAP_LOCK(heap);
        PACKET_HEAP_TRACE(heap, 'f', block, NULL, 0U, 0U);
        freelists_free(heap, place_in(heap, block));
        PACKET_HEAP_UNLOCK(heap);
    }
}

size_t packet_heap_usable_size(const packet_heap *heap, const void *block)
{
    size_t bytes;

    PACKET_HEAP_LOCK(heap);
    bytes = pool_usable(heap, index_of(heap, block));
    PACKET_HEAP_UNLOCK(heap);
    return bytes;
}

unsigned int packet_heap_check(const packet_heap *heap)
{
    unsigned int broken;

    PACKET_HEAP_LOCK(heap);
    broken = freelists_check(heap);
    PACKET_HEAP_UNLOCK(heap);
    return broken;
}
struct packet_heap_statistics packet_heap_statistics(const packet_heap *heap)
{
    struct packet_heap_statistics counts;
    /* One by one: of an initialiser some compilers make a call of memset. */
    counts.used_blocks = 0U;
    counts.used_bytes = 0U;
    counts.free_blocks = 0U;
    counts.free_bytes = 0U;
    counts.largest_free = 0U;
    PACKET_HEAP_LOCK(heap);
    counts.region = (size_t)heap->length * WORD;
    pool_statistics(heap, &counts);
    PACKET_HEAP_UNLOCK(heap);
    return counts;
}
