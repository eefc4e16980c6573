/* What the extra parts of an interface do: counters, owns, calloc, walk, trim, out of memory, a header of macros. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int locked;
unsigned int locks;
unsigned int refusals;
size_t last_refused;

static void must(int holds, const char *what)
{
    if (!holds) {
        printf("not so: %s\n", what);
        exit(1);
    }
}

#include "my_heap.c"

#ifndef MY_HEAP_CONFIG_H
#error "the header of macros is not read"
#endif

#define REGION 8192U
#define BLOCKS 40U

static _Alignas(4096) unsigned char memory[3U * REGION];
static unsigned char *const region = &memory[REGION];
static my_heap heap;
static void *blocks[BLOCKS];

/* What a walk found. */
struct found {
    unsigned int count[3];
    unsigned int live;
    const unsigned char *last;
};

static void look(void *context, const void *block, size_t bytes, unsigned int status)
{
    struct found *const found = context;

    must(locked, "a walk is alone");
    must(my_heap_owns(&heap, block) && my_heap_owns(&heap, (const unsigned char *)block + bytes - 1), "a block is in the region");
    must(status == MY_HEAP_IS_CACHED || (const unsigned char *)block > found->last, "blocks come in address order");
    found->count[status]++;
    found->last = (status == MY_HEAP_IS_CACHED) ? found->last : block;
    for (unsigned int at = 0U; at < BLOCKS; at++) {
        const bool is_it = (const unsigned char *)block + FRONT == blocks[at];

        must(!is_it || status == MY_HEAP_IS_USED, "a live block is used");
        found->live += is_it ? 1U : 0U;
    }
}

static struct found walk(void)
{
    struct found found;

    memset(&found, 0, sizeof found);
    my_heap_walk(&heap, look, &found);
    return found;
}

static void fill_region(void)
{
    for (unsigned int at = 0U; at < BLOCKS; at++) {
        blocks[at] = my_heap_allocate(&heap, 24U + ((at % 3U) * 8U));
        must(blocks[at] != NULL, "there is room");
        memset(blocks[at], 0x5A, my_heap_usable_size(&heap, blocks[at]));
    }
}

static void owns(void)
{
    must(my_heap_owns(&heap, region) && my_heap_owns(&heap, region + REGION - 1U), "the region is the heap's");
    must(!my_heap_owns(&heap, region - 1) && !my_heap_owns(&heap, region + REGION), "what is around it is not");
    must(!my_heap_owns(&heap, NULL) && !my_heap_owns(&heap, &heap), "nor is anything else");
}

static void counts_and_walks(void)
{
    const size_t before = my_heap_statistics(&heap).free_bytes;
    struct my_heap_statistics counts;
    struct found found;

    fill_region();
    found = walk();
    counts = my_heap_statistics(&heap);
    must(found.live == BLOCKS && counts.live_blocks == BLOCKS, "every block is counted and visited");
    must(found.count[MY_HEAP_IS_USED] - found.count[MY_HEAP_IS_CACHED] == BLOCKS, "and no other is used");
    must(counts.free_bytes < before && counts.min_free_bytes == counts.free_bytes, "free bytes are fewer");
    for (unsigned int at = BLOCKS; at > 0U; at--) {
        my_heap_free(&heap, blocks[at - 1U]);
        blocks[at - 1U] = NULL;
    }
    must(my_heap_statistics(&heap).free_bytes == before && my_heap_statistics(&heap).live_blocks == 0U, "all is free");
    must(my_heap_statistics(&heap).min_free_bytes == counts.free_bytes, "the fewest are remembered");
}

static void clears(void)
{
    unsigned char *const block = my_heap_calloc(&heap, 3U, 8U);

    must(block != NULL, "there is room for items");
    for (unsigned int at = 0U; at < 24U; at++) {
        must(block[at] == 0U, "items are zeroes, where other bytes were");
    }
    my_heap_free(&heap, block);
    must(my_heap_calloc(&heap, 0U, 8U) == NULL && my_heap_calloc(&heap, 8U, 0U) == NULL, "nothing is refused");
}

static void tells_of_refusals(void)
{
    const size_t refused = my_heap_statistics(&heap).refused;
    void *block = my_heap_allocate(&heap, 16U);

    refusals = 0U;
    must(my_heap_allocate(&heap, 0U) == NULL && refusals == 0U, "0 bytes are no request");
    must(my_heap_allocate(&heap, REGION) == NULL && refusals == 1U && last_refused == REGION, "too much is refused");
    must(my_heap_allocate_aligned(&heap, 8U, 24U) == NULL && refusals == 2U, "as is an odd alignment");
    must(my_heap_reallocate(&heap, block, REGION, 1U) == NULL && refusals == 3U, "and a growth");
    must(my_heap_reallocate(&heap, block, 0U, 1U) == NULL && refusals == 3U, "0 bytes are no request");
    must(my_heap_calloc(&heap, SIZE_MAX / 2U, 3U) == NULL && refusals == 4U && last_refused == SIZE_MAX, "no product wraps");
    must(my_heap_statistics(&heap).refused == refused + 4U, "refusals are counted");
    must(my_heap_statistics(&heap).largest_request == SIZE_MAX, "and the largest request is");
    my_heap_free(&heap, block);
}

static void trims(size_t empty)
{
    struct found found;

    fill_region();
    for (unsigned int at = BLOCKS; at > 0U; at--) {
        my_heap_free(&heap, blocks[at - 1U]);
        blocks[at - 1U] = NULL;
    }
    my_heap_trim(&heap);
    found = walk();
    must(my_heap_check(&heap) == 0U, "a trimmed heap is sound");
    must(found.count[MY_HEAP_IS_CACHED] == KEPT, "nothing stays cached but what a layer needs");
#if TRIMS
    must(my_heap_statistics(&heap).footprint == empty, "an empty heap is as it was made");
#endif
    (void)empty;
}

int main(void)
{
    size_t empty;

    memset(memory, 0xA5, sizeof memory);
    must(my_heap_init(&heap, region, REGION), "a region");
    empty = my_heap_statistics(&heap).footprint;
    owns();
    counts_and_walks();
    clears();
    tells_of_refusals();
    trims(empty);
    must(!locked && locks > 0U, "every lock is released");
    puts("as the header says");
    return 0;
}
