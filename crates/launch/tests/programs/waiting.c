/* Threads that each free 2 MiB in blocks of many sizes, and then wait. Says how many kilobytes were resident before, and are
 * while they wait. */
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "resident.h"

enum { THREADS = 64, SIZES = 256, EACH = 4 };

static pthread_barrier_t freed, looked;

static void *work(void *none) {
    static __thread void *blocks[SIZES * EACH];
    for (int i = 0; i < SIZES * EACH; i++) {
        size_t size = (size_t)(i % SIZES + 1) * 16 - 8;
        if (!(blocks[i] = malloc(size)))
            abort();
        memset(blocks[i], 1, size);
    }
    for (int i = 0; i < SIZES * EACH; i++)
        free(blocks[i]);
    pthread_barrier_wait(&freed);
    pthread_barrier_wait(&looked);
    return none;
}

int main(void) {
    pthread_t threads[THREADS];
    pthread_barrier_init(&freed, NULL, THREADS + 1);
    pthread_barrier_init(&looked, NULL, THREADS + 1);
    long before = resident();
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, NULL))
            abort();
    pthread_barrier_wait(&freed);
    malloc_trim(0);
    printf("%ld %ld\n", before, resident());
    pthread_barrier_wait(&looked);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
