/* Plays events on a heap. Prints the ticks that the heap took of all, those of the longest operation, and the
 * requests that it refused. */
#include "board.h"
#include "my_heap.h"
#include "events.h"

static _Alignas(64) unsigned char region[REGION];
static void *slots[SLOTS];
static my_heap it;

/* The clock has 24 bits. */
static uint32_t since(uint32_t begin)
{
    return (ticks() - begin) & 0xFFFFFFU;
}

int main(void)
{
    uint32_t all = 0U;
    uint32_t max = 0U;
    uint32_t refused = 0U;

    if (!my_heap_init(&it, region, REGION)) {
        return 1;
    }
    start_clock();
    for (uint32_t at = 0U; at < EVENTS; at++) {
        const struct event *const event = &events[at];
        const uint32_t size = event->size;
        void *block = slots[event->slot];
        uint32_t own = 0U;
        uint32_t begin = ticks();
        const uint32_t clock = since(begin);

        switch (event->kind) {
        case ALLOCATE:
            begin = ticks();
            block = my_heap_allocate(&it, size);
            own = since(begin);
            break;
        case ALLOCATE_ALIGNED:
            begin = ticks();
            block = my_heap_allocate_aligned(&it, size, (size_t)1 << event->alignment);
            own = since(begin);
            break;
        case REALLOCATE:
            begin = ticks();
            block = my_heap_reallocate(&it, block, size, 0U);
            own = since(begin);
            break;
        default:
            begin = ticks();
            my_heap_free(&it, block);
            own = since(begin);
            break;
        }
        if ((event->kind != FREE) && (block == NULL)) {
            refused++;
        }
        /* A block that was not resized is where it was. */
        if ((event->kind != REALLOCATE) || (block != NULL)) {
            slots[event->slot] = (event->kind == FREE) ? NULL : block;
        }
        own -= (clock < own) ? clock : own;
        all += own;
        max = (own > max) ? own : max;
    }
    print_number(all);
    print(" ");
    print_number(max);
    print(" ");
    print_number(refused);
    print("\n");
    return 0;
}
