/* malloc and free of o1heap over an arena, for `heapsmith attack --peer`; O1HEAP_BYTES is the arena's size, 64 MiB otherwise. */

#include "o1heap.h"

#include <stdlib.h>

static _Alignas(64) unsigned char arena[1U << 26];
static O1HeapInstance *heap;

void *malloc(size_t bytes)
{
    if (heap == NULL) {
        const char *const given = getenv("O1HEAP_BYTES");
        heap = o1heapInit(arena, given != NULL ? strtoull(given, NULL, 10) : sizeof arena);
    }
    return heap != NULL ? o1heapAllocate(heap, bytes) : NULL;
}

void free(void *block)
{
    o1heapFree(heap, block);
}
