/* Blocks of one size that come and go: every allocation but the first ones is a hit. */
#include <stdlib.h>

#include "hit_heap.h"

static _Alignas(4096) unsigned char region[1 << 20];
static hit_heap heap;

/* A request of a constant size, as programs make it for a type. */
__attribute__((noinline, used)) void *take(void)
{
    return hit_heap_allocate(&heap, 64U);
}

int main(int arguments, char **words)
{
    const long pairs = (arguments > 1) ? atol(words[1]) : 0;
    void *others[4];

    if (!hit_heap_init(&heap, region, sizeof region)) {
        return 1;
    }
    for (int at = 0; at < 4; at++) {
        others[at] = hit_heap_allocate(&heap, 64U);
    }
    hit_heap_free(&heap, others[1]);
    hit_heap_free(&heap, others[2]);
    for (long pair = 0; pair < pairs; pair++) {
        void *const block = take();

        if (block == NULL) {
            return 2;
        }
        hit_heap_free(&heap, block);
    }
    return 0;
}
