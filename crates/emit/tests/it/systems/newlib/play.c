/* A program on a C library whose blocks come from the emitted heap: printf of floats, which allocates in newlib, and the family
 * of malloc. */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys_heap_system.h"

#define REQUIRE(condition)                                      \
    do {                                                        \
        if (!(condition)) {                                     \
            printf("line %d: %s\n", __LINE__, #condition);      \
            return 1;                                           \
        }                                                       \
    } while (0)

static uint32_t primask(void)
{
    uint32_t mask;

    __asm__ volatile("mrs %0, primask" : "=r"(mask));
    return mask;
}

int main(void)
{
    const size_t before = sys_heap_system_statistics().live_blocks;
    char text[40];
    char *volatile block;
    void *aligned = NULL;
    volatile size_t huge = SIZE_MAX / 2U;

    snprintf(text, sizeof(text), "%.3f %g", 3.14159265358979, 1.0e100);
    REQUIRE(strcmp(text, "3.142 1e+100") == 0);
    printf("the float is %s\n", text);
#ifdef __NEWLIB__
#ifndef __PICOLIBC__
    REQUIRE(sys_heap_system_statistics().live_blocks > before);

    __malloc_lock(_REENT);
    REQUIRE(primask() == 1U);
    block = malloc(10U); /* takes the lock again */
    REQUIRE(primask() == 1U);
    __malloc_unlock(_REENT);
    free(block);
#endif
#endif
    REQUIRE(primask() == 0U);

    block = malloc(100U);
    REQUIRE((block != NULL) && (((uintptr_t)block % 8U) == 0U) && (malloc_usable_size(block) >= 100U));
    memset(block, 7, 100U);
    block = realloc(block, 1000U);
    REQUIRE((block != NULL) && (block[0] == 7) && (block[99] == 7));
    REQUIRE(realloc(block, 0U) == NULL);
    block = calloc(7U, 30U);
    REQUIRE((block != NULL) && (block[0] == 0) && (block[209] == 0));
    free(block);
    errno = 0;
    block = calloc(huge, 4U);
    REQUIRE((block == NULL) && (errno == ENOMEM));
    errno = 0;
    block = malloc(huge);
    REQUIRE((block == NULL) && (errno == ENOMEM));
    block = malloc(0U);
    REQUIRE(block != NULL);
    free(block);
    block = memalign(64U, 10U);
    REQUIRE((block != NULL) && (((uintptr_t)block % 64U) == 0U));
    free(block);
    REQUIRE((posix_memalign(&aligned, 32U, 10U) == 0) && (((uintptr_t)aligned % 32U) == 0U));
    free(aligned);
    REQUIRE(posix_memalign(&aligned, 3U, 10U) == EINVAL);
    REQUIRE(mallinfo().arena == SYS_HEAP_SYSTEM_BYTES);
    REQUIRE(mallinfo().fordblks == sys_heap_system_statistics().free_bytes);
    REQUIRE(sys_heap_system_check() == 0U);
    printf("peak %u before %u\n", (unsigned int)sys_heap_system_statistics().footprint_peak, (unsigned int)before);
    printf("as the documentation says\n");
    return 0;
}
