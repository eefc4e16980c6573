/* Plays the beginning of a trace on a heap and prints the ticks that the heap took, and the requests that it refused. */
#include "board.h"
#include "my_heap.h"
#include "events.h"

#define REGION (3U << 20)

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
    uint32_t loop = 0U;
    uint32_t all = 0U;
    uint32_t refused = 0U;

    if (!my_heap_init(&it, region, BYTES)) {
        return 1;
    }
    start_clock();
    for (uint32_t at = 0U; at < EVENTS; at++) {
        const struct event *const event = &events[at];
        uint32_t begin = ticks();

        if (event->size == 0U) {
            __asm__ volatile("" : : "r"(slots[event->slot]));
        }
        loop += since(begin);
        begin = ticks();
        if (event->size == 0U) {
            my_heap_free(&it, slots[event->slot]);
        } else {
            slots[event->slot] = my_heap_allocate(&it, event->size);
            refused += (slots[event->slot] == NULL) ? 1U : 0U;
        }
        all += since(begin);
    }
    print_number(all - loop);
    print(" ");
    print_number(refused);
    print("\n");
    return 0;
}
