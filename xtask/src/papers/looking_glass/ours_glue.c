/* An emitted heap under the names that the tester calls. The first call gets the region from the system. */
#include <sys/mman.h>

#include "ours.h"

#ifdef POPULATED
/* A small region whose pages are all there when the first call returns. */
#define REGION ((size_t)256 << 10)
#define HOW (MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE)
#else
#define REGION ((size_t)64 << 20)
#define HOW (MAP_PRIVATE | MAP_ANONYMOUS)
#endif

static ours heap;

void *mymalloc(size_t size)
{
    if (heap.words == NULL) {
        void *region = mmap(NULL, REGION, PROT_READ | PROT_WRITE, HOW, -1, 0);

        if ((region == MAP_FAILED) || !ours_init(&heap, region, REGION)) {
            return NULL;
        }
    }
    return ours_allocate(&heap, size);
}

void myfree(void *block)
{
    ours_free(&heap, block);
}

/* Bytes of the region up to the wilderness; the traced program asks. */
size_t ours_grown(void)
{
    return ours_statistics(&heap).footprint;
}
