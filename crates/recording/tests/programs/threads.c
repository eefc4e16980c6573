/* Four threads pass blocks around: each frees what another allocated. Half of the frees come
 * through realloc. Sizes from 2000 on, so that the arenas are asked and addresses wander. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, STEPS = 60000, PLACES = 64 };
static void *places[PLACES];

static void *work(void *number) {
    unsigned seed = 17 + (unsigned)(size_t)number;
    for (int step = 0; step < STEPS; step++) {
        seed = seed * 1664525u + 1013904223u;
        void *mine = malloc(2000 + (seed >> 16) % 3000);
        if ((seed >> 9) % 4 == 0)
            mine = realloc(mine, 2000 + (seed >> 12) % 9000);
        *(char *)mine = 1;
        free(__atomic_exchange_n(&places[(seed >> 20) % PLACES], mine, __ATOMIC_ACQ_REL));
        if (step % 16 == 0)
            sched_yield();
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < PLACES; i++)
        free(places[i]);
    return 0;
}
