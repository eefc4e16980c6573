/* store_heap: a memory allocator, emitted by heapsmith 0.1.0.
 *
 *     tlsf(second-level=4, largest=65536) word=8
 *
 * Not measured: no trace was named when it was emitted.
 *
 * Bounds:
 *     allocate       constant
 *     free           constant
 *     max memory     M + B (r - 1), r the request rounded up to its list: holes below r may be
 *                    passed over
 *     with M the most bytes in live blocks at once, headers included, B the most live blocks, n the
 *     largest block, all in units of the smallest.
 *
 * The region holds all that the heap is: control words of 1408 bytes, then the blocks. Words are of
 * 8 bytes, payloads multiples of 8 bytes, a region at most 72057594037927936 bytes. Needs no C library and is
 * not thread-safe unless STORE_HEAP_LOCK and STORE_HEAP_UNLOCK say how to wait.
 *
 * Precondition: what is put into a block of store_heap_allocate is aligned to at most 8 bytes. For each of your
 * types, STORE_HEAP_ASSERT_ALIGNED(type); refuses to compile where that is not so.
 *
 * These may be defined when store_heap.c is compiled; each does nothing by default:
 *     STORE_HEAP_ASSERT(condition)            what must hold
 *     STORE_HEAP_LOCK(heap), STORE_HEAP_UNLOCK(heap)   one thread at a time; every function but store_heap_init takes the lock, once. The
 *                                          first may declare a variable that the second reads
 *     STORE_HEAP_TRACE(heap, what, old, block, size, alignment)   a call, while the lock is held: 'a' allocate, 'r' reallocate,
 *                                          'f' free; the block that was given, NULL for 'a', and the one that is returned,
 *                                          NULL for 'f' and where the request was refused
 *     STORE_HEAP_COUNT_LEADING_ZEROS(word)    of a word that is not 0; by default the compiler's
 *     STORE_HEAP_COUNT_TRAILING_ZEROS(word)   of a word that is not 0; by default the compiler's
 */
#ifndef STORE_HEAP_H
#define STORE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
/* cppcheck-suppress misra-c2012-2.5 ; it is for the types of users */
#define STORE_HEAP_ASSERT_ALIGNED(held) \
    static_assert(alignof(held) <= 8U, "the type is aligned to more than 8 bytes")
extern "C" {
#else
/* cppcheck-suppress misra-c2012-2.5 ; it is for the types of users */
#define STORE_HEAP_ASSERT_ALIGNED(held) \
    _Static_assert(_Alignof(held) <= 8U, "the type is aligned to more than 8 bytes")
#endif

/* A heap. Its fields are private; it may be in any memory, but not in its region. */
typedef struct store_heap {
    uint64_t *words; /* the region */
    uint64_t length; /* words of the region */
} store_heap;

/* What a heap holds, in bytes of payload where nothing else is said. */
struct store_heap_statistics {
    size_t region;         /* bytes of the region */
    size_t footprint;      /* bytes of the region up to the wilderness, now */
    size_t footprint_peak; /* the most that the footprint ever was */
    size_t used_blocks;    /* with the program */
    size_t used_bytes;
    size_t free_blocks;    /* below the wilderness */
    size_t free_bytes;
    size_t largest_free;
};

/* What each function takes, and what it does with a pointer that is no live block of this heap (a heap error):
 *
 *     store_heap_allocate, store_heap_allocate_aligned
 *                                time: the bound above
 *     store_heap_reallocate         time: in place constant or as a free, else as allocate, free and a copy
 *     store_heap_free               time: the bound above
 *     store_heap_usable_size    time: constant
 *     store_heap_check        time: linear in the blocks
 *     store_heap_statistics         time: linear in the blocks
 *
 * A heap error is not found: what happens then, or later, is undefined. The option check=header of a heap finds most. */

/* Makes an empty heap of a region, which belongs to it from now on. False if the region does not begin
 * at a multiple of 8 bytes, or has no room for the control words. */
bool store_heap_init(store_heap *heap, void *region, size_t bytes);

/* A block of at least `size` bytes at a multiple of 8 bytes. NULL if there is no room, and for a size of 0. */
void *store_heap_allocate(store_heap *heap, size_t size);

/* A block at a multiple of `alignment` bytes, a power of two; 0 and 1 mean the heap's own. */
void *store_heap_allocate_aligned(store_heap *heap, size_t size, size_t alignment);
/* Makes a block at least `size` bytes large, in place where it can, and keeps its contents up to the
 * smaller of both sizes. `alignment` is what the block was asked for with. NULL if there is no room, and
 * for a size of 0: the block is as it was. A NULL block is allocated. */
void *store_heap_reallocate(store_heap *heap, void *block, size_t size, size_t alignment);

/* Frees a block; NULL is none. */
void store_heap_free(store_heap *heap, void *block);

/* Bytes of a block that its owner may use: at least what was asked for. */
size_t store_heap_usable_size(const store_heap *heap, const void *block);

/* Verifies every invariant: 0, or the number of the first that is broken.
 *     1   blocks tile the region in multiples of the granule
 *     2   a header holds the status of the block before
 *     3   the last word of a free block is its size
 *     4   no two free blocks touch
 *     5   every free block is in the list of its size
 *     6   a bit of the second level says whether its list is empty
 *     7   a bit of the first level says whether all of its lists are
 *     9   the wilderness begins inside the region, below its high-water mark
 * Takes time linear in the blocks. */
unsigned int store_heap_check(const store_heap *heap);
/* Counts what the heap holds. Takes time linear in the blocks. */
struct store_heap_statistics store_heap_statistics(const store_heap *heap);

#ifdef __cplusplus
}
#endif

#endif
