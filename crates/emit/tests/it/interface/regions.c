/* What a heap in three regions does, of which the first is the highest: macros, order, moves, errors, walks. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int locked;
static unsigned int locks;
static unsigned int refusals;
static size_t last_refused;
static char traced[64];
static size_t traces;

static void must(int holds, const char *what)
{
    if (!holds) {
        printf("not so: %s\n", what);
        exit(1);
    }
}

#define MY_HEAP_LOCK(heap) const int before = locked++; must(before == 0, "no lock is taken twice"); locks++
#define MY_HEAP_UNLOCK(heap) (must(before == 0 && locked == 1, "what is unlocked was locked"), locked = 0)
#define MY_HEAP_OUT_OF_MEMORY(heap, size) (must(!locked, "the lock is free"), refusals++, last_refused = (size))
#define MY_HEAP_TRACE(heap, what, old, block, size, alignment) \
    (must(locked, "a call is traced alone"), traced[traces % sizeof traced] = (what), traces++)

#include "my_heap.c"

#define FAST 1024U
#define SMALL 2048U
#define LARGE 8192U

/* The regions in memory, with bytes of nobody around them. */
static struct {
    unsigned char before[64];
    _Alignas(16) unsigned char large[LARGE];
    unsigned char between[64];
    _Alignas(16) unsigned char small[SMALL];
    unsigned char after_small[64];
    _Alignas(16) unsigned char fast[FAST];
    unsigned char after[64];
} board;

static my_heap heap;

static bool is_in(const void *block, const unsigned char *region, size_t bytes)
{
    return (const unsigned char *)block >= region && (const unsigned char *)block < region + bytes;
}

static unsigned char *wanted(size_t size, unsigned int region)
{
    unsigned char *const block = my_heap_allocate(&heap, size);

    must(block != NULL, "there is room");
    must(my_heap_region_of(&heap, block) == region, "a block is where it is wanted");
    memset(block, (int)size, size);
    return block;
}

static void all_in_one(void)
{
    const size_t empty = my_heap_statistics_of(&heap, MY_HEAP_IN_LARGE).footprint;
    unsigned char *const blocks[] = {wanted(40U, MY_HEAP_IN_FAST), wanted(8U, MY_HEAP_IN_FAST), wanted(64U, MY_HEAP_IN_FAST)};

    must(is_in(blocks[0], board.fast, FAST) && is_in(blocks[2], board.fast, FAST), "small blocks are fast");
    must(my_heap_statistics_of(&heap, MY_HEAP_IN_LARGE).footprint == empty, "nothing else is used");
    for (unsigned int at = 0U; at < 3U; at++) {
        my_heap_free(&heap, blocks[at]);
    }
}

static void split_by_size_and_spilled(void)
{
    unsigned char *small = wanted(100U, MY_HEAP_IN_SMALL);
    unsigned char *const large = wanted(1000U, MY_HEAP_IN_LARGE);
    unsigned char *fast[64];
    unsigned int served = 0U;
    unsigned char *block;

    must(is_in(small, board.small, SMALL) && is_in(large, board.large, LARGE), "each size has its region");
    /* Until the fast region is full; then small ones spill over. */
    for (;;) {
        block = my_heap_allocate(&heap, 60U);
        must(block != NULL, "another region has room");
        if (my_heap_region_of(&heap, block) != MY_HEAP_IN_FAST) {
            break;
        }
        memset(block, 60, 60U);
        fast[served] = block;
        served++;
    }
    must(served > 10U && my_heap_region_of(&heap, block) == MY_HEAP_IN_SMALL, "the next region is the next in order");
    my_heap_free(&heap, block);
    /* A block that grows moves with its bytes where its region is full. */
    block = my_heap_reallocate(&heap, fast[3], 200U, 0U);
    must(block != NULL && my_heap_region_of(&heap, block) == MY_HEAP_IN_SMALL, "a block moves where there is room");
    for (unsigned int at = 0U; at < 60U; at++) {
        must(block[at] == 60U, "bytes move with it");
    }
    fast[3] = wanted(56U, MY_HEAP_IN_FAST);
    /* What no region has room for is refused, and stays. */
    refusals = 0U;
    must(my_heap_reallocate(&heap, block, LARGE, 0U) == NULL && refusals == 1U && last_refused == LARGE, "no region has room");
    must(block[59] == 60U && my_heap_usable_size(&heap, block) >= 200U, "the block is as it was");
    must(my_heap_reallocate(&heap, block, 0U, 0U) == NULL && refusals == 1U, "0 bytes are no request");
    /* It is resized where it lies, whatever its size. */
    must(my_heap_reallocate(&heap, block, 20U, 0U) == block, "a block shrinks where it lies");
    small = my_heap_reallocate(&heap, small, 120U, 0U);
    must(my_heap_region_of(&heap, small) == MY_HEAP_IN_SMALL && small[99] == 100U, "and grows in its region");
    my_heap_free(&heap, small);
    my_heap_free(&heap, block);
    my_heap_free(&heap, large);
    while (served > 0U) {
        served--;
        my_heap_free(&heap, fast[served]);
    }
    must(my_heap_check(&heap) == 0U, "the regions are sound");
}

/* Blocks that the large regions have no room for go to those that their size skipped. */
static void skipped_regions_come_last(void)
{
    void *large[16];
    unsigned int served = 0U;
    void *skipped = my_heap_allocate(&heap, 600U);

    while (skipped != NULL && my_heap_region_of(&heap, skipped) == MY_HEAP_IN_LARGE) {
        large[served] = skipped;
        served++;
        skipped = my_heap_allocate(&heap, 600U);
    }
    must(served > 4U && skipped != NULL, "a region that was skipped has room");
    must(my_heap_region_of(&heap, skipped) == MY_HEAP_IN_FAST, "it is the first of them");
    my_heap_free(&heap, skipped);
    while (served > 0U) {
        served--;
        my_heap_free(&heap, large[served]);
    }
}

struct found {
    unsigned int used;
    const unsigned char *last;
};

static void look(void *context, const void *block, size_t bytes, unsigned int status)
{
    struct found *const found = context;

    (void)bytes;
    must(locked, "a walk is alone");
    must(my_heap_owns(&heap, block), "a block is in a region");
    if (status != MY_HEAP_REGION_IS_CACHED) {
        must((const unsigned char *)block > found->last, "blocks come in address order, whatever that of the regions");
        found->last = block;
        found->used += (status == MY_HEAP_REGION_IS_USED) ? 1U : 0U;
    }
}

static void walks_and_owns(void)
{
    struct found found = {0U, NULL};
    unsigned char *const blocks[] = {wanted(40U, MY_HEAP_IN_FAST), wanted(100U, MY_HEAP_IN_SMALL), wanted(2000U, MY_HEAP_IN_LARGE)};

    my_heap_walk(&heap, look, &found);
    must(found.used == 3U, "every block is visited");
    must(my_heap_owns(&heap, board.large) && my_heap_owns(&heap, &board.fast[FAST - 1U]), "regions are the heap's");
    must(!my_heap_owns(&heap, board.before) && !my_heap_owns(&heap, board.between), "what is around them is not");
    must(!my_heap_owns(&heap, board.after_small) && !my_heap_owns(&heap, board.after), "nor what follows");
    for (unsigned int at = 0U; at < 3U; at++) {
        my_heap_free(&heap, blocks[at]);
    }
}

static void errors_are_told(void)
{
    unsigned char *const block = wanted(1000U, MY_HEAP_IN_LARGE);
    unsigned char *const behind = wanted(1000U, MY_HEAP_IN_LARGE);

    must(my_heap_last_error(&heap) == 0U, "there was no error");
    my_heap_free(&heap, block);
    my_heap_free(&heap, block);
    must(my_heap_last_error(&heap) != 0U, "a double free is reported");
    refusals = 0U;
    must(my_heap_reallocate(&heap, block, 40U, 0U) == NULL && refusals == 0U, "what is no block does not move");
    my_heap_free(&heap, &board.before[16]);
    must(my_heap_last_error(&heap) == MY_HEAP_REGION_FOREIGN, "so is a pointer below all regions");
    my_heap_free(&heap, behind);
    must(my_heap_check(&heap) == 0U, "the regions are sound");
}

int main(void)
{
    unsigned char *zeroes;

    memset(&board, 0xA5, sizeof board);
    must(!my_heap_init(&heap, board.fast, 4U, board.small, SMALL, board.large, LARGE), "a region is too small");
    must(my_heap_init(&heap, board.fast, FAST, board.small, SMALL, board.large, LARGE), "there is room");
    all_in_one();
    split_by_size_and_spilled();
    skipped_regions_come_last();
    walks_and_owns();
    zeroes = my_heap_calloc(&heap, 5U, 8U);
    must(zeroes != NULL && zeroes[0] == 0U && zeroes[39] == 0U, "items are zeroes");
    must(my_heap_calloc(&heap, SIZE_MAX / 2U, 3U) == NULL && last_refused == SIZE_MAX, "no product wraps");
    my_heap_free(&heap, zeroes);
    errors_are_told();
    my_heap_trim(&heap);
    must(my_heap_statistics(&heap).region == (size_t)(FAST + SMALL + LARGE), "bytes add up");
    must(memchr(traced, 'a', sizeof traced) != NULL && memchr(traced, 'r', sizeof traced) != NULL, "calls are traced");
    must(memchr(traced, 'f', sizeof traced) != NULL && traces > 40U, "frees too");
    must(!locked && locks > 0U, "every lock is released");
    must(board.before[63] == 0xA5 && board.between[0] == 0xA5 && board.after[0] == 0xA5, "nothing else is written");
    puts("as the header says");
    return 0;
}
