/* packet_heap: a memory allocator, emitted by heapsmith 0.1.0.
 *
 *     freelists(54,66,74,78,94,337,347,370,376,378,386,394,441,939,1309,1514)
 *     list(order=address, fit=first, split>=66, coalesce=immediate)
 *
 * Measured on easyport of web.pcap.xz:
 *     footprint     188660 bytes at the peak for 173776 requested bytes: fragmentation 8.6%
 *     accesses      mean 4.37, p99 17, max 20 per operation, of 6000 operations
 *     refused       0 requests
 *     reserve       188664 bytes of RAM, in which that was measured
 *
 * Bounds:
 *     allocate       constant for a cached size, else linear in the free blocks
 *     free           constant for a cached size, else constant next to a free block, else linear
 *                    in the free blocks
 *     max memory     none: free neighbours that are not joined, or remainders that are not split
 *                    off, add up; blocks that lists cache count as live, and blocks with a
 *                    remainder too small to split off can add up until the region is full, when
 *                    the lists give back all (see `heapsmith bound`)
 *     refusal        joins all that is free first, in time linear in the blocks; again only
 *                    after a free
 *
 * The region holds all that the heap is: control words of 76 bytes, then the blocks. Words are of
 * 4 bytes, payloads multiples of 4 bytes, a region at most 4294967292 bytes. Needs no C library and is
 * not thread-safe unless PACKET_HEAP_LOCK and PACKET_HEAP_UNLOCK say how to wait.
 *
 * Precondition: what is put into a block of packet_heap_allocate is aligned to at most 4 bytes. For each of your
 * types, PACKET_HEAP_ASSERT_ALIGNED(type); refuses to compile where that is not so.
 *
 * These may be defined when packet_heap.c is compiled; each does nothing by default:
 *     PACKET_HEAP_ASSERT(condition)            what must hold
 *     PACKET_HEAP_LOCK(heap), PACKET_HEAP_UNLOCK(heap)   one thread at a time; every function but packet_heap_init takes the lock, once. The
 *                                          first may declare a variable that the second reads
 *     PACKET_HEAP_TRACE(heap, what, old, block, size, alignment)   a call, while the lock is held: 'a' allocate, 'r' reallocate,
 *                                          'f' free; the block that was given, NULL for 'a', and the one that is returned,
 *                                          NULL for 'f' and where the request was refused
 */
#ifndef PACKET_HEAP_H
#define PACKET_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
/* cppcheck-suppress misra-c2012-2.5 ; it is for the types of users */
#define PACKET_HEAP_ASSERT_ALIGNED(held) \
    static_assert(alignof(held) <= 4U, "the type is aligned to more than 4 bytes")
extern "C" {
#else
/* cppcheck-suppress misra-c2012-2.5 ; it is for the types of users */
#define PACKET_HEAP_ASSERT_ALIGNED(held) \
    _Static_assert(_Alignof(held) <= 4U, "the type is aligned to more than 4 bytes")
#endif

/* A heap. Its fields are private; it may be in any memory, but not in its region. */
typedef struct packet_heap {
    uint32_t *words; /* the region */
    uint32_t length; /* words of the region */
} packet_heap;

/* What a heap holds, in bytes of payload where nothing else is said. */
struct packet_heap_statistics {
    size_t region;         /* bytes of the region */
    size_t footprint;      /* bytes of the region up to the wilderness, now */
    size_t footprint_peak; /* the most that the footprint ever was */
    size_t used_blocks;    /* with the program, or cached by free lists */
    size_t used_bytes;
    size_t free_blocks;    /* below the wilderness */
    size_t free_bytes;
    size_t largest_free;
};

/* What each function takes, and what it does with a pointer that is no live block of this heap (a heap error):
 *
 *     packet_heap_allocate, packet_heap_allocate_aligned
 *                                time: the bound above
 *     packet_heap_reallocate         time: in place constant or as a free, else as allocate, free and a copy
 *     packet_heap_free               time: the bound above
 *     packet_heap_usable_size    time: constant
 *     packet_heap_check        time: linear in the blocks
 *     packet_heap_statistics         time: linear in the blocks
 *
 * A heap error is not found: what happens then, or later, is undefined. The option check=header of a heap finds most. */

/* Makes an empty heap of a region, which belongs to it from now on. False if the region does not begin
 * at a multiple of 4 bytes, or has no room for the control words. */
bool packet_heap_init(packet_heap *heap, void *region, size_t bytes);

/* A block of at least `size` bytes at a multiple of 4 bytes. NULL if there is no room, and for a size of 0. */
void *packet_heap_allocate(packet_heap *heap, size_t size);

/* A block at a multiple of `alignment` bytes, a power of two; 0 and 1 mean the heap's own. */
void *packet_heap_allocate_aligned(packet_heap *heap, size_t size, size_t alignment);
/* Makes a block at least `size` bytes large, in place where it can, and keeps its contents up to the
 * smaller of both sizes. `alignment` is what the block was asked for with. NULL if there is no room, and
 * for a size of 0: the block is as it was. A NULL block is allocated. */
void *packet_heap_reallocate(packet_heap *heap, void *block, size_t size, size_t alignment);

/* Frees a block; NULL is none. */
void packet_heap_free(packet_heap *heap, void *block);

/* Bytes of a block that its owner may use: at least what was asked for. */
size_t packet_heap_usable_size(const packet_heap *heap, const void *block);

/* Verifies every invariant: 0, or the number of the first that is broken.
 *     1   blocks tile the region in multiples of the granule
 *     2   a header holds the status of the block before
 *     3   the last word of a free block is its size
 *     4   no two free blocks touch
 *     5   the free blocks are on the list, each once
 *     6   the list is in the order of addresses
 *     9   the wilderness begins inside the region, below its high-water mark
 *     11  a block on a free list is used in the pool and of the list's size
 *     12  no free list runs in a circle
 * Takes time linear in the blocks. */
unsigned int packet_heap_check(const packet_heap *heap);
/* Counts what the heap holds. Takes time linear in the blocks. */
struct packet_heap_statistics packet_heap_statistics(const packet_heap *heap);

#ifdef __cplusplus
}
#endif

#endif
