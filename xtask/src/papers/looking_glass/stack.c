/* Figure 18's loop over the authors' stack: ten allocations of each size, timed together. */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "mymalloc.h"

#define SIZES 6

static unsigned breaks;

void *__real_sbrk(intptr_t by);

void *__wrap_sbrk(intptr_t by)
{
    breaks++;
    return __real_sbrk(by);
}

static long now(void)
{
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    return (at.tv_sec * 1000000000L) + at.tv_nsec;
}

int main(void)
{
    static const size_t sizes[SIZES] = {64, 256, 512, 1024, 2048, 4096};
    long took[SIZES];
    unsigned calls[SIZES];

    now();
    for (int size = 0; size < SIZES; size++) {
        const unsigned before = breaks;
        const long begin = now();

        for (int block = 0; block < 10; block++) {
            mymalloc(sizes[size]);
        }
        took[size] = now() - begin;
        calls[size] = breaks - before;
    }
    for (int size = 0; size < SIZES; size++) {
        printf("%zu,%ld,%u\n", sizes[size], took[size], calls[size]);
    }
    return 0;
}
