/* Threads that keep, hand on and free blocks at random, as the stress test of mimalloc is described (Leijen, Zorn, de Moura:
 * Mimalloc, APLAS 2019):
 *
 *   mstress THREADS BLOCKS ROUNDS
 *
 * In a round each new thread asks for BLOCKS blocks, most of them small and a few large, keeps some of them for long, frees others at
 * once, and exchanges some with what lies in a table that all threads share. What it kept is freed in reverse at the end of the round;
 * what lies in the table stays, and is freed by the thread that takes it. Prints what was asked for in all: the same in every run.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "block.h"

enum { MAX_THREADS = 64, SHARED = 1000 };

static _Atomic(block *) shared[SHARED];

typedef struct {
    unsigned blocks;
    uint64_t seed, asked;
} worker;

/* Mostly up to 256 bytes, one in 100 up to 4 KiB, one in 2,000 up to 128 KiB. */
static size_t size(uint64_t *seed)
{
    const unsigned kind = draw(seed, 2000);

    return 16U + draw(seed, kind == 0 ? 128U << 10 : kind < 20 ? 4096 : 240);
}

static void *work(void *argument)
{
    worker *const own = argument;
    block **const kept = malloc(own->blocks * sizeof(block *));
    unsigned count = 0;

    for (unsigned i = 0; i < own->blocks; i++) {
        block *made = block_new(size(&own->seed));
        const unsigned fate = draw(&own->seed, 10);

        own->asked += made->size;
        if (fate < 4) {
            kept[count++] = made;
        } else if (fate < 6) {
            made = atomic_exchange(&shared[draw(&own->seed, SHARED)], made);
            if (made != NULL) {
                block_free(made);
            }
        } else {
            block_free(made);
            if (count > 0 && fate == 9) {
                block_free(kept[--count]);
            }
        }
    }
    while (count > 0) {
        block_free(kept[--count]);
    }
    free(kept);
    return NULL;
}

int main(int count, char **words)
{
    if (count != 4) {
        fputs("mstress THREADS BLOCKS ROUNDS\n", stderr);
        return 2;
    }
    const unsigned threads = (unsigned)atoi(words[1]) < MAX_THREADS ? (unsigned)atoi(words[1]) : MAX_THREADS;
    uint64_t asked = 0;

    for (unsigned round = 0; round < (unsigned)atoi(words[3]); round++) {
        pthread_t all[MAX_THREADS];
        worker workers[MAX_THREADS];

        for (unsigned i = 0; i < threads; i++) {
            workers[i] = (worker){ (unsigned)atoi(words[2]), round * MAX_THREADS + i + 1, 0 };
            pthread_create(&all[i], NULL, work, &workers[i]);
        }
        for (unsigned i = 0; i < threads; i++) {
            pthread_join(all[i], NULL);
            asked += workers[i].asked;
        }
    }
    for (unsigned i = 0; i < SHARED; i++) {
        block *const left = atomic_exchange(&shared[i], NULL);

        if (left != NULL) {
            block_free(left);
        }
    }
    printf("%llu bytes\n", (unsigned long long)asked);
    return 0;
}
