/* Every function that allocates, each with a size of its own. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void *volatile kept;

int main(void) {
    void *block;
    kept = malloc(1001);
    memset(kept, 7, 1001);
    kept = realloc(kept, 500001);
    if (((char *)kept)[1000] != 7)
        return 1;
    if (realloc(kept, SIZE_MAX / 2) || errno != ENOMEM)
        return 2;
    free(kept);
    kept = realloc(NULL, 1003);
    if (realloc(kept, 0))
        return 3;
    kept = calloc(3, 335);
    kept = reallocarray(kept, 4, 1007);
    if (reallocarray(kept, SIZE_MAX, 3))
        return 4;
    free(kept);
    errno = 0;
    free(NULL);
    if (errno)
        return 5;
    if (posix_memalign(&block, 256, 1009) || (uintptr_t)block % 256)
        return 6;
    if (malloc_usable_size(block) < 1009)
        return 7;
    free(block);
    if (posix_memalign(&block, 3, 1010) != EINVAL)
        return 8;
    free(aligned_alloc(512, 1024));
    free(memalign(1024, 1011));
    free(valloc(1013));
    free(pvalloc(1015));
    free(malloc(200000));
    if (malloc(SIZE_MAX / 2))
        return 9;
    kept = malloc(1017);
    return 0;
}
