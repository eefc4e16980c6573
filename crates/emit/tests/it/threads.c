/* Threads that free each other's blocks, on the emitted functions under names of their own, so that a sanitizer can watch. Each
 * block says whose it is; at the end nothing is lost: with every thread gone the heap has the blocks that it began with. */
#define malloc my_malloc
#define free my_free
#define calloc my_calloc
#define realloc my_realloc
#define reallocarray my_reallocarray
#define aligned_alloc my_aligned_alloc
#define memalign my_memalign
#define posix_memalign my_posix_memalign
#define valloc my_valloc
#define pvalloc my_pvalloc
#define malloc_usable_size my_usable_size
#include "my_heap_malloc.c"
#include <stdio.h>
#include <stdlib.h>

enum { MAILBOXES = 64, THREADS = 3, GENERATIONS = 6, STEPS = 20000 };

static _Atomic(unsigned char *) mailboxes[MAILBOXES];

static void test_must(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "not so: %s\n", what);
        abort();
    }
}

static void test_mark(unsigned char *block, size_t size, unsigned char with)
{
    test_must(block != NULL, "there is memory");
    test_must(((uintptr_t)block % 16U) == 0U, "blocks are multiples of 16 bytes");
    memset(block, with, size);
    memcpy(block, &size, sizeof size);
    block[sizeof size] = with;
    block[size - 1U] = with;
}

static void test_discard(unsigned char *block)
{
    size_t size;

    if (block != NULL) {
        memcpy(&size, block, sizeof size);
        test_must(size <= my_usable_size(block), "a block has the bytes that were asked for");
        test_must(block[sizeof size] == block[size - 1U], "a block is as it was left");
        my_free(block);
    }
}

static void *test_work(void *given)
{
    uint32_t random = (uint32_t)(uintptr_t)given;

    for (int step = 0; step < STEPS; step++) {
        random = random * 1664525U + 1013904223U;
        const size_t size = ((random >> 8) % 32U == 0U) ? 16U + (random >> 16) : 16U + ((random >> 16) % 600U);
        unsigned char *block;

        if ((random >> 5) % 16U == 0U) {
            block = my_memalign((size_t)16 << (random % 4U), size);
        } else if ((random >> 5) % 16U == 1U) {
            block = my_realloc(my_calloc(1U, 16U + size / 3U), size);
        } else {
            block = my_malloc(size);
        }
        test_mark(block, size, (unsigned char)random);
        test_discard(atomic_exchange(&mailboxes[(random >> 10) % MAILBOXES], block));
    }
    return NULL;
}

int main(void)
{
    size_t used;

    my_free(my_malloc(1U));
    end_own_lists(NULL);
    own.state = HAS_NONE;
    (void)atomic_fetch_add(&own_threads, 1U);
    used = my_heap_statistics(&my_heap_of_malloc).used_blocks;
    for (size_t generation = 0U; generation < GENERATIONS; generation++) {
        pthread_t threads[THREADS];

        for (size_t thread = 0U; thread < THREADS; thread++) {
            void *const seed = (void *)(generation * THREADS + thread + 1U);

            test_must(pthread_create(&threads[thread], NULL, test_work, seed) == 0, "threads begin");
        }
        for (size_t thread = 0U; thread < THREADS; thread++) {
            test_must(pthread_join(threads[thread], NULL) == 0, "threads end");
        }
    }
    for (size_t number = 0U; number < MAILBOXES; number++) {
        test_discard(mailboxes[number]);
    }
    end_own_lists(NULL);
    test_must(my_heap_check(&my_heap_of_malloc) == 0U, "the heap is whole");
    test_must(my_heap_statistics(&my_heap_of_malloc).used_blocks == used, "no block is lost");
    puts("no block is lost");
    return 0;
}
