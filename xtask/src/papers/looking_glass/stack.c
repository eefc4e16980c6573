/* Figure 18's loop: ten allocations of each size, timed together, and the calls of the system counted. */
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

#define SIZES 6

static unsigned system_calls;

void *mymalloc(size_t size);
void *__real_sbrk(intptr_t by);
void *__real_mmap(void *at, size_t bytes, int access, int how, int file, off_t offset);

void *__wrap_sbrk(intptr_t by)
{
    system_calls++;
    return __real_sbrk(by);
}

void *__wrap_mmap(void *at, size_t bytes, int access, int how, int file, off_t offset)
{
    system_calls++;
    return __real_mmap(at, bytes, access, how, file, offset);
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
        const unsigned before = system_calls;
        const long begin = now();

        for (int block = 0; block < 10; block++) {
            mymalloc(sizes[size]);
        }
        took[size] = now() - begin;
        calls[size] = system_calls - before;
    }
    for (int size = 0; size < SIZES; size++) {
        printf("%zu,%ld,%u\n", sizes[size], took[size], calls[size]);
    }
    return 0;
}
