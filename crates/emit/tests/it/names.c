/* Calls every name of malloc and looks at what the manual promises. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(int holds, const char *what)
{
    if (!holds) {
        printf("not so: %s\n", what);
        exit(1);
    }
}

static int is_multiple(const void *block, uintptr_t of)
{
    return (uintptr_t)block % of == 0U;
}

int main(void)
{
    volatile size_t huge = SIZE_MAX;
    char *block = malloc(100);
    char *other = malloc(0);
    void *place = NULL;

    must(block != NULL && is_multiple(block, 16), "malloc aligns to 16");
    must(other != NULL && other != block, "malloc(0) is a block of its own");
    free(other);
    free(NULL);
    memset(block, 7, 100);
    must(malloc_usable_size(block) >= 100 && malloc_usable_size(NULL) == 0, "usable size");
    block = realloc(block, 100000);
    must(block != NULL && block[0] == 7 && block[99] == 7, "realloc keeps contents");
    errno = 0;
    must(realloc(block, huge) == NULL && errno == ENOMEM && block[99] == 7, "a refused realloc leaves the block");
    must(malloc(huge) == NULL && errno == ENOMEM, "malloc of too much");
    errno = 0;
    must(calloc(huge / 2U, 3) == NULL && errno == ENOMEM, "calloc of a product that wraps");
    errno = 0;
    must(reallocarray(NULL, huge / 2U, 3) == NULL && errno == ENOMEM, "reallocarray of a product that wraps");
    free(block);
    block = calloc(1000, 100);
    must(block != NULL, "calloc");
    for (int at = 0; at < 100000; at++) {
        must(block[at] == 0, "calloc clears what was used before");
    }
    free(block);
    for (size_t alignment = sizeof(void *); alignment <= 1U << 20; alignment *= 2U) {
        must(posix_memalign(&place, alignment, 50) == 0 && is_multiple(place, alignment), "posix_memalign aligns");
        free(place);
        place = aligned_alloc(alignment, alignment);
        must(place != NULL && is_multiple(place, alignment), "aligned_alloc aligns");
        free(place);
        place = memalign(alignment, 1);
        must(place != NULL && is_multiple(place, alignment), "memalign aligns");
        free(place);
    }
    errno = 0;
    must(posix_memalign(&place, 24, 50) == EINVAL && errno == 0, "posix_memalign wants a power of two");
    must(posix_memalign(&place, 1, 50) == EINVAL, "posix_memalign wants a multiple of a pointer");
    must(posix_memalign(&place, 64, huge) == ENOMEM && errno == 0, "posix_memalign leaves errno");
    must(is_multiple(valloc(10), 4096) && is_multiple(pvalloc(10), 4096), "valloc and pvalloc align to pages");
    block = malloc(10);
    must(realloc(block, 0) == NULL, "realloc to 0 frees");
    puts("as the manual says");
    return 0;
}
