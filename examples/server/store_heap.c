/* store_heap: see store_heap.h.
 *
 *     tlsf(second-level=4, largest=65536) word=8
 *
 * Of MISRA C:2012 the advisory rule 15.5 is not kept: functions return where they are done. Other
 * deviations are noted in place, with their reason.
 */
#include "store_heap.h"

#include <limits.h>

/* Under an operating system blocks are copied by its C library. */
#if __STDC_HOSTED__ && (defined(__unix__) || defined(__APPLE__) || defined(_WIN32))
#include <string.h>
#endif

#ifndef STORE_HEAP_ASSERT
#define STORE_HEAP_ASSERT(condition) ((void)0)
#endif
#ifndef STORE_HEAP_LOCK
#define STORE_HEAP_LOCK(heap) ((void)0)
#define STORE_HEAP_UNLOCK(heap) ((void)0)
#endif
#ifndef STORE_HEAP_TRACE
#define STORE_HEAP_TRACE(heap, what, old, block, size, alignment) ((void)0)
#endif

typedef store_heap Heap;
typedef uint64_t Word;
/* Counts words from the region's base, and holds whatever a word holds. */
typedef uint64_t Index;
/* The same where it becomes an address: as wide as that is computed. */
typedef uint64_t Place;

/* Bytes in a word; what every payload is a multiple of; words of the largest region. */
#define WORD 8U
#define ALIGNMENT 8U
#define MAX_WORDS UINT64_C(9007199254740992)

/* Control words: TOP names the wilderness, HIGH keeps the most that TOP ever was. */
#define TOP 0U
#define HIGH 1U
#define INDEX 2U
#define LAYERS 176U
#define FIRST 177U

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
#if SIZE_MAX > UINT32_MAX
    return size > UINT64_C(72057594037927920);
#else
    (void)size;
    return false;
#endif
}

/* Whether no region has an address that is a multiple of this many bytes, and room behind it. */
static inline bool is_too_coarse(size_t alignment)
{
#if SIZE_MAX > UINT32_MAX
    return alignment > UINT64_C(36028797018963968);
#else
    (void)alignment;
    return false;
#endif
}

/* Words of a region of this many bytes. */
static inline Index words_in(size_t bytes)
{
    const size_t words = bytes / WORD;

#if SIZE_MAX > UINT32_MAX
    return (words < MAX_WORDS) ? words : MAX_WORDS;
#else
    return words;
#endif
}

/* The address of a word: alignments are asked of addresses, not of indexes. */
static inline uintptr_t address_of(const Word *word)
{
    /* cppcheck-suppress misra-c2012-11.4 ; an address is a number here, and is never made a pointer again */
    return (uintptr_t)word;
}

/* Binary logarithm, rounded down, of a word that is not 0. The compiler's own scan is of an int, a long or a long long:
 * the one that has as many bits as the word. */
#ifndef STORE_HEAP_COUNT_LEADING_ZEROS
#if defined(__GNUC__) && (ULLONG_MAX == UINT64_MAX)
#define STORE_HEAP_COUNT_LEADING_ZEROS(word) __builtin_clzll(word)
#else
static unsigned int count_leading_zeros(Index word)
{
    Index left = word;
    unsigned int zeros = 0U;

    for (unsigned int step = 32U; step > 0U; step /= 2U) {
        const unsigned int others = 64U - step;

        if ((left >> others) == 0U) {
            zeros += step;
            left <<= step;
        }
    }
    return zeros;
}
#define STORE_HEAP_COUNT_LEADING_ZEROS(word) count_leading_zeros(word)
#endif
#endif

static inline Index logarithm(Index word)
{
    return 63U - (Index)STORE_HEAP_COUNT_LEADING_ZEROS(word);
}

/* The number of the lowest bit of a word that is not 0, by the compiler's scan of a type that holds the word. */
#ifndef STORE_HEAP_COUNT_TRAILING_ZEROS
#if defined(__GNUC__) && (ULLONG_MAX == UINT64_MAX)
#define STORE_HEAP_COUNT_TRAILING_ZEROS(word) __builtin_ctzll(word)
#else
static unsigned int count_trailing_zeros(Index word)
{
    Index left = word;
    unsigned int zeros = 0U;

    for (unsigned int step = 32U; step > 0U; step /= 2U) {
        if ((left & (((Index)1U << step) - 1U)) == 0U) {
            zeros += step;
            left >>= step;
        }
    }
    return zeros;
}
#define STORE_HEAP_COUNT_TRAILING_ZEROS(word) count_trailing_zeros(word)
#endif
#endif

static inline Index lowest_bit(Index word)
{
    return (Index)STORE_HEAP_COUNT_TRAILING_ZEROS(word);
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
    STORE_HEAP_ASSERT(at < heap->length);
    return heap->words[at];
}

static inline void store(Heap *heap, Place at, Index value)
{
    STORE_HEAP_ASSERT(at < heap->length);
    heap->words[at] = (Word)value;
}

/* The same in a loop. */
static inline void fill(Heap *heap, Index at, Index value)
{
    IN_LOOP Word *const word = &heap->words[at];

    STORE_HEAP_ASSERT(at < heap->length);
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

/* Links `block` in front. */
static void chain_push_front(Heap *heap, Index head, Index block)
{
    const Index next = load(heap, head);

    store(heap, block + NEXT, next);
    store(heap, block + PREVIOUS, 0U);
    store(heap, head, block);
    if (next != 0U) {
        store(heap, next + PREVIOUS, block);
    }
}

/* Takes `block` out and returns the block that followed it. */
static Index chain_unlink(Heap *heap, Index head, Index block)
{
    const Index next = load(heap, block + NEXT);
    const Index previous = load(heap, block + PREVIOUS);

    chain_point(heap, head, previous, next, next, previous);
    return next;
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

/* ---- The index: two-level segregated fit ---------------------------------------------------
 *
 *   first level   0 0 1 0 1 0      a bit for each power of two
 *                     |   |
 *   second level      |   0 1 1 0  a bit for each of its 16 equal parts, which have a list each
 *
 * A request is rounded up to the next list's lower end before it is looked for, so that every block of
 * the lists from there on serves it: the head of the first one that is not empty is taken.
 *
 * Masmano, Ripoll, Crespo and Real 2004 (TLSF).
 */

/* Binary logarithm of the parts that a power of two has. */
#define SECOND 4U
#define PARTS 16U
/* Bits of a word of a map. */
#define BITS 64U
/* The list of the largest requests, and of all larger blocks. */
#define LAST 161U
#define NO_LIST (LAST + 1U)
#define FIRST_LEVEL INDEX
#define SECOND_LEVEL (INDEX + 1U)
#define HEADS 14U
/* This many blocks of the list below are looked at when the region is full. */
#define SECOND_LOOK 8U

/* The list of blocks of `words`, were there no last one. */
static Index list_floor(Index words)
{
    Index shift;

    if (words < PARTS) {
        return words;
    }
    shift = logarithm(words) - SECOND;
    return (shift << SECOND) + (words >> shift);
}

/* The first list whose blocks all have `words`. */
static Index list_ceil(Index words)
{
    if (words < PARTS) {
        return words;
    }
    return list_floor(words + (((Index)1U << (logarithm(words) - SECOND)) - 1U));
}

/* The list that holds blocks of `words`. */
static Index list_for(Index words)
{
    const Index list = list_floor(words);

    return (list < LAST) ? list : LAST;
}

/* What requests of `words` are rounded up to: 0 if they are too large. */
static inline Index index_round(Index words)
{
    return (list_ceil(words) <= LAST) ? words : 0U;
}

/* The first list of a power of two from its part `part` on that is not empty, or NO_LIST. */
static Index in_row(const Heap *heap, Index row, Index part)
{
    const Index bits = load(heap, SECOND_LEVEL + row) & (~(Index)0U << part);

    return (bits == 0U) ? NO_LIST : ((row << SECOND) + lowest_bit(bits));
}

/* The first list from `list` on that is not empty, or NO_LIST. */
static Index first_full(const Heap *heap, Index list)
{
    const Index row = list >> SECOND;
    const Index found = in_row(heap, row, list & (PARTS - 1U));
    Index rows;

    if (found != NO_LIST) {
        return found;
    }
    rows = load(heap, FIRST_LEVEL) & (~(Index)0U << (row + 1U));
    return (rows == 0U) ? NO_LIST : in_row(heap, lowest_bit(rows), 0U);
}

/* A free block of `need` words whose list has no smaller one, or 0 (good fit). */
static Index index_find(const Heap *heap, Index need)
{
    Index list = list_ceil(need);

    if (list > LAST) {
        return 0U;
    }
    list = first_full(heap, list);
    return (list == NO_LIST) ? 0U : load(heap, HEADS + list);
}

/* A free block of `need` words among the first of its own list, or 0: the region is full. */
static Index index_find_larger(const Heap *heap, Index need)
{
    Index block = load(heap, HEADS + list_for(need));

    for (Index left = SECOND_LOOK; (block != 0U) && (left > 0U); left--) {
        if (words_of(load(heap, block - 1U)) >= need) {
            return block;
        }
        block = load(heap, block + NEXT);
    }
    return 0U;
}

/* Adds a free block. */
static void index_insert(Heap *heap, Index block, Index words)
{
    const Index list = list_for(words);
    const Index row = list >> SECOND;
    const Index part = list & (PARTS - 1U);
    const Index map = SECOND_LEVEL + row;

    chain_push_front(heap, HEADS + list, block);
    store(heap, map, load(heap, map) | ((Index)1U << (part % BITS)));
    store(heap, FIRST_LEVEL, load(heap, FIRST_LEVEL) | ((Index)1U << row));
}

/* Takes a free block out. */
static void index_remove(Heap *heap, Index block, Index words)
{
    const Index list = list_for(words);
    const Index row = list >> SECOND;
    const Index part = list & (PARTS - 1U);
    const Index map = SECOND_LEVEL + row;

    (void)chain_unlink(heap, HEADS + list, block);
    if (load(heap, HEADS + list) == 0U) {
        store(heap, map, load(heap, map) & ~((Index)1U << (part % BITS)));
        if (in_row(heap, row, 0U) == NO_LIST) {
            store(heap, FIRST_LEVEL, load(heap, FIRST_LEVEL) & ~((Index)1U << row));
        }
    }
}

/* Verifies every list and its bits. */
static unsigned int index_check(const Heap *heap, Index top, Index free_blocks)
{
    Index left = free_blocks;

    for (Index list = 0U; list <= LAST; list++) {
        const unsigned int broken = chain_check(heap, HEADS + list, top, &left);
        const bool empty = (load(heap, HEADS + list) == 0U);
        const Index row = list >> SECOND;
        const Index part = list & (PARTS - 1U);
        const Index map = SECOND_LEVEL + row;

        if (broken != 0U) {
            return broken;
        }
        for (Index block = load(heap, HEADS + list); block != 0U; block = load(heap, block + NEXT)) {
            if (list_for(words_of(load(heap, block - 1U))) != list) {
                return 5U;
            }
        }
        if ((((load(heap, map) >> (part % BITS)) & 1U) == 0U) != empty) {
            return 6U;
        }
        if ((((load(heap, FIRST_LEVEL) >> row) & 1U) == 0U) != (in_row(heap, row, 0U) == NO_LIST)) {
            return 7U;
        }
    }
    return (left == 0U) ? 0U : 5U;
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

/* Takes a free block for a request that needs `need` words, and splits off the rest. */
static void take(Heap *heap, Index block, Index need)
{
    const Index head = load(heap, block - 1U);
    const Index words = words_of(head);

    if ((words - need) >= MIN_BLOCK) {
        const Index remainder = block + need;

        store(heap, block - 1U, header(need, USED | (head & PREVIOUS_USED)));
        index_remove(heap, block, words);
        index_insert(heap, remainder, words - need);
        write_free(heap, remainder, words - need, PREVIOUS_USED);
        return;
    }
    index_remove(heap, block, words);
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
            index_remove(heap, previous, block - previous);
        }
        set_top(heap, merged, merged_flags);
        return;
    }
    if (!is_used(next_head)) {
        next = block + words;
        merged_words += words_of(next_head);
    }
    if (previous != 0U) {
        index_remove(heap, previous, block - previous);
    }
    if (next != 0U) {
        index_remove(heap, next, words_of(next_head));
    }
    index_insert(heap, merged, merged_words);
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
    const Index words = words_for(size);

    return (words == 0U) ? 0U : index_round(words);
}

/* A block for a request that needs `need` words, or 0. */
static Index pool_allocate_words(Heap *heap, Index need)
{
    Index block;
    Index top;

    block = index_find(heap, need);
    if (block != 0U) {
        take(heap, block, need);
        return block;
    }
    top = load(heap, TOP);
    if ((top + need) <= heap->length) {
        extend(heap, top, need);
        return top;
    }
    block = index_find_larger(heap, need);
    if (block != 0U) {
        take(heap, block, need);
    }
    return block;
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
static Index carve(Heap *heap, Index free_block, Index need, Index step)
{
    const Index head = load(heap, free_block - 1U);
    const Index end = free_block + words_of(head);
    const Index gap = gap_before(heap, free_block, step);
    const Index block = free_block + gap;
    Index flags = head & PREVIOUS_USED;

    if (gap != 0U) {
        index_remove(heap, free_block, words_of(head));
        index_insert(heap, free_block, gap);
        write_free(heap, free_block, gap, flags);
        flags = 0U;
    } else {
        index_remove(heap, free_block, words_of(head));
    }
    if (((end - block) - need) >= MIN_BLOCK) {
        const Index remainder = block + need;

        store(heap, block - 1U, header(need, USED | flags));
        write_free(heap, remainder, end - remainder, PREVIOUS_USED);
        index_insert(heap, remainder, end - remainder);
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
        index_insert(heap, top, gap);
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
    return (block != 0U) ? carve(heap, block, need, step) : extend_aligned(heap, need, step);
}

/* ---- Changing the size of a block in place ---------------------------------------------------- */

/* Takes what is missing from the wilderness, or from the free block that follows. */
static bool grow_in_place(Heap *heap, Index block, Index need)
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
    index_remove(heap, next, words_of(next_head));
    if (((end - block) - need) >= MIN_BLOCK) {
        const Index remainder = block + need;

        store(heap, block - 1U, header(need, USED | flags));
        write_free(heap, remainder, end - remainder, PREVIOUS_USED);
        index_insert(heap, remainder, end - remainder);
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
        return grow_in_place(heap, block, need);
    }
    if ((words_of(head) - need) >= MIN_BLOCK) {
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

/* A block for a request, or 0. */
static Index pool_allocate(Heap *heap, size_t size, size_t alignment)
{
    Index need;

    if ((alignment > ALIGNMENT) || ((alignment & (alignment - 1U)) != 0U)) {
        return pool_allocate_aligned(heap, size, alignment);
    }
    need = pool_need(size);
    return (need == 0U) ? 0U : pool_allocate_words(heap, need);
}

static void pool_free(Heap *heap, Index block)
{
    pool_release(heap, block, load(heap, block - 1U));
}

/* An empty pool, which leaves the words from LAYERS up to CONTROL, set to 0, to layers. False if the
 * region is too small. */
static bool pool_init(Heap *heap)
{
    if ((FIRST + MIN_BLOCK) > heap->length) {
        return false;
    }
    for (Index at = INDEX; at < LAYERS; at++) {
        fill(heap, at, 0U);
    }
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
static void pool_statistics(const Heap *heap, struct store_heap_statistics *counts)
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

/* Changes the size of a block, in place where it can; else by a new block, the old one's contents and
 * its release. 0 if the request is refused: the block is as it was. */
static Index resize_or_move(Heap *heap, Index block, size_t size, size_t alignment)
{
    const bool lies_right = (address_of(&heap->words[block]) & (alignment - 1U)) == 0U;
    Index moved;

    if ((lies_right || (alignment == 0U)) && pool_resize(heap, block, size)) {
        return block;
    }
    moved = pool_allocate(heap, size, alignment);
    if (moved != 0U) {
        const size_t old_bytes = pool_usable(heap, block);

        copy(heap, moved, block, (old_bytes < size) ? old_bytes : size);
        pool_free(heap, block);
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

bool store_heap_init(store_heap *heap, void *region, size_t bytes)
{
    /* cppcheck-suppress misra-c2012-11.5 ; whether it begins at a word is looked at below */
    heap->words = (Word *)region;
    heap->length = words_in(bytes);
    if ((region == NULL) || ((address_of(heap->words) % WORD) != 0U)) {
        return false;
    }
    return pool_init(heap);
}

void *store_heap_allocate(store_heap *heap, size_t size)
{
    return store_heap_allocate_aligned(heap, size, 0U);
}

void *store_heap_allocate_aligned(store_heap *heap, size_t size, size_t alignment)
{
    void *block;

    STORE_HEAP_LOCK(heap);
    block = pointer_to(heap, pool_allocate(heap, size, alignment));
    STORE_HEAP_TRACE(heap, 'a', NULL, block, size, alignment);
    STORE_HEAP_UNLOCK(heap);
    return block;
}

void *store_heap_reallocate(store_heap *heap, void *block, size_t size, size_t alignment)
{
    void *moved;

    if (block == NULL) {
        return store_heap_allocate_aligned(heap, size, alignment);
    }
    STORE_HEAP_LOCK(heap);
    moved = pointer_to(heap, resize_or_move(heap, index_of(heap, block), size, alignment));
    STORE_HEAP_TRACE(heap, 'r', block, moved, size, alignment);
    STORE_HEAP_UNLOCK(heap);
    return moved;
}

void store_heap_free(store_heap *heap, void *block)
{
    if (block != NULL) {
        STORE_HEAP_LOCK(heap);
        STORE_HEAP_TRACE(heap, 'f', block, NULL, 0U, 0U);
        pool_free(heap, index_of(heap, block));
        STORE_HEAP_UNLOCK(heap);
    }
}

size_t store_heap_usable_size(const store_heap *heap, const void *block)
{
    size_t bytes;

    STORE_HEAP_LOCK(heap);
    bytes = pool_usable(heap, index_of(heap, block));
    STORE_HEAP_UNLOCK(heap);
    return bytes;
}

unsigned int store_heap_check(const store_heap *heap)
{
    unsigned int broken;

    STORE_HEAP_LOCK(heap);
    broken = pool_check(heap);
    STORE_HEAP_UNLOCK(heap);
    return broken;
}
struct store_heap_statistics store_heap_statistics(const store_heap *heap)
{
    struct store_heap_statistics counts;
    /* One by one: of an initialiser some compilers make a call of memset. */
    counts.used_blocks = 0U;
    counts.used_bytes = 0U;
    counts.free_blocks = 0U;
    counts.free_bytes = 0U;
    counts.largest_free = 0U;
    STORE_HEAP_LOCK(heap);
    counts.region = (size_t)heap->length * WORD;
    pool_statistics(heap, &counts);
    STORE_HEAP_UNLOCK(heap);
    return counts;
}
