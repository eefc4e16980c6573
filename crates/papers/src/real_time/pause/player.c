/* Plays a load through handles and counts the instructions of each operation.
 *
 * An event is a number: the slot in its upper half, in its lower half the size, which is 0 for a free. Blocks are
 * filled when they are made, and looked at when they are freed. */
#include "cost.h"
#include "heap.h"

static _Alignas(4096) unsigned char region[REGION];
static HEAP heap;
static HANDLE slots[SLOTS];
static uint16_t sizes[SLOTS];
static const uint32_t events[] = { EVENTS };

/* Fills a block, or counts the bytes that are not as they were filled. */
static uint32_t look(uint32_t slot, bool fills)
{
    volatile unsigned char *const block = GET(&heap, slots[slot]);
    uint32_t wrong = 0U;

    for (uint32_t byte = 0U; byte < sizes[slot]; byte++) {
        if (fills) {
            block[byte] = (unsigned char)(slot + byte);
        } else {
            wrong += (block[byte] != (unsigned char)(slot + byte)) ? 1U : 0U;
        }
    }
    return wrong;
}

int main(void)
{
    /* Requests that moved nothing, that moved blocks, that were refused; frees. */
    static struct cost costs[4];
    uint32_t wrong = 0U;
    uint32_t looked = 0U;

    start_clock();
    const uint32_t begin = ticks();
    const uint32_t empty = ticks() - begin;

    if (!INIT(&heap, region, sizeof region) || !RESERVE(&heap, SLOTS)) {
        return 1;
    }
    for (uint32_t at = 0U; at < (sizeof events / sizeof events[0]); at++) {
        const uint32_t slot = events[at] >> 16;
        const uint32_t size = events[at] & 0xFFFFU;
        const uint32_t moved = heap.moved;

        if (size == 0U) {
            if (slots[slot].master == 0U) {
                continue;
            }
            wrong += look(slot, false);
            looked++;
        }
        start_clock();
        const uint32_t start = ticks();

        if (size > 0U) {
            slots[slot] = ALLOCATE(&heap, size);
        } else {
            FREE(&heap, slots[slot]);
        }
        const uint32_t taken = ticks() - start - empty;

        if (size == 0U) {
            add(&costs[3], taken);
        } else if (slots[slot].master == 0U) {
            add(&costs[2], taken);
        } else {
            add(&costs[(heap.moved != moved) ? 1 : 0], taken);
            sizes[slot] = (uint16_t)size;
            (void)look(slot, true);
        }
    }
    print_number(wrong);
    print(" ");
    print_number(looked);
    print(" ");
    print_number(STATISTICS(&heap).max_moved);
    print(" ");
    print_number(BOUND(LARGEST));
    print("\n");
    for (int kind = 0; kind < 4; kind++) {
        say(&costs[kind]);
    }
    return 0;
}
