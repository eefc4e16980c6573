/* Plays a run on a heap and counts the instructions of each operation.
 *
 * An event is a number: the slot in its upper half, below it one bit for the moments near the maximum of live
 * blocks and the size, which is 0 for a free. */
#include "cost.h"
#include "heap.h"

static _Alignas(8) unsigned char region[REGION];
static HEAP heap;
static void *slots[SLOTS];
static const uint32_t events[] = { EVENTS };

int main(void)
{
    static struct cost costs[4];
    uint32_t refused = 0U;

    start_clock();
    const uint32_t begin = ticks();
    const uint32_t empty = ticks() - begin;

    if (!INIT(&heap, region, sizeof region)) {
        return 1;
    }
    for (uint32_t at = 0U; at < (sizeof events / sizeof events[0]); at++) {
        const uint32_t event = events[at];
        const uint32_t size = event & 0x7FFFU;
        void **const slot = &slots[event >> 16];

        start_clock();
        const uint32_t start = ticks();

        if (size > 0U) {
            *slot = ALLOCATE(&heap, size);
        } else {
            (void)FREE(&heap, *slot);
        }
        const uint32_t taken = ticks() - start - empty;

        refused += ((size > 0U) && (*slot == NULL)) ? 1U : 0U;
        add(&costs[(size > 0U) ? 0 : 1], taken);
        if ((event & 0x8000U) != 0U) {
            add(&costs[(size > 0U) ? 2 : 3], taken);
        }
    }
    print_number(refused);
    print("\n");
    for (int kind = 0; kind < 4; kind++) {
        say(&costs[kind]);
    }
    return 0;
}
