/* Plays a program over handles on an emitted heap, and compares every address and the bytes of the region.
 *
 * A line is a letter and its numbers: m slot size offset (a movable block), f slot (its free), p slot offset (pin),
 * u slot (unpin), r handles reserved, a slot size offset (a block by address), x slot (its free), g slot offset (where a block is now),
 * c footprint peak last max hash (all of it), n live free min refused largest (what is counted). Offset -1 is a refusal. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "my_heap.h"

#define SLOTS 4096U
#define REGION (64U << 10)

static _Alignas(4096) unsigned char region[REGION];
static my_heap heap;
static my_heap_handle handles[SLOTS];
static unsigned char *blocks[SLOTS];
static unsigned long line;

static void expect(const char *what, long long expected, long long found)
{
    if (expected != found) {
        printf("line %lu: %s is %lld, not %lld\n", line, what, found, expected);
        exit(1);
    }
}

static long long offset(const unsigned char *block)
{
    return (block == NULL) ? -1 : (long long)(block - region);
}

static void fill(unsigned char *block, size_t slot, size_t size)
{
    for (size_t byte = 0U; byte < size; byte++) {
        block[byte] = (unsigned char)(slot + byte);
    }
}

static long long image(size_t bytes)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);

    for (size_t byte = 0U; byte < bytes; byte++) {
        hash = (hash ^ region[byte]) * UINT64_C(0x100000001B3);
    }
    return (long long)(hash >> 1);
}

static void whole(const long long *number)
{
    const struct my_heap_statistics counts = my_heap_statistics(&heap);

    expect("the broken invariant", 0, my_heap_check(&heap));
    expect("the footprint", number[0], (long long)counts.footprint);
    expect("its peak", number[1], (long long)counts.footprint_peak);
    expect("what was moved last", number[2], (long long)counts.last_moved);
    expect("the most that was moved", number[3], (long long)counts.max_moved);
    expect("the hash of the region", number[4], image(counts.footprint_peak));
}

/* What the heap was asked for, if it counts that. */
static void counted(const long long *number)
{
#if COUNTS
    const struct my_heap_statistics counts = my_heap_statistics(&heap);

    expect("the number of live blocks", number[0], (long long)counts.live_blocks);
    expect("the number of free bytes", number[1], (long long)counts.free_bytes);
    expect("the fewest free bytes", number[2], (long long)counts.min_free_bytes);
    expect("the number of refused requests", number[3], (long long)counts.refused);
    expect("the largest request", number[4], (long long)counts.largest_request);
#else
    (void)number;
#endif
}

static void served(unsigned char *block, size_t slot, size_t size, long long expected)
{
    expect("the offset", expected, offset(block));
    if (block != NULL) {
        fill(block, slot, size);
    }
}

static void play(char kind, const long long *number)
{
    const size_t slot = (size_t)number[0];
    const size_t size = (size_t)number[1];

    switch (kind) {
    case 'm':
        expect("the bound", number[3], (long long)my_heap_max_moved(size));
        handles[slot] = my_heap_allocate_movable(&heap, size);
        served((handles[slot].master == 0U) ? NULL : my_heap_get(&heap, handles[slot]), slot, size, number[2]);
        break;
    case 'f':
        my_heap_free_movable(&heap, handles[slot]);
        break;
    case 'p':
        expect("the pinned offset", number[1], offset(my_heap_pin(&heap, handles[slot])));
        break;
    case 'u':
        my_heap_unpin(&heap, handles[slot]);
        break;
    case 'a':
        blocks[slot] = my_heap_allocate(&heap, size);
        served(blocks[slot], slot, size, number[2]);
        break;
    case 'r':
        expect("whether handles were reserved", number[1], my_heap_reserve_handles(&heap, slot));
        break;
    case 'x':
        my_heap_free(&heap, blocks[slot]);
        break;
    case 'g':
        expect("where the block is", number[1], offset(my_heap_get(&heap, handles[slot])));
        break;
    case 'n':
        counted(number);
        break;
    default:
        whole(number);
        break;
    }
}

int main(void)
{
    char text[160];
    long long number[5];
    char kind;

    while (fgets(text, sizeof text, stdin) != NULL) {
        line++;
        memset(number, 0, sizeof number);
        (void)sscanf(text, "%c %lld %lld %lld %lld %lld", &kind, &number[0], &number[1], &number[2], &number[3], &number[4]);
        if (kind == 'h') {
            memset(region, 0xA5, sizeof region);
            expect("whether it could be made", 1, my_heap_init(&heap, region, (size_t)number[0]));
            my_heap_free_movable(&heap, (my_heap_handle){ 0U });
        } else {
            play(kind, number);
        }
    }
    printf("%lu lines played\n", line);
    return 0;
}
