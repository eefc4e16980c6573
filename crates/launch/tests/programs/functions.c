/* Results and errno of malloc and its relatives, as C, POSIX and the GNU C library have them. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOLDS(what) do { if (!(what)) { printf("line %d: %s\n", __LINE__, #what); return 1; } } while (0)

static int zeros(const unsigned char *from, size_t count) {
    while (count--)
        if (*from++)
            return 0;
    return 1;
}

static int sizes(size_t size) {
    unsigned char *block = malloc(size), *other;
    HOLDS(block && (uintptr_t)block % 16 == 0 && malloc_usable_size(block) >= size);
    memset(block, 7, malloc_usable_size(block));
    block = realloc(block, size * 2 + 1);
    HOLDS(block && (size == 0 || (block[0] == 7 && block[size - 1] == 7)));
    block = realloc(block, size / 2 + 1);
    HOLDS(block && (size < 2 || block[size / 2] == 7));
    free(block);
    other = calloc(size, 3);
    HOLDS(other && zeros(other, size * 3));
    memset(other, 9, size * 3);
    free(other);
    other = calloc(3, size);
    HOLDS(other && zeros(other, size * 3));
    free(other);
    return 0;
}

int main(void) {
    void *block, *same = &block;
    for (size_t size = 0; size < 5000; size += size < 200 ? 1 : 61)
        if (sizes(size))
            return 1;
    for (size_t size = 1 << 14; size < 100 << 20; size = size * 3 + 7)
        if (sizes(size))
            return 1;
    block = malloc(0);
    HOLDS(block && block != malloc(0));
    errno = 0;
    HOLDS(!malloc(SIZE_MAX) && errno == ENOMEM);
    errno = 0;
    HOLDS(!malloc((size_t)PTRDIFF_MAX + 1) && errno == ENOMEM);
    errno = 0;
    HOLDS(!calloc(SIZE_MAX / 2, 3) && errno == ENOMEM);
    errno = 0;
    block = malloc(50);
    strcpy(block, "kept");
    HOLDS(!realloc(block, SIZE_MAX / 2) && errno == ENOMEM && !strcmp(block, "kept"));
    errno = 0;
    HOLDS(!reallocarray(block, SIZE_MAX / 2, 3) && errno == ENOMEM && !strcmp(block, "kept"));
    HOLDS(!realloc(block, 0));
    errno = 5;
    free(NULL);
    free(malloc(10));
    free(malloc(3 << 20));
    HOLDS(errno == 5);
    HOLDS(malloc_usable_size(NULL) == 0);
    for (size_t alignment = 8; alignment <= 1 << 22; alignment *= 2)
        for (size_t size = 0; size < 3 << 20; size = size * 5 + 1) {
            block = same;
            HOLDS(posix_memalign(&block, alignment, size) == 0 && (uintptr_t)block % alignment == 0);
            memset(block, 1, size);
            block = realloc(block, size + 100);
            HOLDS(block && (size == 0 || *(char *)block == 1));
            free(block);
        }
    errno = 6;
    block = same;
    HOLDS(posix_memalign(&block, 3, 10) == EINVAL && block == same);
    HOLDS(posix_memalign(&block, 24, 10) == EINVAL && block == same);
    HOLDS(posix_memalign(&block, 4, 10) == EINVAL && block == same);
    HOLDS(posix_memalign(&block, 0, 10) == EINVAL && block == same);
    HOLDS(errno == 6);
    HOLDS(posix_memalign(&block, 64, SIZE_MAX - 100) == ENOMEM && block == same);
    /* The C standard's refusal, or as the GNU C library had it before 2.38: the next power of two. */
    block = aligned_alloc(48, 96);
    HOLDS(block ? (uintptr_t)block % 64 == 0 : errno == EINVAL);
    free(block);
    block = aligned_alloc(4096, 100);
    HOLDS(block && (uintptr_t)block % 4096 == 0);
    free(block);
    block = memalign(48, 100);
    HOLDS(block && (uintptr_t)block % 64 == 0);
    free(block);
    block = valloc(10);
    HOLDS(block && (uintptr_t)block % 4096 == 0);
    free(block);
    block = pvalloc(10);
    HOLDS(block && (uintptr_t)block % 4096 == 0 && malloc_usable_size(block) >= 4096);
    free(block);
    puts("all hold");
    return 0;
}
